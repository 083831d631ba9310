/*
 * Writes native/python/offsetTable.inc: node scripts/pythonOffsets.mjs <folder with Python.h> …
 * Rows of versions whose headers are not given stay as they are. With --check it writes nothing, and fails for a
 * folder whose row is another than the committed one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const table = join(root, 'native/python/offsetTable.inc');

/** The row of the version whose headers lie in a folder. */
function offsetRow(include) {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-offsets-'));
  try {
    const program = join(folder, 'probe');
    const source = join(root, 'scripts/pythonOffsets.c');
    const flags = ['-w', '-I', include, '-I', join(include, 'internal'), '-o', program, source];
    execFileSync(process.env['CC'] ?? 'gcc', flags, { stdio: ['ignore', 'ignore', 'pipe'] });
    return execFileSync(program, { encoding: 'utf8' }).trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The committed rows, by minor version. */
function committedRows() {
  const text = existsSync(table) ? readFileSync(table, 'utf8') : '';
  const rows = text.split('\n').filter((line) => line.startsWith('{'));
  return new Map(rows.map((row) => [Number(/\.minor = (\d+)/.exec(row)?.[1]), row]));
}

function check(includes) {
  const rows = committedRows();
  const others = includes.filter((include) => {
    const row = offsetRow(include);
    return rows.get(Number(/\.minor = (\d+)/.exec(row)?.[1])) !== row;
  });
  for (const include of others) console.error(`the row of ${include} is another`);
  process.exitCode = others.length > 0 ? 1 : 0;
}

function main(includes) {
  const rows = committedRows();
  for (const include of includes) {
    const row = offsetRow(include);
    rows.set(Number(/\.minor = (\d+)/.exec(row)?.[1]), row);
  }
  const sorted = [...rows].toSorted(([a], [b]) => a - b).map(([, row]) => row);
  const head =
    '/* Made by scripts/pythonOffsets.mjs of the headers of each version. Do not edit. */';
  writeFileSync(table, `${[head, ...sorted].join('\n')}\n`);
  console.error(`${sorted.length} versions`);
}

const [first, ...others] = process.argv.slice(2);
if (first === '--check') check(others);
else main(process.argv.slice(2));
