import { beforeAll, describe, expect, test } from 'vitest';
import { startClient, type TestClient } from '../support/client.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { testHome, withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('what a client has read is not said again', () => {
  const { home, client } = withClient();
  let program: string;
  beforeAll(() => {
    program = buildTarget('e2e/throws.cpp');
  });

  test('[query.known] later answers have a short header, no output that was shown, and calls without the session', async () => {
    const { sessionId } = await runToEnd(client, home, program, { patterns: ['storm::**'] });
    const tree = await client.ok('debug_query', { view: 'tree' });
    const [head = ''] = tree.text.split('\n');
    expect(head).toMatch(/^throws-…-[a-z0-9]{4} · exited with code 21$/);
    expect(tree.text).toMatch(/^[\d,]+ calls in /m);
    expect(tree.text).not.toContain(sessionId);
    expect(at(tree.structured, 'sessionId')).toBe(sessionId);
    const status = await client.ok('debug_session', { action: 'status' });
    expect(status.text).toContain(sessionId);
    expect(status.text).toMatch(/^no (?:new )?output$/m);
    const short = head.split(' ')[0] ?? '';
    for (const name of [short, short.slice(-4)]) {
      const again = await client.ok('debug_query', { view: 'stats', sessionId: name });
      expect(at(again.structured, 'sessionId')).toBe(sessionId);
    }
  });

  test('[query.thrown] calls that an exception left name it, in trees and events', async () => {
    const tree = await client.ok('debug_query', { view: 'tree' });
    expect(tree.text).toMatch(/✗ unwound by \S/);
    const events = await client.ok('debug_query', {
      view: 'events',
      function: { equals: 'storm::middle' },
    });
    expect(events.text).toMatch(/✗ unwound by \S/);
  });

  test('[query.calls-order] a tree shows calls in their order, and finds what ran inside a root', async () => {
    const ordered = await client.ok('debug_query', { view: 'tree', order: 'calls', limit: 40 });
    const ids = [...ordered.text.matchAll(/\[c1\.(\d+)\]/g)].map(([, id]) => Number(id));
    expect(ids.length).toBeGreaterThan(10);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(ordered.text).not.toContain('×');
    const inside = await client.ok('debug_query', {
      view: 'tree',
      root: 'storm::catcher',
      function: { equals: 'storm::middle' },
    });
    expect(textAt(inside.structured, 'tree')).toMatch(/storm::catcher.*\n +storm::middle/);
  });

  test('[query.show] shows the values that are asked for', async () => {
    const { structured } = await client.ok('debug_query', {
      view: 'events',
      function: { equals: 'storm::deep' },
      show: ['kind'],
      limit: 5,
    });
    for (const event of listAt(structured, 'events'))
      expect(JSON.stringify(at(event, 'arguments'))).toMatch(/^\{"kind":\d+\}$/);
    const stats = await client.ok('debug_query', {
      view: 'stats',
      function: { equals: 'storm::deep' },
      show: ['kind'],
    });
    expect(textAt(stats.structured, 'rows', 0, 'shown')).toMatch(/^kind=\d/);
    expect(stats.text).toMatch(/storm::deep.* kind=\d/);
    const grouped = { view: 'stats', show: ['kind'], groupBy: 'thread' };
    expect((await client.refused('debug_query', grouped)).text).toContain('groups are by thread');
  });
});

test('[query.known] who works on several sessions finds their ids in proposed calls', async () => {
  const home = testHome();
  const client: TestClient = await startClient(home);
  const program = buildTarget('e2e/throws.cpp');
  const first = await launch(client, home, program, { patterns: ['storm::**'] });
  await launch(client, home, program, { patterns: ['storm::**'] });
  const { text } = await client.ok('debug_query', { view: 'tree', sessionId: first.sessionId });
  expect(text).toContain(`"sessionId":"${first.sessionId}"`);
});
