import type { StepKind } from '../../model/debug/stop.ts';
import type { EvaluateRequest } from '../../model/debug/evaluated.ts';
import type { NativeParts } from '../native/nativeParts.ts';
import type { Trap } from '../native/probes/processProbes.ts';
import { runningFile } from '../program/entryFacts.ts';
import type { TracedProcess, TracedSession } from '../tracer.ts';
import type { WantedProbe } from '../wantedProbe.ts';
import { adapterNamed, ownStopper, whatFits } from './adapters/chosenAdapter.ts';
import { findDelve } from './adapters/delve.ts';
import { DapDebugger } from './dap/dapDebugger.ts';
import type { DebugBackend, DebugSink, StopCounts, WantedValue } from './debugger.ts';
import { NativeDebugger } from './native/nativeDebugger.ts';

const withoutDelve =
  'Without Delve threads stop, not goroutines: go install github.com/go-delve/delve/cmd/dlv@latest.';

/** Stops threads of programs of machine code: by Strobe's own stopper, or of Go by Delve where that is found. */
export class ProgramDebugger implements DebugBackend {
  readonly isInside = false;
  readonly #session: TracedSession;
  readonly #parts: NativeParts;
  /** What either of them says comes from this one. */
  readonly #sink: DebugSink;
  readonly #stopper: NativeDebugger;
  readonly #byName = new Map<string, DebugBackend>();
  /** Tracing is back where another debugger was. */
  #back: Promise<void> = Promise.resolve();
  /** Whom the user wants. */
  #wanted: string;
  #chosen: DebugBackend;
  #isGo = false;
  /** The chosen one is whom the user wants. */
  #isSettled = false;

  constructor(session: TracedSession, parts: NativeParts, sink: DebugSink) {
    this.#session = session;
    this.#parts = parts;
    this.#sink = {
      stopped: (stop) => sink.stopped(stop, this),
      gone: (tid) => sink.gone(tid),
      left: (pid, why) => sink.left(pid, why),
      withdraw: async (pid, name) => sink.withdraw(pid, name),
      comeBack: async (pid) => (this.#back = sink.comeBack(pid)),
    };
    this.#stopper = new NativeDebugger(session, parts, this.#sink);
    this.#chosen = this.#stopper;
    this.#wanted = parts.adapters.use;
  }

  /** Has int3s lead to these islands, and no others. By address why one does not: whole sentences. */
  async divert(traps: readonly Trap[], main: TracedProcess): Promise<ReadonlyMap<bigint, string>> {
    return await this.#stopper.divert(traps, main);
  }

  /** The process, which was held at its start, runs now. Throws CANNOT_DEBUG. */
  async began(pid: number): Promise<void> {
    await this.#stopper.began(pid);
  }

  async apply(...[probes, traced]: Parameters<DebugBackend['apply']>) {
    const chosen = await this.#for(traced.pid);
    const reports = await chosen.apply(probes, traced);
    if (chosen !== this.#stopper || !this.#isGo || this.#wanted !== whatFits) return reports;
    return reports.map((report) =>
      report.state === 'bound' ? { ...report, notes: [...report.notes, withoutDelve] } : report,
    );
  }

  async counts(): Promise<ReadonlyMap<string, StopCounts>> {
    const all = await Promise.all(
      [this.#stopper, ...this.#byName.values()].map(async (one) => one.counts()),
    );
    const sums = new Map<string, StopCounts>();
    for (const [id, { hits, met }] of all.flatMap((counts) => [...counts])) {
      const before = sums.get(id) ?? { hits: 0, met: 0 };
      sums.set(id, { hits: before.hits + hits, met: before.met + met });
    }
    return sums;
  }

  holds(pid: number): boolean {
    return this.#chosen.holds(pid);
  }

  adapterIn(pid: number): string | null {
    return this.#chosen.adapterIn(pid);
  }

  isFor(pid: number): boolean {
    return this.#chosen.isFor(pid);
  }

  async comesLate(pid: number): Promise<boolean> {
    return (await (await this.#for(pid)).comesLate?.(pid)) ?? false;
  }

  async pause(pid: number, tid?: number): Promise<readonly number[]> {
    return await (await this.#for(pid)).pause(pid, tid);
  }

  async go(tid: number): Promise<void> {
    await this.#chosen.go(tid);
  }

  async step(tid: number, kind: StepKind): Promise<void> {
    await this.#chosen.step(tid, kind);
  }

  async until(tid: number, target: WantedProbe, own: readonly string[]): Promise<void> {
    await this.#chosen.until(tid, target, own);
  }

  async evaluate(tid: number, request: EvaluateRequest) {
    return await this.#chosen.evaluate(tid, request);
  }

  read(tid: number, address: bigint, length: number): Uint8Array {
    return this.#chosen.read(tid, address, length);
  }

  async write(tid: number, address: bigint, bytes: Uint8Array) {
    return await this.#chosen.write(tid, address, bytes);
  }

  async setRegister(tid: number, register: number, value: bigint) {
    return await this.#chosen.setRegister(tid, register, value);
  }

  memory(pid: number) {
    return this.#chosen.memory(pid);
  }

  async assign(tid: number, wanted: WantedValue) {
    return await this.#chosen.assign(tid, wanted);
  }

  async run(tid: number, frame: number, text: string) {
    return await this.#chosen.run(tid, frame, text);
  }

  async variables(tid: number, frame: number) {
    return (await this.#chosen.variables?.(tid, frame)) ?? [];
  }

  async disassemble(tid: number, frame: number, count: number) {
    return await this.#chosen.disassemble(tid, frame, count);
  }

  doubt(tid: number): string | null {
    return this.#chosen.doubt(tid);
  }

  async close(): Promise<void> {
    await this.#chosen.close();
  }

  use(adapter: string): void {
    if (adapter !== whatFits) this.#named(adapter);
    for (const one of this.#byName.values()) one.use?.(adapter);
    this.#wanted = adapter;
    this.#isSettled = false;
  }

  async #for(pid: number | null): Promise<DebugBackend> {
    if (pid === null || (this.#isSettled && this.#chosen.holds(pid))) return this.#chosen;
    const { go } = await runningFile(pid);
    this.#isGo = go !== null;
    const chosen = this.#wanted === whatFits ? this.#fitting() : this.#named(this.#wanted);
    if (chosen !== this.#chosen) {
      await this.#chosen.close();
      // What enters a process has all others leave it meanwhile.
      await this.#back;
    }
    this.#chosen = chosen;
    this.#isSettled = true;
    return chosen;
  }

  #fitting(): DebugBackend {
    const hasDelve = this.#isGo && findDelve(this.#parts.adapters.delve) !== null;
    return hasDelve ? this.#named('delve') : this.#stopper;
  }

  /** Throws BAD_PARAMETER, CANNOT_DEBUG. */
  #named(name: string): DebugBackend {
    if (name === ownStopper) return this.#stopper;
    const known = this.#byName.get(name);
    if (known) return known;
    const adapter = adapterNamed(name, this.#parts.adapters);
    if (adapter === null) return this.#stopper;
    const made = new DapDebugger(this.#session, this.#parts, adapter, this.#sink);
    this.#byName.set(name, made);
    return made;
  }
}
