import type { StackFrame } from '../../../model/endings/crashReport.ts';
import type { Disassembly } from '../../../model/debug/disassembly.ts';
import type { ProbeRequest } from '../../../model/probes/probe.ts';
import { processorNamed } from '../../../model/processors.ts';
import type { Expression } from '../../../model/watches/expression.ts';
import { expressionText } from '../../../model/watches/expressionText.ts';
import { statFields } from '../../../base/proc.ts';
import type { NativeParts } from '../../native/nativeParts.ts';
import { ProbeStatements } from '../../native/probes/probeStatements.ts';
import type { TracedSession } from '../../tracer.ts';
import type { WantedProbe } from '../../wantedProbe.ts';
import { ownStopper } from '../adapters/chosenAdapter.ts';
import type { RunningMemory } from '../debugger.ts';
import { disassemble } from '../native/disassembler.ts';
import { ProcessMaps } from '../native/processMaps.ts';
import { ProgramMemory } from '../native/programMemory.ts';
import type { DapGround, Planned } from './dapGround.ts';
import type { CodeAt } from './dapStacks.ts';

/** Machine code: where statements are, Strobe's own index says. */
export class NativeGround implements DapGround {
  readonly asksAgain = false;
  readonly #session: TracedSession;
  readonly #code: NativeParts['code'];
  readonly #statements: ProbeStatements;

  constructor(session: TracedSession, { code }: Pick<NativeParts, 'code'>) {
    this.#session = session;
    this.#code = code;
    this.#statements = new ProbeStatements(session, code);
  }

  whyNot({ where, thread }: ProbeRequest, adapter: string): string | null {
    if (where.kind === 'exception' && where.exception === 'panic' && adapter === 'Delve')
      return `A panic of Go is a call of a function: stop there, {"function": "runtime.gopanic"} ("strobe break add runtime.gopanic").`;
    if (where.kind === 'exception' || where.kind === 'data')
      return `${adapter} stops at lines, statements, functions and addresses here: for exceptions and data use Strobe's own stopper ("adapter": "${ownStopper}").`;
    return thread === undefined
      ? null
      : `${adapter} stops all threads: leave out "thread", or use Strobe's own stopper ("adapter": "${ownStopper}").`;
  }

  async plan(probe: WantedProbe, own: readonly string[], pid: number | null): Promise<Planned> {
    const match = await this.#statements.match(probe, own, pid);
    const maps = pid === null ? null : new ProcessMaps(pid);
    const places = match.statements.map((statement) => {
      const { functionName, file, line, text } = statement;
      const address = maps?.addressOf(statement) ?? null;
      return {
        shown: { function: functionName, file, line, text },
        at: address === null ? null : `0x${address.toString(16)}`,
      };
    });
    return { probe, match, places };
  }

  codeAt(pid: number): CodeAt {
    return {
      arguments: async (pc) => this.#statements.argumentsAt(pid, pc),
      line: async (pc) => {
        const place = new ProcessMaps(pid).placeOf(pc);
        // Of a library it could take seconds.
        if (place?.module !== this.#session.image) return null;
        const found = await this.#code.lineRanges(place.module, place.offset);
        return found === null || found.line === 0 ? null : found;
      },
    };
  }

  text(expression: Expression): string {
    return expressionText(expression);
  }

  literal(value: string | number | boolean): string {
    return String(value);
  }

  memory(pid: number): RunningMemory {
    return new ProgramMemory(pid, this.#session, this.#code);
  }

  async disassemble(pid: number, frame: StackFrame, count: number): Promise<Disassembly> {
    return await disassemble(frame, new ProcessMaps(pid), { code: this.#code, count });
  }

  register(number: number, value: bigint): { readonly name: string; readonly value: string } {
    const name = processorNamed(process.arch).registers[number];
    return { name: `$${name}`, value: `0x${BigInt.asUintN(64, value).toString(16)}` };
  }

  doubt(pid: number): string | null {
    const letter = statFields(pid)?.[0] ?? 'X';
    return letter === 't' ? null : `the kernel says its state is ${letter}`;
  }
}
