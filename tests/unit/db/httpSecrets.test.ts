import { expect, test } from 'vitest';
import { shownBody } from '../../../src/db/reader/channels/httpSecrets.ts';

test('[channel.secrets] what secret names stand for is left out of JSON, also of its beginning, of forms and of headers', () => {
  for (const [body, shown] of [
    [
      '{"user": "me", "password": "hidden", "n": 1}',
      '{"user": "me", "password": <redacted: named "password">, "n": 1}',
    ],
    ['[{"apiKey": 12345}]', '[{"apiKey": <redacted: named "api key">}]'],
    ['{"user": "me", "password": "hid', '{"user": "me", "password": <redacted: named "password">'],
    [
      '{"credentials": {"a": "hidden"}, "b": 2}',
      '{"credentials":"<redacted: named \\"credentials\\">","b":2}',
    ],
    ['{"credentials": {"a": "hidden", "b": "hid', '<redacted: named "secret">'],
    ['user=me&password=hidden&x=1', 'user=me&password=<redacted: named "password">&x=1'],
    [
      'AUTH\nauthorization: hidden\nb: 2',
      'AUTH\nauthorization: <redacted: named "authorization">\nb: 2',
    ],
    ['the password is not named here', 'the password is not named here'],
    [
      '{"tokens": 5, "escaped\\"password": 1}',
      '{"tokens": 5, "escaped\\"password": <redacted: named "password">}',
    ],
  ] as const)
    expect(shownBody(body)).toBe(shown);
});
