import type { StackFrame } from '../../../model/endings/crashReport.ts';
import type { Disassembly } from '../../../model/debug/disassembly.ts';
import type { StatementMatch } from '../../../model/functions/foundStatement.ts';
import type { ProbePlace, ProbeRequest } from '../../../model/probes/probe.ts';
import type { Expression } from '../../../model/watches/expression.ts';
import type { WantedProbe } from '../../wantedProbe.ts';
import type { RunningMemory } from '../debugger.ts';
import type { CodeAt } from './dapStacks.ts';

/** A place that a breakpoint means. */
export interface MeantPlace {
  readonly shown: Pick<ProbePlace, 'function' | 'file' | 'line' | 'text'>;
  /** As `DapPlace`; null: it is nowhere yet. */
  readonly at: string | null;
}

/** A breakpoint, and where it is to be. */
export interface Planned {
  readonly probe: WantedProbe;
  readonly match: Omit<StatementMatch, 'statements'>;
  readonly places: readonly MeantPlace[];
}

/** What of programs is known beside what an adapter tells: machine code, or source text. */
export interface DapGround {
  /** Why a breakpoint is none that an adapter can have; a whole sentence. Null: it may be. */
  whyNot(request: ProbeRequest, adapter: string): string | null;
  /** `pid`: null: no process is held. */
  plan(probe: WantedProbe, own: readonly string[], pid: number | null): Promise<Planned>;
  codeAt(pid: number): CodeAt;
  /** An expression as the adapter reads it. */
  text(expression: Expression): string;
  /** A value as the language writes it. */
  literal(value: string | number | boolean): string;
  /** The adapter alone cannot be trusted to say that a condition cannot be worked out: it is asked once more at the stop. */
  readonly asksAgain: boolean;
  /** Null: its values have no addresses. */
  memory(pid: number): RunningMemory | null;
  /** Throws NO_LINE, BAD_PARAMETER. */
  disassemble(pid: number, frame: StackFrame, count: number): Promise<Disassembly>;
  /** Sets a register by its DWARF number: its name, and the value as the adapter reads it. Throws BAD_PARAMETER. */
  register(number: number, value: bigint): { readonly name: string; readonly value: string };
  /** Why a process whose threads stand may not, as a clause; null: it does. */
  doubt(pid: number): string | null;
}

/** What nothing was found for; `why`: a whole sentence. */
export function unplanned(probe: WantedProbe, why: string): Planned {
  return { probe, match: { moved: null, isStale: false, why, nearest: [] }, places: [] };
}
