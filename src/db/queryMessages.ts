import type { ChannelPage, ChannelQuery } from '../model/channels/channelEvent.ts';
import type { CallId, SessionNs } from '../model/ids.ts';
import type { TracedThread } from '../model/eventColumns.ts';
import type { StoredCrash } from '../model/endings/crashReport.ts';
import type { CallLines } from '../model/questions/callLines.ts';
import type { DiffQuery, DiffResult } from '../model/questions/diffResult.ts';
import type { EventsPage } from '../model/questions/eventView.ts';
import type {
  CallView,
  ChangesPage,
  ChangesQuery,
  EventsQuery,
  LastCalls,
  OutputPage,
  OutputQuery,
  StoreSummary,
} from '../model/questions/query.ts';
import type { TreeQuery, TreeResult } from '../model/questions/treeResult.ts';
import type { StatsQuery, StatsResult } from '../model/questions/statsResult.ts';

/** What can be asked of a store, and what comes back. */
export interface Questions {
  readonly events: { readonly query: EventsQuery; readonly answer: EventsPage };
  readonly tree: { readonly query: TreeQuery; readonly answer: TreeResult };
  readonly stats: { readonly query: StatsQuery; readonly answer: StatsResult };
  readonly output: { readonly query: OutputQuery; readonly answer: OutputPage };
  readonly channel: { readonly query: ChannelQuery; readonly answer: ChannelPage };
  readonly changes: { readonly query: ChangesQuery; readonly answer: ChangesPage };
  /** `otherPath`: the store of `query.there`; may be the same. */
  readonly diff: {
    readonly query: DiffQuery & { readonly otherPath: string };
    readonly answer: DiffResult;
  };
  readonly lastCalls: {
    readonly query: { readonly perThread: number; readonly until: SessionNs };
    readonly answer: readonly LastCalls[];
  };
  readonly callLines: {
    readonly query: { readonly call: CallId; readonly most: number; readonly until: SessionNs };
    readonly answer: CallLines;
  };
  readonly threads: { readonly query: null; readonly answer: readonly TracedThread[] };
  readonly crashes: { readonly query: null; readonly answer: readonly StoredCrash[] };
  readonly summary: { readonly query: null; readonly answer: StoreSummary };
  readonly callView: { readonly query: CallId; readonly answer: CallView | null };
}

export type QuestionKind = keyof Questions;

export type Query<K extends QuestionKind> = Questions[K]['query'];
export type QueryAnswer<K extends QuestionKind> = Questions[K]['answer'];

/** Close the reader of this store, because its file goes. */
export interface Forget {
  readonly kind: 'forget';
  readonly path: string;
}

/** Requests are answered one after the other. */
export type Question<K extends QuestionKind = QuestionKind> = {
  readonly [P in K]: { readonly kind: P; readonly path: string; readonly query: Query<P> };
}[K];
