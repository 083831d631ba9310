import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wallMs } from '../../src/base/clock.ts';
import { callsOf } from '../support/calls.ts';
import { startClient, type TestClient } from '../support/client.ts';
import type { TestHome } from '../support/home.ts';
import { until } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { launch, outputSeen, runToEnd } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

/** Session ids that have a folder. */
function folders(place: TestHome): string[] {
  return readdirSync(join(place.path, 'sessions'));
}

async function listed(client: TestClient): Promise<string[]> {
  const answer = await client.ok('debug_session', { action: 'list', scope: 'all' });
  return listAt(answer.structured, 'sessions').map((session) => textAt(session, 'sessionId'));
}

test('[retention.ended] what ended goes with its files; what is retained, or runs, stays', async () => {
  const place = testHome({ STROBE_RETENTION_ENDED_HOURS: '0' });
  const client = await startClient(place);
  const running = await launch(client, place, buildTarget('e2e/ticker.cpp'));
  const kept = await launch(client, place, buildTarget('e2e/ticker.cpp'), { patterns: ['tick'] });
  const plain = await launch(client, place, buildTarget('e2e/ticker.cpp'));
  const retained = await client.ok('debug_session', {
    action: 'retain',
    sessionId: kept.sessionId,
  });
  expect(at(retained.structured, 'retainedUntil')).toBeNull();
  expect(retained.text).toMatch(/kept for 7 days after its end/);
  await outputSeen(client, kept.sessionId, 'round 2');

  for (const { sessionId } of [kept, plain]) {
    await client.ok('debug_session', { action: 'stop', sessionId });
  }
  await until('the plain session is removed', () => !folders(place).includes(plain.sessionId));
  expect(folders(place).toSorted()).toEqual([running.sessionId, kept.sessionId].toSorted());
  expect((await listed(client)).toSorted()).toEqual(folders(place).toSorted());
  const gone = await client.refused('debug_query', { sessionId: plain.sessionId });
  expect(gone.text).toMatch(/^UNKNOWN_SESSION: /);
  expect((await callsOf(client, kept.sessionId, { limit: 5 })).length).toBeGreaterThan(0);
  await outputSeen(client, running.sessionId, 'round');
  const again = await client.ok('debug_session', { action: 'retain', sessionId: kept.sessionId });
  const days = (Date.parse(textAt(again.structured, 'retainedUntil')) - wallMs()) / 86_400_000;
  expect(Math.round(days)).toBe(7);

  // The next daemon has other settings: they count for what is there.
  await client.ok('debug_session', { action: 'stop', sessionId: running.sessionId, retain: true });
  await client.close();
  await runStrobe({ env: place.env, cwd: place.project }, ['daemon', 'stop']);
  writeFileSync(join(place.path, 'settings.json'), '{"retention.days": 0}');
  await runStrobe({ env: place.env, cwd: place.project }, ['daemon', 'start']);
  await until('the retained sessions are removed', () => folders(place).length === 0);
});

test('[retention.room] beyond the room for all, what ended first goes first', async () => {
  const place = testHome({ STROBE_RETENTION_MAX_BYTES: String(16 << 20) });
  const client = await startClient(place);
  const running = await launch(client, place, buildTarget('e2e/ticker.cpp'));
  const ids: string[] = [];
  for (let run = 0; run < 4; run++) {
    const { sessionId } = await runToEnd(client, place, '/usr/bin/seq', {
      args: ['-f', '%0120g', '40000'],
    });
    ids.push(sessionId);
  }
  await until('the first is removed', () => !folders(place).includes(ids[0] ?? ''));
  const left = await listed(client);
  expect(left).toContain(running.sessionId);
  const kept = ids.map((id) => left.includes(id));
  expect(kept).toEqual(kept.toSorted((a, b) => Number(a) - Number(b)));
  expect(kept.at(-1)).toBe(true);
  await client.ok('debug_session', { action: 'stop', sessionId: running.sessionId });
});

test('[session.delete] delete removes a session that is over, of the one who owns it', async () => {
  const place = testHome();
  const client = await startClient(place);
  const other = await startClient(place, 'v2');
  const { sessionId } = await launch(client, place, buildTarget('e2e/ticker.cpp'));
  const early = await client.refused('debug_session', { action: 'delete', sessionId });
  expect(early.text).toMatch(/^SESSION_RUNNING: [\s\S]*\nNext: End it first/);
  await client.ok('debug_session', { action: 'stop', sessionId });
  const foreign = await other.refused('debug_session', { action: 'delete', sessionId });
  expect(foreign.text).toMatch(/^NOT_OWNER: /);
  expect(folders(place)).toEqual([sessionId]);
  const deleted = await client.ok('debug_session', { action: 'delete', sessionId });
  expect(at(deleted.structured, 'sessionId')).toBe(sessionId);
  expect([folders(place), await listed(client)]).toEqual([[], []]);
  const again = await client.refused('debug_session', { action: 'delete', sessionId });
  expect(again.text).toMatch(/^UNKNOWN_SESSION: /);

  const second = await runToEnd(client, place, '/bin/true');
  const done = await runStrobe({ env: place.env, cwd: place.project }, [
    'session',
    'delete',
    second.sessionId,
    '--take-over',
  ]);
  expect([done.code, done.stdout.toString()]).toEqual([0, expect.stringMatching(/is deleted/)]);
  expect(folders(place)).toEqual([]);
});

test('[retention.events] beyond the most events the oldest go and are counted', async () => {
  const place = testHome({ STROBE_EVENTS_MAX_PER_SESSION: '1000' });
  const client = await startClient(place);
  const rounds = 20_000;
  const { sessionId } = await runToEnd(client, place, buildTarget('e2e/flood.c'), {
    args: [String(rounds)],
    patterns: ['mix'],
  });
  const calls = await callsOf(client, sessionId);
  expect(calls.length).toBeGreaterThan(200);
  expect(calls.length).toBeLessThanOrEqual(500);
  expect(calls.map((call) => call.arguments['round'])).toEqual(
    Array.from({ length: calls.length }, (_, i) => rounds - calls.length + i),
  );
  const answer = await client.ok('debug_query', { view: 'stats', sessionId });
  expect(at(answer.structured, 'counters')).toMatchObject({
    seen: 2 * rounds,
    stored: 2 * calls.length,
    lost: 2 * (rounds - calls.length),
    byCause: { eventLimit: 2 * (rounds - calls.length) },
  });
  expect(answer.text).toMatch(/LOST 39,\d{3} .*event limit/);
  expect(numberAt(answer.structured, 'rows', 0, 'count')).toBe(rounds);
  const before = { view: 'events', sessionId, timeTo: 1 };
  const { text } = await client.ok('debug_query', before);
  expect(text).toMatch(/may have been dropped: the session's limit took 39,\d{3} events/);
  const losses = { view: 'events', sessionId, eventType: ['loss'] };
  expect((await client.ok('debug_query', losses)).text).toMatch(/event limit/);
});

test('[retention.place] what no session owns goes at the start; where a link leads, nothing is touched', async () => {
  const place = testHome();
  const sessions = join(place.path, 'sessions');
  const outside = join(place.project, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'x');
  mkdirSync(join(sessions, 'cut-short'), { recursive: true, mode: 0o700 });
  writeFileSync(join(sessions, 'cut-short', 'session.db'), '');
  symlinkSync(outside, join(sessions, 'link'));
  const client = await startClient(place);
  await listed(client);
  await until('both are gone', () => folders(place).length === 0);
  expect(existsSync(join(outside, 'precious'))).toBe(true);
});
