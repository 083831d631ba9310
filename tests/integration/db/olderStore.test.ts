import { expect, test } from 'vitest';
import { storedJson } from '../../../src/db/storedJson.ts';
import { sessionMigrations } from '../../../src/db/sessionSchema.ts';
import { Sqlite } from '../../../src/db/sqlite.ts';
import type { RaisedException } from '../../../src/model/endings/exception.ts';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { allStats } from '../../support/questions.ts';
import { TemporaryFolder } from './randomSession.ts';

/** How many steps led to the layout that kept exceptions in words. */
const stepsBefore = sessionMigrations.findIndex((sql) => sql.includes('UPDATE exceptions'));
const rows = `
  INSERT INTO exceptions (key, time_ns, pid, tid, type, message, text, json) VALUES
    ('a', 1, 7, 8, 'int', '3', 'int 3 thrown in f, left g, caught in main',
     '{"tid":8,"type":"int","message":"3","end":"caught","passed":["g"],"caughtIn":"main a.c:3","stack":["f a.c:1"]}'),
    ('b', 2, 7, 8, NULL, NULL, 'panic, not caught',
     '{"tid":8,"type":null,"message":null,"end":"uncaught","passed":[],"caughtIn":null,"stack":[]}'),
    ('c', 3, 7, 8, 'int', '4', 'int 4, not caught yet',
     '{"tid":8,"type":"int","message":"4","end":"open","passed":[],"caughtIn":null,"stack":[]}');
`;

test('exceptions that an older build kept in words keep their line, their type and how they ended', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  {
    using db = Sqlite.open(path, { migrations: sessionMigrations.slice(0, stepsBefore) });
    db.exec(rows);
  }
  using db = Sqlite.openReadonly(path, { migrations: sessionMigrations });
  const stored = db
    .prepared<[], { text: string; json: string }>('SELECT text, json FROM exceptions ORDER BY id')
    .all();
  const told = stored.map(({ text, json }) => {
    const { type, end, frames } = storedJson<RaisedException>(json, {
      frames: 'array',
      end: 'object',
    });
    return { text, type, end, frames };
  });
  expect(told).toEqual([
    {
      text: 'int 3 thrown in f, left g, caught in main',
      type: 'int',
      end: { kind: 'caught', time: 1, frame: null, passed: ['g'] },
      frames: [],
    },
    {
      text: 'panic, not caught',
      type: null,
      end: { kind: 'uncaught', what: 'terminate' },
      frames: [],
    },
    { text: 'int 4, not caught yet', type: 'int', end: { kind: 'open' }, frames: [] },
  ]);
});

test('a session of before calls could be suspended opens: none of its calls was', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  const before = sessionMigrations.findIndex((sql) => sql.includes('CREATE TABLE waiting'));
  {
    using db = Sqlite.open(path, { migrations: sessionMigrations.slice(0, before) });
    db.exec(`
      INSERT INTO threads (key, pid, tid, name) VALUES (1, 7, 8, 'main');
      INSERT INTO function_counters VALUES (0, 3, 0, 0, 3, 30, 20, 10, 10, 0, x'');
      INSERT INTO late VALUES (1, 0, 10, 0, 1, NULL);
    `);
  }
  using reader = SessionReader.open(path);
  const stats = reader.stats({
    ...allStats,
    sortBy: 'total',
    limit: 5,
  });
  expect(stats.rows).toMatchObject([{ number: 0, count: 3, totalNs: 30, selfNs: 20 }]);
  expect(stats.rows[0]).not.toHaveProperty('suspendedNs');
});
