import type { FrameVariable } from '../../../model/endings/crashReport.ts';
import type { Disassembly } from '../../../model/debug/disassembly.ts';
import type { Evaluated, EvaluateRequest } from '../../../model/debug/evaluated.ts';
import type { StepKind, StopCause, StoppedThread } from '../../../model/debug/stop.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { ProbeReport } from '../../../model/probes/probe.ts';
import { readsSecret } from '../../../model/watches/readsSecret.ts';
import { probeReport, type PlaceOutcome } from '../../probeReport.ts';
import type { TracedSession } from '../../tracer.ts';
import type { WantedProbe } from '../../wantedProbe.ts';
import type { DebugAdapter } from '../adapters/debugAdapter.ts';
import type {
  DebugBackend,
  DebugSink,
  RanThere,
  RunningMemory,
  StopCounts,
  WantedValue,
} from '../debugger.ts';
import { consoleLine, withoutSecrets } from './consoleText.ts';
import { adapterNotes, waitingFor } from './adapterNotes.ts';
import { wholeReason } from './dapErrors.ts';
import { unplanned, type DapGround, type Planned } from './dapGround.ts';
import type { PlacedAt } from './dapPlaces.ts';
import type { AtPlace, DapOwner } from './dapOwner.ts';
import { DapProcess } from './dapProcess.ts';
import { HitCounts } from './hitCounts.ts';
import { isRaised } from './raisedAt.ts';
import { metAt, sharedPlaces, type SharedPlace } from './sharedPlaces.ts';
import { Undecided } from './undecided.ts';

/** By id of the breakpoint. */
type Outcomes = ReadonlyMap<string, readonly (PlacedAt | null)[]>;

type Applied = Parameters<DebugBackend['apply']>[1];

/** Says what went wrong beside what was asked for. */
type Warn = (message: string, detail: { readonly error: string }) => void;

/** Stops threads of programs by another debugger. Where statements are, its ground says. */
export class DapDebugger implements DebugBackend {
  readonly isInside = false;
  readonly #session: TracedSession;
  readonly #ground: DapGround;
  readonly #warn: Warn;
  readonly #adapter: DebugAdapter;
  readonly #sink: DebugSink;
  readonly #hits = new HitCounts();
  /** By the adapter's number. */
  #placed: ReadonlyMap<number, SharedPlace> = new Map();
  /** By the adapter's number where each was that it ever had: a thread may have met it before it had another. */
  #numbers = new Map<number, string>();
  readonly #undecided = new Undecided();
  /** Where a thread runs to, by the adapter's number. */
  #until: { readonly tid: number; readonly numbers: readonly number[] } | null = null;
  /** Settles when the adapter attaches to nothing and leaves nothing: requests of clients come at once. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The last process is held no more. */
  #freed: Promise<void> = Promise.resolve();
  /** Settles when the place that a thread ran to is gone. */
  #tidied: Promise<unknown> = Promise.resolve();
  #planned: readonly Planned[] = [];
  /** A process that stands still until it is held. */
  #waiting: number | null = null;
  /** Breakpoints were set before the program began. */
  #isFromStart = false;
  #process: DapProcess | null = null;
  /** By thread how it stood last. */
  readonly #stopped = new Map<number, StoppedThread>();
  /** It could not hold the process for these breakpoints: tracing that comes back sets them again. */
  #refusal: { readonly asked: string; readonly why: string } | null = null;

  constructor(
    session: TracedSession,
    ground: DapGround,
    adapter: DebugAdapter,
    sink: DebugSink,
    warn: Warn,
  ) {
    this.#session = session;
    this.#ground = ground;
    this.#adapter = adapter;
    this.#sink = sink;
    this.#warn = warn;
  }

