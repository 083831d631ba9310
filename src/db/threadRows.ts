import type { TracedThread } from '../model/eventColumns.ts';
import type { Sqlite } from './sqlite.ts';

/** All threads of a session's file, in order of their keys. */
export function readThreads(db: Sqlite): TracedThread[] {
  return db
    .prepared<[], TracedThread>('SELECT key, pid, tid, name FROM threads ORDER BY key')
    .all();
}
