import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTokens } from '../../support/tokens.ts';
import { escaped } from '../../../src/base/visible.ts';
import { clipped } from '../../../src/daemon/report/answers/clip.ts';
import { nearestNames, tally } from '../../../src/daemon/report/views/emptiness.ts';
import { describeExit } from '../../../src/model/endings/exitText.ts';
import { shortNames } from '../../../src/daemon/report/text/nameText.ts';
import { commandText, place } from '../../../src/daemon/report/text/placeText.ts';
import { sceneLines } from '../../../src/daemon/report/answers/scene.ts';
import { ago, decimalsFor, duration, stamp } from '../../../src/daemon/report/text/timeText.ts';
import { valueJson, valueText } from '../../../src/daemon/report/text/valueText.ts';
import type { Value } from '../../../src/model/questions/query.ts';
import { attachNotes } from '../../../src/model/session.ts';
import { normalised } from '../../golden.ts';
import { scene, session } from './samples.ts';

const values: readonly (readonly [Value, string, unknown])[] = [
  [{ kind: 'int', text: '-7' }, '-7', -7],
  [{ kind: 'int', text: '18446744073709551615' }, '18446744073709551615', '18446744073709551615'],
  [{ kind: 'float', value: 0.1 }, '0.1', 0.1],
  [{ kind: 'float', value: Math.fround(0.1), bytes: 4 }, '0.1', 0.1],
  [{ kind: 'float', value: Math.fround(0.1) }, '0.10000000149011612', 0.10000000149011612],
  [{ kind: 'float', value: 3 }, '3.0', 3],
  [{ kind: 'float', value: -0 }, '-0.0', '-0.0'],
  [{ kind: 'float', value: 1e300 }, '1e+300', 1e300],
  [{ kind: 'float', value: Number.NaN }, 'NaN', 'NaN'],
  [{ kind: 'float', value: Number.NEGATIVE_INFINITY, bytes: 4 }, '-inf', '-inf'],
  [{ kind: 'bool', value: true }, 'true', true],
  [{ kind: 'char', code: 65, bytes: 1 }, "'A'", 'A'],
  [{ kind: 'char', code: 0, bytes: 1 }, "'\\0'", '\\0'],
  [{ kind: 'char', code: -1, bytes: 1 }, "'\\xff'", '\\xff'],
  [{ kind: 'char', code: 0xe9, bytes: 4 }, "'é'", 'é'],
  [{ kind: 'char', code: 39, bytes: 1 }, "'\\''", "\\'"],
  [{ kind: 'char', code: 0x1f600, bytes: 4 }, "'😀'", '😀'],
  [{ kind: 'enum', name: 'kRed', text: '2', type: 'Colour' }, 'kRed', 'kRed'],
  [{ kind: 'enum', name: null, text: '9', type: 'Colour' }, 'Colour(9)', 'Colour(9)'],
  [{ kind: 'pointer', address: '0x0', isNull: true }, 'nullptr', null],
  [{ kind: 'pointer', address: '0x55d0', isNull: false }, '0x55d0', '0x55d0'],
  [{ kind: 'null' }, 'nullptr', null],
  [
    { kind: 'string', text: 'a"b\\\n\u202e\0', truncated: false },
    '"a\\"b\\\\\\n\\u{202e}\\0"',
    'a"b\\\n\u202e\0',
  ],
  [{ kind: 'string', text: 'abc', truncated: true }, '"abc"…', 'abc…'],
  [
    { kind: 'string', text: '😀'.repeat(70), truncated: false },
    `"${'😀'.repeat(60)}"…(+10)`,
    `${'😀'.repeat(60)}…`,
  ],
  [{ kind: 'unreadable', address: '0x8' }, '0x8(unreadable)', { unreadable: '0x8' }],
  [{ kind: 'void' }, '', undefined],
  [{ kind: 'notCaptured', reason: 'passed by value' }, '?', { notCaptured: 'passed by value' }],
  [
    { kind: 'notCaptured', reason: 'by value', type: 'std::__cxx11::Order' },
    '{std::Order}',
    '{std::Order}',
  ],
];

test.each(values)('value %j reads %s', (value, text, json) => {
  expect(valueText(value, { verbose: false })).toBe(text);
  expect(valueJson(value, { verbose: false })).toEqual(json);
});

test('a float’s text gives the same float again', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = valueText({ kind: 'float', value, bytes: 4 }, { verbose: false });
      expect(Math.fround(Number(text))).toBe(value);
      expect(text).toMatch(/[.e]/);
    }),
  );
});

test.each([
  [0, '0 ns'],
  [999, '999 ns'],
  [1_000, '1.0 µs'],
  [9_940, '9.9 µs'],
  [9_960, '10 µs'],
  [999_600, '1.0 ms'],
  [1_234_567, '1.2 ms'],
  [999_400_000, '999 ms'],
  [1_250_000_000, '1.3 s'],
  [99_000_000_000, '99 s'],
  [99_600_000_000, '1 min 40 s'],
  [3_599_600_000_000, '1 h'],
  [11_400_000_000_000, '3 h 10 min'],
  [-5, '0 ns'],
])('%i ns reads %s', (ns, text) => {
  expect(duration(ns)).toBe(text);
});

