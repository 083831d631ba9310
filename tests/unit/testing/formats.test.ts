import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../../src/model/tests/testReport.ts';
import { toldFailure } from '../../../src/testing/formats/assertionText.ts';
import { EventLines } from '../../../src/testing/formats/eventLines.ts';
import { readJunit } from '../../../src/testing/formats/junit.ts';
import { plainText, tailOf } from '../../../src/testing/formats/plainText.ts';
import { TapLines } from '../../../src/testing/formats/tap.ts';
import { TextLines } from '../../../src/testing/formats/textLines.ts';

/** `name outcome`, and what else was said. */
function told(events: readonly TestEvent[]): string[] {
  return events.map((event) =>
    event.kind === 'finished'
      ? `${event.result.name} ${event.result.outcome}`
      : event.kind === 'trouble'
        ? `trouble ${event.text}`
        : event.kind,
  );
}

describe('TAP', () => {
  const read = (text: string): TestEvent[] => {
    const tap = new TapLines();
    return [...text.split('\n').flatMap((line) => tap.push(line)), ...tap.end()];
  };

  test.each([
    ['1..2\nok 1 - a\nnot ok 2 - b', ['expected', 'a passed', 'b failed', 'complete']],
    ['ok 1 a\n1..1', ['a passed', 'expected', 'complete'].toSorted()],
    ['TAP version 14\nok\n1..1', ['expected', 'complete', 'test 1 passed'].toSorted()],
    ['1..1\nnot ok 1 - x # TODO later', ['expected', 'x expectedFailure', 'complete']],
    ['1..1\nok 1 - x # SKIP no net', ['expected', 'x skipped', 'complete']],
    ['1..3\nok 1 - a', ['expected', 'a passed', 'trouble TAP announced 3 tests but reported 1.']],
    ['1..2\nok 1 - a\nBail out! no disk', ['expected', 'a passed', 'trouble Bail out! no disk']],
    ['1..1\n    ok 1 - inner\n    1..1\nok 1 - outer', ['expected', 'outer passed', 'complete']],
    ['ok computer', []],
    ['okay\nnot okay', []],
  ])('%j', (text, expected) => {
    const events = told(read(text));
    expect(events.length === 3 && !text.startsWith('1..') ? events.toSorted() : events).toEqual(
      expected,
    );
  });

  test('takes place and values from the YAML block', () => {
    const [, failed] = read(
      '1..1\nnot ok 1 - x\n  ---\n  message: "no"\n  expected: 1\n  actual: 2\n  at: /p/x.js:3:4\n  ...',
    );
    expect(failed).toMatchObject({
      result: { file: '/p/x.js', line: 3, failure: { message: 'no', expected: '1', actual: '2' } },
    });
  });
});

test('TAP: what a subtest says of its failure is no part of the test before it', () => {
  const tap = new TapLines();
  const text = `1..2
not ok 1 - plain
  ---
  error: 'boom'
  ...
# Subtest: group
    # Subtest: compares
    not ok 1 - compares
      ---
      error: 'not equal'
      expected: 2
      actual: 1
      ...
    1..1
not ok 2 - group
  ---
  error: '1 subtest failed'
  ...`;
  const events = [...text.split('\n').flatMap((line) => tap.push(line)), ...tap.end()];
  const failures = events.flatMap((event) =>
    event.kind === 'finished' ? [event.result.failure] : [],
  );
  expect(failures).toMatchObject([
    { message: 'boom', expected: null, actual: null, output: "error: 'boom'" },
    { message: '1 subtest failed', expected: null, actual: null },
  ]);
});

describe('JUnit', () => {
  const read = (text: string) => readJunit(Buffer.from(text));

  test('the same name in two files, of runners that tell tests by file', () => {
    const text =
      '<testsuite><testcase name="x" file="a"/><testcase name="x" file="b"/></testsuite>';
    expect(readJunit(Buffer.from(text), true)?.map(({ id }) => id)).toEqual(['x', 'x']);
    expect(read(text)?.map(({ id }) => id)).toEqual(['x', 'x #2']);
  });

  test('every failed assertion of a test is told', () => {
    const [result] =
      read(`<testsuite><testcase name="x"><failure message="a is 1">a.cc:3</failure>
        <failure message="b is 2">a.cc:4</failure></testcase></testsuite>`) ?? [];
    expect(result?.failure).toMatchObject({ message: 'a is 1\nb is 2', output: 'a.cc:3\na.cc:4' });
  });

  test('nested suites, errors, skips, repeated names and damage', () => {
    const results = read(`<?xml version="1.0"?>
      <testsuites><testsuite><testsuite>
        <testcase classname="a" name="x" time="0.5" file="t.c" line="7"/>
        <testcase classname="a" name="x"><error message="boom &lt;1&gt;">at t.c:9</error></testcase>
        <testcase name="y"><skipped message="no net"/></testcase>
        <testcase name="z"><failure>only text</failure><system-out><![CDATA[out <&]]></system-out></testcase>
      </testsuite></testsuite>`);
    expect(results?.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'a.x passed',
      'a.x #2 failed',
      'y skipped',
      'z failed',
    ]);
    expect(results?.[0]).toMatchObject({ durationMs: 500, file: 't.c', line: 7 });
    expect(results?.[1]?.failure).toMatchObject({ message: 'boom <1>', output: 'at t.c:9' });
    expect(results?.[3]?.failure?.output).toBe('only text\nout <&');
  });

  test.each(['', 'no xml', '<html/>', '\u0000\u0001'])('%j is none', (text) => {
    expect(read(text)).toBeNull();
  });

  test('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void read(`<testsuite>${text}`)));
  });
});

