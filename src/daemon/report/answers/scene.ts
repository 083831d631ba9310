import { escaped } from '../../../base/visible.ts';
import type { SessionNs } from '../../../model/ids.ts';
import type { CallView, StoreSummary } from '../../../model/questions/query.ts';
import { attachNotes, type SessionView } from '../../../model/session.ts';
import type { CallStyle } from '../text/callText.ts';
import { isCrashNote } from '../../../model/endings/crashLine.ts';
import { endOf, exitOf, fullLine, headLines, hooksText, lagLine } from './header.ts';
import { shortNames } from '../text/nameText.ts';
import { callText, nextTexts, type NextStep } from './nextSteps.ts';
import type { Shown } from './assemble.ts';

/** What every debug_query answer knows besides its own result. */
export interface Scene {
  readonly session: SessionView;
  readonly summary: StoreSummary;
  /** Null: the index holds everything up to the request. */
  readonly indexedTo: SessionNs | null;
  /** The request, as the client would send it again: session filled in, defaults left out. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly verbose: boolean;
  /** Whole sentences about this answer. */
  readonly notes: readonly string[];
  /** The test a call belongs to, in a session that ran tests. */
  readonly testOf?: (call: CallView) => string | null;
  /** Names of the functions that values of the answer lead to, by address. */
  readonly codeNames?: ReadonlyMap<string, string>;
}

/** What the structured form adds to the members common to all views. */
export interface PageFacts {
  readonly pids: readonly number[];
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly hasMore: boolean;
  readonly cursor: string | null;
}

/** Session, state, figures, and whatever makes the answer less than whole. */
export function sceneLines(scene: Scene): string[] {
  return [...headLines(scene.session, scene.summary), ...noteTexts(scene, unreadNotes(scene))];
}

function noteTexts(scene: Scene, ofSession: readonly string[]): string[] {
  const lag = lagLine(scene.session, scene.indexedTo);
  const lines = [...(lag === null ? [] : [lag]), ...scene.notes, ...ofSession];
  return lines.map((note) => `! ${escaped(note)}`);
}

/** That it crashed is said in each answer, everything else once. */
function unreadNotes(scene: Scene): readonly string[] {
  const read = scene.session.known?.notes;
  return firstNotes(scene).filter((note) => isCrashNote(note) || !read?.has(escaped(note)));
}

const NOTES_SHOWN = 3;

/**
 * Whatever else is to be told of a session: that it crashed comes first, then the newest. What an
 * attach cannot see is said in its own answer and in the status, and about output where that is shown.
 */
function firstNotes({ session, request }: Scene): readonly string[] {
  const repeated =
    request['view'] === 'output' ? [attachNotes.children] : Object.values(attachNotes);
  return session.notes
    .filter((note) => !repeated.some((begin) => note.startsWith(begin)))
    .toReversed()
    .toSorted((a, b) => Number(isCrashNote(b)) - Number(isCrashNote(a)))
    .slice(0, NOTES_SHOWN);
}

/** The members every view's structured form has. */
export function sceneTwin(
  scene: Scene,
  page: PageFacts,
  around: {
    readonly steps: readonly NextStep[];
    readonly notes: readonly string[];
    readonly room: number;
  },
): object {
  return {
    sessionId: scene.session.id,
    ...(around.room < 350 ? {} : { about: aboutText(scene) }),
    state: scene.session.state.kind,
    exit: exitOf(scene.session),
    counters: scene.summary.counters,
    pids: page.pids,
    totalCount: page.totalIsExact ? page.total : `≥ ${page.total}`,
    hasMore: page.hasMore,
    cursor: page.cursor,
    indexedTo: scene.indexedTo,
    notes: [...noteTexts(scene, firstNotes(scene)).map((note) => note.slice(2)), ...around.notes],
    nextSteps: nextTexts(around.steps),
  };
}

