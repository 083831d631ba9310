import type { Ran } from '../../model/debug/evaluated.ts';
import type { LineStep, StoppedThread } from '../../model/debug/stop.ts';
import { sourceFrame } from '../../model/endings/sourceFrame.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import { StrobeError } from '../../model/errors.ts';
import type { Value } from '../../model/questions/query.ts';
import type {
  AwaitingCall,
  RanNote,
  StandingFrame,
  StandingNote,
  StandingOrder,
  StandingRequest,
  WireExpression,
} from '../../protocol/nodeTracer.ts';
import { within } from '../../base/deadline.ts';
import { excerptOf, threadName } from '../source/sourceExcerpt.ts';
import type { StandingThread, StepTarget } from '../source/standingThread.ts';
import type { ToldValues } from '../source/toldValues.ts';

/** A thread asks again so often, which tells that it stands there. */
const waitMs = 5000;
const answerMs = 5000;

/** What a JavaScript thread that stands still says is read with. */
export interface StandingReading {
  readonly pid: number;
  readonly projectRoot: string;
  /** Values come with what their numbers mean. */
  readonly values: () => ToldValues;
  /** Of a breakpoint, by its key; null: it was removed meanwhile. */
  readonly idOf: (key: string) => string | null;
  /** Names of those variables of a frame that are arguments. */
  readonly argumentsOf: (frame: StandingFrame) => Promise<ReadonlySet<string>>;
}

/** A JavaScript thread that stands still: it asks what to do, and waits for the answer. */
export class NodeStanding implements StandingThread<WireExpression> {
  stopped: StoppedThread;
  readonly closed: Promise<void>;
  readonly #reading: StandingReading;
  readonly #depth: number;
  readonly #awaiting: readonly StackFrame[];
  readonly #end: () => void;
  /** Of the thread's question, which is open. */
  #reply: ((order: StandingOrder) => void) | null = null;
  /** Said while the thread was busy, the oldest first. */
  readonly #orders: StandingOrder[] = [];
  /** Who waits for an answer; the thread answers in the order in which it was asked. */
  readonly #asking: ((answer: string | null) => void)[] = [];

  private constructor(
    { standing: { tid } }: StandingRequest,
    { keys, frames, depth, isPaused, raised }: StandingNote,
    reading: StandingReading,
    told: readonly StackFrame[],
    awaiting: readonly StackFrame[],
  ) {
    const { pid, idOf } = reading;
    this.#reading = reading;
    this.#depth = depth;
    this.#awaiting = awaiting;
    const { promise, resolve } = deferred<void>();
    this.closed = promise;
    this.#end = resolve;
    const ids = [...new Set(keys.flatMap((key) => idOf(key) ?? []))];
    this.stopped = {
      pid,
      tid,
      name: threadName(pid, tid),
      cause:
        keys.length > 0
          ? { kind: 'breakpoint', ids, ...(raised ? { raised } : {}) }
          : { kind: isPaused ? 'pause' : 'step' },
      frames: [...told, ...awaiting],
      problem:
        depth === 0
          ? 'it is in its event loop, and runs no JavaScript'
          : depth > frames.length
            ? `${depth - frames.length} older frames are not shown`
            : null,
      source: excerptOf(told),
      registers: [],
    };
  }

  /** A thread that says where it stands. */
  static async come(
    request: StandingRequest,
    said: StandingNote,
    reading: StandingReading,
  ): Promise<NodeStanding> {
    const told = await framesOf(said.frames, said.depth, reading);
    const { projectRoot } = reading;
    const awaiting = said.awaiting.map((call) => awaitingFrame(call, projectRoot));
    return new NodeStanding(request, said, reading, told, awaiting);
  }

  /** The thread asks what to do. */
  async order({ answer }: StandingRequest): Promise<StandingOrder> {
    if (answer !== undefined) this.#asking.shift()?.(answer);
    const order = this.#orders.shift() ?? (await this.#next());
    if (order.do === 'go' || order.do === 'step' || order.do === 'until') this.#end();
    return order;
  }

