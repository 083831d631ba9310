import type { EventsPage } from '../../model/questions/eventView.ts';
import type { CallFilter, CallView } from '../../model/questions/query.ts';
import type { Queries } from '../queries.ts';

const deadlineMs = 4000;
const mostHits = 30_000;
const onePage = 500;

/** Where a line stands, and the calls in which it ran. */
interface RanLine {
  readonly text: string;
  readonly calls: Set<string>;
}

/** The recorded lines that ran, by function and number. */
export type RanLines = ReadonlyMap<string, ReadonlyMap<number, RanLine>>;

/** What of a function ran in a failed test and in none that passed. */
export interface NewLines {
  readonly lines: readonly { readonly line: number; readonly text: string }[];
  /** In which of its calls, counted from 0. */
  readonly calls: ReadonlySet<number>;
}

/** Which recorded lines ran in the calls that a filter leaves. */
export async function ranLines(
  queries: Queries,
  storePath: string,
  filter: CallFilter,
): Promise<RanLines> {
  const lines = new Map<string, Map<number, RanLine>>();
  let read = 0;
  for (let cursor: string | null = null; ;) {
    const page: EventsPage = await queries.ask('events', storePath, {
      filter: { ...filter, lines: true },
      eventTypes: ['logpoint'],
      order: 'time',
      limit: onePage,
      cursor,
      until: Number.MAX_SAFE_INTEGER,
      deadlineMs,
    });
    for (const event of page.events) if ('call' in event) add(lines, event.call);
    read += page.events.length;
    ({ cursor } = page);
    if (cursor === null || !page.hasMore || read >= mostHits) return lines;
  }
}

function add(lines: Map<string, Map<number, RanLine>>, { probe, line, parent }: CallView): void {
  if (probe?.line === undefined || line === null) return;
  const ofFunction = lines.get(probe.line.of) ?? new Map<number, RanLine>();
  const known = ofFunction.get(line) ?? { text: probe.line.text ?? '', calls: new Set<string>() };
  if (parent !== null) known.calls.add(parent);
  lines.set(probe.line.of, ofFunction.set(line, known));
}

/** The lines of some calls, which stand in the order of time. */
export interface LinedCalls {
  readonly ran: RanLines;
  readonly calls: readonly CallView[];
}

/** Of functions that ran in both what ran only here. */
export function linesOnlyIn(here: LinedCalls, there: LinedCalls): ReadonlyMap<string, NewLines> {
  const found = new Map<string, NewLines>();
  for (const [name, lines] of here.ran) {
    const others = there.ran.get(name);
    const only =
      others && isWhole(others, there, name)
        ? [...lines].filter(([line]) => !others.has(line))
        : [];
    if (only.length === 0) continue;
    const calls = here.calls.filter((call) => call.function === name);
    const isNew = ({ id }: CallView): boolean => only.some(([, ran]) => ran.calls.has(id));
    found.set(name, {
      lines: only.map(([line, { text }]) => ({ line, text })),
      calls: new Set(calls.flatMap((call, at) => (isNew(call) ? [at] : []))),
    });
  }
  return found;
}

/** Each call has lines: none of them is missing. */
function isWhole(
  lines: ReadonlyMap<number, RanLine>,
  { calls }: LinedCalls,
  name: string,
): boolean {
  const known = new Set([...lines.values()].flatMap((line) => [...line.calls]));
  return calls.every((call) => call.function !== name || known.has(call.id));
}
