import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IndexClient } from '../../../src/daemon/indexing/indexClient.ts';

/** Answers everything but `settle` at once; `settle` when it is told to, as one with much to read. */
const slowWorker = `
const { parentPort } = require('node:worker_threads');
const waiting = [];
function serve(port) {
  port.on('message', ({ type, request }) => {
    if (type === 'outputGrown') port.postMessage({ type: 'mended', trouble: 'busy' });
    else if (type === 'settle') waiting.push(request);
    else port.postMessage({ type: 'answer', request, settled: null });
  });
  parentPort.on('message', () => {
    const settled = { until: 0, complete: true, summary: {} };
    port.postMessage({ type: 'answer', request: waiting.shift(), settled });
    if (waiting.length === 0)
      port.once('message', ({ request }) =>
        port.postMessage({ type: 'answer', request, settled }));
  });
}
parentPort.once('message', serve);`;

const options = {
  sessionId: 's',
  storePath: '',
  outputLog: '',
  startNs: '0',
  maxEvents: 1,
  maxOutputBytes: 1,
  secretNames: [],
  terminal: false,
  continues: false,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Ends in place of closing its store. */
const endingWorker = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', (port) => port.on('message', ({ type, request }) => {
  if (type === 'close') process.exit();
  port.postMessage({ type: 'answer', request, settled: null });
}));`;

function opened(source = slowWorker) {
  const workers: Worker[] = [];
  const givenBack: Worker[] = [];
  let heard: (value: void) => void = () => undefined;
  const client = IndexClient.open(
    {
      take: () => {
        const worker = new Worker(source, { eval: true });
        workers.push(worker);
        return worker;
      },
      giveBack: (worker) => void givenBack.push(worker),
    },
    options,
    {
      onLife: () => undefined,
      onProgress: () => undefined,
      onFault: () => undefined,
      onMended: () => heard(),
    },
  );
  /** Resolves when the worker has said that it lives. */
  const hear = async (): Promise<void> => {
    const said = new Promise<void>((resolve) => (heard = resolve));
    client.outputGrown();
    await said;
  };
  return { client, workers, givenBack, hear };
}

test('[store.read-at-end] what is left at the end is read however long that takes, while the worker lives', async () => {
  const { client, workers, hear } = opened();
  const ended = client.settleAtEnd();
  for (let seconds = 0; seconds < 120; seconds += 5) {
    await hear();
    await vi.advanceTimersByTimeAsync(5000);
  }
  await hear();
  workers[0]?.postMessage({ type: 'go on' });
  await expect(ended).resolves.toBeUndefined();
  expect(workers).toHaveLength(1);
  await client.close();
});

test('[store.read-at-end] a worker that says nothing is given up', async () => {
  const { client, workers, hear } = opened();
  await hear();
  const ended = client.settleAtEnd();
  const refused = expect(ended).rejects.toThrow(/index worker/);
  await vi.advanceTimersByTimeAsync(20_001);
  await refused;
  expect(workers).toHaveLength(2);
  await client.close();
});

test('a worker that is lost when all is stored is neither missed nor replaced', async () => {
  const { client, workers } = opened(endingWorker);
  await client.known();
  await expect(client.finish()).resolves.toBeUndefined();
  expect(workers).toHaveLength(1);
});

/** Tells which files it is to read. */
const reader = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', (port) => port.on('message', ({ type, request, path }) => {
  if (path !== undefined) port.postMessage({ type: 'fault', message: type + ' ' + path });
  port.postMessage({ type: 'answer', request, settled: null });
}));`;

test('the worker that takes the place of another is told of every file that is left', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-index-'));
  const [ring, output, gone] = ['7.ring', '7.output', '8.ring'].map((name) => join(folder, name));
  for (const path of [ring, output, gone]) writeFileSync(path ?? '', '');
  const told: string[] = [];
  const workers: Worker[] = [];
  const givenBack: Worker[] = [];
  let heard: (value: void) => void = () => undefined;
  const mended = new Promise<void>((resolve) => (heard = resolve));
  const client = IndexClient.open(
    {
      take: () => {
        const worker = new Worker(reader, { eval: true });
        workers.push(worker);
        return worker;
      },
      giveBack: (worker) => void givenBack.push(worker),
    },
    options,
    {
      onLife: () => undefined,
      onProgress: () => undefined,
      onFault: (message) => void told.push(message),
      onMended: () => heard(),
    },
  );
  await client.addRing(ring ?? '');
  await client.addOutput(output ?? '');
  await client.addRing(gone ?? '');
  const left = [`ring ${ring}`, `output ${output}`];
  expect(told).toEqual([...left, `ring ${gone}`]);
  rmSync(gone ?? '');
  await workers[0]?.terminate();
  await mended;
  expect(told.filter((one) => /^(ring|output) /.test(one))).toEqual([
    ...left,
    `ring ${gone}`,
    ...left,
  ]);
  await client.close();
  rmSync(folder, { recursive: true });
});

/** Says something of a session only when the next one is there. */
const lateWorker = `
const { parentPort } = require('node:worker_threads');
let late = () => undefined;
parentPort.on('message', (port) => {
  late();
  port.on('message', ({ type, request }) => {
    const answer = { type: 'answer', request, settled: null, isReusable: true };
    if (type === 'outputGrown') late = () => port.postMessage({ type: 'fault', message: 'late' });
    else port.postMessage(answer);
  });
});`;

test('a worker is given back, and nothing of its session reaches the next', async () => {
  const faults: string[] = [];
  const idle = [new Worker(lateWorker, { eval: true })];
  const workers = {
    take: () => idle.pop() ?? new Worker(lateWorker, { eval: true }),
    giveBack: (worker: Worker) => void idle.push(worker),
  };
  const events = {
    onLife: () => undefined,
    onProgress: () => undefined,
    onFault: (message: string) => void faults.push(message),
    onMended: () => undefined,
  };
  const [first] = idle;
  for (let session = 0; session < 2; session++) {
    const client = IndexClient.open(workers, options, events);
    client.outputGrown();
    await client.known();
    await client.close();
    expect(idle).toEqual([first]);
  }
  expect(faults).toEqual([]);
  await first?.terminate();
});

test('a worker that does not say that it is as before ends with its session', async () => {
  const { client, workers, givenBack } = opened(reader);
  await client.known();
  const ended = new Promise((resolve) => workers[0]?.once('exit', resolve));
  await client.close();
  await ended;
  expect(givenBack).toEqual([]);
});
