import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { at } from '../../support/read.ts';
import { Log } from '../../../src/daemon/log.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder, 'daemon.log');
});

function messages(file: string): unknown[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => at(parsed(line), 'msg'));
}

function parsed(line: string): unknown {
  return JSON.parse(line);
}

test('levels are kept per tag', () => {
  const log = Log.open(path, { levels: 'warn,rpc=debug', maxBytes: 1 << 20 });
  log.info('daemon', 'left out');
  log.warn('daemon', 'kept');
  log.debug('rpc', 'kept too');
  log.close();
  log.error('daemon', 'after the end: nothing happens');
  expect(messages(path)).toEqual(['kept', 'kept too']);
});

test('[security.home] the file is 0600 and put aside when it has grown', () => {
  const log = Log.open(path, { levels: 'info', maxBytes: 300 });
  for (let line = 0; line < 20; line++) log.info('daemon', `line ${line}`);
  log.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(`${path}.1`).mode & 0o777).toBe(0o600);
  expect(statSync(path).size).toBeLessThan(500);
  expect(messages(path).at(-1)).toBe('line 19');
});

test('[security.redaction] members whose names look like secrets are not written down', () => {
  const log = Log.open(path, { levels: 'info', maxBytes: 1 << 20 });
  log.info('rpc', 'call', { request: { env: { DB_PASSWORD: 'hunter2', PATH: '/bin' } } });
  log.close();
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('/bin');
  expect(text).not.toContain('hunter2');
});

test('long values are cut, errors keep their stack, anything can be logged', () => {
  const log = Log.open(path, { levels: 'info', maxBytes: 1 << 20 });
  log.info('rpc', 'x', {
    text: 'y'.repeat(10_000),
    error: new TypeError('why'),
    big: 5n,
    inner: { big: 6n },
  });
  log.close();
  const entry = parsed(readFileSync(path, 'utf8'));
  expect(at(entry, 'text')).toMatch(/^y{2000}… \(10000 characters\)$/);
  expect(at(entry, 'error')).toMatch(/^TypeError: why\n {4}at /);
  expect([at(entry, 'big'), at(entry, 'inner')]).toEqual(['5', '{"big":"6"}']);
});
