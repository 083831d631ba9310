/*
 * A thread stands still in the listener of V8's pause: it asks the daemon what to do, and each answer is waited for.
 * When none comes it runs on. Other threads run meanwhile.
 */
import { readlinkSync } from 'node:fs';
import type {
  StandingFrame,
  StandingNote,
  StandingOrder,
  StandingRequest,
} from '../../../../protocol/nodeTracer.ts';
import { room8, theAddon } from '../addon.ts';
import { unknown, valueOf } from '../expressionValue.ts';
import { parseJson, toJson } from '../intrinsics.ts';
import type { CallFrame, LiveDebugger, Location, PausedTaker } from '../live/liveDebugger.ts';
import { wantedFiles } from '../plans.ts';
import { beginValues, putShared, putUnset, used } from '../values.ts';
import { momentIn } from './readFrame.ts';

/** Frames that are reported, and those with variables. */
const mostFrames = 48;
const mostRead = 12;
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
/** What rewriting adds is none. */
const isName = /^(?!\$s_|\$strobe)[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

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
  /** Of breakpoints that the thread has come to. */
  #keys: string[] = [];
  #goal: Goal | null = null;
  #number = 0;
  #isHeld = false;

  /** It stands, or is led by a step. */
  get isBusy(): boolean {
    return this.#isHeld || this.#goal !== null;
  }

  /** A breakpoint is to stop the thread, which V8 does next. */
  comes(key: string): void {
    this.#keys.push(key);
  }

  paused(frames: readonly CallFrame[], tracer: LiveDebugger): void {
    const keys = this.#keys;
    this.#keys = [];
    const goal = this.#goal;
    if (keys.length === 0) {
      // A statement of the program stops it for a debugger of its own.
      if (!goal) return;
      if (goal.kind !== 'until' && isBefore(goal, frames)) {
        if (goal.kind !== 'out') tracer.step(goal.kind);
        return;
      }
    }
    if (goal?.exit != null) tracer.remove(goal.exit);
    this.#goal = null;
    this.#isHeld = true;
    try {
      this.#stand(keys, frames, tracer);
    } finally {
      this.#isHeld = false;
    }
  }

  #stand(keys: readonly string[], frames: readonly CallFrame[], tracer: LiveDebugger): void {
    const standing = { ...threadNow(), number: ++this.#number };
    const said = { keys, frames: toldFrames(frames, tracer), depth: frames.length };
    let order = asked({ standing, said: said satisfies StandingNote });
    while (order !== null) {
      if (order.do === 'go') return;
      if (order.do === 'step' || order.do === 'until') {
        this.#lead(order, frames, tracer);
        return;
      }
      // What is wanted may have changed meanwhile, which nothing else can tell this thread.
      if (order.do === 'wait') wantedFiles();
      const answer = order.do === 'evaluate' ? evaluated(order, frames, tracer) : undefined;
      order = asked({ standing, ...(answer === undefined ? {} : { answer }) });
    }
  }

  #lead(
    order: Extract<StandingOrder, { readonly do: 'step' | 'until' }>,
    frames: readonly CallFrame[],
    tracer: LiveDebugger,
  ): void {
    const [newest, caller] = frames;
    const { scriptId = '', lineNumber = 0 } = newest?.location ?? {};
    const exit = caller ? exitIn(caller, tracer) : null;
    const name = newest?.functionName ?? '';
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
      if (isName.test(name) && !ofEveryModule.has(name) && !names.includes(name)) names.push(name);
    if (type === 'local') break;
  }
  return names.slice(0, mostNames);
}

function bytesOf(values: readonly unknown[]): string {
  beginValues(0);
  for (const [i, value] of values.entries())
    if (value === unknown) putUnset();
    else putShared(value, values.length - i);
  return Buffer.from(room8.buffer, room8.byteOffset, used * 8).toString('hex');
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
