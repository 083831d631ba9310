import type {
  DebugBackend,
  DebugSink,
  LeftWhy,
  StopCounts,
} from '../../collector/debug/debugger.ts';
import type { WantedProbe } from '../../collector/wantedProbe.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { Disassembly } from '../../model/debug/disassembly.ts';
import type { GoalView, StepKind, StoppedThread, StopView } from '../../model/debug/stop.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionContext } from '../session/sessionContext.ts';
import { chosenThread } from './chosenThread.ts';
import {
  alone,
  beginningOf,
  goOn,
  isOneOf,
  isSameCall,
  leadersOf,
  leftByStep,
  othersCome,
  allWhole,
  readFrame,
  readStop,
  standingWith,
  type Goal,
  type Stop,
} from './heldStop.ts';
import { heldByAdapter, keptByStops } from './heldByAdapter.ts';
import { leftHow, leftNotes } from './leftWords.ts';
import { StopMemory, type Debuggers } from './stopMemory.ts';
import { StoppedProcess } from './stoppedProcess.ts';
import { notEntered, notStopped, staleStop, unknownStop } from './stopRefusals.ts';
import { StoppedTasks } from './stoppedTasks.ts';
import { Pauses } from './pauses.ts';
import type { StoppingProbes } from './stoppingProbes.ts';
import { UnderWay } from './underWay.ts';

const mostKept = 200;

/** The stops of a session: who stands still, since when, for whom, and how they go on. */
export class SessionStops implements Pick<DebugSink, 'stopped' | 'gone' | 'left'> {
  readonly #context: SessionContext;
  readonly #owners: StoppingProbes;
  readonly #tracers: Debuggers;
  readonly #stops = new Map<string, Stop>();
  readonly #goals = new Map<number, Goal>();
  readonly #limitMs: number;
  readonly memory: StopMemory;
  readonly process: StoppedProcess;
  readonly tasks: StoppedTasks;
  readonly #pauses = new Pauses();
  readonly #tell = (): void => this.#context.changes.notify();
  /** Threads are let go or stepped: who asks them to stand still before that has ended would see them run on. */
  readonly #moves = new UnderWay();
  /** Tracing enters the main process, which it cannot while a debugger comes. */
  readonly entering = new UnderWay();
  #next = 1;
  #timer: NodeJS.Timeout | null = null;

  constructor(context: SessionContext, owners: StoppingProbes, tracers: Debuggers) {
    this.#context = context;
    this.#owners = owners;
    this.#tracers = tracers;
    this.#limitMs = context.facts.limits.stopMs;
    this.process = new StoppedProcess(context, owners.symbols);
    const { facts, services } = context;
    const meant = (id: string | undefined): Stop => this.#meant(id, undefined);
    this.tasks = new StoppedTasks(facts, services.stacks, meant);
    this.memory = new StopMemory(this.process, context, tracers, meant);
  }

  /** Those that stand still now, the newest first. */
  get held(): readonly StopView[] {
    return this.#held().map((stop) => this.#view(stop));
  }

