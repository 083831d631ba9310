import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { monotonicMs } from '../../../src/base/clock.ts';
import { StrobeError } from '../../../src/model/errors.ts';
import { depthOf } from '../../../src/model/values/shape.ts';
import { ElfFile } from '../../../src/symbols/native/elf/elfFile.ts';
import { find } from '../../../src/symbols/native/index/find.ts';
import { findVariables } from '../../../src/symbols/native/index/findVariables.ts';
import { suiteFolder } from '../../support/folder.ts';
import { itNeeds } from '../../support/needs.ts';
import type { Need } from '../../support/needs.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget, targetSource } from '../../support/targets.ts';
import { parsePattern } from '../../../src/model/names/pattern.ts';

const folder = suiteFolder();

/** A fixed sequence, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface WasRead {
  readonly functions: number;
  readonly problems: number;
  readonly refused: boolean;
}

/** Indexes the bytes as a program and reads every function; gives what was found. */
function readAll(bytes: Uint8Array): WasRead {
  const path = join(folder, 'damaged');
  writeFileSync(path, bytes);
  return readProgram(path);
}

function readProgram(path: string): WasRead {
  using own = new TestLibrary();
  const { library, demangler } = own;
  try {
    const summary = library.open(path, () => {});
    const options = { projectRoot: folder, depth: depthOf(3) };
    const { functions } = find(library, demangler, [path], parsePattern('**'), options).value;
    const code = library.code(path);
    for (const { address } of functions) code.placeOf(address + 1);
    findVariables(library, [path], 'total', 2);
    return { functions: functions.length, problems: summary.problems.length, refused: false };
  } catch (error) {
    // Only a whole file that cannot be used is an error, and it is one of ours.
    expect(error).toBeInstanceOf(StrobeError);
    return { functions: 0, problems: 1, refused: true };
  }
}

const hangMs = 5_000;
/** Bytes by which the process may grow before rubbish of the same size is collected. */
const youngGeneration = 48 << 20;

/** By how many bytes the process is larger than before, at the most, while this runs. */
function grownBy(work: () => void): number {
  const size = (row: string): number => {
    const status = readFileSync('/proc/self/status', 'utf8');
    return Number(new RegExp(`${row}:\\s*(\\d+)`).exec(status)?.[1]) * 1024;
  };
  // The kernel counts the peak anew.
  writeFileSync('/proc/self/clear_refs', '5');
  const before = size('VmRSS');
  work();
  return size('VmHWM') - before;
}

function mutate(
  bytes: Buffer,
  ranges: readonly (readonly [start: number, size: number])[],
  seed: number,
): Buffer {
  const copy = Buffer.from(bytes);
  const random = randomNumbers(seed);
  for (let change = 1 + random(60); change > 0; change--) {
    const [start, size] = ranges[random(ranges.length)] ?? [0, 1];
    const at = start + random(size);
    // Extreme values find more than uniform ones.
    copy[at] = [0, 0xff, 0x7f, 0x80, random(256)][random(5)] ?? 0;
  }
  return copy;
}

/** Where the sections that matter and the headers lie. */
function placesIn(path: string) {
  using elf = ElfFile.open(path);
  const bytes = readFileSync(path);
  const sections = elf.sections
    .filter(({ name }) => /^\.debug|^\.(?:symtab|strtab|shstrtab|note|gnu_debug)/.test(name))
    .map((section) => [section.offset, section.size] as const);
  const headers = [
    [0, 64],
    [64, Math.max(1, 56 * elf.segments.length)],
    [bytes.length - 64 * elf.sections.length, 64 * elf.sections.length],
  ] as const;
  return { bytes, sections, headers };
}

describe.each([
  ['DWARF 5', ['-O2']],
  ['DWARF 4', ['-O0', '-gdwarf-4']],
  ['compressed', ['-O2', '-gz']],
] as const)('a damaged program, %s [symbols.broken]', (_title, flags) => {
  const program = buildTarget('symbols/names.cpp', flags);
  const { bytes, sections, headers } = placesIn(program);

  test('the undamaged program is read without problems', () => {
    expect(readAll(bytes)).toMatchObject({ problems: 0, refused: false });
  });

  test('changed sections: 40 mutations give problems, never an exception or a hang', () => {
    let told = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const start = monotonicMs();
      if (readAll(mutate(bytes, sections, seed)).problems > 0) told++;
      expect(monotonicMs() - start, `seed ${seed}`).toBeLessThan(hangMs);
    }
    expect(told).toBeGreaterThan(0);
  });

  test('memory: mutations need at most twice what the undamaged program needs', () => {
    const whole = Math.max(...Array.from({ length: 8 }, () => grownBy(() => readAll(bytes))));
    const grown = Array.from({ length: 30 }, (_unused, i) => {
      const changed = mutate(bytes, i % 2 === 0 ? sections : headers, 201 + i);
      return grownBy(() => readAll(changed));
    });
    expect(Math.max(...grown)).toBeLessThan(2 * whole + youngGeneration);
  });

  test('changed headers: 30 mutations', () => {
    for (let seed = 101; seed <= 130; seed++) {
      const start = monotonicMs();
      readAll(mutate(bytes, headers, seed));
      expect(monotonicMs() - start, `seed ${seed}`).toBeLessThan(hangMs);
    }
  });

  test('truncated at 20 places', () => {
    for (let cut = 0; cut < 20; cut++)
      readAll(bytes.subarray(0, Math.floor((bytes.length * cut) / 20)));
    expect(readAll(bytes.subarray(0, 100))).toMatchObject({ functions: 0 });
  });
});

