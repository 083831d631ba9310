import { expect, test } from 'vitest';
import { inlinedLines } from '../../../src/daemon/report/session/inlinedLines.ts';
import { pattern } from './samples.ts';

const heap =
  'std::__push_heap<__gnu_cxx::__normal_iterator<settle::Entry*, std::vector<settle::Entry> >, long int>';

function lines(of: readonly (readonly [string, readonly string[]])[], wanted = 'settle::**') {
  const inlined = of.map(([name, callers]) => ({ name, callers, sites: callers.length }));
  return inlinedLines(pattern({ pattern: wanted, inlined }), 8);
}

test('what is inlined into the same callers shares a line, constructors come last', () => {
  expect(
    lines([
      ['settle::Queue::Queue', ['main']],
      ['settle::Queue::~Queue', ['main']],
      ['settle::Intake::accepted', ['settle::check', 'settle::report']],
      ['settle::Intake::cents', ['settle::check', 'settle::report']],
    ]),
  ).toEqual([
    'inlined: settle::Intake::accepted, settle::Intake::cents into settle::check, settle::report: hook those',
    'inlined: settle::Queue::Queue, settle::Queue::~Queue into main: hook that',
  ]);
});

test('the function the pattern names comes first, whatever it is', () => {
  const [first] = lines(
    [
      ['settle::Intake::accepted', ['settle::check']],
      ['settle::Queue::Queue', ['main']],
    ],
    'settle::Queue::Queue',
  );
  expect(first).toBe('inlined: settle::Queue::Queue into main: hook that');
});

test('callers of the standard library are short and last', () => {
  expect(lines([['settle::Entry::operator<', [heap, 'settle::pop']]])).toEqual([
    'inlined: settle::Entry::operator< into settle::pop, std::__push_heap<*>: hook those',
  ]);
});

test('those that are not told one by one are counted', () => {
  const inlined = [{ name: 'settle::cents', callers: ['main'], sites: 1 }];
  expect(inlinedLines(pattern({ inlined, moreInlined: 81 }), 8).at(-1)).toBe(
    'inlined: 81 more functions',
  );
});

test('six lines, then a count', () => {
  const many = Array.from(
    { length: 20 },
    (_, at) => [`settle::f${at}`, [`settle::g${at}`]] as const,
  );
  const found = lines(many);
  expect(found).toHaveLength(7);
  expect(found.at(-1)).toBe('inlined: 14 more functions');
});
