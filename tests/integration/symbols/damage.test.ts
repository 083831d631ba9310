import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { monotonicMs } from '../../../src/base/clock.ts';
import { StrobeError } from '../../../src/model/errors.ts';
import { ElfFile } from '../../../src/symbols/elf/elfFile.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';

const folder = mkdtempSync(join(tmpdir(), 'strobe-damage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A fixed sequence, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Indexes the bytes as a program and reads every function; gives what was found. */
function readAll(bytes: Uint8Array): { functions: number; problems: number; refused: boolean } {
  using library = new TestLibrary();
  const path = join(folder, 'damaged');
  writeFileSync(path, bytes);
  try {
    const summary = library.library.open(path, () => {});
    const functions = library.search(path, '**').functions.length;
    return { functions, problems: summary.problems.length, refused: false };
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

describe.each([
  ['DWARF 5', ['-O2']],
  ['DWARF 4', ['-O0', '-gdwarf-4']],
  ['compressed', ['-O2', '-gz']],
] as const)('a damaged program, %s [symbols.broken]', (_title, flags) => {
  const program = buildTarget('symbols/names.cpp', flags);
  const bytes = readFileSync(program);
  using elf = ElfFile.open(program);
  const wanted = elf.sections.filter((section) =>
    /^\.debug|^\.(?:symtab|strtab|shstrtab|note)/.test(section.name),
  );
  const sections = wanted.map((section) => [section.offset, section.size] as const);
  const headers = [
    [0, 64],
    [64, 56 * elf.segments.length],
    [bytes.length - 64 * elf.sections.length, 64 * elf.sections.length],
  ] as const;

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
