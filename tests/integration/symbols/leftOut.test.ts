import { expect, test } from 'vitest';
import { depthOf } from '../../../src/model/values/shape.ts';
import { find } from '../../../src/symbols/native/index/find.ts';
import { enlarged } from '../../support/enlarged.ts';
import { suiteFolder } from '../../support/folder.ts';
import { itNeeds } from '../../support/needs.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';
import { parsePattern } from '../../../src/model/names/pattern.ts';

const folder = suiteFolder();

function notesOf(program: string, pattern: string, depth: number): readonly string[] {
  using own = new TestLibrary();
  const { functions, notes } = find(own.library, own.demangler, [program], parsePattern(pattern), {
    projectRoot: folder,
    depth: depthOf(depth),
  }).value;
  expect(functions).toHaveLength(1);
  return notes;
}

const limit = /its debug information \(3[34] MB\) is more than the 32 MB/;

test('[values.dynamic] that the fields of derived classes are not read of a large program is told where a value could have them', () => {
  const small = buildTarget('e2e/objects.cpp', ['-O0']);
  const large = enlarged(small, folder);
  expect(notesOf(small, 'bank::transfer', 1)).toEqual([]);
  expect(notesOf(large, 'bank::transfer', 1)).toEqual([
    expect.stringMatching(
      /^an object behind a pointer to its base shows its class, but only the fields of the base: /,
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
    const large = enlarged(small, folder);
    expect(notesOf(small, 'traitObjects::shown::borrowed', 1)).toEqual([]);
    expect(notesOf(large, 'traitObjects::shown::borrowed', 1)).toEqual([
      expect.stringMatching(/^what is behind dyn shows its vtable, but no type: /),
    ]);
    expect(notesOf(large, 'traitObjects::shown::borrowed', 1).join()).toMatch(limit);
  },
);
