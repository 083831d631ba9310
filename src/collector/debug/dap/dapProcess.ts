import type { FrameVariable, StackFrame } from '../../../model/endings/crashReport.ts';
import { constants } from 'node:os';
import { monotonicMs } from '../../../base/clock.ts';
import { pause, within } from '../../../base/deadline.ts';
import { awaitsSignal, statFields, tracersOf } from '../../../base/proc.ts';
import type { Evaluated } from '../../../model/debug/evaluated.ts';
import {
  steppedBy,
  type StepKind,
  type StopCause,
  type StoppedThread,
} from '../../../model/debug/stop.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { DebugAdapter, StartedAdapter } from '../adapters/debugAdapter.ts';
import { DapError, DapLink } from './dapLink.ts';
import { DapEntry } from './dapEntry.ts';
import { DapExpressions } from './dapExpressions.ts';
import type { DapOwner } from './dapOwner.ts';
import { DapStacks } from './dapStacks.ts';
import { DapStrands } from './dapStrands.ts';
import { capabilities, stop, type DapCapabilities } from './dapAnswers.ts';
import {
  AddressPlaces,
  SourcePlaces,
  type DapPlace,
  type DapPlaces,
  type PlacedAt,
} from './dapPlaces.ts';
import { cannotHold, notStopped } from './dapErrors.ts';
import { stepRequest } from './dapSteps.ts';
import { SignalStop } from './signalStop.ts';
import { StopCauses, type StoppedStrand, type ToldStop } from './stopCauses.ts';
import { whileItLives } from './whileItLives.ts';

const attachMs = 20_000;
const mostTries = 10;
const pauseMs = 2000;
const leaveMs = 5000;
const lookMs = 5;
/** Strands whose stacks are read beside the one that stopped. */
const mostOthers = 32;

/** A process that a debug adapter holds: all its threads stand still, or all run. */
export class DapProcess {
  readonly pid: number;
  readonly #adapter: DebugAdapter;
  readonly #owner: DapOwner<DapProcess>;
  readonly #started: StartedAdapter;
  readonly #link: DapLink;
  readonly #stacks: DapStacks;
  readonly #expressions: DapExpressions;
  readonly #strands: DapStrands;
  readonly #causes: StopCauses;
  readonly #places: DapPlaces;
  readonly #entry = new DapEntry();
  #sayHalted: () => void = () => undefined;
  /** The strand that stopped, or was looked at since, with the adapter's numbers of its frames; null: all run. */
  #standing: { readonly tid: number; readonly ids: readonly number[] } | null = null;
  /** How often all have run on. */
  #moment = 0;
  /** Strands that were reported to stand with it. */
  readonly #others = new Set<number>();
  /** Of them those that came to a breakpoint. */
  readonly #hit = new Set<number>();
  #awaited: (() => void)[] = [];
  /** Of a pause: strands told of while the first one is read; null: none are. */
  #toldBeside: Promise<number[]> | null = null;
  isOver = false;
  /** Settles when nothing holds the program any more. */
  #closing: Promise<void> = Promise.resolve();
  /** What the adapter says of stops, and is not read yet. */
  #reported: ToldStop[] = [];
  /** Settles when what it said so far is read. */
  #halting: Promise<void> = Promise.resolve();
  /** It has said that all stand, and nothing has let them go since. */
  #isHalted = false;
  /** The step that is under way. */
  #step: { readonly tid: number; readonly kind: StepKind } | null = null;
  /** Nothing of before stands for a stop that was asked for. */
  #isReady = false;
  /** Null: it has said nothing yet. */
  #can: DapCapabilities | null = null;
  readonly #before: SignalStop;

