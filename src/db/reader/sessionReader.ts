import type { ChannelPage, ChannelQuery } from '../../model/channels/channelEvent.ts';
import { parseCallId, type CallId, type SessionNs } from '../../model/ids.ts';
import type { TracedThread } from '../../model/eventColumns.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import type { CallLines } from '../../model/questions/callLines.ts';
import type { DiffQuery, DiffResult } from '../../model/questions/diffResult.ts';
import type { EventsPage } from '../../model/questions/eventView.ts';
import type {
  CallView,
  ChangesPage,
  ChangesQuery,
  EventsQuery,
  LastCalls,
  OutputPage,
  OutputQuery,
  StoreSummary,
} from '../../model/questions/query.ts';
import type { TreeQuery, TreeResult } from '../../model/questions/treeResult.ts';
import type { StatsQuery, StatsResult } from '../../model/questions/statsResult.ts';
import { sessionMigrations } from '../sessionSchema.ts';
import { Sqlite } from '../sqlite.ts';
import { queryChannel } from './channels/channelEvents.ts';
import { viewCall } from './views/callViews.ts';
import { queryChanges } from './views/changes.ts';
import { queryCallLines } from './views/linesOfCall.ts';
import { queryDiff } from './views/diff.ts';
import { queryEvents } from './views/events.ts';
import { queryLastCalls } from './views/lastCalls.ts';
import { queryOutput } from './views/output.ts';
import { SessionTables } from './sessionTables.ts';
import { queryStats } from './views/stats.ts';
import { queryTree } from './tree/tree.ts';

/**
 * Answers questions about one session's file, also while it is being written. Each answer is
 * made from one commit. Synchronous; throws StrobeError for questions that cannot be answered.
 */
export class SessionReader {
  readonly #db: Sqlite;
  readonly #tables: SessionTables;

  private constructor(db: Sqlite) {
    this.#db = db;
    this.#tables = new SessionTables(db);
  }

  /** Throws STORE_FAILED when there is no such file or it cannot be read. */
  static open(path: string): SessionReader {
    return new SessionReader(Sqlite.openReadonly(path, { migrations: sessionMigrations }));
  }

  events(query: EventsQuery): EventsPage {
    return this.#answer((tables) => queryEvents(tables, query));
  }

  tree(query: TreeQuery): TreeResult {
    return this.#answer((tables) => queryTree(tables, query));
  }

  stats(query: StatsQuery): StatsResult {
    return this.#answer((tables) => queryStats(tables, query));
  }

  output(query: OutputQuery): OutputPage {
    return this.#answer((tables) => queryOutput(tables, query));
  }

  channel(query: ChannelQuery): ChannelPage {
    return this.#answer((tables) => queryChannel(tables, query));
  }

  changes(query: ChangesQuery): ChangesPage {
    return this.#answer((tables) => queryChanges(tables, query));
  }

  /** `other` answers for `query.there`; it may be this reader. */
  diff(other: SessionReader, query: DiffQuery): DiffResult {
    return this.#answer((here) =>
      other === this
        ? queryDiff(here, here, query)
        : other.#answer((there) => queryDiff(here, there, query)),
    );
  }

  lastCalls(query: { readonly perThread: number; readonly until: SessionNs }): LastCalls[] {
    return this.#answer((tables) => queryLastCalls(tables, query));
  }

  callLines(query: Parameters<typeof queryCallLines>[1]): CallLines {
    return this.#answer((tables) => queryCallLines(tables, query));
  }

  threads(): TracedThread[] {
    return this.#answer((tables) => [...tables.threads]);
  }

  crashes(): StoredCrash[] {
    return this.#answer((tables) => tables.crashes());
  }

  /** As of the last commit. */
  summary(): StoreSummary {
    return this.#answer((tables) => tables.summary);
  }

  /** Null when there is no such call, or it was given up. */
  callView(id: CallId): CallView | null {
    const wanted = parseCallId(id);
    if (!wanted) return null;
    return this.#answer((tables) => {
      const found = tables.blocks.find(wanted.thread, wanted.ordinal);
      return found ? viewCall(tables, found.block, found.row, Number.MAX_SAFE_INTEGER) : null;
    });
  }

  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #answer<T>(work: (tables: SessionTables) => T): T {
    return this.#db.snapshot(() => {
      this.#tables.refresh();
      const answer = work(this.#tables);
      this.#tables.blocks.shrink();
      return answer;
    });
  }
}
