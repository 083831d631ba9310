import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { installPaths } from '../../../src/base/installPaths.ts';
import { QueryClient } from '../../../src/db/queryClient.ts';
import { callId } from '../../../src/model/ids.ts';
import type { EventsQuery, OutputQuery } from '../../../src/model/questions/query.ts';
import { allEvents, allOutput } from '../../support/questions.ts';
import { RandomSession, TemporaryFolder } from './randomSession.ts';

const { queryWorker } = installPaths();

const events: EventsQuery = {
  ...allEvents,
  eventTypes: [],
  limit: 10,
};
const output: OutputQuery = {
  ...allOutput,
  limit: 10,
};

test('every question is answered by the worker as by the reader, many at a time', async () => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 1);
  for (let i = 0; i < 5; i++) session.step(50);
  session.commit();
  await using service = QueryClient.start(queryWorker);
  const path = folder.file('s.db');
  const common = { filter: {}, until: Number.MAX_SAFE_INTEGER, deadlineMs: 2000 };
  const [page, tree, stats, lines, summary, call, none] = await Promise.all([
    service.ask('events', path, events),
    service.ask('tree', path, {
      ...common,
      root: null,
      maxDepth: 3,
      selfTime: false,
      maxNodes: 50,
      maxRead: 50,
    }),
    service.ask('stats', path, { ...common, groupBy: 'function', sortBy: 'total', limit: 5 }),
    service.ask('output', path, output),
    service.ask('summary', path, null),
    service.ask('callView', path, callId(1, 0)),
    service.ask('callView', path, callId(9, 9)),
  ]);
  expect(page.events).toHaveLength(10);
  expect(tree.calls).toBe(session.calls.length);
  expect(stats.source).toBe('counters');
  expect(lines.total).toBe(session.lines.length);
  expect(summary).toEqual(session.writer.summary());
  expect(call?.id).toBe('c1.0');
  expect(none).toBeNull();
});

test('errors arrive with their code, and the next question is answered', async () => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 2);
  session.stepAndCommit(1, 50);
  await using service = QueryClient.start(queryWorker);
  const path = folder.file('s.db');
  const bad = { ...events, filter: { function: { matches: '(' } } };
  await expect(service.ask('events', path, bad)).rejects.toMatchObject({ code: 'BAD_REGEX' });
  const absent = folder.file('absent.db');
  await expect(service.ask('summary', absent, null)).rejects.toMatchObject({
    code: 'STORE_FAILED',
  });
  expect(existsSync(absent)).toBe(false);
  expect((await service.ask('summary', path, null)).calls).toBe(session.calls.length);
});

test('a question beyond its hard limit fails, costs only its thread, and the next ones are answered', async () => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 3);
  const bytes = new TextEncoder().encode('some line of output\n'.repeat(60_000));
  session.writer.appendOutput([{ stream: 'stdout', pid: 1, time: 1, bytes }]);
  session.commit();
  await using service = QueryClient.start(queryWorker, { hardLimitMs: 1 });
  const slow = service.ask('output', folder.file('s.db'), {
    ...output,
    match: '/(so|li)+.*(out|put)+x/',
  });
  const behind = service.ask('events', folder.file('s.db'), events);
  await expect(slow).rejects.toMatchObject({ code: 'TIMED_OUT' });
  expect((await behind).events.length).toBeGreaterThan(0);
});

test('a closed service answers nothing more', async () => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 4);
  session.commit();
  const service = QueryClient.start(queryWorker);
  const waiting = service.ask('summary', folder.file('s.db'), null);
  const closed = service.close();
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
  await closed;
  await expect(service.ask('summary', folder.file('s.db'), null)).rejects.toMatchObject({
    code: 'CANCELLED',
  });
});

test('a service at rest answers the next question, and one that is asked just then', async () => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 3);
  session.stepAndCommit(1, 50);
  await using service = QueryClient.start(queryWorker);
  const path = folder.file('s.db');
  const asked = service.ask('events', path, events);
  await service.rest();
  const { events: first } = await asked;
  await service.rest();
  await service.rest();
  expect((await service.ask('events', path, events)).events).toEqual(first);
  service.warm();
  expect((await service.ask('events', path, events)).events).toEqual(first);
});

/** Its threads ask a store that is damaged, and are ended at any moment. */
const endsThreads = `
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
const [workerPath, path] = process.argv.slice(2);
const end = async (rounds) => {
  const worker = new Worker(workerPath);
  for (let asked = 0; asked < 300; asked++)
    worker.postMessage({ kind: 'summary', path, query: null });
  await once(worker, 'message');
  for (let left = rounds * 2500; left > 0; left--);
  await worker.terminate();
};
for (let round = 0; round < 80; round += 4)
  await Promise.all([0, 1, 2, 3].map((i) => end(round + i)));
`;

test('a thread that is ended while SQLite refuses something does not take the process with it', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('damaged.db');
  writeFileSync(path, 'This is no store. '.repeat(1000));
  const script = folder.file('endsThreads.mjs');
  writeFileSync(script, endsThreads);
  const args = [script, queryWorker, path];
  const { status, signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
}, 120_000);
