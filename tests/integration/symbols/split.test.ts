import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FoundFunction } from '../../../src/model/functions/foundFunction.ts';
import { Library } from '../../../src/symbols/native/index/library.ts';
import { testFolder } from '../../support/folder.ts';
import { itNeeds } from '../../support/needs.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { targetSource } from '../../support/targets.ts';

/** Everything that is known of the functions of a program but where the program lies. */
function everything(program: string): {
  functions: Omit<FoundFunction, 'unit' | 'id'>[];
  problems: string[];
} {
  using library = new TestLibrary();
  const { problems } = library.library.open(program, () => {});
  const functions = library.find(program, '**').map(({ unit: _unit, id: _id, ...fn }) => fn);
  return { functions, problems: problems.map(({ detail }) => detail) };
}

function placesOf(program: string): string[] {
  using library = new TestLibrary();
  const code = library.library.code(program);
  return library
    .find(program, '@file:names.cpp')
    .flatMap((fn) =>
      Array.from({ length: fn.size }, (_unused, i) => JSON.stringify(code.placeOf(fn.address + i))),
    );
}

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const lost = (problems: readonly string[]): string => problems.join();
const source = targetSource('symbols/names.cpp');

/** Compiles and links names.cpp in a folder of its own, as build systems do; gives the program. */
function build(name: string, compiler: string, flags: readonly string[]): string {
  const own = join(folder, name);
  mkdirSync(own);
  const run = (args: readonly string[]): void => {
    execFileSync(compiler, args, { cwd: own, stdio: 'pipe' });
  };
  run(['-std=c++17', '-g', ...flags, '-c', '-o', 'names.o', source]);
  run([...flags, '-pthread', '-o', 'names', 'names.o']);
  return join(own, 'names');
}

const compilers = [
  ['g++', '-gdwarf-5', '-O2'],
  ['g++', '-gdwarf-4', '-O2'],
  ['clang++', '-gdwarf-5', '-O2'],
  ['clang++', '-gdwarf-4', '-O0'],
] as const;

describe('debug information split into .dwo files', () => {
  for (const [compiler, version, level] of compilers) {
    const define = compiler === 'g++' ? test : itNeeds.bind(null, 'clangBuilds');
    define(
      `[symbols.split] ${compiler} ${version} ${level}: functions, parameters and lines are those of the same build unsplit`,
      () => {
        // Where the split files are looked for is written into the program: it must be the true folder.
        const whole = build('whole', compiler, [version, level]);
        const split = build('split', compiler, [version, level, '-gsplit-dwarf']);
        expect(everything(split).functions.length).toBeGreaterThan(10);
        expect(everything(split)).toEqual(everything(whole));
        expect(placesOf(split)).toEqual(placesOf(whole));
      },
    );
  }
});

