import type { QueryClient } from '../db/queryClient.ts';
import type { SessionNs } from '../model/ids.ts';
import type { SessionView } from '../model/session.ts';

/** How far the index has come after a drain. */
export interface IndexState {
  /** Nothing later may be shown yet. */
  readonly until: SessionNs;
  readonly indexedTo: SessionNs;
  /** False: the drain's time ran out before everything up to the request was in. */
  readonly complete: boolean;
}

/** A session that is asked about. */
export interface QueryTarget {
  /** As it is when this member is read. */
  readonly view: SessionView;
  readonly storePath: string;
  /** Brings everything up to now into the index, within a limit of its own. */
  settle(signal: AbortSignal): Promise<IndexState>;
}

/** The questions that answer views. */
export type Queries = Pick<QueryClient, 'ask'>;

/** The same for one request: its questions end when it is cancelled. */
export function cancelledWith(queries: Queries, signal: AbortSignal): Queries {
  return { ask: (kind, path, query) => queries.ask(kind, path, query, signal) };
}
