/*
 * A thread stands still in the listener of V8's pause: it asks the daemon what to do, and each answer is waited for.
 * When none comes it runs on. Other threads run meanwhile.
 */
import { readlinkSync } from 'node:fs';
import type {
  RanNote,
  StandingFrame,
  StandingNote,
  StandingOrder,
  StandingRequest,
} from '../../../../protocol/nodeTracer.ts';
import { theAddon } from '../addon.ts';
import { unknown, valueOf } from '../expressionValue.ts';
import { parseJson, toJson } from '../intrinsics.ts';
import type {
  CallFrame,
  LiveDebugger,
  Location,
  Paused,
  PausedTaker,
  RemoteValue,
} from '../live/liveDebugger.ts';
import { wantedFiles } from '../plans.ts';
import { bytesOf } from '../values/hexValues.ts';
import { awaitingCalls } from './awaiting.ts';
import { valueOfRemote } from './handed.ts';
import { Raises, thrownNote } from './raises.ts';
import { momentIn } from './readFrame.ts';

/** Frames that are reported, and those with variables. */
const mostFrames = 48;
const mostRead = 24;
const mostNames = 24;
/** Of modules of Node's own kind. */
const ofEveryModule = new Set([
  'exports',
  'require',
  'module',
  '__filename',
  '__dirname',
  'arguments',
]);
/** What rewriting adds is none. The expression is made when it is needed: V8 takes long for it. */
function isName(name: string): boolean {
  return /^(?!\$s_|\$strobe)[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
}

/** A step that is under way. */
interface Goal {
  readonly kind: 'over' | 'into' | 'out' | 'until';
  readonly depth: number;
  readonly name: string;
  readonly scriptId: string;
  readonly line: number;
  /** A breakpoint in the caller: V8's steps find no end of a rewritten function. */
  readonly exit: string | null;
}

export class Standing implements PausedTaker {
  readonly raises = new Raises();
  /** Of breakpoints that the thread has come to. */
  #keys: string[] = [];
  #goal: Goal | null = null;
  #number = 0;
  #isHeld = false;
  /** It is to stop at the next statement. */
  #next: 'pause' | 'step' | null = null;
  /** Of the last request to pause, and of the last that was met. */
  #asked = 0;
  #paused = 0;
  /** Scripts that asked for that. */
  readonly #scripts = new Set<string>();

  /** It stands, or is led by a step. */
  get isBusy(): boolean {
    return this.#isHeld || this.#goal !== null || this.#next !== null;
  }

  /** A breakpoint is to stop the thread, which V8 does next. */
  comes(key: string): void {
    this.#keys.push(key);
  }

  /** It is asked to stand still. `isIdle`: it is in its event loop, and runs nothing. Answers whether it is to stop where it is. */
  pause(number: number, isIdle: boolean, tracer: LiveDebugger): boolean {
    if (this.#isHeld || number === this.#paused) return false;
    this.#next = 'pause';
    this.#asked = number;
    if (isIdle) this.#hold({ keys: [], isPaused: true }, [], tracer);
    return !isIdle;
  }

  paused({ callFrames, reason, data }: Paused, tracer: LiveDebugger): void {
    const frames = this.#framesOf(callFrames, tracer);
    const isThrown = reason === 'exception' || reason === 'promiseRejection';
    const thrown = isThrown && data ? this.#thrown(data, frames, tracer) : null;
    const keys = [...this.#keys, ...(thrown?.keys ?? [])];
    this.#keys = [];
    const next = keys.length === 0 ? this.#next : null;
    if (keys.length === 0 && this.#goesOn(frames, { isThrown, next }, tracer)) return;
    const goal = this.#goal;
    if (goal?.exit != null) tracer.remove(goal.exit);
    this.#goal = null;
    const why = {
      keys,
      ...(next === 'pause' ? { isPaused: true as const } : {}),
      ...(thrown ? { raised: thrown.note } : {}),
    };
    // What wakes an idle thread is no code of the program.
    const isIdle = next !== null && !frames.some(({ location }) => tracer.pathOf(location));
    this.#hold(why, isIdle ? [] : frames, tracer);
  }

  /** Those of the program: a script of ours may ask for a pause in the middle of its code. */
  #framesOf(callFrames: readonly CallFrame[], tracer: LiveDebugger): readonly CallFrame[] {
    const [newest] = callFrames;
    if (this.#next === 'pause' && newest && tracer.pathOf(newest.location) === null)
      this.#scripts.add(newest.location.scriptId);
    return callFrames.filter(({ location }) => !this.#scripts.has(location.scriptId));
  }

  /** Whether the thread is not to stop here, where no breakpoint is. */
  #goesOn(
    frames: readonly CallFrame[],
    { isThrown, next }: { readonly isThrown: boolean; readonly next: 'pause' | 'step' | null },
    tracer: LiveDebugger,
  ): boolean {
    const goal = this.#goal;
    if (isThrown) {
      // The step that is under way would end here.
      if (goal && goal.kind !== 'until' && goal.kind !== 'out')
        tracer.step(frames.length > goal.depth ? 'out' : goal.kind);
      return true;
    }
    if (next !== null) return false;
    // A statement of the program stops it for a debugger of its own.
    if (!goal) return true;
    if (goal.kind === 'until' || !isBefore(goal, frames)) return false;
    if (goal.kind !== 'out') tracer.step(goal.kind);
    return true;
  }

  #hold(
    why: Pick<StandingNote, 'keys' | 'raised' | 'isPaused'>,
    frames: readonly CallFrame[],
    tracer: LiveDebugger,
  ): void {
    this.#next = null;
    if (why.isPaused) this.#paused = this.#asked;
    this.#isHeld = true;
    try {
      this.#stand(why, frames, tracer);
    } finally {
      this.#isHeld = false;
    }
  }

  /** The keys of the breakpoints that an exception means. */
  #thrown(data: RemoteValue, frames: readonly CallFrame[], tracer: LiveDebugger) {
    const [newest] = frames;
    const value = valueOfRemote(data, tracer);
    const file = newest ? tracer.pathOf(newest.location) : null;
    const keys = this.raises.keysOf(value, { isUncaught: data.uncaught === true, file });
    return { keys, note: thrownNote(value) };
  }

  #stand(
    why: Pick<StandingNote, 'keys' | 'raised' | 'isPaused'>,
    frames: readonly CallFrame[],
    tracer: LiveDebugger,
  ): void {
    const standing = { ...threadNow(), number: ++this.#number };
    const said = {
      ...why,
      frames: toldFrames(frames, tracer),
      depth: frames.length,
      awaiting: frames.length === 0 ? [] : awaitingCalls(),
    };
    let order = asked({ standing, said: said satisfies StandingNote });
    while (order !== null) {
      if (order.do === 'go') return;
      if (order.do === 'step' || order.do === 'until') {
        this.#lead(order, frames, tracer);
        return;
      }
      // What is wanted may have changed meanwhile, which nothing else can tell this thread.
      if (order.do === 'wait' || order.do === 'want') wantedFiles();
      const answer =
        order.do === 'evaluate'
          ? evaluated(order, frames, tracer)
          : order.do === 'run'
            ? ran(order, frames, tracer)
            : order.do === 'want'
              ? null
              : undefined;
      order = asked({ standing, ...(answer === undefined ? {} : { answer }) });
    }
  }

  #lead(
    order: Extract<StandingOrder, { readonly do: 'step' | 'until' }>,
    frames: readonly CallFrame[],
    tracer: LiveDebugger,
  ): void {
    const [newest, caller] = frames;
    if (!newest) {
      this.#next = 'step';
      tracer.pause();
      return;
    }
    const { scriptId, lineNumber } = newest.location;
    const exit = caller ? exitIn(caller, tracer) : null;
    const name = newest.functionName;
    const at = { depth: frames.length, name, scriptId, line: lineNumber, exit };
    if (order.do === 'step') {
      this.#goal = { kind: order.kind, ...at };
      if (order.kind !== 'out') tracer.step(order.kind);
      return;
    }
    const script = tracer.scripts.findLast(({ path }) => path === order.file);
    if (!script) return;
    this.#goal = { kind: 'until', ...at };
    tracer.until({ scriptId: script.id, lineNumber: order.line - 1, columnNumber: 0 });
  }
}

/** Null: no answer came. */
function asked(request: StandingRequest): StandingOrder | null {
  const said = theAddon().ask(toJson(request));
  return said === undefined ? null : (parseJson(said) as StandingOrder);
}

/** Where a call continues when what it called returns: a breakpoint there. */
function exitIn({ location }: CallFrame, tracer: LiveDebugger): string | null {
  const isBehind = ({ lineNumber, columnNumber }: Location): boolean =>
    lineNumber > location.lineNumber ||
    (lineNumber === location.lineNumber && columnNumber > location.columnNumber);
  const next = tracer.places(location).find(isBehind);
  return next ? tracer.set(next, '') : null;
}

/** V8 stops several times in a line. */
function isBefore(
  { kind, depth, name, scriptId, line }: Goal,
  frames: readonly CallFrame[],
): boolean {
  const [newest] = frames;
  if (kind === 'out') return frames.length >= depth;
  // Behind an await a function continues with fewer callers.
  if (frames.length > depth || newest?.functionName !== name) return false;
  return newest.location.scriptId === scriptId && newest.location.lineNumber === line;
}

function threadNow(): { readonly pid: number; readonly tid: number } {
  const { pid } = process;
  try {
    return { pid, tid: Number(readlinkSync('/proc/thread-self').split('/').at(-1)) };
  } catch {
    return { pid, tid: pid };
  }
}

function toldFrames(frames: readonly CallFrame[], tracer: LiveDebugger): StandingFrame[] {
  return frames.slice(0, mostFrames).map((frame, i) => {
    const { functionName, location } = frame;
    const path = tracer.pathOf(location);
    const names = i < mostRead && path !== null ? namesIn(frame, tracer) : [];
    const moment = names.length === 0 ? null : momentIn(names, runIn(frame, tracer));
    return {
      name: functionName === '' ? '(anonymous)' : functionName,
      file: path ?? 'node:internal',
      line: location.lineNumber + 1,
      names: moment === null ? [] : names,
      ...(i >= mostRead && path !== null ? { isUnread: true as const } : {}),
      values: moment === null ? '' : bytesOf(moment.values),
    };
  });
}

function runIn({ callFrameId }: CallFrame, tracer: LiveDebugger) {
  return (text: string): void => tracer.run(callFrameId, text);
}

/** Of the variables of its function, up to what encloses that; of a module's own code those of the module. */
function namesIn({ scopeChain }: CallFrame, tracer: LiveDebugger): readonly string[] {
  const names: string[] = [];
  const [innermost] = scopeChain;
  for (const { type, object } of scopeChain) {
    const isOwn = type === 'local' || type === 'block' || type === 'catch';
    const isModule = type === 'module' && object === innermost?.object;
    if (!isOwn && !isModule) break;
    const { objectId } = object;
    if (objectId === undefined) continue;
    for (const name of tracer.namesOf(objectId))
      if (isName(name) && !ofEveryModule.has(name) && !names.includes(name)) names.push(name);
    if (type === 'local') break;
  }
  return names.slice(0, mostNames);
}

function wordsOf({ description, value }: RemoteValue): string {
  return (description ?? String(value)).split('\n', 1).join('');
}

/** Null: there is no such frame. */
function ran(
  { frame, text }: Extract<StandingOrder, { readonly do: 'run' }>,
  frames: readonly CallFrame[],
  tracer: LiveDebugger,
): string | null {
  const call = frames[frame];
  if (!call) return null;
  const { value, thrown } = tracer.result(call.callFrameId, text);
  const what =
    value === null
      ? { raised: thrown ? wordsOf(thrown) : 'nothing: it was ended, as it took more than 3 s' }
      : { value: bytesOf([valueOfRemote(value, tracer)]) };
  return toJson({ frames: toldFrames(frames, tracer), ...what } satisfies RanNote);
}

/** Null: it is not known. */
function evaluated(
  { frame, names, expression }: Extract<StandingOrder, { readonly do: 'evaluate' }>,
  frames: readonly CallFrame[],
  tracer: LiveDebugger,
): string | null {
  const call = frames[frame];
  const moment = call ? momentIn(names, runIn(call, tracer)) : null;
  const value = moment === null ? unknown : valueOf(expression, moment);
  return value === unknown ? null : bytesOf([value]);
}