describe('split files that are somewhere else', () => {
  test('[symbols.split] a missing .dwo is told with the next step, and read once it is there', () => {
    const split = build('split', 'g++', ['-gdwarf-5', '-gsplit-dwarf', '-O1']);
    const before = everything(split);
    using library = new TestLibrary();
    renameSync(join(folder, 'split', 'names.dwo'), join(folder, 'kept.dwo'));
    const without = library.library.open(split, () => {});
    expect(without.debugInfo).not.toBe('dwarf');
    expect(lost(without.problems.map(({ detail }) => detail))).toMatch(
      /1 of 1 split units are not there or of another build \(the first: names\.dwo\); put the \.dwo files .* dwp -e PROGRAM/,
    );
    renameSync(join(folder, 'kept.dwo'), join(folder, 'split', 'names.dwo'));
    // Another library over the same folder of indexes: what was kept without it is not used.
    using later = new Library(library.folder, library.demangler);
    expect(later.open(split, () => {})).toMatchObject({ debugInfo: 'dwarf', problems: [] });
    expect(everything(split)).toEqual(before);
  });

  test('[symbols.split] beside a program that was moved they are found; of another build they are not used', () => {
    const split = build('split', 'g++', ['-gdwarf-4', '-gsplit-dwarf', '-O1']);
    const before = everything(split);
    renameSync(join(folder, 'split'), join(folder, 'moved'));
    const moved = join(folder, 'moved', 'names');
    expect(everything(moved)).toEqual(before);
    build('other', 'g++', ['-gdwarf-4', '-gsplit-dwarf', '-O0', '-DOTHER=1']);
    renameSync(join(folder, 'other', 'names.dwo'), join(folder, 'moved', 'names.dwo'));
    expect(lost(everything(moved).problems)).toContain(
      '1 of 1 split units are not there or of another build',
    );
  });

  for (const [compiler, version, packager] of [
    ['g++', '-gdwarf-4', 'dwp'],
    ['clang++', '-gdwarf-5', 'llvm-dwp'],
    ['g++', '-gdwarf-5', 'llvm-dwp'],
  ] as const) {
    itNeeds(
      compiler === 'g++' ? 'dwp' : 'dwpAndClang',
      `[symbols.split] a package of ${compiler} ${version} by ${packager} stands for the files in it`,
      () => {
        const split = build('split', compiler, [version, '-gsplit-dwarf', '-O2']);
        const before = everything(split);
        const places = placesOf(split);
        // A second unit, so that the parts of the package begin elsewhere than at 0.
        const other = build('other', compiler, [version, '-gsplit-dwarf', '-O1', '-DOTHER=1']);
        const files = [join(folder, 'other', 'names.dwo'), join(folder, 'split', 'names.dwo')];
        execFileSync(packager, [...files, '-o', `${split}.dwp`]);
        for (const file of files) rmSync(file);
        expect(other).not.toBe(split);
        expect(everything(split)).toEqual(before);
        expect(placesOf(split)).toEqual(places);
      },
    );
  }
});

describe('type units', () => {
  for (const [compiler, version, split] of [
    ['g++', '-gdwarf-5', ''],
    ['g++', '-gdwarf-4', ''],
    ['clang++', '-gdwarf-5', ''],
    ['g++', '-gdwarf-4', '-gsplit-dwarf'],
    ['clang++', '-gdwarf-5', '-gsplit-dwarf'],
  ] as const) {
    const define = compiler === 'g++' ? test : itNeeds.bind(null, 'clangBuilds');
    define(
      `[symbols.split] ${compiler} ${version} ${split}: parameters and values are those of the same build without them`,
      () => {
        const flags = [version, '-O0'];
        const whole = build('whole', compiler, flags);
        const cut = build('cut', compiler, [
          ...flags,
          '-fdebug-types-section',
          ...(split ? [split] : []),
        ]);
        expect(everything(cut)).toEqual(everything(whole));
      },
    );
  }
});

describe('a file that programs share', () => {
  for (const version of ['-gdwarf-5', '-gdwarf-4']) {
    itNeeds(
      'dwz',
      `[symbols.split] ${version}: what dwz put there is read; without it that is told`,
      () => {
        const first = build('first', 'g++', [version, '-O2', '-Wl,--build-id']);
        const second = build('second', 'g++', [version, '-O1', '-Wl,--build-id']);
        const before = [first, second].map(everything);
        const places = placesOf(first);
        execFileSync('dwz', ['-m', join(folder, 'shared.debug'), '-r', first, second]);
        expect([first, second].map(everything)).toEqual(before);
        expect(placesOf(first)).toEqual(places);
        const shared = join(folder, 'shared.debug');
        const id = /Build ID: (..)(\S+)/.exec(
          execFileSync('readelf', ['-n', shared], { encoding: 'utf8' }),
        );
        const debug = join(folder, 'debug', '.build-id', id?.[1] ?? '');
        mkdirSync(debug, { recursive: true });
        renameSync(shared, join(debug, `${id?.[2]}.debug`));
        expect(lost(everything(first).problems)).toMatch(
          /in a file that programs share \(.*shared\.debug, build id [0-9a-f]{40}\), which is not there/,
        );
        using library = new TestLibrary(join(folder, 'debug'));
        expect(library.library.open(first, () => {}).problems).toEqual([]);
      },
    );
  }
});
