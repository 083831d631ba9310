import type { EventsQuery, OutputQuery } from '../../src/model/questions/query.ts';
import type { StatsQuery } from '../../src/model/questions/statsResult.ts';
import type { TreeQuery } from '../../src/model/questions/treeResult.ts';

/* What a store is asked, as far as a test does not say otherwise: everything. */

const everything = { filter: {}, until: Number.MAX_SAFE_INTEGER, deadlineMs: 60_000 };

export const allEvents: EventsQuery = {
  ...everything,
  eventTypes: ['call'],
  order: 'time',
  limit: 500,
  cursor: null,
};

export const allStats: StatsQuery = {
  ...everything,
  groupBy: 'function',
  sortBy: 'count',
  limit: 99,
};

export const wholeTree: TreeQuery = {
  ...everything,
  root: null,
  maxDepth: 12,
  maxNodes: 500,
  maxRead: 500,
  selfTime: false,
};

export const allOutput: OutputQuery = {
  stream: null,
  tail: null,
  match: null,
  pid: null,
  timeFrom: null,
  timeTo: null,
  limit: 500,
  cursor: null,
  until: Number.MAX_SAFE_INTEGER,
};
