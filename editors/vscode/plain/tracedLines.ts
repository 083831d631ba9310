import { isDeepStrictEqual } from 'node:util';
import { listMember, member, numberMember, textMember } from '../../../src/client/messages.ts';
import {
  functionFigures,
  listFunctions,
  type FunctionRow,
  type SessionRow,
} from './sessionRows.ts';
import { ranLines, type RanLine } from './ranLines.ts';
import { sourcePlace, type SourcePlace } from './sourcePlace.ts';
import { StrobeFailure, type StrobeServer } from './strobeServer.ts';

/** What is shown beside a line that begins a traced function. */
export interface TracedLine {
  readonly place: SourcePlace;
  /** `last (count 2, cents 250) → 500 · 12 calls · mean 3.2 µs · max 1 ms`: a narrow editor cuts off the end. */
  readonly text: string;
  /** A breakpoint that records stands there: `last y 0, x 0 · 3 hits`. */
  readonly isHit: boolean;
  /** What traces the function. */
  readonly name: string;
  /** It is traced now by its own name, by a pattern of several, or no longer. */
  readonly tracedBy: 'name' | 'others' | 'none';
  readonly session: SessionRow;
  /** The lines of its last call, where they are recorded. */
  readonly ran: readonly RanLine[];
}

const mostFunctions = 200;
const longestText = 160;
const longestValue = 60;
const ifStripped =
  'If the program was built without debug information, build it with -g and do not strip it.';

interface LastCall {
  readonly calls: number;
  readonly timeNs: number;
  readonly text: string;
  readonly ran: readonly RanLine[];
}

/** The traced functions of sessions beside their lines. A last call is asked for only when there was a new one. */
export class TracedLines {
  readonly #server: StrobeServer;
  readonly #last = new Map<string, LastCall>();

  constructor(server: StrobeServer) {
    this.#server = server;
  }

  /** Of the functions of a session in these files. */
  async of(session: SessionRow, files: ReadonlySet<string>): Promise<TracedLine[]> {
    const rows = await listFunctions(this.#server, session.id, mostFunctions);
    const placed = rows.flatMap((row) => {
      const place = sourcePlace(row.place, session.projectRoot);
      return place === null || !files.has(place.path) ? [] : [{ row, place }];
    });
    if (placed.length === 0) return [];
    const active = await activePatterns(this.#server, session.id);
    const lines = placed.map(async ({ row, place }) => {
      const last = await this.#lastCall(session.id, row, place.path);
      const text = [...(last === null ? [] : [`last ${last.text}`]), functionFigures(row)];
      const { isHit, pattern: name } = row;
      const ran = last?.ran ?? [];
      const by = tracedBy(name, active);
      return { place, text: text.join(' · '), isHit, name, tracedBy: by, session, ran };
    });
    return await Promise.all(lines);
  }

  async #lastCall(sessionId: string, row: FunctionRow, path: string): Promise<LastCall | null> {
    const key = `${sessionId} ${row.name}`;
    const known = this.#last.get(key);
    if (row.calls === 0 || known?.calls === row.calls) return known ?? null;
    const sql = `SELECT timestamp_ns, arguments, return_value, id FROM calls(?, (SELECT max(timestamp_ns) FROM calls(?, ?))) LIMIT 1`;
    const params = [row.pattern, row.pattern, known?.timeNs ?? 0];
    const query = { view: 'sql', sessionId, sql, params, limit: 1 };
    const answer = await this.#server.call('debug_query', query).catch(() => null);
    const [time, passed, returned, id] = listOf(listMember(answer?.body, 'rows')[0]);
    if (typeof time !== 'number') return known ?? null;
    const text = row.isHit ? valuesText(passed) : callText(passed, returned);
    const asked = { sessionId, root: String(id), path };
    const ran = row.isHit ? [] : await ranLines(this.#server, asked);
    const last = { calls: row.calls, timeNs: time, text, ran };
    this.#last.set(key, last);
    return last;
  }
}

/** What is traced now, as it was written. */
async function activePatterns(server: StrobeServer, sessionId: string): Promise<string[]> {
  const { body } = await server.call('debug_trace', { sessionId });
  return listMember(body, 'activePatterns').map((one) => {
    const pattern = member(one, 'pattern');
    return typeof pattern === 'string' ? pattern : textMember(pattern, 'pattern');
  });
}

function tracedBy(name: string, active: readonly string[]): TracedLine['tracedBy'] {
  if (active.includes(name)) return 'name';
  return active.some((pattern) => /[*@]/.test(pattern)) ? 'others' : 'none';
}

/** `(count 2, cents 250) → 500`, of the JSON that SQL answers. */
export function callText(passed: unknown, returned: unknown): string {
  const result = parsed(returned);
  return cut(`(${named(passed)})${result == null ? '' : ` → ${shown(result)}`}`);
}

/** `y 0, x 0`, of what a breakpoint recorded. */
function valuesText(recorded: unknown): string {
  return cut(named(recorded));
}

function named(json: unknown): string {
  const given = Object.entries(parsed(json) ?? {});
  return given.map(([name, value]) => `${name} ${shown(value)}`).join(', ');
}

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

function parsed(json: unknown): unknown {
  if (typeof json !== 'string') return json;
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    return json;
  }
}

/** A value for people: `{id 1, cents 250}`, `[1, 2]`, `"one"`; of a pointer that leads somewhere what is there. */
function shown(value: unknown): string {
  const text = wholeText(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

function wholeText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(wholeText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) {
    const isAddress = typeof value === 'string' && /^0x[0-9a-f]+$/.test(value);
    return isAddress ? value : (JSON.stringify(value) ?? '');
  }
  const { address, ...target }: Record<string, unknown> = { ...value };
  const isPointer = typeof address === 'string' && address.startsWith('0x');
  const members = Object.entries(isPointer ? target : value);
  if (isPointer && members.length === 0) return address;
  const [[name, only] = []] = members;
  if (isPointer && members.length === 1 && name === 'value') return wholeText(only);
  return `{${members.map(([key, one]) => `${key} ${wholeText(one)}`).join(', ')}}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A function, or a function whose lines are recorded. */
export type AddedPattern = string | { readonly pattern: string; readonly lines: true };

export interface TraceChange {
  /** One sentence: what is traced now, or why not. */
  readonly status: string;
  readonly isHooked: boolean;
}

/** Begins to trace a function in a running program, also in one of another client: the person decides. */
export async function changeTrace(
  server: StrobeServer,
  sessionId: string,
  change: { readonly add: readonly AddedPattern[] } | { readonly remove: readonly string[] },
): Promise<TraceChange> {
  const asked = { sessionId, ...change, takeOver: true };
  const { body, text } = await server.call('debug_trace', asked).catch((error: unknown) => {
    if (!(error instanceof StrobeFailure) || error.code !== 'NOTHING_MATCHED') throw error;
    throw new StrobeFailure(`${error.message} ${ifStripped}`, error.code);
  });
  const [added] = 'add' in change ? change.add : [];
  const pattern = listMember(body, 'activePatterns').find((one) =>
    isDeepStrictEqual(member(one, 'pattern'), added),
  );
  const notes = listMember(pattern, 'notes').map(String);
  const isHooked = added === undefined || numberMember(pattern, 'hooked') > 0;
  const status = member(body, 'status');
  const words = typeof status === 'string' ? status : text;
  return { isHooked, status: isHooked ? words : [words, ...notes].join(' ') };
}
