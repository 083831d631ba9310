import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ElfFile } from '../../../src/symbols/elf/elfFile.ts';
import { find } from '../../../src/symbols/index/find.ts';
import { itNeeds } from '../../support/needs.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';

const folder = mkdtempSync(join(tmpdir(), 'strobe-large-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The same program with an empty unit of 33 MB behind its others. */
function enlarged(program: string): string {
  using elf = ElfFile.open(program);
  const own = elf.content('.debug_info')?.all() ?? new Uint8Array(0);
  const unit = Buffer.alloc(33 << 20);
  unit.writeUInt32LE(unit.length - 4, 0);
  // DWARF 4, addresses of eight bytes.
  unit.writeUInt16LE(4, 4);
  unit[10] = 8;
  const [section, path] = [join(folder, 'section'), join(folder, 'enlarged')];
  writeFileSync(section, Buffer.concat([own, unit]));
  execFileSync('objcopy', ['--update-section', `.debug_info=${section}`, program, path]);
  return path;
}

function notesOf(program: string, pattern: string, depth: number): readonly string[] {
  using own = new TestLibrary();
  const { functions, notes } = find(own.library, own.demangler, [program], pattern, {
    projectRoot: folder,
    depth,
  }).value;
  expect(functions).toHaveLength(1);
  return notes;
}

const limit = /its debug information \(3[34] MB\) is more than the 32 MB/;

test('[values.dynamic] that the fields of derived classes are not read of a large program is told where a value could have them', () => {
  const small = buildTarget('e2e/objects.cpp', ['-O0']);
  const large = enlarged(small);
  expect(notesOf(small, 'bank::transfer', 1)).toEqual([]);
  expect(notesOf(large, 'bank::transfer', 1)).toEqual([
    expect.stringMatching(
      /^of an object behind a pointer to its base the class is told, but no fields/,
    ),
  ]);
  expect(notesOf(large, 'bank::transfer', 1).join()).toMatch(limit);
  expect(notesOf(large, 'bank::transfer', 0)).toEqual([]);
  expect(notesOf(large, 'bank::check', 1)).toEqual([]);
});

itNeeds(
  'rustc',
  '[values.traits] that the types behind dyn are not known of a large program is told where a value has one',
  () => {
    const small = buildTarget('e2e/traitObjects.rs');
    const large = enlarged(small);
    expect(notesOf(small, 'traitObjects::shown::borrowed', 1)).toEqual([]);
    expect(notesOf(large, 'traitObjects::shown::borrowed', 1)).toEqual([
      expect.stringMatching(/^of what is behind dyn the vtable is told, but no type: /),
    ]);
    expect(notesOf(large, 'traitObjects::shown::borrowed', 1).join()).toMatch(limit);
  },
);
