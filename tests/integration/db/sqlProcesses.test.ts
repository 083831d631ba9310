import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { SqlProcesses, type SqlLimits } from '../../../src/db/sql/sqlClient.ts';
import type { SqlRows } from '../../../src/db/sql/sqlMessages.ts';
import { processesWith } from '../../support/processes.ts';
import { packageRoot } from '../../support/strobe.ts';
import { RandomSession, TemporaryFolder } from './randomSession.ts';

vi.setConfig({ testTimeout: 90_000 });
afterEach(() => void vi.unstubAllEnvs());

const counting = (limit: string): string =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n ${limit}) SELECT max(i) FROM n`;

/** Runs statements over one session in processes with these limits; `STROBE_MARK` in their environment is `mark`. */
async function withProcesses(
  limits: SqlLimits,
  mark: string,
  use: (run: (sql: string) => Promise<SqlRows>) => Promise<void>,
): Promise<void> {
  using folder = new TemporaryFolder();
  const storePath = folder.file('s.db');
  using session = new RandomSession(storePath, 7);
  session.stepAndCommit(1, 90);
  vi.stubEnv('STROBE_MARK', mark);
  const processes = new SqlProcesses(join(packageRoot, 'dist', 'sqlMain.js'), limits);
  try {
    await use(async (sql) =>
      processes.run({ storePath, sql, params: [], limit: 10 }, new AbortController().signal),
    );
  } finally {
    await processes.close();
  }
}

test('[query.sql] a statement that takes too much of a processor is stopped, the next one runs', async () => {
  await withProcesses({ processorMs: 2000, wallMs: 60_000 }, 'stopped', async (run) => {
    await expect(run(counting(''))).rejects.toThrow(/more than 2 s of a processor/);
    expect(await run('SELECT 1')).toMatchObject({ rows: [[1]] });
  });
});

test('[query.sql] a statement that waits for a processor is not stopped for that', async () => {
  await withProcesses({ processorMs: 1500, wallMs: 60_000 }, 'waits', async (run) => {
    await run('SELECT 1');
    const [kept] = processesWith('STROBE_MARK=waits');
    if (!kept) throw new Error('no process waits for the next statement');
    // As a machine that gives it no turn.
    process.kill(kept.pid, 'SIGSTOP');
    const answer = run(counting('LIMIT 100000'));
    // For so long as another one may take.
    await expect(run(counting(''))).rejects.toThrow(/was stopped/);
    process.kill(kept.pid, 'SIGCONT');
    expect(await answer).toMatchObject({ rows: [[100_000]] });
  });
});

test('[query.sql] a statement that does not get a processor for too long is stopped', async () => {
  await withProcesses({ processorMs: 60_000, wallMs: 300 }, 'endless', async (run) => {
    await expect(run(counting(''))).rejects.toThrow(/0\.3 s in all, and was stopped/);
  });
});
