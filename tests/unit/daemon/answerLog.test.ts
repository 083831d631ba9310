import { appendFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AnswerLog, AnswerWriter } from '../../../src/daemon/rewriting/answerLog.ts';
import { keptAnswers } from '../../../src/protocol/keptAnswers.ts';
import { testFolder } from '../../support/folder.ts';

const [first, second] = ['1'.repeat(40), '2'.repeat(40)];

function written(folder: string, ...keys: readonly string[]): AnswerLog {
  AnswerLog.open(folder)?.close();
  const writer = new AnswerWriter(folder);
  for (const key of keys) writer.write(key, { answer: `{"of":"${key}ä"}`, sources: [] });
  return opened(folder);
}

function opened(folder: string): AnswerLog {
  const log = AnswerLog.open(folder);
  if (!log) throw new Error('it could not be opened');
  return log;
}

test('the next daemon finds what was written', () => {
  const log = written(join(testFolder(), 'javascript'), first, second);
  expect(log.find(first)).toEqual({ answer: `{"of":"${first}ä"}`, sources: [] });
  expect(log.find(second)?.answer).toBe(`{"of":"${second}ä"}`);
  expect(log.find('3'.repeat(40))).toBeNull();
  log.close();
});

test('a record that was not written to its end is removed, and others follow', () => {
  const folder = testFolder();
  const path = join(folder, keptAnswers.records);
  written(folder, first, second).close();
  const whole = statSync(path).size;
  truncateSync(path, whole - 1);
  const log = written(folder, second);
  expect(log.find(first)).not.toBeNull();
  expect(log.find(second)).not.toBeNull();
  expect(statSync(path).size).toBe(whole);
  log.close();
});

test('what is no record ends what is read', () => {
  const folder = testFolder();
  const path = join(folder, keptAnswers.records);
  written(folder, first).close();
  appendFileSync(path, Buffer.alloc(4096));
  const log = written(folder, second);
  expect(log.find(first)).not.toBeNull();
  expect(log.find(second)).not.toBeNull();
  log.close();
});

test('an answer whose sources have changed is none', () => {
  const folder = testFolder();
  const source = join(folder, 'a.ts');
  writeFileSync(source, '');
  AnswerLog.open(folder)?.close();
  const stamp = statSync(source, { bigint: true }).mtimeNs.toString();
  const writer = new AnswerWriter(folder);
  writer.write(first, { answer: '{}', sources: [{ path: source, stamp }] });
  writer.write(second, { answer: '{}', sources: [{ path: source, stamp: `${stamp}1` }] });
  const log = opened(folder);
  expect(log.find(first)).not.toBeNull();
  expect(log.find(second)).toBeNull();
  log.close();
});

test('a folder that cannot be made has no answers', () => {
  const file = join(testFolder(), 'file');
  writeFileSync(file, '');
  expect(AnswerLog.open(join(file, 'answers'))).toBeNull();
});
