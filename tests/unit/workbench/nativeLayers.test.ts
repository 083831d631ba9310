import { describe, expect, it } from 'vitest';
import { declared, nativeKnots, nativeNames, nativeProblems } from '../../support/nativeRules.ts';
import { readNativeFile, readNativeTree } from '../../support/nativeTree.ts';
import type { NativeFile } from '../../support/nativeTree.ts';

const files = readNativeTree();

describe('the C sources', () => {
  it('were read as a whole', () => {
    expect(files.length).toBeGreaterThan(100);
    const thread = files.find((file) => file.path === 'native/engine/thread.c');
    expect(thread?.defines).toContain('thread_claim');
    expect(thread?.keeps).toContain('find_slot');
    expect(thread?.uses).toContain('grow_begin');
    expect(thread?.includes).toContain('native/engine/grow.h');
  });

  it('need each other in no circle, by include or by name [workbench.layers]', () => {
    expect(nativeKnots(files)).toEqual([]);
  });

  it('declare what another file has in that file’s header alone', () => {
    expect(nativeProblems(files)).toEqual([]);
  });

  it('have names in snake_case', () => {
    expect(nativeNames(files)).toEqual([]);
  });

  it.each(declared)('would be in one but for what is declared: $from → $to', (one) => {
    expect(
      nativeKnots(
        files,
        declared.filter((other) => other !== one),
      ),
    ).toHaveLength(1);
  });
});

describe('a planted violation is reported', () => {
  const read = (sources: Readonly<Record<string, string>>): NativeFile[] =>
    Object.entries(sources).map(([path, text]) => readNativeFile(`native/${path}`, text));
  const two = [['native/a/one', 'native/a/two']];

  it.each([
    ['calls', 'int one(void) { return two(1); }', 'int two(int a) { return a ? one() : 0; }'],
    ['a name that is handed on', 'void one(void) { use(two); }', 'void two(void) { one(); }'],
    [
      'a variable',
      'struct s one = {.at = 1};\nint own(void) { return two; }',
      'int two;\nint *at(void) { return &one.x; }',
    ],
    ['a table of functions', 'int (*one)(void) = two;', 'int two(void) { return one(); }'],
    [
      'a macro',
      '#define ONE two()\nint one;',
      'static inline int own(void) { return one; }\nint two(void) { return 0; }',
    ],
    [
      'attributes',
      '__attribute__((cold, noinline)) void one(void) { two(); }',
      'extern int x[];\nCOLD void two(void) { one(); }',
    ],
    ['assembler', 'void one(void) { two(); }', '.globl two\ntwo: call one\n'],
  ])('circle: %s', (kind, one, other) => {
    const isAssembler = kind === 'assembler';
    expect(
      nativeKnots(read({ 'a/one.c': one, [`a/two.${isAssembler ? 'S' : 'c'}`]: other })),
    ).toEqual(two);
  });

  it('circle: includes, also of a processor', () => {
    const sources = { 'a/one.h': '#include "x64/two.h"\n', 'a/x64/two.h': '#include "../one.h"\n' };
    expect(nativeKnots(read(sources))).toEqual(two);
  });

  it.each(['int one(void) { int isLong = 1; return isLong; }', 'struct one { int isLong; };'])(
    'name: %s',
    (text) => {
      expect(nativeNames(read({ 'a/one.c': text }))).toEqual([
        'native/a/one.c: isLong is not in snake_case',
      ]);
    },
  );

  it.each([
    ['a/one.h', 'int two(void);', 'native/a/one.h: two is declared by native/a/two'],
    ['a/one.c', 'extern int *const two;', 'native/a/one.c: two is declared by native/a/two'],
    ['a/one.c', '#include "../b/two.h"', 'native/a/one.c: native/a may not include native/b/two.h'],
  ])('problem: %s %s', (path, text, problem) => {
    const other = text.includes('extern') ? 'int *const two = 0;' : 'int two(void) { return 1; }';
    expect(nativeProblems(read({ [path]: text, 'a/two.c': other }))).toEqual([problem]);
  });
});

it('accepts what needs each other one way, members and words of the same name included', () => {
  const sources = {
    'a/one.c': 'int one(struct s *s) { return s->two + s->isTwo + two(); /* one */ }',
    'a/two.h': '#define SAYS "one"\nint two(void);\n',
    'a/two.c':
      '#include "two.h"\nstatic int one(void) { return 1; }\nint two(void) { return one(); }',
    'b/three.c': 'int three(void) { return one(0); }',
  };
  const read = Object.entries(sources).map(([path, text]) =>
    readNativeFile(`native/${path}`, text),
  );
  expect(nativeKnots(read)).toEqual([]);
  expect(nativeProblems(read)).toEqual([]);
  expect(nativeNames(read)).toEqual([]);
});
