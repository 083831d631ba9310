import { expect, test } from 'vitest';
import { Log } from '../../../src/daemon/log.ts';
import { PastSessions } from '../../../src/daemon/session/pastSessions.ts';
import { Sessions } from '../../../src/daemon/session/sessions.ts';
import { Catalog } from '../../../src/db/catalog.ts';
import { TemporaryFolder } from '../db/randomSession.ts';
import { patternRequest } from '../../../src/daemon/tracing/patternRequest.ts';

test('[trace.pending] what a client staged goes with it, and nothing of another', async () => {
  using folder = new TemporaryFolder();
  using catalog = Catalog.open(folder.file('strobe.db'));
  const log = Log.open(folder.file('daemon.log'), { levels: 'warn', maxBytes: 1 << 20 });
  const sessions = new Sessions(new PastSessions(catalog, log));
  const [goes, stays] = ['goes', 'stays'].map((id) => ({
    id,
    kind: 'mcp' as const,
    cwd: '/',
    env: {},
    umask: 0o022,
  }));
  if (!goes || !stays) throw new Error('There are two clients.');
  for (const client of [goes, stays])
    sessions.staging.stage(client.id, null, { patterns: [patternRequest(client.id)], watches: [] });
  await sessions.ownerGone(goes.id);
  expect(sessions.staging.of(goes.id, null).patterns).toEqual([]);
  expect(sessions.staging.of(stays.id, null).patterns).toEqual([patternRequest('stays')]);
  await sessions.ownerGone(stays.id);
  expect(sessions.staging.any).toBe(false);
  log.close();
});