  async #next(): Promise<StandingOrder> {
    const { promise, resolve } = deferred<StandingOrder>();
    this.#reply = resolve;
    const timer = setTimeout(() => this.#say({ do: 'wait' }), waitMs).unref();
    const order = await promise;
    clearTimeout(timer);
    return order;
  }

  async evaluate(frame: number, expression: WireExpression): Promise<Value | null> {
    const names = namesOf(expression);
    const answer = await this.#ask({ do: 'evaluate', frame, names, expression });
    return answer === null ? null : this.#reading.values().value(answer);
  }

  async run(frame: number, text: string): Promise<Ran> {
    const answer = await this.#ask({ do: 'run', frame, text });
    if (answer === null) throw new Error('The thread did not say what became of it.');
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the preload of the same build said it
    const { frames, value, raised } = JSON.parse(answer) as RanNote;
    const told = await framesOf(frames, this.#depth, this.#reading);
    this.stopped = { ...this.stopped, frames: [...told, ...this.#awaiting] };
    if (raised !== undefined) return { kind: 'raised', text: raised };
    return { kind: 'value', value: this.#reading.values().value(value ?? '') };
  }

  /** It takes what is wanted now, which nothing else tells it while it stands. Never rejects. */
  async want(): Promise<void> {
    await Promise.race([this.#ask({ do: 'want' }), this.closed]).catch(() => undefined);
  }

  look(): Promise<StoppedThread> {
    return Promise.resolve(this.stopped);
  }

  async #ask(order: StandingOrder): Promise<string | null> {
    const { promise, resolve } = deferred<string | null>();
    this.#asking.push(resolve);
    this.#say(order);
    const late = (): Error =>
      new StrobeError(
        'TIMED_OUT',
        `Thread ${this.stopped.tid} did not answer for ${answerMs / 1000} s.`,
      );
    return await within(answerMs, promise, late);
  }

  step(to: LineStep | StepTarget): Promise<void> {
    this.#say(typeof to === 'string' ? { do: 'step', kind: to } : { do: 'until', ...to });
    return Promise.resolve();
  }

  go(): Promise<void> {
    this.#say({ do: 'go' });
    return Promise.resolve();
  }

  #say(order: StandingOrder): void {
    const reply = this.#reply;
    this.#reply = null;
    if (reply) reply(order);
    else if (order.do !== 'wait') this.#orders.push(order);
  }
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}

function awaitingFrame(call: AwaitingCall, projectRoot: string): StackFrame {
  const frame = sourceFrame(call, projectRoot);
  return { ...frame, isOwn: frame.isOwn && call.file.startsWith('/'), isAwaiting: true };
}

async function framesOf(
  frames: readonly StandingFrame[],
  depth: number,
  { projectRoot, values, argumentsOf }: StandingReading,
): Promise<StackFrame[]> {
  const known = await Promise.all(frames.map(async (frame) => argumentsOf(frame)));
  const reader = values();
  return frames.map(({ name, file, line, names, isUnread, values: bytes }, i) => {
    const variables = reader.all(bytes, names).map((value, at) => {
      const of = names[at] ?? '?';
      return { name: of, type: null, isParameter: known[i]?.has(of) === true, value };
    });
    const ordered = [true, false].flatMap((isParameter) =>
      variables.filter((one) => one.isParameter === isParameter),
    );
    const frame = sourceFrame({ name, file, line }, projectRoot, ordered);
    // Node's own code is in no file.
    const isOwn = frame.isOwn && file.startsWith('/');
    return { ...frame, isOwn, frameAddress: `${depth - i}`, ...(isUnread ? { isUnread } : {}) };
  });
}

/** The variables that an expression reads. */
function namesOf(expression: WireExpression): string[] {
  const names = new Set<string>();
  const look = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    if ('kind' in one && one.kind === 'name' && 'name' in one)
      names.add(String(one.name).split('::', 1).join(''));
    for (const part of Object.values(one)) look(part);
  };
  look(expression);
  return [...names].filter((name) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name));
}
