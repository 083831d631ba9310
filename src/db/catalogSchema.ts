/** Layout of strobe.db; append only. */
export const catalogMigrations = [
  `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    command TEXT NOT NULL,
    args TEXT NOT NULL,
    cwd TEXT NOT NULL,
    project_root TEXT NOT NULL,
    pid INTEGER,
    state TEXT NOT NULL,
    started_wall_ms INTEGER NOT NULL,
    ended_wall_ms INTEGER,
    retain INTEGER NOT NULL,
    path TEXT NOT NULL,
    monotonic_start_ns TEXT NOT NULL
  );
  CREATE INDEX sessions_started ON sessions (started_wall_ms);
  `,
  `
  CREATE TABLE test_runs (
    id TEXT PRIMARY KEY,
    root TEXT NOT NULL,
    framework TEXT NOT NULL,
    command TEXT NOT NULL,
    started_wall_ms INTEGER NOT NULL,
    ended_wall_ms INTEGER,
    state TEXT NOT NULL,
    verdict TEXT,
    passed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    skipped INTEGER NOT NULL
  );
  CREATE INDEX test_runs_of_root ON test_runs (root, started_wall_ms);
  CREATE TABLE tests (
    root TEXT NOT NULL,
    framework TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    file TEXT,
    line INTEGER,
    last_outcome TEXT NOT NULL,
    last_run TEXT NOT NULL,
    runs INTEGER NOT NULL,
    passes INTEGER NOT NULL,
    total_ms REAL NOT NULL,
    max_ms REAL NOT NULL,
    code TEXT NOT NULL,
    outcomes_of_code TEXT NOT NULL,
    PRIMARY KEY (root, framework, id)
  ) WITHOUT ROWID;
  `,
] as const;
