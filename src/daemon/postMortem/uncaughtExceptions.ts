import type { QueryClient } from '../../db/queryClient.ts';
import type { RaisedException } from '../../model/endings/exception.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { EventsPage } from '../../model/questions/eventView.ts';

/** Exceptions that one question reads, and questions that are asked: the last ones matter, which come last. */
const READ_AT_ONCE = 500;
const MOST_QUESTIONS = 100;
const QUESTION_MS = 1000;
/** How many of them are of interest. */
const SHOWN = 2;

/** The last exceptions that a runtime told of as nothing caught them, with their values; native ones end in a crash. `pid`: of one process. */
export async function uncaughtExceptions(
  queries: Pick<QueryClient, 'ask'>,
  storePath: string,
  { until, pid }: { readonly until: SessionNs; readonly pid: number | null },
): Promise<readonly RaisedException[]> {
  let last: RaisedException[] = [];
  let cursor: string | null = null;
  for (let i = 0; i < MOST_QUESTIONS; i++) {
    const page: EventsPage = await queries.ask('events', storePath, {
      filter: pid === null ? {} : { pid },
      eventTypes: ['exception'],
      order: 'time',
      limit: READ_AT_ONCE,
      cursor,
      until,
      deadlineMs: QUESTION_MS,
    });
    const raised = page.events.flatMap((event) =>
      event.type === 'exception' ? [event.exception] : [],
    );
    last = [...last, ...raised.filter(isUncaught)].slice(-SHOWN);
    cursor = page.cursor;
    if (cursor === null) break;
  }
  return last;
}

function isUncaught({ end, causes, language }: RaisedException): boolean {
  const isTold = causes !== undefined || language === 'Go';
  return end.kind === 'uncaught' && end.what !== 'replaced' && isTold;
}
