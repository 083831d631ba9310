import type { QueryClient } from '../../db/queryClient.ts';
import type { OutputLine } from '../../model/outputRecord.ts';
import type { Settled } from '../indexing/indexMessages.ts';

/** The last lines of a session's output, in order of time. */
export async function outputTail(
  queries: QueryClient,
  storePath: string,
  lines: number,
  settled: Settled | null,
): Promise<readonly OutputLine[]> {
  const page = await queries.ask('output', storePath, {
    stream: null,
    tail: lines,
    match: null,
    pid: null,
    timeFrom: null,
    timeTo: null,
    limit: lines,
    cursor: null,
    until: settled?.until ?? Number.MAX_SAFE_INTEGER,
  });
  return page.lines;
}
