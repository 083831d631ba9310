import { callId, parseCallId } from '../../model/ids.ts';
import type { CallFilter, CallView, EventsQuery } from '../../model/questions/query.ts';
import type { Queries } from '../queries.ts';
import type { OrderedCalls } from '../report/tree/callsInOrder.ts';

/** Calls of a root's pattern that are looked into. */
const MOST_ROOTS = 50;

type Asked = Pick<EventsQuery, 'filter' | 'limit' | 'cursor' | 'until' | 'deadlineMs'>;

/** The calls of a tree in their order: all that the filter takes, or those that ran inside a root. */
export async function orderedCalls(
  queries: Queries,
  storePath: string,
  asked: Asked,
  root: string | null,
): Promise<OrderedCalls> {
  if (root === null) return await page(queries, storePath, asked);
  if (parseCallId(root) !== null) return await page(queries, storePath, within(asked, root));
  const { filter } = asked;
  const roots = await page(queries, storePath, {
    ...asked,
    filter: { ...rangeOf(filter), function: { pattern: root } },
    limit: MOST_ROOTS,
  });
  const calls: CallView[] = [];
  let [total, isWhole] = [0, roots.cursor === null && roots.complete];
  for (const outer of roots.calls) {
    const inner = await page(queries, storePath, within(asked, outer.id));
    if (inner.calls.length === 0) continue;
    calls.push(outer, ...inner.calls);
    total += 1 + inner.total;
    isWhole &&= inner.cursor === null && inner.totalIsExact;
  }
  const shown = calls.slice(0, asked.limit);
  return {
    calls: shown,
    total,
    totalIsExact: isWhole,
    cursors: [],
    cursor: null,
    complete: roots.complete,
  };
}

async function page(queries: Queries, storePath: string, asked: Asked): Promise<OrderedCalls> {
  const found = await queries.ask('events', storePath, {
    ...asked,
    eventTypes: asked.filter.lines ? ['call', 'logpoint'] : ['call'],
    order: 'thread',
  });
  const calls = found.events.flatMap((event) => ('call' in event ? [event.call] : []));
  const { total, totalIsExact, cursors, cursor, complete } = found;
  return { calls, total, totalIsExact, cursors, cursor, complete };
}

function within(asked: Asked, id: string): Asked {
  const parts = parseCallId(id);
  return parts === null
    ? asked
    : { ...asked, filter: { ...asked.filter, within: callId(parts.thread, parts.ordinal) } };
}

function rangeOf({ pid, threadId, threadName, timeFrom, timeTo }: CallFilter): CallFilter {
  return {
    ...(pid === undefined ? {} : { pid }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(threadName === undefined ? {} : { threadName }),
    ...(timeFrom === undefined ? {} : { timeFrom }),
    ...(timeTo === undefined ? {} : { timeTo }),
  };
}
