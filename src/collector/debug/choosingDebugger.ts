import type { StepKind } from '../../model/debug/stop.ts';
import type { EvaluateRequest } from '../../model/debug/evaluated.ts';
import type { WantedProbe } from '../wantedProbe.ts';
import type { DebugBackend, DebugSink, StopCounts, WantedValue } from './debugger.ts';

/** Stops threads by Strobe's own code, or by another debugger where a client or the setting wants that. */
export abstract class ChoosingDebugger<
  Own extends DebugBackend = DebugBackend,
> implements DebugBackend {
  abstract readonly isInside: boolean;
  /** What either of them says comes from this one. */
  protected readonly sink: DebugSink;
  /** Whom the user wants. */
  protected wanted: string;
  protected chosen: DebugBackend;
  readonly own: Own;
  readonly #byName = new Map<string, DebugBackend>();
  /** Tracing is back where another debugger was. */
  #back: Promise<void> = Promise.resolve();
  /** The chosen one is whom the user wants. */
  #isSettled = false;

  /** `own`: made with what passes on what it says. */
  protected constructor(wanted: string, sink: DebugSink, own: (sink: DebugSink) => Own) {
    this.sink = {
      stopped: (stop) => sink.stopped(stop, this),
      gone: (tid) => sink.gone(tid),
      left: (pid, why) => sink.left(pid, why),
      withdraw: async (pid, name) => sink.withdraw(pid, name),
      comeBack: async (pid) => (this.#back = sink.comeBack(pid)),
    };
    this.wanted = wanted;
    this.own = own(this.sink);
    this.chosen = this.own;
  }

  /** Whom the user wants for a process; null: Strobe's own. Throws BAD_PARAMETER, CANNOT_DEBUG. */
  protected abstract wish(pid: number): Promise<string | null>;

  /** Another debugger. Throws BAD_PARAMETER, CANNOT_DEBUG. */
  protected abstract make(name: string): DebugBackend | null;

  /** Whether a name means one of these. Throws BAD_PARAMETER, CANNOT_DEBUG. */
  abstract use(adapter: string): Promise<void>;

  protected choose(adapter: string): void {
    for (const one of this.#byName.values()) void one.use?.(adapter);
    this.wanted = adapter;
    this.#isSettled = false;
  }

  async apply(...[probes, traced]: Parameters<DebugBackend['apply']>) {
    return await (await this.#for(traced.pid)).apply(probes, traced);
  }

  async counts(): Promise<ReadonlyMap<string, StopCounts>> {
    const all = await Promise.all(
      [this.own, ...this.#byName.values()].map(async (one) => one.counts()),
    );
    const sums = new Map<string, StopCounts>();
    for (const [id, { hits, met, missed = 0 }] of all.flatMap((counts) => [...counts])) {
      const before = sums.get(id) ?? { hits: 0, met: 0 };
      const sum = { hits: before.hits + hits, met: before.met + met };
      sums.set(id, { ...sum, missed: (before.missed ?? 0) + missed });
    }
    return sums;
  }

  holds(pid: number): boolean {
    return this.chosen.holds(pid);
  }

  adapterIn(pid: number): string | null {
    return this.chosen.adapterIn(pid);
  }

  isFor(pid: number): boolean {
    return this.chosen.isFor(pid);
  }

  async comesLate(pid: number): Promise<boolean> {
    return (await (await this.#for(pid)).comesLate?.(pid)) ?? false;
  }

  async pause(pid: number, tid?: number): Promise<readonly number[]> {
    return await (await this.#for(pid)).pause(pid, tid);
  }

  async go(tid: number): Promise<void> {
    await this.chosen.go(tid);
  }

  async step(tid: number, kind: StepKind): Promise<void> {
    await this.chosen.step(tid, kind);
  }

  async until(tid: number, target: WantedProbe, own: readonly string[]): Promise<void> {
    await this.chosen.until(tid, target, own);
  }

  async evaluate(tid: number, request: EvaluateRequest) {
    return await this.chosen.evaluate(tid, request);
  }

  async taskFrames(...asked: Parameters<NonNullable<DebugBackend['taskFrames']>>) {
    return (await this.chosen.taskFrames?.(...asked)) ?? [];
  }

  read(tid: number, address: bigint, length: number): Uint8Array {
    return this.chosen.read(tid, address, length);
  }

  async write(tid: number, address: bigint, bytes: Uint8Array) {
    return await this.chosen.write(tid, address, bytes);
  }

  async setRegister(tid: number, register: number, value: bigint) {
    return await this.chosen.setRegister(tid, register, value);
  }

  memory(pid: number) {
    return this.chosen.memory(pid);
  }

  async assign(tid: number, wanted: WantedValue) {
    return await this.chosen.assign(tid, wanted);
  }

  get runsCode(): boolean {
    return this.chosen.runsCode;
  }

  async run(tid: number, frame: number, text: string) {
    return await this.chosen.run(tid, frame, text);
  }

  async variables(tid: number, frame: number) {
    return (await this.chosen.variables?.(tid, frame)) ?? [];
  }

  async registers(tid: number) {
    return (await this.chosen.registers?.(tid)) ?? [];
  }

  async disassemble(tid: number, frame: number, count: number) {
    return await this.chosen.disassemble(tid, frame, count);
  }

  doubt(tid: number): string | null {
    return this.chosen.doubt(tid);
  }

  async close(): Promise<void> {
    await this.chosen.close();
  }

  async #for(pid: number | null): Promise<DebugBackend> {
    if (pid === null || (this.#isSettled && this.chosen.holds(pid))) return this.chosen;
    const name = await this.wish(pid);
    const chosen = name === null ? this.own : this.named(name);
    if (chosen !== this.chosen) {
      await this.leave(this.chosen);
      // What enters a process has all others leave it meanwhile.
      await this.#back;
    }
    this.chosen = chosen;
    this.#isSettled = true;
    return chosen;
  }

  /** Another takes its place. */
  protected async leave(one: DebugBackend): Promise<void> {
    await one.close();
  }

  /** Throws BAD_PARAMETER, CANNOT_DEBUG. */
  protected named(name: string): DebugBackend {
    const known = this.#byName.get(name);
    if (known) return known;
    const made = this.make(name);
    if (made === null) return this.own;
    this.#byName.set(name, made);
    return made;
  }
}
