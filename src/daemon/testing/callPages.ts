import type { EventsPage } from '../../model/questions/eventView.ts';
import type { CallFilter, CallView } from '../../model/questions/query.ts';
import type { Queries } from '../queries.ts';

const deadlineMs = 4000;
const mostOfPage = 500;

/** Calls in the order of time, a page each, to the last. */
export async function* callPages(
  queries: Queries,
  { storePath, until }: { readonly storePath: string; readonly until: number },
  filter: CallFilter,
): AsyncGenerator<CallView[]> {
  for (let cursor: string | null = null; ;) {
    const page: EventsPage = await queries.ask('events', storePath, {
      filter,
      eventTypes: ['call'],
      order: 'time',
      limit: mostOfPage,
      cursor,
      until,
      deadlineMs,
    });
    yield page.events.flatMap((event) => ('call' in event ? [event.call] : []));
    ({ cursor } = page);
    if (cursor === null || !page.hasMore) return;
  }
}
