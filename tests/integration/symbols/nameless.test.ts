import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { codeId } from '../../../src/model/functions/foundFunction.ts';
import { testFolder } from '../../support/folder.ts';
import { itNeeds } from '../../support/needs.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';

describe('names that are not the whole truth', () => {
  let folder: string;
  beforeEach(() => {
    folder = testFolder();
  });

  /** A stripped copy. */
  function stripped(program: string): string {
    const copy = join(folder, 'stripped');
    copyFileSync(program, copy);
    execFileSync('strip', ['--strip-all', copy]);
    return copy;
  }

  test.each(['-O0', '-O2'])(
    '[symbols.nameless] functions of a stripped program are found by their call frames, and nothing else is (%s)',
    (level) => {
      using library = new TestLibrary();
      const program = buildTarget('symbols/names.cpp', [level]);
      const whole = library.find(program, '@file:names.cpp');
      const known = library.search(program, '**');
      const { functions, notes } = library.search(stripped(program), '**');
      const found = new Map(functions.map((fn) => [fn.address, fn]));
      expect(whole.length).toBeGreaterThan(5);
      for (const fn of whole) {
        const name = `sub_${fn.address.toString(16)}`;
        expect(found.get(fn.address), fn.name).toMatchObject({
          name,
          size: fn.size,
          stackBytes: null,
        });
      }
      // Neither parts that were split off nor stubs of the linker.
      const addresses = new Set([
        ...known.functions.map((fn) => codeId(program, fn.address)),
        // Without debug information none looks as if the compiler had made it.
        ...known.leftOut,
      ]);
      expect(functions.filter((fn) => !addresses.has(codeId(program, fn.address)))).toEqual([]);
      expect(notes).toEqual([
        `${functions.filter(({ name }) => name.startsWith('sub_')).length} of them have no name (the file is stripped): sub_ and the link-time address, found by their call frames`,
      ]);
    },
  );

  test('[symbols.nameless] functions that the linker folded are told: calls of both are recorded under one name', () => {
    using library = new TestLibrary();
    const program = buildTarget('symbols/folded.c', [
      '-ffunction-sections',
      '-fuse-ld=gold',
      '-Wl,--icf=all',
    ]);
    const weight = library.search(program, 'weightOf');
    const price = library.search(program, 'priceOf');
    expect(weight.functions).toMatchObject([{ address: price.functions[0]?.address }]);
    expect(weight.notes).toEqual([
      '1 of them share their code with functions of other names (aliases, or equal functions that the linker folded), whose calls are recorded under one name: weightOf is also priceOf',
    ]);
    expect(library.search(program, 'lengthOf')).toMatchObject({ functions: [{}], notes: [] });
  });

  test.each([[], ['-no-pie'], ['-O2']])(
    '[symbols.nameless] a function that is chosen at load (IFUNC) stands for what it is chosen from %s',
    (...flags) => {
      using library = new TestLibrary();
      const program = buildTarget('symbols/indirect.c', flags);
      const { functions, notes } = library.search(program, 'add');
      expect(functions.map(({ name }) => name).toSorted()).toEqual(['addAtOnce', 'addSlowly']);
      expect(notes.join()).toMatch(
        /^add is chosen when it is loaded \(IFUNC\): traced is what it is chosen from, add(?:AtOnce|Slowly), add(?:AtOnce|Slowly)$/,
      );
    },
  );

  test('[symbols.nameless] what cannot be traced of it is told', () => {
    using library = new TestLibrary();
    const notesOf = (name: string) =>
      library.search('/lib/x86_64-linux-gnu/libc.so.6', name).notes.join();
    expect(notesOf('strlen')).toBe(
      'strlen is chosen when it is loaded (IFUNC) from functions that have no name here, and cannot be traced: trace its callers',
    );
    // One of them is an older version of it.
    expect(notesOf('memcpy')).toMatch(
      /traced is what it is chosen from, memcpy; not \d+ others, which have no name here$/,
    );
  });

  itNeeds(
    'go',
    '[symbols.nameless] functions of Go are known as such, those of C in the same program are not',
    () => {
      const source = join(folder, 'mixed.go');
      writeFileSync(
        source,
        [
          'package main',
          '/* __attribute__((noinline)) static int twiceInC(int n) { return n * 2 + 1; } */',
          'import "C"',
          '//go:noinline',
          'func twice(n int) int { return n*2 + 1 }',
          'func main() { println(twice(2), C.twiceInC(2)) }',
        ].join('\n'),
      );
      const program = join(folder, 'mixed');
      execFileSync('go', ['build', '-o', program, source], {
        stdio: 'pipe',
        env: { ...process.env, CGO_ENABLED: '1', GO111MODULE: 'off', GOFLAGS: '' },
      });
      using library = new TestLibrary();
      const found = (name: string) => library.find(program, name).map((fn) => [fn.name, fn.isOfGo]);
      expect(found('main.twice')).toEqual([['main.twice', true]]);
      expect(found('twiceInC')).toEqual([['twiceInC', false]]);
      const [first] = library.library.get(program).index.addresses;
      expect(library.library.code(program).functionAt(first ?? 0)).not.toBeNull();
    },
  );
});
