import { expect, test } from 'vitest';
import { sheet } from '../src/sheet.ts';

test('prints plain names', () => {
  expect(sheet(['Bob ;High Street 1;York'])).toBe('Bob\nHigh Street 1\nYork');
});

test('keeps letters of other languages', () => {
  expect(sheet(['Jürgen;Große Straße 2;Köln'])).toBe('Jürgen\nGroße Straße 2\nKöln');
});
