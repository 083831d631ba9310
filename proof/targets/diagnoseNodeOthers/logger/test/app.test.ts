import { expect, test } from 'vitest';
import { app } from '../src/app.ts';

test('the plain logger informs', () => {
  expect(app().plain.line('ready')).toBe('info: ready');
});
