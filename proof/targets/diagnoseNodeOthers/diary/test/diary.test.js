import assert from 'node:assert';
import { test } from 'node:test';
import { Diary } from '../src/diary.js';

process.env.TZ = 'America/New_York';

test('finds what was written on a day', () => {
  const diary = new Diary();
  diary.write('2026-03-08', 'rain');
  assert.deepStrictEqual(diary.on('2026-03-08'), ['rain']);
});
