/**
 * The tables of one session's file.
 *
 *   blocks     index row per block of calls of one thread (blockFormat.ts)
 *   columns    the blocks' columns: key = block * 16 + column number
 *   late       ends of calls whose block had been written before they ended
 *   waiting    open calls that are suspended, and since when
 *   call_events exceptions, suspensions and switches of strands (activityFormat.ts)
 *   rings      of processes that define types, names and strands (model/functions/definition.ts);
 *              definitions has these, JSON
 *   functions  the traced functions with their exact counters
 *   threads    the same per thread
 *   strings    captured strings, each once, with full text
 *   output     lines of stdout and stderr, with full text
 *   processes  facts of the target's life
 *   losses     what is missing, when and why
 *   crashes    explained ends of processes (model/crash.ts), JSON
 *   exceptions raised and caught ones (model/endings/exception.ts), JSON
 *   watches    watched expressions (model/watch.ts), JSON; watch_samples what they saw (watchFormat.ts)
 *              watch_writes who wrote to them, write_sites from where (model/watchWrite.ts)
 *   summary    one row: figures of the last commit, without the threads; functions_version rises when functions change
 *   continuation, open_calls, life
 *              what a later writer needs to go on where the last commit ended (continuation.ts)
 *
 * Invariant: every commit is one transaction, so a reader's snapshot is always whole.
 * Trade-off: columns are BLOBs in SQLite and not a file of their own, which costs speed that
 * is not needed and saves every question about two files that disagree.
 */
