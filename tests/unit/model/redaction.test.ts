import { expect, test } from 'vitest';
import { secretIn, secretNames } from '../../../src/model/values/redaction.ts';

test.each([
  ['password', 'password'],
  ['userPassword', 'password'],
  ['DB_PASSWORD', 'password'],
  ['password2', 'password'],
  ['m_secret', 'secret'],
  ['apiKey', 'api key'],
  ['APIKey', 'api key'],
  ['API_KEY', 'api key'],
  ['awsSecretAccessKey', 'secret'],
  ['HTTPAuthorization', 'authorization'],
])('[security.redaction] %s looks like a secret (%s)', (name, entry) => {
  expect(secretIn(name, secretNames)).toBe(entry);
});

test.each(['token', 'passwordless', 'key', 'keyApi', 'secretary', 'authorize', '', 'ключ', '_'])(
  '[security.redaction] %s does not',
  (name) => {
    expect(secretIn(name, secretNames)).toBe(null);
  },
);

test('[security.redaction] a list of one’s own decides alone', () => {
  expect([secretIn('token', ['token']), secretIn('password', ['token'])]).toEqual(['token', null]);
  expect(secretIn('password', [])).toBe(null);
});