  async apply(
    probes: readonly WantedProbe[],
    { own, pid, isHeld }: Applied,
  ): Promise<readonly ProbeReport[]> {
    const isWanted = probes.some(({ request }) => request.isEnabled);
    if (isWanted && isHeld) this.#isFromStart = true;
    const asked = `${pid}: ${probes.map(({ id, request }) => `${id} ${request.isEnabled}`).join()}`;
    if (this.#refusal?.asked === asked) return this.#refused(probes, this.#refusal.why);
    let outcomes: Outcomes | null = null;
    if (isWanted && pid !== null && !isHeld) {
      try {
        await this.#begin(pid, async () => (outcomes = await this.#placeAll(probes, own)));
      } catch (error) {
        const why = wholeReason(error);
        this.#refusal = { asked, why };
        return this.#refused(probes, why);
      }
    }
    outcomes ??= await this.#placeAll(probes, own);
    return this.#planned.map((one) => this.#report(one, outcomes));
  }

  use(): Promise<void> {
    this.#refusal = null;
    return Promise.resolve();
  }

  counts(): Promise<ReadonlyMap<string, StopCounts>> {
    return Promise.resolve(this.#hits.all());
  }

  holds(pid: number): boolean {
    return this.#present?.pid === pid;
  }

  adapterIn(pid: number): string | null {
    return this.holds(pid) ? this.#adapter.name : null;
  }

  isFor(): boolean {
    return true;
  }

  comesLate(pid: number): Promise<boolean> {
    this.#waiting = pid;
    return Promise.resolve(true);
  }

  async pause(pid: number): Promise<readonly number[]> {
    return await (await this.#begin(pid)).pause();
  }

  async go(tid: number): Promise<void> {
    await this.#tidied;
    if (!this.#present?.stands(tid)) return;
    this.#stopped.clear();
    await this.#present.go(tid);
  }

  async step(tid: number, kind: StepKind): Promise<void> {
    await this.#tidied;
    await this.#held(tid).step(tid, kind);
  }

  async until(tid: number, target: WantedProbe, own: readonly string[]): Promise<void> {
    const process = this.#held(tid);
    const plan = await this.#plan(target, own, process.pid);
    if (plan.places.every(({ at }) => at === null))
      throw new StrobeError('BAD_PARAMETER', plan.match.why ?? 'Its code is not loaded.');
    await this.#tidied;
    await this.#place(process, { tid, plan });
    await process.go(tid);
  }

  async evaluate(
    tid: number,
    { frame, expression, elements }: EvaluateRequest,
  ): Promise<Evaluated> {
    const secret = readsSecret(expression, this.#session.limits.secretNames);
    if (secret !== null) return { why: secret };
    return await this.#held(tid).evaluate(tid, frame, this.#ground.text(expression), elements);
  }

  read(tid: number, address: bigint, length: number): Uint8Array {
    return this.#memoryOf(this.#held(tid).pid).read(address, length);
  }

  async write(tid: number, address: bigint, bytes: Uint8Array): Promise<StoppedThread> {
    const process = this.#held(tid);
    this.#memoryOf(process.pid).write(address, bytes);
    return await this.#look(process, tid);
  }

  async setRegister(tid: number, register: number, value: bigint): Promise<StoppedThread> {
    const set = this.#ground.register(register, value);
    return await this.#set(tid, 0, set.name, set.value);
  }

  memory(pid: number): RunningMemory | null {
    return this.#ground.memory(pid);
  }

  async assign(tid: number, { frame, to, value }: WantedValue): Promise<StoppedThread> {
    return await this.#set(tid, frame, to, this.#ground.literal(value));
  }

  get runsCode(): boolean {
    return this.#adapter.console !== null;
  }

  async run(tid: number, frame: number, text: string): Promise<RanThere> {
    const { secretNames } = this.#session.limits;
    const line = consoleLine(this.#adapter, text, secretNames);
    const process = this.#held(tid);
    const printed = await process.console(tid, frame, line);
    const ran = { kind: 'printed', text: withoutSecrets(printed.trimEnd(), secretNames) } as const;
    return { ran, thread: await this.#look(process, tid) };
  }

  async variables(tid: number, frame: number): Promise<readonly FrameVariable[]> {
    return await this.#held(tid).variables(tid, frame);
  }

  async registers(tid: number): Promise<StoppedThread['registers']> {
    return await this.#held(tid).registers(tid);
  }

  async disassemble(tid: number, frame: number, count: number): Promise<Disassembly> {
    const { pid } = this.#held(tid);
    const meant = this.#stopped.get(tid)?.frames[frame];
    if (!meant) throw new StrobeError('BAD_PARAMETER', `There is no frame ${frame}.`);
    return await this.#ground.disassemble(pid, meant, count);
  }

  doubt(): string | null {
    const pid = this.#present?.pid;
    if (pid === undefined) return `${this.#adapter.name} has left`;
    return this.#ground.doubt(pid);
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => this.#close());
  }

  async #close(): Promise<void> {
    const process = this.#process;
    this.#forget();
    this.#planned = [];
    if (!process) return;
    const free = process.close();
    this.#comeBack(process.pid, free);
    await free;
  }

  /** Tracing comes back when nothing holds the program any more, unless the adapter is wanted again by then. */
  #comeBack(pid: number, free: Promise<void>): void {
    this.#freed = free.then(() => {
      if (this.#process === null) void this.#sink.comeBack(pid);
    });
  }

  get #present(): DapProcess | null {
    return this.#process?.isOver === false ? this.#process : null;
  }

  #forget(): void {
    this.#process = null;
    this.#placed = new Map();
    this.#numbers = new Map();
    this.#until = null;
    this.#stopped.clear();
  }

  #held(tid: number): DapProcess {
    if (this.#present?.stands(tid)) return this.#present;
    throw new StrobeError('NOT_STOPPED', `Thread ${tid} is not stopped.`);
  }

  #refused(probes: readonly WantedProbe[], why: string): readonly ProbeReport[] {
    const again = `${why} debug_breakpoint {"adapter":"fits"} lets Strobe choose; naming one tries it again.`;
    return probes.map((probe) => this.#report(unplanned(probe, again), null));
  }

  /** Null: there is no process to place them in. */
  async #placeAll(
    probes: readonly WantedProbe[],
    own: readonly string[],
  ): Promise<Outcomes | null> {
    const process = this.#present;
    const planned: Planned[] = [];
    for (const probe of probes) planned.push(await this.#plan(probe, own, process?.pid ?? null));
    this.#planned = planned;
    return process ? await this.#place(process) : null;
  }

  /** `place`: places what is wanted in a process that is to run only then. Throws CANNOT_DEBUG. */
  async #begin(
    pid: number,
    place: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<DapProcess> {
    return await this.#inTurn(async () =>
      this.#present?.pid === pid ? this.#present : this.#attach(pid, place),
    );
  }

  /** One after the other. */
  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(act);
    this.#turn = mine.catch(() => undefined);
    return await mine;
  }

