import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { AskedWorker } from '../../../src/base/askedWorker.ts';

/** Answers what it is asked, but for `spin`, which never ends by itself. */
class Echo extends AskedWorker {
  started = 0;

  constructor() {
    super({
      start: () => {
        this.started++;
        const code = `const { parentPort } = require('node:worker_threads');
          parentPort.on('message', (text) => { while (text === 'spin'); parentPort.postMessage(text); });`;
        return new Worker(code, { eval: true });
      },
      readyMs: null,
      ended: (why) => new Error(why),
      closed: () => new Error('closed'),
    });
  }

  async ask(text: string, signal?: AbortSignal): Promise<string> {
    return await this.request({
      message: text,
      limitMs: 60_000,
      late: () => new Error('late'),
      signal,
      read: (reply: string) => ({ answer: reply }),
    });
  }
}

test('[query.cancel] a cancelled question frees the thread for the next one', async () => {
  await using echo = new Echo();
  expect(await echo.ask('a')).toBe('a');
  const cancelling = new AbortController();
  const spinning = echo.ask('spin', cancelling.signal);
  const waiting = new AbortController();
  const queued = echo.ask('b', waiting.signal);
  const next = echo.ask('c');
  await new Promise(setImmediate);
  waiting.abort();
  cancelling.abort();
  await expect(spinning).rejects.toThrow();
  await expect(queued).rejects.toThrow();
  expect(await next).toBe('c');
  expect(echo.started).toBe(2);
});

test('[query.cancel] one that has ended by itself costs nothing', async () => {
  await using echo = new Echo();
  const cancelling = new AbortController();
  expect(await echo.ask('a', cancelling.signal)).toBe('a');
  cancelling.abort();
  expect(await echo.ask('b')).toBe('b');
  expect(echo.started).toBe(1);
});