const source = targetSource('symbols/names.cpp');

/** Builds a program in a folder, as build systems do; gives the file beside it that holds the rest. */
const partsOf: readonly (readonly [
  need: Need,
  title: string,
  build: (run: (program: string, ...args: string[]) => void) => string,
])[] = [
  [
    'dwp',
    'g++ -gsplit-dwarf',
    (run) => {
      run('g++', '-g', '-gsplit-dwarf', '-O2', '-c', '-o', 'app.o', source);
      run('g++', '-pthread', '-o', 'app', 'app.o');
      return 'app.dwo';
    },
  ],
  [
    'dwp',
    'a package by dwp',
    (run) => {
      run('g++', '-g', '-gdwarf-4', '-gsplit-dwarf', '-O1', '-c', '-o', 'app.o', source);
      run('g++', '-pthread', '-o', 'app', 'app.o');
      run('dwp', 'app.dwo', '-o', 'app.dwp');
      return 'app.dwp';
    },
  ],
  [
    'dwp',
    'a package with type units by dwp',
    (run) => {
      const flags = ['-gdwarf-4', '-gsplit-dwarf', '-fdebug-types-section'];
      run('g++', '-g', ...flags, '-c', '-o', 'app.o', source);
      run('g++', '-pthread', '-o', 'app', 'app.o');
      run('dwp', 'app.dwo', '-o', 'app.dwp');
      return 'app.dwp';
    },
  ],
  [
    'dwpAndClang',
    'a package with type units by llvm-dwp',
    (run) => {
      const flags = ['-gdwarf-5', '-gsplit-dwarf', '-fdebug-types-section'];
      run('clang++', '-g', ...flags, '-c', '-o', 'app.o', source);
      run('clang++', '-pthread', '-o', 'app', 'app.o');
      run('llvm-dwp', 'app.dwo', '-o', 'app.dwp');
      return 'app.dwp';
    },
  ],
  [
    'dwz',
    'shared by dwz',
    (run) => {
      for (const [level, name] of Object.entries({ '-O1': 'app', '-O2': 'other' }))
        run('g++', '-g', level, '-pthread', '-o', name, source);
      run('dwz', '-m', 'shared.debug', '-r', 'app', 'other');
      return 'shared.debug';
    },
  ],
];

for (const [need, title, build] of partsOf) {
  itNeeds(
    need,
    `[symbols.broken] a damaged file beside its program, ${title}: 40 mutations and 8 truncations`,
    () => {
      const cwd = join(folder, title.replaceAll(/\W/g, ''));
      mkdirSync(cwd);
      const part = join(
        cwd,
        build((program, ...args) => {
          execFileSync(program, args, { cwd, stdio: 'pipe' });
        }),
      );
      if (part.endsWith('.dwp')) rmSync(join(cwd, 'app.dwo'));
      const app = join(cwd, 'app');
      expect(readProgram(app)).toMatchObject({ problems: 0, refused: false });
      const { bytes, sections, headers } = placesIn(part);
      const damaged = [
        ...Array.from({ length: 40 }, (_unused, i) =>
          mutate(bytes, i % 4 === 0 ? headers : sections, 301 + i),
        ),
        ...Array.from({ length: 8 }, (_unused, i) => bytes.subarray(0, (bytes.length * i) >> 3)),
      ];
      const read = damaged.map((changed) => {
        writeFileSync(part, changed);
        return readProgram(app);
      });
      expect(read.filter(({ refused }) => refused)).toEqual([]);
      expect(read.filter(({ problems }) => problems > 0).length).toBeGreaterThan(0);
    },
  );
}

describe('texts that do not end [symbols.broken]', () => {
  const program = buildTarget('e2e/objects.cpp', ['-std=c++20', '-O0', '-gdwarf-4']);
  const bytes = readFileSync(program);
  using elf = ElfFile.open(program);

  test.each(['.debug_str', '.strtab'])('%s: it needs no more memory, and is told', (name) => {
    const whole = Math.max(...Array.from({ length: 8 }, () => grownBy(() => readAll(bytes))));
    const { offset, size } = elf.section(name) ?? { offset: 0, size: 0 };
    const changed = Buffer.from(bytes).fill(0xff, offset, offset + size);
    let read: WasRead | null = null;
    const grown = grownBy(() => {
      read = readAll(changed);
    });
    expect(read).toMatchObject({ problems: 1, refused: false });
    expect(grown).toBeLessThan(2 * whole + youngGeneration);
  });
});

describe('a file that is no program', () => {
  test.each([
    [
      'text',
      Buffer.from(
        '#!/bin/sh\necho hello, this is a script and not a program at all, it is only text\n',
      ),
    ],
    ['empty', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(4096)],
    ['32-bit ELF', Buffer.concat([Buffer.from('7f454c4601010100', 'hex'), Buffer.alloc(200)])],
  ])('%s is refused', (_title, bytes) => {
    expect(readAll(bytes)).toMatchObject({ refused: true });
  });

  test('a missing file and a folder are refused with their reason', () => {
    using library = new TestLibrary();
    expect(() => library.library.open('/nowhere/at/all', () => {})).toThrow(
      /cannot be read.*ENOENT/,
    );
    expect(() => library.library.open(folder, () => {})).toThrow(/BAD_BINARY|cannot be read/);
  });
});
