import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from './strobe.ts';
import { keepFirst } from './targets.ts';

/** Builds the demo's program from demo/ledger, cached by content; returns its absolute path. */
export function buildLedger(): string {
  const folder = join(packageRoot, 'demo', 'ledger', 'src');
  const names = readdirSync(folder).toSorted();
  const key = createHash('sha256');
  for (const name of names) key.update(name).update(readFileSync(join(folder, name)));
  const built = join(
    tmpdir(),
    `strobe-targets-${process.getuid?.() ?? 0}`,
    key.digest('hex').slice(0, 16),
    'ledger',
  );
  if (existsSync(built)) return built;
  mkdirSync(join(built, '..'), { recursive: true });
  const sources = names.filter((name) => name.endsWith('.cpp')).map((name) => join(folder, name));
  const draft = `${built}.${process.pid}`;
  execFileSync('g++', ['-std=c++17', '-g', '-O1', '-pthread', ...sources, '-o', draft], {
    stdio: 'pipe',
  });
  keepFirst(draft, built);
  return built;
}