  private constructor(
    pid: number,
    adapter: DebugAdapter,
    owner: DapOwner<DapProcess>,
    started: StartedAdapter,
  ) {
    this.pid = pid;
    this.#before = new SignalStop(pid);
    this.#adapter = adapter;
    this.#owner = owner;
    this.#started = started;
    this.#link = new DapLink(started.input, started.output, (name, body) =>
      this.#event(name, body),
    );
    this.#stacks = new DapStacks(this.#link, adapter, owner.session, owner.code);
    const { secretNames } = owner.session.limits;
    this.#expressions = new DapExpressions(
      this.#link,
      adapter,
      this.#stacks,
      secretNames,
      () => this.#can,
    );
    this.#strands = new DapStrands(pid, this.#link, adapter);
    this.#causes = new StopCauses({
      adapter,
      owner,
      link: this.#link,
      strands: this.#strands,
      stacks: this.#stacks,
      expressions: this.#expressions,
    });
    this.#places = adapter.inSource ? new SourcePlaces(this.#link) : new AddressPlaces(this.#link);
    void this.#link.closed.then(() => this.#end());
  }

  /** Attaches; the process runs on. Throws CANNOT_DEBUG. */
  static async begin(
    pid: number,
    adapter: DebugAdapter,
    owner: DapOwner<DapProcess>,
  ): Promise<DapProcess> {
    for (let tries = 1; ; tries++) {
      const process = new DapProcess(pid, adapter, owner, await adapter.start());
      try {
        await process.#initialize();
        await owner.ready();
        await whileItLives(pid, process.#attach());
        return process;
      } catch (error) {
        await process.close();
        const said = process.#started.said();
        const why = `${error instanceof Error ? error.message : String(error)}${said && `: ${said}`}`;
        if (adapter.isPassing(why) && tries < mostTries) continue;
        const { name, cure } = adapter;
        throw cannotHold(name, pid, why, process.#can === null ? cure : null);
      }
    }
  }

  /** Has all threads stop at these places and no others. An outcome each, in their order. Throws CANNOT_DEBUG. */
  async setPlaces(places: readonly DapPlace[]): Promise<readonly PlacedAt[]> {
    return await this.#places.set(places).catch(this.#refused);
  }

  /** All threads stand still afterwards; answers those whose stop was reported. */
  async pause(): Promise<readonly number[]> {
    // All run on from a halt that is being read, if it turns out to stop nothing.
    await this.#halting;
    if (this.#standing === null) {
      const stopped = new Promise<void>((resolve) => this.#awaited.push(resolve));
      await this.#asked('pause', { threadId: 0 });
      const late = (): Error => this.#cannot('it did not stop the program');
      await within(pauseMs, Promise.race([stopped, this.#link.closed]), late);
    }
    const first = this.#standing?.tid;
    const others = await (this.#toldBeside ?? this.#tellOthers(first)).catch(this.#refused);
    return [...(first === undefined ? [] : [first]), ...others];
  }

  /** Whether a strand was reported to stand still, and does. */
  stands(tid: number): boolean {
    if (this.#standing === null) return false;
    return this.#standing.tid === tid || this.#others.has(tid) || this.#hit.has(tid);
  }

  /** One strand stopped; with it all run on. */
  async go(tid: number): Promise<void> {
    if (!this.stands(tid)) return;
    this.#runOn();
    this.#isHalted = false;
    this.#step = null;
    await this.#asked('continue', { threadId: this.#strands.numberOf(tid) });
  }

  /** Throws NOT_STOPPED. */
  async step(tid: number, kind: StepKind): Promise<void> {
    if (!this.stands(tid)) throw notStopped(tid);
    const [command, how] = stepRequest(kind, this.#can, this.#adapter.name);
    this.#runOn();
    this.#isHalted = false;
    this.#step = { tid, kind };
    await this.#asked(command, { threadId: this.#strands.numberOf(tid), ...how });
  }

  /** `elements`: of a container. Throws NOT_STOPPED. */
  async evaluate(
    tid: number,
    frame: number,
    expression: string,
    elements: number,
  ): Promise<Evaluated> {
    return await this.#expressions.evaluate((await this.#at(tid))[frame], expression, elements);
  }

  /** Throws NOT_STOPPED. */
  async variables(tid: number, frame: number): Promise<readonly FrameVariable[]> {
    await this.#at(tid);
    return await this.#stacks.variables(this.#strands.numberOf(tid), frame).catch(this.#refused);
  }

  /** Throws NOT_STOPPED. */
  async registers(tid: number): Promise<StoppedThread['registers']> {
    const [newest] = await this.#at(tid);
    return newest === undefined ? [] : await this.#stacks.registers(newest).catch(this.#refused);
  }

  /** Sets what an expression names, to what another one is. Throws NOT_STOPPED, BAD_EXPRESSION. */
  async assign(tid: number, frame: number, to: string, value: string): Promise<void> {
    await this.#expressions.assign((await this.#at(tid))[frame], to, value);
  }

  /** What a line of the adapter's console prints. Throws NOT_STOPPED, BAD_EXPRESSION. */
  async console(tid: number, frame: number, line: string): Promise<string> {
    return await this.#expressions.console((await this.#at(tid))[frame], line);
  }

  /** How the strand that stopped stands now. Throws NOT_STOPPED. */
  async look(tid: number, cause: StopCause): Promise<StoppedThread> {
    if (!this.stands(tid)) throw notStopped(tid);
    const { ids, ...read } = await this.#stacks.readWhole(this.#strands.numberOf(tid));
    this.#others.add(this.#standing?.tid ?? tid);
    this.#standing = { tid, ids };
    return { ...this.#strands.held(tid, cause, read.frames), ...read };
  }

  /** The process runs on as it was. Never rejects. */
  async close(): Promise<void> {
    if (!this.isOver) this.#closing = this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const lives = !'XZ'.includes(statFields(this.pid)?.[0] ?? 'X');
    this.isOver = true;
    this.#standing = null;
    if (this.#isReady && lives && !this.#adapter.inSource) await this.#drain();
    if (lives || !this.#adapter.inSource)
      await this.#link
        .tell('disconnect', { terminateDebuggee: false, restart: false }, leaveMs)
        .catch((error: unknown) => this.#owner.warn('a debug adapter did not leave', error));
    await this.#untilFree();
  }

  /** A thread that has just met a breakpoint, and was not told of yet, is let go as if it had not: else the program ends by it. */
  async #drain(): Promise<void> {
    try {
      if (!this.#isHalted) await this.#halt(this.#nextStop());
      await this.#places.set([], pauseMs);
      for (let tries = 0; tries < mostTries; tries++) {
        const stopped = this.#nextStop();
        await this.#link.tell('continue', { threadId: 0 }, pauseMs);
        // A step that a breakpoint cut short may end now.
        const isStopped = await Promise.race([stopped.then(() => true), pause(50)]);
        if (isStopped === true) continue;
        await this.#halt(stopped);
        // Delve stops a program by this signal: where a breakpoint was faster, it is still on its way.
        if (!awaitsSignal(this.pid, constants.signals.SIGTRAP)) return;
      }
      throw new DapError('it stops again and again');
    } catch (error) {
      this.#owner.warn('a debug adapter leaves a running program', error);
    }
  }

  async #nextStop(): Promise<void> {
    return new Promise<void>((resolve) => (this.#sayHalted = resolve));
  }

  /** `stopped` settles when it stops. */
  async #halt(stopped: Promise<void>): Promise<void> {
    await this.#link.tell('pause', { threadId: 0 }, pauseMs);
    const late = (): Error => new DapError('it did not stop the program');
    await within(pauseMs, Promise.race([stopped, this.#link.closed]), late);
  }

  async #initialize(): Promise<void> {
    this.#can = await this.#link.ask(
      'initialize',
      {
        clientID: 'strobe',
        adapterID: this.#adapter.name,
        linesStartAt1: true,
        columnsStartAt1: true,
        pathFormat: 'path',
        supportsVariableType: true,
        supportsVariablePaging: true,
      },
      capabilities,
    );
    const why = this.#places.whyNot(this.#can);
    if (why !== null) throw new DapError(why);
  }

  async #attach(): Promise<void> {
    const attached = this.#link.tell('attach', this.#adapter.attachTo(this.pid), attachMs);
    const late = (): Error => new DapError(`it was not ready within ${attachMs / 1000} s`);
    // Some answer when they have attached, others when all is configured.
    const isReady = Promise.race([this.#entry.ready, attached.then(async () => this.#entry.ready)]);
    await within(attachMs, isReady, late);
    for (const [command, args] of this.#adapter.configuration) await this.#link.tell(command, args);
    if (this.#owner.stands) {
      await this.#owner.attached(this);
      // While the adapter holds all its threads: later this would take away stops that the adapter has asked them for.
      process.kill(this.pid, 'SIGCONT');
    }
    await this.#link.tell('configurationDone', {});
    await attached;
    await within(attachMs, this.#runs(), late);
    this.#isReady = true;
  }

  /** Some let a program run that they attached to, others report that it stopped: it is let go then. */
  async #runs(): Promise<void> {
    while (!this.isOver && this.#standing === null && statFields(this.pid)?.[0] === 't')
      await pause(lookMs);
  }

  #event(name: string, body: unknown): void {
    this.#entry.told(name, body, this.pid, this.#adapter);
    if (name === 'terminated') void this.close();
    if (name === 'stopped') {
      this.#isHalted = true;
      this.#sayHalted();
    }
    if (name !== 'stopped' || this.isOver) return;
    const told = stop.safeParse(body);
    if (!told.success) return;
    this.#reported.push(told.data);
    this.#halting = this.#halting
      .then(async () => this.#halted())
      .catch((error: unknown) => this.#owner.warn('a stop cannot be described', error));
  }

  /** The adapter has reported strands that stopped; some adapters report each that came to a breakpoint. */
  async #halted(): Promise<void> {
    const [first] = this.#reported;
    if (first === undefined) return; // It was read with the one before it.
    const { threadId = 0, hitBreakpointIds = [] } = first;
    if (!this.#isReady && hitBreakpointIds.length === 0) {
      this.#reported.shift();
      this.#isHalted = false;
      await this.#link.tell('continue', { threadId });
      return;
    }
    const isNew = this.#standing === null;
    if (isNew) this.#runOn();
    const stopped = await this.#allStopped();
    const standing = this.#standing?.tid;
    if (stopped.length === 0 && isNew) stopped.push(...this.#cutStep(standing));
    this.#step = null;
    if (stopped.length === 0 && isNew && standing !== undefined) await this.go(standing);
    for (const one of stopped) this.#hit.add(one.tid);
    if (stopped.some(({ cause }) => cause.kind === 'pause')) {
      this.#toldBeside = this.#tellOthers(standing);
      this.#toldBeside.catch(() => undefined); // The pause that waits for it rejects.
    }
    const threads: StoppedThread[] = [];
    for (const one of stopped) threads.push(await this.look(one.tid, one.cause));
    // Only now: a client may let the program run on as soon as it has one of them.
    for (const thread of threads) this.#owner.stopped(thread);
    if (threads.length > 0) for (const resolve of this.#awaited.splice(0)) resolve();
  }

  /** Strands that stand still for a reason, whether the adapter has reported them or not. */
  async #allStopped(): Promise<StoppedStrand[]> {
    const stopped: StoppedStrand[] = [];
    const known = new Set(this.#hit);
    const asked = { step: this.#step?.kind ?? null, isPause: this.#awaited.length > 0 };
    const readReported = async (): Promise<boolean> => {
      const told = this.#reported.shift();
      if (told === undefined) return false;
      const tid = await this.#strands.reported(told.threadId ?? 0);
      if (known.has(tid)) return true;
      known.add(tid);
      this.#standing ??= { tid, ids: [] };
      const cause = await this.#causes.reported(tid, told, asked);
      if (cause !== null) stopped.push({ tid, cause });
      return true;
    };
    const [first] = this.#reported;
    await readReported();
    const isFirstThere = first?.reason.endsWith('breakpoint') === true;
    const beside = await this.#causes.beside(known, isFirstThere);
    for (const one of beside) known.add(one.tid);
    while (await readReported());
    return [...stopped, ...beside];
  }

  /** A step that does not go on after a hit which stops no strand. `hit`: the strand that came to it. */
  #cutStep(hit: number | undefined): readonly StoppedStrand[] {
    if (this.#step === null) return [];
    const { tid, kind } = this.#step;
    if (this.#adapter.keepsSteps && tid !== hit) return [];
    return [{ tid, cause: { ...steppedBy(kind), isCut: true } }];
  }

  /** Tells of the strands that stand still with one, of each once it is read: debugpy may take a second for one. */
  async #tellOthers(first: number | undefined): Promise<number[]> {
    const told: number[] = [];
    const moment = this.#moment;
    const tell = async (tid: number): Promise<void> => {
      const thread = await this.#other(tid);
      if (thread === null || this.#standing === null || this.#moment !== moment) return;
      this.#others.add(tid);
      this.#owner.stopped(thread);
      told.push(tid);
    };
    const others = (await this.#strands.all()).filter((id) => id !== first && !this.#hit.has(id));
    await Promise.all(others.slice(0, mostOthers).map(tell));
    return [...this.#hit, ...told];
  }

  /** Null: it cannot be looked at, as one that ends. */
  async #other(tid: number): Promise<StoppedThread | null> {
    try {
      const { frames, ids } = await this.#stacks.read(this.#strands.numberOf(tid));
      const waits = this.#adapter.inSource && !(await this.#stacks.canRead(ids[0]));
      const cause: StopCause = { kind: 'pause', ...(waits ? { isWaiting: true } : {}) };
      return this.#strands.held(tid, cause, waits ? frames.map(unread) : frames);
    } catch (error) {
      if (error instanceof DapError) return null;
      throw error;
    }
  }

  /** The adapter's numbers of a strand's frames. Throws NOT_STOPPED. */
  async #at(tid: number): Promise<readonly number[]> {
    if (!this.stands(tid)) throw notStopped(tid);
    if (this.#standing?.tid !== tid) {
      const { ids } = await this.#stacks.read(this.#strands.numberOf(tid));
      this.#others.add(this.#standing?.tid ?? tid);
      this.#standing = { tid, ids };
    }
    return this.#standing.ids;
  }

  #runOn(): void {
    this.#moment++;
    this.#strands.change();
    this.#standing = null;
    this.#toldBeside = null;
    this.#others.clear();
    this.#hit.clear();
  }

  async #asked(command: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#link.tell(command, args).catch(this.#refused);
  }

  readonly #refused = (error: unknown): never => {
    throw error instanceof DapError ? this.#cannot(error.message) : error;
  };

  #cannot(why: string): StrobeError {
    return new StrobeError(
      'CANNOT_DEBUG',
      `${this.#adapter.name}: ${why}.`,
      'debug_session {"action":"status"} says whether the program runs.',
    );
  }

  #end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#standing = null;
    this.#closing = this.#untilFree().then(() => this.#before.undo());
    this.#owner.ended(this.#closing);
  }

  /** Its process has ended, and the kernel says that nothing traces the program, or at most that much later. */
  async #untilFree(): Promise<void> {
    await this.#started[Symbol.asyncDispose]();
    const until = monotonicMs() + leaveMs;
    while (tracersOf(this.pid).length > 0 && monotonicMs() < until) await pause(lookMs);
  }
}

/** Of a thread whose variables cannot be read. */
const unread = ({ isUnread: _none, ...frame }: StackFrame): StackFrame => frame;