  async #attach(pid: number, place: () => Promise<unknown>): Promise<DapProcess> {
    this.#forget();
    this.#refusal = null;
    await this.#freed;
    const owner: DapOwner<DapProcess> = {
      session: this.#session,
      ready: async () => this.#sink.withdraw(pid, this.#adapter.name),
      stands: this.#waiting === pid,
      attached: async (process) => {
        this.#process = process;
        await place();
      },
      causeAt: async (ids, tid, at) => this.#causeAt(ids, tid, at),
      failedAt: (pc, why) => this.#failedAt(pc, why),
      placesAt: (at) => this.#placesAt(at),
      missed: (ids) => {
        for (const one of ids)
          for (const probe of this.#placed.get(one)?.probes ?? []) this.#hits.miss(probe);
      },
      code: this.#ground.codeAt(pid),
      stopped: (thread) => {
        this.#stopped.set(thread.tid, thread);
        this.#tidy();
        this.#sink.stopped(thread, this);
      },
      warn: (message, error) => this.#warn(message, { error: String(error) }),
      ended: (free) => {
        this.#forget();
        this.#sink.left(pid, this.#adapter.inSource ? 'freed' : 'abandoned');
        this.#comeBack(pid, free);
      },
    };
    try {
      this.#process = await DapProcess.begin(pid, this.#adapter, owner);
    } catch (error) {
      void this.#sink.comeBack(pid);
      throw error;
    }
    return this.#process;
  }

