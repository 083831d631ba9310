import {
  nodeNote,
  type ModuleFormat,
  type ModuleNote,
  type RewriteAnswer,
  type RewriteRequest,
} from '../../../protocol/nodeTracer.ts';
import { answerHead } from '../../../protocol/keptAnswers.ts';
import { nowhere } from '../../../model/rewriting/rewrittenModule.ts';
import { theAddon } from './addon.ts';
import { parseJson, toJson } from './intrinsics.ts';
import type { RewrittenModule } from './moduleHooks.ts';
import { isWanted, look } from './plans.ts';
import {
  keepText,
  rewrittenText,
  type RewrittenAnswer,
  type RewrittenText,
} from './rewrittenText.ts';
import { asked, keepWritten, probesFor } from './sites/writtenSites.ts';
import { isReadByMap } from './readers/mapReaders.ts';

/** Of this thread, by key. */
const modules = new Map<string, RewrittenModule>();
let nextKey = 1;
/** Our own files; null: nothing is rewritten yet. */
let own: ReadonlySet<string> | null = null;

/** Modules are rewritten from now on, but for ours, which are in `folder`. */
export function startRewriting(folder: string): void {
  own = new Set(
    ['nodePreload.cjs', 'nodeStart.cjs', 'nodeLoader.mjs'].map((name) => `${folder}/${name}`),
  );
}

export function note(word: string, text: string): void {
  theAddon().note(`${word} ${text}\n`, word !== nodeNote.uncaught);
}

/** Stands in each text that was rewritten. */
const BEGUN = '=$strobe(';

export function isRewritten(text: string): boolean {
  return text.includes(BEGUN);
}

/** Files of packages are left as they are where nothing of them is wanted. */
export function isOpen(path: string): boolean {
  if (own === null || own.has(path) || !path.startsWith('/')) return false;
  return !path.includes('/node_modules/') || isWanted(path);
}

/** The text that is to be compiled in place of a module's, or why there is none. */
type Rewritten = { readonly text: string } | { readonly why: string };

/** Null: the module is none that is rewritten. */
export function rewrite(path: string, format: ModuleFormat, text: string): Rewritten | null {
  if (!isOpen(path) || text.includes(BEGUN)) return null;
  const key = String(nextKey);
  const probes = probesFor(path, text);
  const answer = answerTo({ path, format, text, ...asked(probes), ...mapFor(text, key) });
  if ('why' in answer) return answer;
  keepWritten(key, probes, answer.isWritten);
  return { text: take(path, text, answer, key) };
}

export function answerTo(request: RewriteRequest): RewriteAnswer {
  const said = keptAnswer(request) ?? theAddon().ask(toJson(request));
  if (said === undefined) return { why: 'the service that rewrites modules does not answer' };
  return parseJson(said) as RewriteAnswer;
}

function keptAnswer(request: RewriteRequest): string | undefined {
  const { text, sites, probes } = request;
  if ((sites ?? probes) !== undefined) return undefined;
  return theAddon().keptAnswer(answerHead(request), text);
}

export function leftAlone(path: string, { why }: { readonly why: string }): void {
  note(nodeNote.module, toJson({ path, why } satisfies ModuleNote));
}

/** The text of a module that could be rewritten; else its own, and a note says so. */
export function rewriteOrTell(path: string, format: ModuleFormat, text: string): string {
  const made = rewrite(path, format, text);
  if (made === null) return text;
  if ('text' in made) return made.text;
  leftAlone(path, made);
  return text;
}

function mapFor(text: string, key: string): Pick<RewriteRequest, 'mapFor'> {
  return isReadByMap(text) ? { mapFor: key.length } : {};
}

function take(path: string, original: string, answer: RewrittenAnswer, key: string): string {
  nextKey++;
  const text = rewrittenText(path, original, answer, key);
  keepModule(key, text, answer);
  return text.rewritten;
}

function keepModule(key: string, text: RewrittenText, answer: RewrittenAnswer): RewrittenModule {
  const { path } = text;
  keepText(text);
  const module = newModule(path, answer);
  look(module);
  modules.set(key, module);
  tellModule(module);
  return module;
}

/** A module whose functions tell of their calls. */
export function tellModule({ path, functions }: RewrittenModule): void {
  const sources = [...new Set(functions.flatMap(({ file }) => (file ? [file] : [])))];
  const left = functions.filter(({ why, offset }) => why !== undefined && offset !== nowhere);
  const told: ModuleNote = {
    path,
    ...(sources.length > 0 ? { sources } : {}),
    ...(left.length > 0 ? { left } : {}),
  };
  note(nodeNote.module, toJson(told));
}

/** A module of this thread, with nothing of it wanted yet. */
export function newModule(
  path: string,
  { functions, variables = [] }: Pick<RewrittenAnswer, 'functions' | 'variables'>,
): RewrittenModule {
  const buffer = theAddon().flags(functions.length);
  return {
    path,
    functions,
    flags: new Uint8Array(buffer, 4),
    generation: new Uint32Array(buffer, 0, 1),
    plans: functions.map(() => null),
    variables,
    read: null,
  };
}

/* ── modules that another thread rewrites for this one ── */

/** Its keys are above those of all others. */
const FIRST_OTHER = 2 ** 40;
let nextOther = FIRST_OTHER;

interface Other {
  readonly path: string;
  readonly original: string;
  readonly answer: RewrittenAnswer;
}

/** The thread that loads ES modules up to Node 20: the thread that runs the module takes it over by its key. */
export function rewriteForOther(path: string, original: string): string {
  if (!isOpen(path) || original.includes(BEGUN)) return original;
  const key = String(nextOther);
  const answer = answerTo({ path, format: 'module', text: original, ...mapFor(original, key) });
  if ('why' in answer) {
    leftAlone(path, answer);
    return original;
  }
  nextOther++;
  theAddon().keep(key, toJson({ path, original, answer } satisfies Other));
  return rewrittenText(path, original, answer, key).rewritten;
}

/** Another thread has made the text of this key. */
export function isOfOther(key: string): boolean {
  return Number(key) >= FIRST_OTHER;
}

function taken(key: number): RewrittenModule | undefined {
  const kept = theAddon().take(String(key));
  if (kept === undefined) return undefined;
  const { path, original, answer } = parseJson(kept) as Other;
  const text = rewrittenText(path, original, answer, String(key));
  return keepModule(String(key), text, answer);
}

export function moduleOf(key: number): RewrittenModule | undefined {
  return modules.get(String(key)) ?? (isOfOther(String(key)) ? taken(key) : undefined);
}
