import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ElfFile } from '../../../src/symbols/native/elf/elfFile.ts';
import { suiteFolder } from '../../support/folder.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget, targetSource } from '../../support/targets.ts';

const folder = suiteFolder();

/** A unit of DWARF 5 begins with its length, version, kind, size of addresses and abbreviations. */
const headerBytes = 12;

/** Where the entries of each unit lie in the file. */
function unitsIn(program: string): { readonly from: number; readonly to: number }[] {
  using elf = ElfFile.open(program);
  const bytes = readFileSync(program);
  const { offset, size } = elf.section('.debug_info') ?? { offset: 0, size: 0 };
  const units: { from: number; to: number }[] = [];
  for (let at = offset; at < offset + size;) {
    const to = at + 4 + bytes.readUInt32LE(at);
    units.push({ from: at + headerBytes, to });
    at = to;
  }
  return units;
}

test('[symbols.lazy] a question about one address reads the entries of no other unit', () => {
  const program = buildTarget('e2e/statics.c', [
    targetSource('e2e/staticsOther.c'),
    '-gdwarf-5',
    '-O1',
  ]);
  using library = new TestLibrary();
  const places = ['both', 'advance'].map((name) => {
    const [fn] = library.find(program, name);
    const address = (fn?.address ?? 0) + 1;
    return { address, place: library.library.code(program).placeOf(address) };
  });
  expect(places.map(({ place }) => place.name)).toEqual(['both', 'advance']);
  const units = unitsIn(program);
  expect(units).toHaveLength(2);
  for (const [i, { from, to }] of units.entries()) {
    const bytes = readFileSync(program).fill(0xff, from, to);
    const damaged = join(folder, `without${i}`);
    writeFileSync(damaged, bytes);
    // Indexes are kept by build id, which both have: another library.
    using whole = new TestLibrary();
    // The entries are unreadable: who reads all units says so.
    expect(whole.library.open(damaged, () => {}).problems).not.toEqual([]);
    const code = whole.library.code(damaged);
    const [other, own] = [places[1 - i], places[i]];
    expect(code.placeOf(other?.address ?? 0)).toEqual(other?.place);
    expect(code.placeOf(own?.address ?? 0)).toMatchObject({ name: own?.place.name, line: null });
  }
});
