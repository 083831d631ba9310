import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Sqlite } from '../../../src/db/sqlite.ts';
import { TemporaryFolder } from './randomSession.ts';

const first = 'CREATE TABLE notes (text TEXT)';
const second = 'ALTER TABLE notes ADD COLUMN at INTEGER';

function textsOf(db: Sqlite): unknown[] {
  return db
    .prepare<[], { text: string }>('SELECT text FROM notes')
    .all()
    .map((row) => row.text);
}

test('[store.read-only] who reads cannot write, and sees what was committed meanwhile', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('notes.db');
  using writer = Sqlite.create(path, { migrations: [first] });
  writer.prepare<[string]>('INSERT INTO notes VALUES (?)').run('one');
  using reader = Sqlite.openReadonly(path, { migrations: [first] });
  for (const sql of ["INSERT INTO notes VALUES ('x')", 'DELETE FROM notes', 'DROP TABLE notes']) {
    expect(() => reader.exec(sql), sql).toThrow(/readonly/);
  }
  expect(textsOf(reader)).toEqual(['one']);
  writer.prepare<[string]>('INSERT INTO notes VALUES (?)').run('two');
  expect(textsOf(reader)).toEqual(['one', 'two']);
});

test('a snapshot does not change while it is read', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('notes.db');
  using writer = Sqlite.create(path, { migrations: [first] });
  using reader = Sqlite.openReadonly(path, { migrations: [first] });
  reader.snapshot(() => {
    expect(textsOf(reader)).toEqual([]);
    writer.prepare<[string]>('INSERT INTO notes VALUES (?)').run('one');
    expect(textsOf(reader)).toEqual([]);
  });
  expect(textsOf(reader)).toEqual(['one']);
});

test('layouts go up one step at a time, also to be read; what does not fit is refused by name', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('notes.db');
  Sqlite.create(path, { migrations: [first] }).close();
  expect(() => Sqlite.create(path, { migrations: [first] })).toThrow(/exists already/);
  using reader = Sqlite.openReadonly(path, { migrations: [first, second] });
  expect(textsOf(reader)).toEqual([]);
  Sqlite.create(folder.file('foreign.db'), { migrations: [] }).close();
  expect(() => Sqlite.openReadonly(folder.file('foreign.db'), { migrations: [first] })).toThrow(
    /no store of Strobe/,
  );
  expect(() => Sqlite.open(path, { migrations: [first] })).toThrow(/newer Strobe/);
  expect(() => Sqlite.openReadonly(path, { migrations: [first] })).toThrow(/newer Strobe/);
});

test('reading makes no file', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('absent.db');
  expect(() => Sqlite.openReadonly(path, { migrations: [first] })).toThrow(/does not exist/);
  expect(existsSync(path)).toBe(false);
});