/** What the first two lines of the readable form say beyond the other members. */
function aboutText({ session }: Scene): string {
  return `${fullLine(session).slice(session.id.length + 3)} · ${hooksText(session)}`;
}

/** How the calls of one answer are written; `names`: all function names that may appear in it. */
export function callStyle(scene: Scene, names: Iterable<string>): CallStyle {
  return {
    verbose: scene.verbose,
    ...(scene.codeNames ? { codeNames: scene.codeNames } : {}),
    shortName: scene.verbose ? (name) => name : shortNames(names),
    projectRoot: scene.session.projectRoot,
    endedAt: endOf(scene.session),
    now: scene.indexedTo ?? scene.session.now,
    ...(scene.session.known ? { legendsRead: scene.session.known.legends } : {}),
  };
}

/** A debug_query about the same session. */
export function query(
  scene: Scene,
  wanted: Readonly<Record<string, unknown>>,
  why: string,
): NextStep {
  return { tool: 'debug_query', arguments: { sessionId: scene.session.id, ...wanted }, why };
}

/** Counts and times, where there is something to count: of one function called a few times each call says more. */
export function statsStep(scene: Scene, why = 'counts and times per function'): NextStep[] {
  const { calls, functions } = scene.summary;
  return calls > 0 && (functions > 1 || calls > fewCalls)
    ? [query(scene, { view: 'stats' }, why)]
    : [];
}

const fewCalls = 50;

/** What the program wrote, where that is recorded. */
export function outputStep(scene: Scene, why = 'what it wrote'): NextStep[] {
  return scene.session.outputPassesBy ? [] : [query(scene, { view: 'output' }, why)];
}

/** Whether the process that wrote a line is known: those of a launch share the pipes of its first. */
export function areWritersKnown({ session: { attached, processes } }: Scene): boolean {
  return attached === true || processes.running + processes.ended <= 1;
}

/** What an answer about one process cannot say of output. */
export function writersNotes(scene: Scene, pid: number | undefined): readonly string[] {
  if (pid === undefined || areWritersKnown(scene) || scene.summary.outputLines === 0) return [];
  return [
    `The processes of this session share their pipes, so it is not known which of them wrote a line; all lines count as those of pid ${scene.session.pid}. Omit pid to list all lines by time.`,
  ];
}

const usualRoom = { budget: 2000, limit: 50 } as const;
const mostRoom = { budget: 50_000, limit: 500 } as const;
const widening = 4;

/**
 * How to see what an answer left out: the same request with more `budget` where tokens were short, with the
 * most rows where those were. `otherwise`: what to do where it has the most of both already.
 */
export function withMoreRoom(
  scene: Scene,
  lacks: { readonly tokens: boolean; readonly rows: boolean },
  otherwise: string,
): string {
  const { budget = usualRoom.budget, limit = usualRoom.limit } = scene.request;
  const changes = {
    ...(lacks.tokens ? { budget: Math.min(mostRoom.budget, Number(budget) * widening) } : {}),
    ...(lacks.rows ? { limit: mostRoom.limit } : {}),
  };
  const gains = (changes.budget ?? 0) > Number(budget) || (changes.limit ?? 0) > Number(limit);
  return gains ? again(scene, changes) : otherwise;
}

/** Goes on behind the items that are shown; null: nothing is left. */
export function cursorAfter(
  page: { readonly cursors: readonly string[]; readonly cursor: string | null },
  { count, of }: Shown,
): string | null {
  return count < of ? (page.cursors[Math.max(0, count - 1)] ?? null) : page.cursor;
}

/** How to go on behind a page. */
export function moreLine(scene: Scene, cursor: string | null): string[] {
  return cursor === null ? [] : [`… more: ${again(scene, { cursor })}`];
}

/** The same request with some members changed, ready to paste. */
export function again(scene: Scene, changes: Readonly<Record<string, unknown>>): string {
  return callText({ tool: 'debug_query', arguments: { ...scene.request, ...changes } });
}
