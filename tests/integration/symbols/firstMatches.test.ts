import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { installPaths } from '../../../src/base/installPaths.ts';
import { firstMatches } from '../../../src/symbols/index/firstMatches.ts';
import { SymbolIndex } from '../../../src/symbols/symbols.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';

const folder = mkdtempSync(join(tmpdir(), 'strobe-first-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = buildTarget('symbols/names.cpp', ['-O0']);

/** Words of names: each function's own, and each part of what it lies in. */
function wordsOf(names: readonly string[]): string[] {
  const words = names.flatMap((name) => name.match(/[a-z]\w{2,}/gi) ?? []);
  return [...new Set(words)].toSorted();
}

test('[symbols.first] the symbol table alone shows no function that the index does not match, and of a word all', () => {
  using library = new TestLibrary();
  const all = library.find(program, '@file:names.cpp');
  const patterns = wordsOf(all.map(({ name }) => name)).flatMap((word) => [
    word,
    `*${word.slice(0, 4)}*`,
    `**::${word}*`,
  ]);
  let told = 0;
  for (const pattern of patterns) {
    const addresses = new Set(library.find(program, pattern).map(({ address }) => address));
    const [found] = firstMatches(program, [pattern], library.demangler);
    if (found === undefined) continue;
    told++;
    expect([pattern, found.count]).toEqual([pattern, addresses.size]);
  }
  expect(told).toBeGreaterThan(patterns.length / 4);
});

test('[symbols.first] it is told beside an index that is being read, and of a pattern without a word nothing', async () => {
  await using index = await SymbolIndex.start(installPaths().symbolWorker, {
    cacheDir: folder,
  });
  const opening = index.open(program);
  const found = await index.firstMatches(program, [
    'main',
    '*',
    'std::**',
    'libc*!malloc',
    '@usercode',
  ]);
  expect(found).toEqual([{ pattern: 'main', count: 1, names: ['main'] }]);
  expect(await opening).toMatchObject({ path: program });
});
