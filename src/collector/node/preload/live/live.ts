/*
 * Modules that were loaded before the process was entered run as they are. Their functions have breakpoints whose
 * conditions record, and are never met: nothing is held. A session of the inspector within the process sets them; it
 * listens nowhere.
 */
import {
  nodeFlag,
  nodeNote,
  type LiveFunction,
  type ModuleNote,
} from '../../../../protocol/nodeTracer.ts';
import { isLive, stackPlace } from '../addon.ts';
import { hooksOf, type Hooks } from '../calls.ts';
import { toJson } from '../intrinsics.ts';
import { LiveBudget } from './liveBudget.ts';
import { LiveDebugger, type Script } from './liveDebugger.ts';
import { liveText, placesOf, type LiveText } from './livePlaces.ts';
import { LiveStack } from './liveStack.ts';
import type { RewrittenModule } from '../moduleHooks.ts';
import { answerTo, isOpen, isRewritten, newModule, note, tellModule } from '../moduleRewriting.ts';
import { look, wantedFiles } from '../plans.ts';

/** What the daemon calls `$strobe` with when something has changed. */
export const wakeKey = -1;
/** Modules that run have keys from here on down. */
const FIRST_KEY = -2;

interface LiveModule {
  readonly script: Script;
  readonly module: RewrittenModule;
  readonly hooks: Hooks;
  readonly functions: readonly (LiveFunction | undefined)[];
  readonly text: LiveText;
  /** Ids of breakpoints by function. */
  readonly breakpoints: Map<number, readonly string[]>;
}

const modules: LiveModule[] = [];
const known = new Set<string>();
const tracer = new LiveDebugger();
const stack = new LiveStack();
const budget = new LiveBudget();

const LIVE =
  'It was running when it was attached to. Functions of modules that were loaded before are seen by breakpoints whose conditions record: they show entries, arguments, durations, and results that are plain names (else <unset>); async functions and generators up to their first await or yield; each call takes 0.1 ms or more, and one that is called more than 1,000 times a second is left alone. An exception is not seen itself: a call that one left ends, without its value, when the next call shows that its frame is gone, so its duration is an upper bound. Calls in worker threads that ran before are not seen. Modules that load from now on show everything, as all do after debug_launch.';

/** The program was running when it was entered: what was loaded is seen as well as it can be. */
export function beginLive(): void {
  note(nodeNote.failed, LIVE);
  wake();
}

/** Something has changed: what is wanted, or who wants it. */
export function wake(): void {
  if (!isLive()) return;
  const wanted = wantedFiles();
  if (wanted.size === 0) {
    leave();
    return;
  }
  tracer.begin();
  for (const script of tracer.scripts)
    if (wanted.has(script.path) || script.isMapped) comeUpon(script);
  for (const module of modules) setBreakpoints(module);
}

function leave(): void {
  stack.flush();
  for (const { breakpoints } of modules) breakpoints.clear();
  tracer.end();
}

function comeUpon(script: Script): void {
  const { id, path } = script;
  if (known.has(id) || !isOpen(path)) return;
  known.add(id);
  const text = tracer.textOf(script);
  if (isRewritten(text)) return;
  const format = script.isModule ? 'module' : 'commonjs';
  const answer = answerTo({ path, format, text, isLive: true });
  if ('why' in answer) return;
  const module = newModule(path, answer);
  const functions = answer.functions.map(({ live }) => live);
  modules.push({
    script,
    module,
    hooks: hooksOf(module),
    functions,
    text: liveText(text),
    breakpoints: new Map(),
  });
  tellModule(module);
}

function setBreakpoints({ script, module, functions, text, breakpoints }: LiveModule): void {
  look(module);
  const key = FIRST_KEY - modules.findIndex((one) => one.module === module);
  for (const [index, live] of functions.entries()) {
    const isWanted = module.flags[index] !== nodeFlag.off && live !== undefined;
    const ids = breakpoints.get(index);
    if (!isWanted) {
      for (const id of ids ?? []) tracer.remove(id);
      breakpoints.delete(index);
    } else if (!ids) {
      breakpoints.set(index, heard(script, text, live, key, index, module));
    }
  }
}

/** Ids of the breakpoints that a function got. */
function heard(
  script: Script,
  text: LiveText,
  live: LiveFunction,
  key: number,
  index: number,
  module: RewrittenModule,
): readonly string[] {
  const places = placesOf(tracer, script, text, live);
  if (!places) {
    leftAlone(module, index, 'it was loaded before, and begins with a loop or has no code');
    return [];
  }
  const { entry, exits } = places;
  const isOne = exits.some(
    ({ place }) =>
      place.lineNumber === entry.lineNumber && place.columnNumber === entry.columnNumber,
  );
  const reader = readerOf(module);
  const tells = (number: number, values: readonly string[]): string =>
    `$strobe(${key},${number},[${values.join()}]${reader})`;
  const enters = tells(index, live.values);
  // What is not known is said by what cannot be returned.
  const exit = (value: string | null): string => tells(~index, [value ?? '$strobe']);
  const ids = isOne
    ? [tracer.set(entry, `(${enters},${exit('void 0')})`)]
    : [
        tracer.set(entry, enters),
        ...exits.map(({ place, value }) => tracer.set(place, exit(value))),
      ];
  return ids.filter((id) => id !== null);
}

/** A last argument that reads variables of the module, from within a function of it. */
function readerOf({ variables }: RewrittenModule): string {
  const cases = variables.map((name, index) => `case ${index}:return ${name}`);
  return cases.length === 0 ? '' : `,$strobe$=>{switch($strobe$){${cases.join(';')}}}`;
}

function leftAlone({ path, functions }: RewrittenModule, index: number, why: string): void {
  const fn = functions[index];
  if (fn) note(nodeNote.module, toJson({ path, left: [{ ...fn, why }] } satisfies ModuleNote));
}

/** A breakpoint of a live module is reached. */
export function hit(key: number, words: readonly unknown[], ownFunction: unknown): void {
  const [index, values, read] = words;
  const live = modules[FIRST_KEY - key];
  if (!live || typeof index !== 'number' || !Array.isArray(values)) return;
  const { module, hooks, functions } = live;
  const fn = index < 0 ? ~index : index;
  if (module.flags[fn] === nodeFlag.off) return;
  if (typeof read === 'function') module.read = read as NonNullable<typeof module.read>;
  const place = stackPlace();
  if (index < 0) {
    stack.leave(place, fn, module, values[0] === ownFunction ? [] : values);
    return;
  }
  stack.settle(place);
  const call = hooks.enter(fn, ...(values as readonly unknown[]));
  const suspends = functions[fn]?.suspends ?? false;
  if (call !== 0) stack.enter({ place, fn, module, call, hooks, suspends });
  const often = budget.take(`${key} ${fn}`);
  if (often !== null) rest(often);
}

/** A function that takes too much of the program's time is recorded no longer. */
function rest(often: string): void {
  const [key = 0, fn = 0] = often.split(' ').map(Number);
  const live = modules[FIRST_KEY - key];
  if (!live) return;
  for (const id of live.breakpoints.get(fn) ?? []) tracer.remove(id);
  live.breakpoints.set(fn, []);
  stack.lose(fn, live.module);
  leftAlone(
    live.module,
    fn,
    'it is called so often that it held up the program, which was running when it was attached to',
  );
}
