import { expect, test } from 'vitest';
import { Wizard } from '../src/wizard.ts';

test('has three steps', () => {
  expect(new Wizard().length).toBe(3);
});

test('shows one after the other', () => {
  const wizard = new Wizard();
  expect([wizard.next(), wizard.next()]).toEqual(['1. Name', '2. Address']);
});
