import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Catalog } from '../../../src/db/catalog.ts';
import { Log } from '../../../src/daemon/log.ts';
import { Retention } from '../../../src/daemon/session/retention.ts';
import { loadSettings } from '../../../src/daemon/settings.ts';
import { sessionId } from '../../../src/model/ids.ts';
import { TemporaryFolder } from '../db/randomSession.ts';

test('[retention.room] a session that is being asked about goes only after the answer', async () => {
  using folder = new TemporaryFolder();
  using catalog = Catalog.open(folder.file('strobe.db'));
  const place = folder.file('sessions');
  mkdirSync(join(place, 'asked'), { recursive: true });
  const path = join(place, 'asked', 'session.db');
  writeFileSync(path, Buffer.alloc(1000));
  catalog.put({
    id: sessionId('asked'),
    owner: 'me',
    command: '/bin/app',
    args: [],
    cwd: '/',
    projectRoot: '/',
    pid: 42,
    state: {},
    startedWallMs: 1,
    endedWallMs: 2,
    retain: false,
    path,
    monotonicStartNs: 1n,
  });
  const log = Log.open(folder.file('daemon.log'), { levels: 'warn', maxBytes: 1 << 20 });
  const { value: settings } = loadSettings({ homeFile: folder.file('none.json'), env: {} });
  let tell: (id: string) => void = () => undefined;
  const gone = new Promise<string>((resolve) => (tell = resolve));
  const retention = new Retention({
    catalog,
    sessionsDirectory: place,
    settings,
    log,
    ageingMs: () => Date.now(),
    isBusy: () => false,
    removed: (id) => tell(id),
  });
  const during = await retention.keepFor('asked', () =>
    retention.keepFor('asked', () => {
      retention.purge();
      return Promise.resolve(catalog.list().map((row) => row.id));
    }),
  );
  expect(during).toEqual(['asked']);
  expect(await gone).toBe('asked');
  expect(catalog.list()).toEqual([]);
  await retention.close();
  log.close();
});
