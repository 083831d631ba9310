import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ElfFile } from '../../../src/symbols/native/elf/elfFile.ts';
import { FunctionSymbols } from '../../../src/symbols/native/elf/functionSymbols.ts';
import { CallFrames } from '../../../src/symbols/native/unwind/callFrames.ts';
import { suiteFolder } from '../../support/folder.ts';
import { buildTarget } from '../../support/targets.ts';

const folder = suiteFolder();

/** The file with another first byte in the linker's table, which is its version. */
function withoutTable(program: string): string {
  const path = join(folder, 'changed');
  copyFileSync(program, path);
  using elf = ElfFile.open(program);
  const bytes = readFileSync(path);
  const at = elf.section('.eh_frame_hdr')?.offset ?? -1;
  expect(bytes[at]).toBe(1);
  bytes[at] = 2;
  writeFileSync(path, bytes);
  return path;
}

test('[crash.unwind] the linker’s table leads to the entries that reading all of them does', () => {
  const program = buildTarget('crash/holders.cpp');
  using elf = ElfFile.open(program);
  using other = ElfFile.open(withoutTable(program));
  const [quick, slow] = [new CallFrames(elf), new CallFrames(other)];
  const symbols = new FunctionSymbols(elf);
  const places = [...symbols.addresses].flatMap((address, row) => {
    const end = address + symbols.size(row);
    return [address - 1, address, address + 1, end - 1, end];
  });
  expect(places.length).toBeGreaterThan(30);
  const known = places.filter((place) => slow.find(place) !== null);
  expect(known.length).toBeGreaterThan(20);
  for (const place of places) expect(quick.find(place)).toEqual(slow.find(place));
});
