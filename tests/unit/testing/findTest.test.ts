import { describe, expect, test } from 'vitest';
import { findTests } from '../../../src/testing/findTest.ts';

const known = [
  'tests/test_cart.py::test_total',
  'tests/test_cart.py::test_many[1]',
  'tests/test_cart.py::test_many[a b]',
  'tests/test_cart.py::TestCart::test_empty',
  'lib cart::tests::adds_up',
  'test:outside adds_up',
  'src/cart.test.js > Cart > sums up (a+b)',
  'All/Sides.ArePositive/0',
  'All/Sides.ArePositive/1',
].map((id) => ({ id, name: id, file: null }));

describe('a test is meant by', () => {
  test.each([
    ['its id', 'tests/test_cart.py::test_total', ['tests/test_cart.py::test_total'], false],
    ['its last part', 'test_empty', ['tests/test_cart.py::TestCart::test_empty'], true],
    ['one case', 'test_many[1]', ['tests/test_cart.py::test_many[1]'], true],
    [
      'all cases',
      'test_many',
      ['tests/test_cart.py::test_many[1]', 'tests/test_cart.py::test_many[a b]'],
      true,
    ],
    ['a part of it', 'SUMS UP', ['src/cart.test.js > Cart > sums up (a+b)'], true],
    ['its parameters', 'ArePositive', ['All/Sides.ArePositive/0', 'All/Sides.ArePositive/1'], true],
  ])('%s', (_how, wanted, expected, isNoted) => {
    const found = findTests(wanted, known);
    expect(found.tests.map(({ id }) => id)).toEqual(expected);
    expect(found.note !== null).toBe(isNoted);
  });

  test.each([
    ['test_', /fits 4 tests: tests\/test_cart.py::test_total, .*test_empty/],
    ['test_totl', /None of 9 tests .* Did you mean tests\/test_cart.py::test_total\?/],
    ['zzz', /None of 9 tests is called "zzz"\.$/],
  ])('not by %s', (wanted, message) => {
    expect(() => findTests(wanted, known)).toThrow(message);
  });

  test('nothing where nothing is', () => {
    expect(() => findTests('x', [])).toThrow(/no tests were found at all/);
  });
});
