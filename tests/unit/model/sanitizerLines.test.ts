import { expect, test } from 'vitest';
import { sanitizerLines } from '../../../src/model/endings/sanitizerLines.ts';

const own = (lines: readonly string[]): string[] => {
  const told = sanitizerLines(lines);
  return lines.filter((_line, at) => !told.has(at));
};

test('the lines of an address sanitizer’s report are told apart from those of the program', () => {
  expect(
    own([
      'warning: closing account 7',
      '=================================================================',
      '==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3',
      'READ of size 4 at 0x602000000010 thread T0',
      '    #0 0x55 in spent /w/warned.c:5',
      'another thread still works',
      '',
      '0x602000000010 is located 0 bytes inside of 4-byte region [0x602000000010,0x602000000014)',
      'freed by thread T0 here:',
      '    #0 0x7f in free asan_malloc_linux.cpp:52',
      'SUMMARY: AddressSanitizer: heap-use-after-free /w/warned.c:5 in spent',
      'Shadow bytes around the buggy address:',
      '  0x0c047fff7fb0: 00 00',
      '=>0x0c047fff8000: fa fa[fd]fd',
      'Shadow byte legend (one shadow byte represents 8 application bytes):',
      '  Addressable:           00',
      '==12==ABORTING',
    ]),
  ).toEqual(['warning: closing account 7', 'another thread still works']);
});

test('a program that goes on after a report has its lines again', () => {
  expect(
    own([
      'sum.c:4:48: runtime error: shift exponent 32 is too large for 32-bit type',
      'going on',
      '==================',
      'WARNING: ThreadSanitizer: data race (pid=3)',
      '  Write of size 4 at 0x1 by thread T1:',
      '    #0 deposit /w/race.c:5',
      'SUMMARY: ThreadSanitizer: data race /w/race.c:5 in deposit',
      '==================',
      'balance:',
      '  12',
    ]),
  ).toEqual(['going on', 'balance:', '  12']);
});
