import type { NativeParts } from '../native/nativeParts.ts';
import type { Trap } from '../native/probes/processProbes.ts';
import { runningFile } from '../program/entryFacts.ts';
import type { TracedProcess, TracedSession } from '../tracer.ts';
import { adapterNamed, debugpyName, ownStopper, whatFits } from './adapters/chosenAdapter.ts';
import { findDelve } from './adapters/delve.ts';
import { ChoosingDebugger } from './choosingDebugger.ts';
import { DapDebugger } from './dap/dapDebugger.ts';
import { NativeGround } from './dap/nativeGround.ts';
import type { DebugBackend, DebugSink } from './debugger.ts';
import { NativeDebugger } from './native/nativeDebugger.ts';

const withoutDelve =
  'Without Delve threads stop, not goroutines: go install github.com/go-delve/delve/cmd/dlv@latest.';

/** Stops threads of programs of machine code: by Strobe's own stopper, or of Go by Delve where that is found. */
export class ProgramDebugger extends ChoosingDebugger<NativeDebugger> {
  readonly isInside = false;
  readonly #session: TracedSession;
  readonly #parts: NativeParts;
  #isGo = false;

  constructor(session: TracedSession, parts: NativeParts, sink: DebugSink) {
    super(parts.adapters.use, sink, (own) => new NativeDebugger(session, parts, own));
    this.#session = session;
    this.#parts = parts;
  }

  /** Has int3s lead to these islands, and no others. By address why one does not: whole sentences. */
  async divert(traps: readonly Trap[], main: TracedProcess): Promise<ReadonlyMap<bigint, string>> {
    return await this.own.divert(traps, main);
  }

  /** The process, which was held at its start, runs now. Throws CANNOT_DEBUG. */
  async began(pid: number): Promise<void> {
    await this.own.began(pid);
  }

  override async apply(...[probes, traced]: Parameters<DebugBackend['apply']>) {
    const reports = await super.apply(probes, traced);
    if (this.chosen !== this.own || !this.#isGo || this.#meant !== whatFits) return reports;
    return reports.map((report) =>
      report.state === 'bound' ? { ...report, notes: [...report.notes, withoutDelve] } : report,
    );
  }

  use(adapter: string): Promise<void> {
    if (adapter !== whatFits && adapter !== debugpyName) this.named(adapter);
    this.choose(adapter);
    return Promise.resolve();
  }

  protected async wish(pid: number): Promise<string | null> {
    const { go } = await runningFile(pid);
    this.#isGo = go !== null;
    if (this.#meant !== whatFits) return this.#meant;
    const hasDelve = this.#isGo && findDelve(this.#parts.adapters.delve) !== null;
    return hasDelve ? 'delve' : null;
  }

  protected make(name: string): DebugBackend | null {
    if (name === ownStopper) return null;
    const adapter = adapterNamed(name, this.#parts.adapters);
    if (adapter === null) return null;
    const { warn } = this.#parts;
    const ground = new NativeGround(this.#session, this.#parts);
    return new DapDebugger(this.#session, ground, adapter, this.sink, warn);
  }

  get #meant(): string {
    return this.wanted === debugpyName ? whatFits : this.wanted;
  }
}
