import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Catalog, type CatalogSession } from '../../../src/db/catalog.ts';
import { sessionId } from '../../../src/model/ids.ts';
import { TemporaryFolder } from './randomSession.ts';

const HOUR = 3600_000;

function session(
  folder: TemporaryFolder,
  id: string,
  change: Partial<CatalogSession> = {},
): CatalogSession {
  const path = folder.file(`${id}.db`);
  writeFileSync(path, Buffer.alloc(1000));
  return {
    id: sessionId(id),
    owner: 'client-1',
    command: '/bin/app',
    args: ['a b', '"'],
    cwd: '/home/me',
    projectRoot: '/home/me/app',
    pid: 42,
    state: { kind: 'running', notes: ['x'] },
    startedWallMs: 1000,
    endedWallMs: null,
    retain: false,
    path,
    monotonicStartNs: 2n ** 63n + 1n,
    ...change,
  };
}

test('stores in the catalogue’s folder are found where the folder was copied to, others where they are', () => {
  using folder = new TemporaryFolder();
  using elsewhere = new TemporaryFolder();
  const [inside, outside] = [session(folder, 'inside'), session(elsewhere, 'outside')];
  {
    using catalog = Catalog.open(folder.file('strobe.db'));
    catalog.put(inside);
    catalog.put(outside);
  }
  using copy = new TemporaryFolder();
  cpSync(folder.file('strobe.db'), copy.file('strobe.db'));
  cpSync(inside.path, copy.file('inside.db'));
  using catalog = Catalog.open(copy.file('strobe.db'));
  expect(catalog.get(inside.id)?.path).toBe(copy.file('inside.db'));
  expect(catalog.get(outside.id)?.path).toBe(outside.path);
  // What the copy removes is its own.
  catalog.update(inside.id, { endedWallMs: 0 });
  catalog.purge(25 * HOUR);
  expect(existsSync(copy.file('inside.db'))).toBe(false);
  expect(existsSync(inside.path)).toBe(true);
});

test('what was put comes back, also to the next daemon', () => {
  using folder = new TemporaryFolder();
  const one = session(folder, 'one');
  const two = session(folder, 'two', { startedWallMs: 2000, pid: null });
  {
    using catalog = Catalog.open(folder.file('strobe.db'));
    catalog.put(one);
    catalog.put(two);
  }
  using catalog = Catalog.open(folder.file('strobe.db'));
  expect(catalog.list()).toEqual([two, one]);
  expect(catalog.get(one.id)).toEqual(one);
  expect(catalog.get(sessionId('three'))).toBeNull();
  expect(catalog.update(one.id, { endedWallMs: 5, state: { kind: 'ended' }, retain: true })).toBe(
    true,
  );
  expect(catalog.get(one.id)).toEqual({
    ...one,
    endedWallMs: 5,
    state: { kind: 'ended' },
    retain: true,
  });
  expect(catalog.update(sessionId('three'), { retain: true })).toBe(false);
  expect(catalog.delete(one.id)).toBe(true);
  expect(catalog.delete(one.id)).toBe(false);
  expect(catalog.list()).toEqual([two]);
});

test('ended sessions go after a day, retained ones after a week, unended ones never', () => {
  using folder = new TemporaryFolder();
  using catalog = Catalog.open(folder.file('strobe.db'));
  const ended = session(folder, 'ended', { endedWallMs: 0 });
  const retained = session(folder, 'retained', { endedWallMs: 0, retain: true });
  const crashed = session(folder, 'crashed');
  for (const each of [ended, retained, crashed]) catalog.put(each);
  expect(catalog.purge(24 * HOUR)).toEqual([]);
  expect(catalog.purge(25 * HOUR)).toEqual([ended]);
  expect([ended, retained, crashed].map(({ path }) => existsSync(path))).toEqual([
    false,
    true,
    true,
  ]);
  expect(catalog.purge(8 * 24 * HOUR)).toEqual([retained]);
  expect(catalog.purge(1000 * 24 * HOUR)).toEqual([]);
  expect(catalog.list()).toEqual([crashed]);
});

test('beyond the room for all, sessions go in the order in which they ended', () => {
  using folder = new TemporaryFolder();
  using catalog = Catalog.open(folder.file('strobe.db'));
  const late = session(folder, 'late', { endedWallMs: 30 });
  const early = session(folder, 'early', { endedWallMs: 10, retain: true });
  const middle = session(folder, 'middle', { endedWallMs: 20 });
  const live = session(folder, 'live');
  for (const each of [late, early, middle, live]) catalog.put(each);
  const limits = { endedMs: HOUR, retainedMs: HOUR };
  expect(catalog.purge(40, { ...limits, maxBytes: 4000 })).toEqual([]);
  expect(catalog.purge(40, { ...limits, maxBytes: 2999 })).toEqual([early, middle]);
  expect(catalog.purge(40, { ...limits, maxBytes: 0 })).toEqual([late]);
  expect(catalog.list()).toEqual([live]);
});

test('a session whose file is gone can still be listed and forgotten', () => {
  using folder = new TemporaryFolder();
  using catalog = Catalog.open(folder.file('strobe.db'));
  const gone = session(folder, 'gone', { path: folder.file('nowhere/s.db'), endedWallMs: 0 });
  catalog.put(gone);
  expect(catalog.list()).toEqual([gone]);
  expect(catalog.purge(48 * HOUR)).toEqual([gone]);
});
