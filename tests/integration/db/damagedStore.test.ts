import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { sessionMigrations } from '../../../src/db/sessionSchema.ts';
import { Sqlite } from '../../../src/db/sqlite.ts';
import { StrobeError } from '../../../src/model/errors.ts';
import type { EventType } from '../../../src/model/questions/query.ts';
import { allEvents } from '../../support/questions.ts';
import { RandomSession, TemporaryFolder } from './randomSession.ts';

function asked(reader: SessionReader, eventTypes: readonly EventType[]): unknown {
  return reader.events({
    ...allEvents,
    eventTypes,
  });
}

/** What is said of a question, twice: who was refused once must not be answered from what was read before that. */
function said(path: string, types: readonly EventType[]): string[] {
  using reader = SessionReader.open(path);
  return [1, 2].map(() => {
    try {
      asked(reader, types);
      return 'answered';
    } catch (error) {
      if (error instanceof StrobeError) return `${error.code} ${error.hint}`;
      return String(error);
    }
  });
}

const refused = 'STORE_FAILED Use a whole copy of it, or run the program again.';

test.each<[what: string, sql: string, types: readonly EventType[]]>([
  ['a summary that is cut', 'UPDATE summary SET json = substr(json, 2)', ['stdout']],
  ['a summary of something else', "UPDATE summary SET json = '[1]'", ['stdout']],
  [
    'a summary without a figure',
    "UPDATE summary SET json = json_remove(json, '$.counters')",
    ['call'],
  ],
  ['values of functions that are cut', "UPDATE functions SET values_json = '{'", ['call']],
  ['values of functions that are null', "UPDATE functions SET values_json = 'null'", ['call']],
  ['a watch without a type', `UPDATE watches SET json = '{"label":"total"}'`, ['call']],
  ['samples that are no deflated text', "UPDATE watch_samples SET data = x'ff00'", ['call']],
  ['samples of another number', 'UPDATE watch_samples SET count = count + 1', ['call']],
  [
    'a crash of something else',
    `INSERT INTO crashes (time_ns, pid, text, json) VALUES (1, 1, 'x', '{"signal":1}')`,
    ['crash'],
  ],
  [
    'an exception that is cut',
    `INSERT INTO exceptions (key, time_ns, pid, tid, text, json) VALUES ('k', 1, 1, 1, 'x', '{"a')`,
    ['exception'],
  ],
])('[store.damaged] %s is told as damage, each time', (_what, sql, types) => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  {
    using session = new RandomSession(path, 7);
    session.stepAndCommit(3, 80);
  }
  expect(said(path, types)).toEqual(['answered', 'answered']);
  {
    using db = Sqlite.open(path, { migrations: sessionMigrations });
    db.exec(sql);
  }
  expect(said(path, types)).toEqual([refused, refused]);
});
