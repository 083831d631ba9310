import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { Sqlite } from '../../../src/db/sqlite.ts';
import { sessionMigrations } from '../../../src/db/sessionSchema.ts';
import { allOutput, allStats } from '../../support/questions.ts';
import { packageRoot } from '../../support/strobe.ts';
import { TemporaryFolder } from './randomSession.ts';

const here = dirname(fileURLToPath(import.meta.url));

/** Bundles a script of this folder so that a process of its own can run it, inside the clone that has its parts. */
async function bundled(script: string): Promise<string> {
  const outfile = join(packageRoot, '.cache', `${script}.${process.pid}.mjs`);
  await build({
    entryPoints: [join(here, script)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    banner: {
      js: "import { createRequire as cr } from 'node:module'; const require = cr(import.meta.url);",
    },
  });
  return outfile;
}

test('after SIGKILL of the writer all that was committed is readable and sound', async () => {
  using folder = new TemporaryFolder();
  const script = await bundled('endlessWriter.ts');
  const path = folder.file('s.db');
  const writer = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let committed = 0;
  try {
    for await (const line of createInterface({ input: writer.stdout })) {
      committed = Number(line);
      if (committed >= 40_000) break;
    }
  } finally {
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    rmSync(script);
  }
  expect(committed).toBeGreaterThanOrEqual(40_000);
  using db = Sqlite.openReadonly(path, { migrations: sessionMigrations });
  const check = db.prepare<[], { integrity_check: string }>('PRAGMA integrity_check').all();
  expect(check).toEqual([{ integrity_check: 'ok' }]);
  using reader = SessionReader.open(path);
  const summary = reader.summary();
  // The writer may have committed once more before it was killed.
  expect(summary.calls).toBeGreaterThanOrEqual(committed);
  const stats = reader.stats({
    ...allStats,
    filter: { timeFrom: 0 },
  });
  expect(stats.rows.reduce((sum, row) => sum + row.count, 0)).toBe(summary.calls);
  expect(
    reader.output({
      ...allOutput,
      tail: 1,
      limit: 1,
    }).total,
  ).toBe(summary.outputLines);
});
