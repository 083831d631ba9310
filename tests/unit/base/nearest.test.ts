import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from '../../../src/base/nearest.ts';

const names = ['function', 'sourceFile', 'timeoutMs', 'timeFrom', 'timeTo', 'limit', 'view'];

test.each([
  ['fucntion', 'function'],
  ['Function', 'function'],
  ['timeout', 'timeoutMs'],
  ['sourcefile', 'sourceFile'],
  ['timeform', 'timeFrom'],
  ['veiw', 'view'],
])('%s → %s', (word, wanted) => {
  expect(nearest(word, names)).toEqual([wanted]);
});

test('nothing is suggested for a word that is like none', () => {
  expect(nearest('breakpoint', names)).toEqual([]);
  expect(nearest('tty', names)).toEqual([]);
});

test('a name is its own nearest, and one edit never hides it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.nat(20), (name, at) => {
      expect(nearest(name, names)[0]).toBe(name);
      const cut = name.slice(0, at % name.length) + name.slice((at % name.length) + 1);
      expect(nearest(cut, names, names.length)).toContain(name);
    }),
  );
});
