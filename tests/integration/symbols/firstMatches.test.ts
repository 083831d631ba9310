import { expect, test } from 'vitest';
import { installPaths } from '../../../src/base/installPaths.ts';
import { firstMatches } from '../../../src/symbols/native/index/firstMatches.ts';
import type { FirstMatches } from '../../../src/model/functions/traceable.ts';
import { ElfFile } from '../../../src/symbols/native/elf/elfFile.ts';
import { SymbolIndex } from '../../../src/symbols/native/symbolIndex.ts';
import { enlarged } from '../../support/enlarged.ts';
import { suiteFolder } from '../../support/folder.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';
import { parsePattern } from '../../../src/model/names/pattern.ts';

const folder = suiteFolder();
const program = buildTarget('symbols/names.cpp', ['-O0']);

/** Words of names: each function's own, and each part of what it lies in. */
function wordsOf(names: readonly string[]): string[] {
  const words = names.flatMap((name) => name.match(/[a-z]\w{2,}/gi) ?? []);
  return [...new Set(words)].toSorted();
}

test('[symbols.first] the symbol table alone shows no function that the index does not match, and of a word all', () => {
  using library = new TestLibrary();
  using elf = ElfFile.open(program);
  const all = library.find(program, '@file:names.cpp');
  const patterns = wordsOf(all.map(({ name }) => name)).flatMap((word) => [
    word,
    `*${word.slice(0, 4)}*`,
    `**::${word}*`,
  ]);
  let told = 0;
  for (const pattern of patterns) {
    const addresses = new Set(library.find(program, pattern).map(({ address }) => address));
    const [found] = firstMatches(elf, [parsePattern(pattern)], library.demangler);
    if (found === undefined) continue;
    told++;
    // The symbol table does not say which constructors the source writes: only a pattern that names one finds it.
    if (!pattern.includes('*')) expect([pattern, found.count]).toEqual([pattern, addresses.size]);
    else expect(found.count, pattern).toBeLessThanOrEqual(addresses.size);
  }
  expect(told).toBeGreaterThan(patterns.length / 4);
});

test('[symbols.first] it is told before a large file is indexed, and of a pattern without a word nothing', async () => {
  const large = enlarged(program, folder);
  await using index = await SymbolIndex.start(installPaths().symbolWorker, { cacheDir: folder });
  const told: (number | readonly FirstMatches[])[] = [];
  const open = (path: string, patterns: readonly string[]) =>
    index.open(path, patterns.map(parsePattern), {
      progress: (share) => told.push(share),
      firstMatches: (matches) => told.push(matches),
    });
  await open(large, ['main', '*', 'std::**', 'libc*!malloc', '@usercode']);
  expect(told[0]).toEqual([{ pattern: 'main', count: 1, names: ['main'] }]);
  const rest = told.splice(0).slice(1);
  expect(rest.filter((each) => typeof each !== 'number')).toEqual([]);

  expect(await open(large, ['main'])).toMatchObject({ path: large, fromCache: true });
  expect(told).toEqual([]);
});
