import { readGoEnd, type GoEnd } from '../../model/endings/goEnd.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { OutputQuery } from '../../model/questions/query.ts';
import type { QueryClient } from '../../db/queryClient.ts';

/** Lines that are read: Go's runtime writes two for each frame of each goroutine. */
const LINES_READ = 2000;
const BEGINNING = String.raw`/^(panic: |fatal error: |SIG[A-Z]+: )/`;

/** A report of Go's runtime in a session's output. */
export interface FoundGoEnd {
  readonly end: GoEnd;
  /** Numbers of its lines. */
  readonly lines: ReadonlySet<number>;
}

/** What Go's runtime wrote of the end of a program, by its output; null: nothing. */
export async function goEndIn(
  queries: Pick<QueryClient, 'ask'>,
  storePath: string,
  until: SessionNs,
): Promise<FoundGoEnd | null> {
  const asked: OutputQuery = {
    stream: null,
    tail: null,
    match: BEGINNING,
    pid: null,
    timeFrom: null,
    timeTo: null,
    limit: 1,
    cursor: null,
    until,
  };
  const { lines: beginnings } = await queries.ask('output', storePath, { ...asked, tail: 1 });
  const [beginning] = beginnings;
  if (beginning === undefined) return null;
  const { lines } = await queries.ask('output', storePath, {
    ...asked,
    stream: beginning.stream,
    match: null,
    timeFrom: beginning.time,
    limit: LINES_READ,
  });
  const end = readGoEnd(lines.map(({ text }) => text));
  return end === null ? null : { end, lines: new Set(lines.map(({ id }) => id)) };
}