export const sessionMigrations = [
  `
  CREATE TABLE blocks (
    id INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    first INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    last_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL,
    max_ns INTEGER NOT NULL,
    open INTEGER NOT NULL,
    widths TEXT NOT NULL,
    dictionary BLOB NOT NULL,
    strings BLOB
  );
  CREATE TABLE columns (key INTEGER PRIMARY KEY, data BLOB NOT NULL);
  CREATE TABLE late (
    thread INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    duration_ns INTEGER,
    child_ns INTEGER NOT NULL,
    end INTEGER NOT NULL,
    payload BLOB,
    PRIMARY KEY (thread, ordinal)
  ) WITHOUT ROWID;
  CREATE TABLE functions (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    signature TEXT NOT NULL,
    linkage_name TEXT NOT NULL,
    module TEXT NOT NULL,
    file TEXT,
    line INTEGER,
    values_json TEXT NOT NULL
  );
  CREATE TABLE function_counters (
    number INTEGER PRIMARY KEY,
    calls INTEGER NOT NULL, open INTEGER NOT NULL, unwound INTEGER NOT NULL,
    timed INTEGER NOT NULL, total_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL,
    min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL,
    histogram_from INTEGER NOT NULL, histogram BLOB NOT NULL
  );
  CREATE TABLE threads (
    key INTEGER PRIMARY KEY,
    pid INTEGER NOT NULL,
    tid INTEGER NOT NULL,
    name TEXT NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE thread_counters (
    number INTEGER PRIMARY KEY,
    calls INTEGER NOT NULL, open INTEGER NOT NULL, unwound INTEGER NOT NULL,
    timed INTEGER NOT NULL, total_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL,
    min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL,
    histogram_from INTEGER NOT NULL, histogram BLOB NOT NULL
  );
  CREATE TABLE strings (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
  CREATE VIRTUAL TABLE strings_text USING fts5(
    text, content='', tokenize="unicode61 remove_diacritics 0", detail=full
  );
  CREATE TABLE output (
    id INTEGER PRIMARY KEY,
    time_ns INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    text TEXT NOT NULL,
    bytes BLOB
  );
  CREATE INDEX output_time ON output (time_ns, id);
  CREATE VIRTUAL TABLE output_text USING fts5(
    text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0"
  );
  CREATE TABLE processes (
    id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, pid INTEGER NOT NULL, text TEXT NOT NULL
  );
  CREATE TABLE losses (
    id INTEGER PRIMARY KEY,
    time_ns INTEGER NOT NULL,
    cause TEXT NOT NULL,
    count INTEGER NOT NULL,
    thread INTEGER
  );
  CREATE TABLE summary (
    one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL, functions_version INTEGER NOT NULL
  );
  `,
  `
  ALTER TABLE functions ADD COLUMN address INTEGER;
  ALTER TABLE blocks ADD COLUMN timed INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE continuation (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL);
  CREATE TABLE open_calls (
    thread INTEGER PRIMARY KEY, next INTEGER NOT NULL, last_ns INTEGER NOT NULL, frames BLOB NOT NULL
  );
  CREATE TABLE life (id INTEGER PRIMARY KEY, json TEXT NOT NULL);
  `,
  `
  CREATE TABLE crashes (
    id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, pid INTEGER NOT NULL, text TEXT NOT NULL,
    json TEXT NOT NULL
  );
  `,
  `
  CREATE TABLE exceptions (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, time_ns INTEGER NOT NULL, pid INTEGER NOT NULL,
    tid INTEGER NOT NULL, type TEXT, message TEXT, text TEXT NOT NULL, json TEXT NOT NULL
  );
  `,
  // Of full blocks: equal where the calls are, and where their values are too (blockEncoder.ts).
  `
  ALTER TABLE blocks ADD COLUMN shape INTEGER;
  ALTER TABLE blocks ADD COLUMN content INTEGER;
  `,
  `
  CREATE TABLE watches (number INTEGER PRIMARY KEY, label TEXT NOT NULL, json TEXT NOT NULL);
  CREATE TABLE watch_samples (
    id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    start_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL,
    texts TEXT
  );
  CREATE INDEX watch_samples_start ON watch_samples (start_ns, id);
  `,
  // Values as decimal text of their 64 bits; null: not known.
  `
  CREATE TABLE watch_writes (
    id INTEGER PRIMARY KEY, watch INTEGER NOT NULL, time_ns INTEGER NOT NULL, pid INTEGER NOT NULL,
    tid INTEGER NOT NULL, site TEXT NOT NULL, near INTEGER NOT NULL, old TEXT, now TEXT
  );
  CREATE INDEX watch_writes_time ON watch_writes (time_ns, id);
  CREATE TABLE write_sites (id TEXT PRIMARY KEY, json TEXT NOT NULL);
  `,
  'CREATE TABLE trees (thread INTEGER PRIMARY KEY, state TEXT NOT NULL, data BLOB NOT NULL);',
  'DROP TABLE trees; DELETE FROM columns WHERE key % 16 = 13;',
  `
  ALTER TABLE late ADD COLUMN suspended_ns INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE function_counters ADD COLUMN suspended_ns INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE thread_counters ADD COLUMN suspended_ns INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE waiting (
    thread INTEGER NOT NULL, ordinal INTEGER NOT NULL, since_ns INTEGER NOT NULL,
    PRIMARY KEY (thread, ordinal)
  ) WITHOUT ROWID;
  CREATE TABLE call_events (
    id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    start_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL, count INTEGER NOT NULL,
    kinds INTEGER NOT NULL, data BLOB NOT NULL
  );
  CREATE INDEX call_events_start ON call_events (start_ns, id);
  CREATE TABLE rings (path TEXT PRIMARY KEY, pid INTEGER NOT NULL, parent TEXT);
  CREATE TABLE definitions (
    id INTEGER PRIMARY KEY, ring TEXT NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, fields TEXT NOT NULL
  );
  ALTER TABLE threads ADD COLUMN ring TEXT;
  `,
  // Exceptions were kept in words: what those said of stacks goes.
  `
  UPDATE exceptions SET json = json_object(
    'key', key, 'time', time_ns, 'pid', pid, 'tid', tid, 'language', 'other', 'type', type,
    'message', message, 'isMessageFound', json('false'), 'isAgain', json('false'),
    'frames', json('[]'),
    'end', CASE json ->> 'end'
      WHEN 'open' THEN json('{"kind":"open"}')
      WHEN 'uncaught' THEN json('{"kind":"uncaught","what":"terminate"}')
      ELSE json_object('kind', 'caught', 'time', time_ns, 'frame', NULL, 'passed', json(json -> 'passed')) END
  ) WHERE json_valid(json);
  `,
] as const;

/** Large enough to keep the columns' page chains short, small enough for frequent commits. */
export const sessionPageSize = 8192;
