import { expect, test } from 'vitest';
import { DifferentValues } from '../../../src/db/reader/tree/differentValues.ts';
import type { Value } from '../../../src/model/questions/query.ts';

const int = (text: string): Value => ({ kind: 'int', text });
const text = (content: string): Value => ({ kind: 'string', text: content, truncated: false });
const channel = (name: string): Value => ({ kind: 'enum', name, text: '0', type: 'Channel' });

function different(values: readonly Value[], isPart = false, withCounts = false): string | null {
  const kept = new DifferentValues();
  for (const value of values) kept.add(value);
  return kept.text({ isPart, withCounts });
}

test.each<[string, readonly Value[], string | null]>([
  ['equal values', [int('3'), int('3')], null],
  ['numbers, in any order', [int('3'), int('-1'), int('12')], '-1..12'],
  ['numbers beyond 2^53', [int('18446744073709551615'), int('1')], '1..18446744073709551615'],
  ['a few names, as they came', ['transfer', 'card', 'transfer'].map(channel), 'transfer|card'],
  ['some texts', ['a', 'b', 'c', 'd', 'a'].map(text), '"a"|"b"|"c"|"d"'],
  ['many texts', ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(text), '7 different'],
  ['two long texts', [text('x'.repeat(60)), text('y'.repeat(60))], '2 different'],
  ['addresses are no range', [int('0x10'), int('0x20')], '0x10|0x20'],
  ['a number and something unreadable', [int('1'), { kind: 'null' }], '1|nullptr'],
])('%s', (_what, values, expected) => {
  expect(different(values)).toBe(expected);
});

test('what was seen of a part only is marked', () => {
  expect(different([int('1'), int('9')], true)).toBe('~1..9');
  expect(different(['a', 'b'].map(text), true)).toBe('~"a"|"b"');
  expect(different('abcdefg'.split('').map(text), true)).toBe('~7 different');
});

test('how often each of a few values came', () => {
  const ends = ['settled', 'settled', 'retryLater'].map(channel);
  expect(different(ends, false, true)).toBe('settled(2)|retryLater(1)');
  expect(different(ends, true, true)).toBe('~settled|retryLater');
});

test('of many different values the next ones pass, unless they are numbers', () => {
  const kept = new DifferentValues();
  for (let i = 0; i < 15; i++) kept.add(text(String(i)));
  expect(kept.passes()).toBe(false);
  kept.add(text('last'));
  expect(kept.text({ isPart: false, withCounts: false })).toBe('16 different');
  expect(kept.passes()).toBe(true);
  expect(kept.text({ isPart: false, withCounts: false })).toBe('≥ 16 different');
  const numbers = new DifferentValues();
  for (let i = 0; i < 100; i++) numbers.add(int(String(i)));
  expect(numbers.passes()).toBe(false);
});