  async #plan(probe: WantedProbe, own: readonly string[], pid: number | null): Promise<Planned> {
    const why = this.#ground.whyNot(probe.request, this.#adapter.name);
    return why === null ? await this.#ground.plan(probe, own, pid) : unplanned(probe, why);
  }

  /** Places all that is planned, and where a thread is to run to. By id, an outcome each. */
  async #place(
    process: DapProcess,
    until?: { readonly tid: number; readonly plan: Planned },
  ): Promise<Outcomes> {
    const enabled = this.#planned.filter(
      ({ probe }) => probe.request.isEnabled && this.#undecided.why(probe) === null,
    );
    const asked = enabled.flatMap(({ probe, places }) =>
      places.flatMap(({ at }) => (at === null ? [] : [{ probe, at }])),
    );
    const goals = until?.plan.places.flatMap(({ at }) => at ?? []) ?? [];
    const shared = sharedPlaces(asked, goals);
    const placed = await process.setPlaces(shared);
    const known = new Map<number, SharedPlace>();
    const byPlace = new Map<string, PlacedAt>();
    const numbers: number[] = [];
    for (const [i, place] of shared.entries()) {
      const outcome = placed[i] ?? { id: null, why: null };
      byPlace.set(place.at, outcome);
      if (outcome.id === null) continue;
      this.#numbers.set(outcome.id, place.at);
      known.set(outcome.id, this.#ground.asksAgain ? { ...place, condition: undefined } : place);
      if (goals.includes(place.at)) numbers.push(outcome.id);
    }
    this.#placed = known;
    this.#until = until && numbers.length > 0 ? { tid: until.tid, numbers } : null;
    return new Map(
      [...enabled, ...(until ? [until.plan] : [])].map(({ probe, places }) => [
        probe.id,
        places.map(({ at }) => (at === null ? null : (byPlace.get(at) ?? null))),
      ]),
    );
  }

  #report({ probe, match, places }: Planned, outcomes: Outcomes | null): ProbeReport {
    const mine = outcomes?.get(probe.id);
    const undecided = this.#undecided.why(probe);
    const shown: PlaceOutcome[] = places.map((place, i) => {
      const outcome = mine?.[i];
      return {
        at: place.shown,
        isReturn: false,
        state:
          undecided !== null || outcome?.id === null ? 'refused' : outcome ? 'bound' : 'pending',
        why:
          undecided === null
            ? outcome?.why
              ? `${this.#adapter.name}: ${outcome.why}.`
              : null
            : `Its condition cannot be worked out: ${undecided}. It stops no thread until it has another condition.`,
        missing: [],
      };
    });
    const isWaiting = outcomes === null && places.length > 0 && probe.request.isEnabled;
    const waits = isWaiting ? [waitingFor(this.#adapter)] : [];
    const report = probeReport(probe, match, waits, shown);
    const isBound = report.state === 'bound';
    const isConditional = probe.request.condition !== undefined;
    const more = { isConditional, isFromStart: this.#isFromStart };
    const notes = isBound ? [...report.notes, ...adapterNotes(this.#adapter, more)] : report.notes;
    const means = this.#adapter.inSource ? 'python' : 'trap';
    return { ...report, notes, numbers: [], means: isBound ? means : null };
  }

  async #causeAt(
    numbers: readonly number[],
    tid: number,
    { holds, raised, isDecided }: AtPlace,
  ): Promise<StopCause | null> {
    const places = numbers
      .flatMap((one) => this.#placedAs(one) ?? [])
      .map((one) => ({
        ...one,
        condition: isDecided ? one.condition : undefined,
        probes: one.probes.filter((probe) => isRaised(probe, raised)),
      }));
    const { met, undecided } = await metAt(places, holds);
    const open = undecided.filter(({ probe }) => this.#undecided.why(probe) === null);
    for (const { probe, why } of open) this.#undecided.set(probe, why);
    const probes = [
      ...met.filter((one) => this.#hits.isWanted(one)),
      ...open.map((one) => one.probe),
    ];
    const ids = probes.map(({ id }) => id);
    const [why] = open;
    if (ids.length > 0)
      return {
        kind: 'breakpoint',
        ids,
        ...(raised ? { raised: { type: raised.type, message: raised.message } } : {}),
        ...(why ? { undecided: why.why } : {}),
      };
    const until = this.#until;
    const isThere = until?.tid === tid && until.numbers.some((one) => numbers.includes(one));
    return isThere ? { kind: 'step' } : null;
  }

  #placesAt(place: string): readonly number[] {
    return [...this.#placed].flatMap(([number, { at }]) => (at === place ? [number] : []));
  }

  #placedAs(number: number): SharedPlace | undefined {
    const at = this.#numbers.get(number);
    return this.#placed.get(number) ?? [...this.#placed.values()].find((one) => one.at === at);
  }

  #failedAt(pc: string, why: string): StopCause | null {
    const ids: string[] = [];
    for (const { probe, places } of this.#planned) {
      const { isEnabled, condition } = probe.request;
      const isThere = isEnabled && places.some(({ at }) => at === pc);
      if (!isThere || condition === undefined || this.#undecided.why(probe) !== null) continue;
      this.#undecided.set(probe, why);
      ids.push(probe.id);
    }
    return ids.length === 0 ? null : { kind: 'breakpoint', ids, undecided: why };
  }

  /** A thread has stopped: it runs nowhere any more. */
  #tidy(): void {
    const process = this.#present;
    if (this.#until === null || !process) return;
    this.#until = null;
    this.#tidied = this.#place(process).catch((error: unknown) =>
      this.#warn('a place could not be taken away', { error: String(error) }),
    );
  }

  /** Throws BAD_PARAMETER. */
  #memoryOf(pid: number): RunningMemory {
    const memory = this.memory(pid);
    if (memory) return memory;
    throw new StrobeError('BAD_EXPRESSION', 'Its values have no address to read bytes from.');
  }

  async #set(tid: number, frame: number, to: string, value: string): Promise<StoppedThread> {
    const process = this.#held(tid);
    await process.assign(tid, frame, to, value);
    return await this.#look(process, tid);
  }

  async #look(process: DapProcess, tid: number): Promise<StoppedThread> {
    return await process.look(tid, this.#stopped.get(tid)?.cause ?? { kind: 'pause' });
  }
}
