import type { SessionTracer, TraceableProcess, Tracer } from '../../../collector/tracer.ts';
import type { RuntimeName, Verdict } from '../../../model/functions/traceable.ts';
import type { SessionContext } from '../../session/sessionContext.ts';

/** A tracer in a process. */
export interface Entered {
  readonly runtime: RuntimeName;
  readonly tracer: Tracer;
  verdicts: ReadonlyMap<string, Verdict>;
}

interface AloneOwner {
  /** Whether something that is wanted can be in machine code that is no program's own. */
  meansMachineCode(): boolean;
  /** Enters a process while no debugger holds it. */
  aside(pid: number, enter: () => Promise<void>): Promise<void>;
  /** The tracers in a process, the first that came in first; undefined: it is gone. */
  entered(pid: number): Entered[] | undefined;
  /** Ends when what is wanted of it is hooked, and never rejects. */
  unitsChanged(pid: number): Promise<void>;
}

function cameLater(pid: number): string {
  return `Machine code of process ${pid} is traced from here on: it was entered for its own language alone, as nothing else was wanted then.`;
}

/** Processes that a tracer comes into by itself. The others come into them once they are wanted, which costs more. */
export class AloneProcesses {
  readonly #context: SessionContext;
  readonly #sessions: ReadonlyMap<RuntimeName, SessionTracer>;
  readonly #owner: AloneOwner;
  /** `isHeld`: it has not begun. */
  readonly #all = new Map<number, { readonly process: TraceableProcess; isHeld: boolean }>();

  constructor(
    context: SessionContext,
    sessions: ReadonlyMap<RuntimeName, SessionTracer>,
    owner: AloneOwner,
  ) {
    this.#context = context;
    this.#sessions = sessions;
    this.#owner = owner;
  }

  /** Null: a tracer comes in by another, or that is wanted as well. */
  async enter(process: TraceableProcess): Promise<Entered | null> {
    const { pid, image, atExec, isAttached = false } = process;
    if (!atExec || isAttached || this.#owner.meansMachineCode()) return null;
    const { runtimes } = this.#context.services;
    const able = runtimes.all.filter(
      ({ tracers }) => this.#sessions.get(tracers.runtime)?.entersAlone !== undefined,
    );
    const claims = await runtimes.claimsOf(image, { pid, atExec }, able);
    const known = { ...process, isEngine: runtimes.isEngine(image) };
    const environ = (words: readonly string[]): Promise<void> => this.#context.environ(pid, words);
    for (const { runtime, claim } of claims) {
      const { runtime: name } = runtime.tracers;
      const session = this.#sessions.get(name);
      if (!claim.able || !(await session?.entersAlone?.(known))) continue;
      const tracer = await session
        ?.enter({ ...known, comesAlone: true, environ })
        .catch((error: unknown) => this.#context.note(String(error)));
      if (!tracer) continue;
      this.#all.set(pid, { process: known, isHeld: true });
      return { runtime: name, tracer, verdicts: new Map() };
    }
    return null;
  }

  /** It runs now. */
  began(pid: number): void {
    const one = this.#all.get(pid);
    if (!one?.isHeld) return;
    one.isHeld = false;
    if (this.#owner.meansMachineCode())
      void this.enterRest().then(async () => this.#owner.unitsChanged(pid));
  }

  delete(pid: number): void {
    this.#all.delete(pid);
  }

  /** Enters machine code where it is wanted by now. What it did before is not seen. */
  async enterRest(): Promise<void> {
    if (this.#all.size === 0 || !this.#owner.meansMachineCode()) return;
    const begun = [...this.#all].filter(([, { isHeld }]) => !isHeld);
    await Promise.all(begun.map(async ([pid, { process }]) => this.#enterOthers(pid, process)));
  }

  async #enterOthers(pid: number, process: TraceableProcess): Promise<void> {
    this.#all.delete(pid);
    const { runtimes } = this.#context.services;
    const claims = await runtimes.claimsOf(process.image, { pid, atExec: false });
    for (const { runtime, claim } of claims) {
      const { runtime: name } = runtime.tracers;
      const entered = this.#owner.entered(pid);
      const session = this.#sessions.get(name);
      const isIn = entered?.some((one) => one.runtime === name) === true;
      if (!claim.able || !session || !entered || isIn) continue;
      const enter = async (): Promise<void> => {
        const tracer = await session.enter({ ...process, atExec: false });
        // It leaves the last.
        entered.unshift({ runtime: name, tracer, verdicts: new Map() });
        this.#context.note(cameLater(pid));
      };
      await this.#owner.aside(pid, enter).catch((error: unknown) => {
        this.#context.note(`Machine code of process ${pid} is not traced: ${String(error)}`);
      });
    }
  }
}