  get goals(): readonly GoalView[] {
    return [...this.#goals.values()];
  }

  /** Stops that nobody has seen, the oldest first; from now on they were seen. */
  takeUnread(): readonly StopView[] {
    const unread = this.#unread();
    for (const stop of unread) stop.isRead = true;
    return unread.map((stop) => this.#view(stop));
  }

  get hasUnread(): boolean {
    return this.#unread().length > 0;
  }

  /** Waits for threads that stops still ask to stand: a stop is reported after that. */
  async whole(): Promise<void> {
    await allWhole(() => this.#held(), this.#context.changes);
  }

  /**
   * The stop that is meant: by id, else that of the thread, else the only one or the one that was seen last.
   * Throws STALE_STOP, NOT_STOPPED or BAD_PARAMETER.
   */
  meant(id: string | undefined, tid?: number): StopView {
    return this.#view(this.#meant(id, tid));
  }

  /** By id also one that was left. Throws UNKNOWN_STOP. */
  find(id: string): StopView {
    const stop = this.#stops.get(id);
    if (!stop) throw unknownStop(id, this.#presentIds());
    stop.isRead = true;
    return this.#view(stop);
  }

  /** Reads the variables of a frame of its thread, and its registers, where they were not; the stop is not seen by that. */
  async read(id: string, frame: number): Promise<void> {
    await readStop(this.#stops.get(id), frame);
  }

  /** Lets the stop that is meant go, or all that were seen. Answers which; none when there is one that nobody has seen. */
  async go(id: string | undefined, tid: number | undefined, who: string): Promise<StopView[]> {
    const isAll = id === undefined && tid === undefined;
    const wanted = isAll ? this.#held().filter(({ isRead }) => isRead) : [this.#meant(id, tid)];
    const first = wanted.find(({ thread }) => thread.holdsAll) ?? wanted[0];
    if (!first) throw this.process.now === null ? this.#context.ended() : notStopped();
    if (isAll) this.#pauses.forget();
    const gone = await this.#moving(first, async () => this.#letGo(wanted, `continued by ${who}`));
    await this.settle();
    return gone.map((stop) => this.#view(stop));
  }

  async step(stopId: string | undefined, tid: number | undefined, kind: StepKind, owner: string) {
    const stop = this.#meant(stopId, tid);
    await this.#moving(stop, () =>
      this.#begin(stop, kind, owner, (one) => one.by.step(one.thread.tid, kind)),
    );
  }

  async until(
    stopId: string | undefined,
    tid: number | undefined,
    target: WantedProbe,
    owner: string,
  ): Promise<void> {
    const stop = this.#meant(stopId, tid);
    await this.#moving(stop, () =>
      this.#begin(stop, 'until', owner, ({ by, thread }) =>
        by.until(thread.tid, target, this.#owners.own(by)),
      ),
    );
  }

  /** Who stops threads from now on. Throws BAD_PARAMETER, CANNOT_DEBUG. */
  async use(adapter: string): Promise<void> {
    if (this.#held().length > 0 || this.#goals.size > 0) throw keptByStops();
    await this.#tracers.use(adapter);
  }

  /** As `meant`; null: none is named and no thread stands still. */
  meantOrRunning(id: string | undefined): StopView | null {
    return id === undefined && this.#held().length === 0 ? null : this.meant(id);
  }

  /** Instructions around where a frame stands. Throws STALE_STOP, NOT_STOPPED, NO_LINE, BAD_PARAMETER. */
  async disassemble(id: string, frame: number, count: number): Promise<Disassembly> {
    const stop = this.#meant(id, undefined);
    return await stop.by.disassemble(stop.thread.tid, frame, count);
  }

  /** Stops the program's threads, or one of them; does nothing to those that stand still. */
  async pause(tid: number | undefined, owner: string): Promise<void> {
    const pid = this.process.now?.pid;
    if (pid === undefined) throw this.#context.ended();
    await this.#tracers.enterToStop(pid);
    const by = this.#debuggerOf(pid);
    if (!by) throw this.#context.ended();
    await this.#pauses.inTurn(async () => {
      const standing = (): number[] =>
        this.#held().flatMap(({ thread, others }) => [thread.tid, ...others.keys()]);
      const { arrived, isWhole } = await this.#pauses.run(
        async () => {
          await this.#moves.ended();
          return await by.pause(pid, tid);
        },
        standing,
        this.#context.changes,
      );
      const first = chosenThread(arrived, pid);
      if (!first) return;
      const isAll = (tid === undefined && isWhole) || first.holdsAll;
      const stop = this.#add(first, by, owner, isAll ? 'process' : 'thread');
      for (const other of arrived) if (other !== first) stop.others.set(other.tid, other);
      await readFrame(
        stop,
        first.frames.findIndex(({ isOwn }) => isOwn),
      );
      this.#tell();
    });
  }

  /** A client has gone: its breakpoints that stop are lifted, and what it holds runs on. */
  async clientGone(owner: string): Promise<void> {
    const gone = this.#owners.probes.stopsOf(owner);
    if (gone.length > 0 && this.#context.running())
      await this.#owners.changeProbes({ add: [], change: [], remove: gone });
    const mine = this.#held().filter((stop) => stop.owner === owner);
    await this.#letGo(mine, 'its client has gone');
    if (mine.length > 0) await this.settle();
  }

  /** The program runs now: from here on its threads can be stopped. */
  async begin(): Promise<void> {
    const { probes } = this.#owners;
    const failed = (why: unknown): void =>
      this.#context.note(`Breakpoints could not be placed: ${String(why)}`);
    if (probes.stops || probes.traps) await probes.apply().catch(failed);
  }

  /** Where the debugger of a process comes only into what runs: whether it has come. Else null. */
  async comesLate(pid: number): Promise<(() => boolean) | null> {
    const by = this.#debuggerOf(pid);
    return (await by?.comesLate?.(pid)) === true ? () => by?.holds(pid) === true : null;
  }

  /** Why a process (default: the main one) cannot be entered now: threads of it stand still or step. Null: it can, or was. */
  whyNotEntered(pid = this.#context.running()?.pid): StrobeError | null {
    if (pid === undefined || this.#tracers.has(pid)) return null;
    const holders = this.#tracers.debuggers.filter((one) => one.holds(pid));
    const adapter = this.#tracers.adapterIn(pid);
    if (adapter !== null) return heldByAdapter(adapter);
    const stops = this.#held().filter(({ by }) => holders.includes(by));
    const isBusy = stops.length > 0 || this.#goals.size > 0 || this.#pauses.isUnderWay;
    if (holders.length === 0 || !isBusy) return null;
    return notEntered(stops.map(({ id }) => id));
  }

  /** Enters a process while no debugger holds its threads; afterwards its breakpoints are set again. Throws ALREADY_OBSERVED. */
  async aside(pid: number, enter: () => Promise<void>): Promise<void> {
    const why = this.whyNotEntered(pid);
    if (why) throw why;
    const holders = this.#tracers.debuggers.filter((one) => one.holds(pid));
    await Promise.all(holders.map(async (one) => one.close()));
    try {
      await (pid === this.#context.running()?.pid ? this.entering.run(enter) : enter());
    } finally {
      if (holders.length > 0 && this.#context.running()) await this.#owners.probes.apply();
    }
  }

  /** Without breakpoints that stop or trap, and without stops, no debugger stays in the program. */
  async settle(): Promise<void> {
    const isIdle = this.#held().length === 0 && this.#goals.size === 0;
    const { stops, traps } = this.#owners.probes;
    if (isIdle && !stops && !traps && !this.#pauses.isUnderWay) await this.#leaveAll();
  }

  /** All threads run on, and no breakpoint stops one any more. Never rejects. */
  async close(): Promise<void> {
    for (const stop of this.#held()) this.#leave(stop, 'the session left');
    this.#goals.clear();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#tell();
    await this.#leaveAll();
  }

  /** By id of a breakpoint that stops. */
  async counts(): Promise<ReadonlyMap<string, StopCounts>> {
    const all = await Promise.all(this.#tracers.debuggers.map(async (one) => one.counts()));
    return new Map(all.flatMap((counts) => [...counts]));
  }

  stopped(thread: StoppedThread, by: DebugBackend): void {
    const { cause, tid } = thread;
    const goal = this.#goals.get(tid);
    this.#goals.delete(tid);
    if (cause.kind === 'pause' && this.#takePaused(thread, by)) return;
    const breakpoint =
      cause.kind === 'breakpoint' ? this.#owners.probes.stopOf(cause.ids[0] ?? '') : null;
    if (cause.kind === 'breakpoint' && breakpoint === null) {
      // Removed while the thread was on its way, which runs on where no stop is shown that it stands with.
      if (!isOneOf(this.#held(), thread, by)) void by.go(tid).catch(() => undefined);
      return;
    }
    // By an adapter it stops no thread from now on, and says why.
    if (cause.kind === 'breakpoint' && cause.undecided !== undefined)
      this.#owners.probes.apply().catch((why: unknown) => this.#context.note(String(why)));
    const owner = breakpoint?.owner ?? goal?.owner ?? '';
    const holds = thread.holdsAll ? 'process' : (breakpoint?.stop ?? 'thread');
    const stop = this.#add(thread, by, owner, holds);
    if (stop.holds === 'process') this.#holdOthers(stop, by);
    this.#tell();
  }

  /** Has the other threads stand still because of a stop, which is reported when they do. */
  #holdOthers(stop: Stop, by: DebugBackend): void {
    stop.isWhole = stop.thread.holdsAll === true;
    // Threads that cannot be asked run on.
    const asking = this.#moves
      .ended()
      .then(async () => by.pause(stop.thread.pid))
      .catch((): readonly number[] => []);
    stop.asking = asking;
    const stands = (tid: number): boolean =>
      this.#held().some(({ thread, others }) => thread.tid === tid || others.has(tid));
    void asking
      .then(async (asked) => othersCome(stop, asked, stands, this.#context.changes))
      .then((areThere) => {
        stop.isWhole = true;
        if (!areThere && stop.thread.holdsAll !== true) stop.holds = 'threads';
        this.#tell();
      });
  }

  gone(tid: number): void {
    this.#goals.delete(tid);
    this.#pauses.gone(tid);
    for (const stop of this.#held()) {
      stop.others.delete(tid);
      if (stop.thread.tid === tid) this.#leave(stop, 'its thread has ended');
    }
    this.#tell();
  }

  left(_pid: number, why: LeftWhy): void {
    for (const stop of this.#held()) this.#leave(stop, leftHow[why]);
    this.#goals.clear();
    const note = leftNotes[why];
    if (note !== null) this.#context.note(note);
    this.#tell();
    const comesAgain = why === 'killed' || why === 'freed';
    if (comesAgain && this.#context.running()) void this.begin();
  }

  /** A language before machine code, which all have. */
  #debuggerOf(pid: number): DebugBackend | undefined {
    const { debuggers } = this.#tracers;
    return debuggers.toReversed().find((one) => one.isFor(pid));
  }

  /** True: it is one of a pause, or another's hold keeps it, or nothing keeps it any more. */
  #takePaused(thread: StoppedThread, by: DebugBackend): boolean {
    const { tid } = thread;
    const holder = this.#held().find(({ holds }) => holds !== 'thread');
    if (!(holder?.by === by && holder.thread.holdsAll) && this.#pauses.take(thread)) {
      this.#tell();
      return true;
    }
    if (holder?.by === by) {
      holder.others.set(tid, thread);
      return true;
    }
    if (this.#pauses.takeLate(tid)) return false;
    // The stop that asked for it was left while the thread was on its way; all that stand together go with that stop.
    if (!thread.holdsAll) void by.go(tid).catch(() => undefined);
    return true;
  }

  async #leaveAll(): Promise<void> {
    await Promise.all(this.#tracers.debuggers.map(async (one) => one.close()));
  }

  #held(): Stop[] {
    return [...this.#stops.values()].filter(({ left }) => left === null).toReversed();
  }

  #presentIds(): string[] {
    return this.#held().map(({ id }) => id);
  }

  #unread(): Stop[] {
    return [...this.#stops.values()].filter(
      ({ isRead, left, isWhole }) => !isRead && left === null && isWhole,
    );
  }

  #meant(id: string | undefined, tid: number | undefined): Stop {
    const held = this.#held();
    if (id !== undefined) {
      const stop = this.#stops.get(id);
      if (!stop) throw unknownStop(id, this.#presentIds());
      if (stop.left !== null) throw staleStop(stop, this.#context.now(), this.#presentIds());
      return stop;
    }
    const ofThread = held.find(({ thread }) => thread.tid === tid);
    const found = tid === undefined ? (held.find(({ isRead }) => isRead) ?? held[0]) : ofThread;
    if (!found) throw this.process.now === null ? this.#context.ended() : notStopped(tid);
    return found;
  }

  /** What stands with a stop runs on with it, and a pause beside that would say it stands. Throws STALE_STOP. */
  async #moving<T>(stop: Stop, move: () => Promise<T>): Promise<T> {
    if (!stop.thread.holdsAll) return await move();
    return await this.#pauses.inTurn(async () => {
      if (stop.left !== null) throw staleStop(stop, this.#context.now(), this.#presentIds());
      return await move();
    });
  }

  async #begin(
    stop: Stop,
    kind: StepKind | 'until',
    owner: string,
    begin: (stop: Stop) => Promise<void>,
  ): Promise<void> {
    const { thread } = stop;
    const [since, from] = [this.#context.now(), beginningOf(thread)];
    this.#goals.set(thread.tid, { tid: thread.tid, kind, from, since, owner });
    const left = standingWith(stop, this.#held());
    // The stop after it may come before the step has been acknowledged.
    for (const one of left) this.#leave(one, leftByStep(one, stop, kind));
    try {
      await this.#moves.run(async () => {
        // A process that is asked to pause after the step began would pause the thread that steps.
        await stop.asking;
        await begin(stop);
        // The stop that the step leads to holds its own thread alone.
        await goOn(stop, alone(stop));
      });
      stop.others.clear();
    } catch (error) {
      this.#goals.delete(thread.tid);
      if (error instanceof StrobeError) for (const one of left) one.left = null;
      throw error;
    }
  }

  /** All are left at once: the first thread that runs may stop again, or another client step a later one. */
  async #letGo(stops: readonly Stop[], how: string): Promise<readonly Stop[]> {
    const held = this.#held();
    const all = [...new Set(stops.flatMap((stop) => standingWith(stop, held)))];
    for (const stop of all) this.#leave(stop, how);
    await this.#moves.run(async () => {
      await Promise.all(all.map(async ({ asking }) => asking));
      for (const stop of leadersOf(all)) await goOn(stop, [stop.thread.tid, ...alone(stop)]);
    });
    this.#tell();
    return all;
  }

  #leave(stop: Stop, how: string): void {
    stop.left = { how, at: this.#context.now() };
    stop.isRead = true;
    // A process that stands because of another stop stands without this thread now.
    for (const other of this.#held())
      if (other.holds === 'process' && other.thread.pid === stop.thread.pid)
        other.holds = 'threads';
  }

  #add(thread: StoppedThread, by: DebugBackend, owner: string, holds: Stop['holds']): Stop {
    const before = [...this.#stops.values()].findLast((stop) => stop.thread.tid === thread.tid);
    const stop: Stop = {
      id: `s${this.#next++}`,
      thread,
      by,
      at: this.#context.now(),
      owner,
      holds,
      others: new Map(),
      asking: null,
      isWhole: true,
      before: before && isSameCall(before.thread, thread) ? before.thread : null,
      left: null,
      isRead: false,
    };
    this.#stops.set(stop.id, stop);
    const past = [...this.#stops.values()].filter(({ left }) => left !== null);
    for (const one of past.slice(0, Math.max(0, this.#stops.size - mostKept)))
      this.#stops.delete(one.id);
    this.#timer ??= this.#afterLimit(monotonicMs() + this.#limitMs);
    return stop;
  }

  /** A hold has a limit. */
  #afterLimit(untilMs: number): NodeJS.Timeout {
    const ms = Math.max(10, untilMs - monotonicMs());
    return setTimeout(() => void this.#endOverdue(), ms).unref();
  }

  async #endOverdue(): Promise<void> {
    this.#timer = null;
    const [limitNs, now] = [this.#limitMs * 1e6, this.#context.now()];
    const overdue = this.#held().filter(({ at }) => now - at >= limitNs);
    await this.#letGo(overdue, 'the limit of a stop passed');
    for (const { id } of overdue)
      this.#context.note(
        `Stop ${id} was let go after ${Math.round(this.#limitMs / 1000)} s ("stops.maxSeconds").`,
      );
    const [oldest] = this.#held().toReversed();
    if (oldest) this.#timer = this.#afterLimit(monotonicMs() + (oldest.at + limitNs - now) / 1e6);
    else await this.settle();
  }

  #view(stop: Stop): StopView {
    const { id, thread, at, left, before } = stop;
    const holds = stop.isWhole ? stop.holds : 'threads';
    const doubt = left === null ? stop.by.doubt(thread.tid) : null;
    return { id, thread, at, holds, others: [...stop.others.values()], left, before, doubt };
  }
}