test('stamps and ages', () => {
  expect(stamp(1_204_113_000)).toBe('+1.204s');
  expect(stamp(1_204_113_000, 6)).toBe('+1.204113s');
  expect(decimalsFor([0, 1_000, 2_000])).toBe(6);
  expect(decimalsFor([0, 10_000_000])).toBe(3);
  expect(decimalsFor([5])).toBe(3);
  expect(ago(0, 50_000_000)).toBe('just now');
  expect(ago(0, 3_200_000_000)).toBe('3.2 s ago');
});

test.each([
  [
    'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append',
    'std::string::append',
  ],
  ['std::vector<int, std::allocator<int> >::push_back', 'std::vector<int>::push_back'],
  ['app::name[abi:cxx11]', 'app::name'],
  [
    'a_rather_long_namespace::Container<another_long_name<int>, third_name>::insert',
    'a_rather_long_namespace::Container<*>::insert',
  ],
  [
    '<a_rather_long_crate::Thing<another::long::Name> as core::fmt::Display>::fmt',
    '<a_rather_long_crate::Thing<another::long::Name> as core::fmt::Display>::fmt',
  ],
  [
    'a_rather_long_namespace::Container<another_long_name<int>>::operator<',
    'a_rather_long_namespace::Container<another_long_name<int>>::operator<',
  ],
])('%s is shown as %s', (name, short) => {
  expect(shortNames([name])(name)).toBe(short);
});

test('two names never get the same short form', () => {
  const one = 'a_rather_long_namespace::Container<another_long_name<int>>::insert';
  const two = 'a_rather_long_namespace::Container<another_long_name<char>>::insert';
  const short = shortNames([one, two]);
  expect(short(one)).toBe(one);
  expect(short(two)).toBe(two);
});

test('places, commands, exits', () => {
  expect(place('/p/src/a.cpp', 3, '/p')).toBe('src/a.cpp:3');
  expect(place('/p/src/a.cpp', 3, '/p/')).toBe('src/a.cpp:3');
  expect(place('/project/a.cpp', null, '/p')).toBe('/project/a.cpp');
  expect(place(null, 3, '/p')).toBe('');
  expect(commandText(['./a b', "it's", '-x=1'])).toBe(`'./a b' 'it'\\''s' -x=1`);
  expect(describeExit({ kind: 'exited', code: 3 })).toBe('exited with code 3');
  expect(describeExit({ kind: 'signalled', signal: 'SIGSEGV', number: 11, coreDumped: true })).toBe(
    'was killed by SIGSEGV (core dumped)',
  );
});

test('clipping never splits a character and counts what is left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, most) => {
      const { text: start, left } = clipped(text, most);
      expect(Array.from(start).length + left).toBe(Array.from(text).length);
      expect(Array.from(start).length).toBeLessThanOrEqual(most);
      expect(text.startsWith(start)).toBe(true);
    }),
  );
});

test('escaped text stays on one line, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escaped(text, '"')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('nearest names and tallies', () => {
  const names = [
    'bank::Account::withdraw',
    'bank::Account::deposit',
    'bank::Ledger::post',
    'parse',
  ];
  expect(nearestNames('withdrw', names)).toEqual(['bank::Account::withdraw']);
  expect(nearestNames('bank::Account::deposits', names)[0]).toBe('bank::Account::deposit');
  expect(nearestNames('zzz', names)).toEqual([]);
  expect(
    tally(
      new Map([
        ['a', 1],
        ['b', 5000],
        ['c', 2],
        ['d', 1],
        ['e', 1],
      ]),
    ),
  ).toBe('b ×5,000, c ×2, a ×1, 2 other functions');
});

test('text that spells a special token is counted as text', async () => {
  expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
});

test('golden texts are compared without what differs from run to run', () => {
  expect(
    normalised(
      'settle-2026-02-05-14h32-k7f2 · pid 4711 · 0x55d0c0a81f40 +1.204s 12 µs /tmp/strobe-x1/a "durationNs":12300',
    ),
  ).toBe('settle-<when> · pid <id> · 0x<address> +<time> <duration> <tmp>/a "durationNs":<time>');
});

test('of the notes of a session a crash comes first, then the newest; what an attach cannot see is not repeated', () => {
  const notes = [
    `${attachNotes.output}, what it writes is copied.`,
    `${attachNotes.children}.`,
    'first',
    'second',
    'third',
    'fourth',
  ];
  const told = (view: string): string[] =>
    sceneLines(scene({ session: session({ notes }), request: { view } })).slice(2);
  expect(told('tree')).toEqual(['! fourth', '! third', '! second']);
  expect(told('output')).toEqual(['! fourth', '! third', '! second']);
  notes.splice(3, 3);
  expect(told('output')).toEqual(['! first', `! ${notes[0]}`]);
});