describe('event lines', () => {
  test('survive pieces, foreign lines and bad fields', () => {
    const line = JSON.stringify({
      event: 'finished',
      id: 'ä',
      outcome: 'failed',
      failure: { message: '\u001b[31mred\u001b[39m', frames: [{ file: 'a', line: 1 }, 3] },
    });
    const bytes = Buffer.from(`nonsense\n${line}\n{"event":"finished","outcome":"odd","id":"x"}\n`);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const lines = new EventLines();
      const events = [...lines.push(bytes.subarray(0, cut)), ...lines.push(bytes.subarray(cut))];
      expect(events).toMatchObject([
        { result: { id: 'ä', failure: { message: 'red', frames: [{ file: 'a', line: 1 }] } } },
      ]);
    }
  });
});

test('plain text has no colours, no returns and a bounded end', () => {
  expect(plainText('\u001b[1;31mx\u001b[0m\r\ny\u001b]8;;http://a\u0007z')).toBe('x\nyz');
  expect(tailOf('one\ntwo\nthree', 8)).toBe('three');
  expect(tailOf('short', 10)).toBe('short');
});

test('text lines keep empty lines and replace bytes that are no UTF-8', () => {
  const lines = new TextLines();
  expect(lines.push(Buffer.from([0x61, 0x0d, 0x0a, 0x0a, 0xff, 0x62]))).toEqual(['a', '']);
  expect(lines.end()).toEqual(['\ufffdb']);
});

describe('failures that a program tells in its own text', () => {
  test.each([
    [
      'GoogleTest',
      'a.cc:7: Failure\nValue of: x()\n  Actual: 1\n',
      'a.cc:7 Value of: x()\n  Actual: 1',
    ],
    [
      'doctest',
      'a.cpp:3: ERROR: CHECK( f() == 8 ) is NOT correct!\n  values: CHECK( -6 == 8 )\n===\n[doctest] test cases: 1\n',
      'a.cpp:3 CHECK( f() == 8 ) is NOT correct!\n  values: CHECK( -6 == 8 )',
    ],
    ['Catch2', 'a.cpp:9: FAILED:\n  CHECK( n == 2 )\n', 'a.cpp:9   CHECK( n == 2 )'],
    [
      'Unity',
      "/p/t.c:61:integers:PASS\n/p/t.c:62:reals:FAIL: Expected '1' Was '2'. no\nFAIL\n",
      "/p/t.c:62 reals: Expected '1' Was '2'. no",
    ],
    [
      'Boost.Test',
      'Running 2 test cases...\nt.cpp(14): error: in "suite/adds": check a == b has failed [1 != 2]\n',
      't.cpp:14 suite/adds: check a == b has failed [1 != 2]',
    ],
    [
      'Check',
      "50%: Checks: 2, Failures: 1\nt.c:18:F:Core:test_add:0: Assertion 'a == b' failed: a == 1\n",
      "t.c:18 test_add: Assertion 'a == b' failed: a == 1",
    ],
    [
      'Qt Test',
      'PASS   : T::one()\nFAIL!  : T::adds(two) Compared values are not the same\n   Actual   (a): 1\n   Expected (b): 2\n   Loc: [t.cpp(23)]\n',
      't.cpp:23 T::adds: Compared values are not the same\n   Actual   (a): 1\n   Expected (b): 2',
    ],
    [
      'assert',
      't: t.c:4: main: Assertion `a == b\u2019 failed.\n',
      't.c:4 Assertion `a == b\u2019 failed',
    ],
    ['nothing of the kind', 'all is lost\n', null],
  ])('%s', (_framework, output, expected) => {
    const failure = toldFailure(output);
    expect(failure && `${failure.file}:${failure.line} ${failure.message}`).toBe(expected);
  });
});
