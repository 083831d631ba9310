import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { pythons } from '../support/pythons.ts';
import { packageRoot } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

const table = readFileSync(join(packageRoot, 'native/python/offsetTable.inc'), 'utf8');
const minors = [...table.matchAll(/\.minor = (\d+)/g)].map(([, minor]) => Number(minor));

function verdictOn(minor: number, how: string): string {
  const program = buildTarget('python/offsets.c', ['-w']);
  return execFileSync(program, [String(minor), how], { encoding: 'utf8' }).trim();
}

describe('[python.refused] an interpreter is entered only where its layout is known', () => {
  const described = minors.filter((minor) => minor >= 13);

  test.each(described)('3.%i: usual, free-threaded, patched, and of an unknown kind', (minor) => {
    const verdicts = ['usual', 'free-threaded', 'moved', 'cookie'].map((how) =>
      verdictOn(minor, how),
    );
    expect(verdicts).toEqual(['fits', 'free-threaded', 'patched', 'patched']);
  });

  test('versions without a row', () => {
    expect([3, 8, 99].map((minor) => verdictOn(minor, 'usual'))).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
  });
});

itNeeds('cpython', '[python.offsets] the committed rows are those of the headers here', () => {
  const includes = pythons.flatMap(({ minor, path, isSystem }) => {
    const folder = isSystem ? '/usr' : dirname(dirname(path));
    const include = join(folder, 'include', `python3.${minor}`);
    return existsSync(join(include, 'internal')) ? [include] : [];
  });
  const script = join(packageRoot, 'scripts/pythonOffsets.mjs');
  execFileSync(process.execPath, [script, '--check', ...includes], { stdio: 'pipe' });
});
