import { parentPort, workerData } from 'node:worker_threads';
import { monotonicMs } from '../base/clock.ts';
import { SessionWriter } from '../db/writer/sessionWriter.ts';
import { Drain } from './session/drain.ts';
import type { FromIndex, IndexWorkerOptions, ToIndex } from './session/indexMessages.ts';

/**
 * The one writer of a session's store, in a thread of its own: polls rings and the output log
 * more often the more there is to read, and commits a few times a second or when asked.
 */

const BUSY_POLL_MS = 2;
const IDLE_POLL_MS = 50;
const COMMIT_MS = 200;

function main(): void {
  const port = parentPort;
  if (!port) throw new Error('The index worker is started by the daemon only.');
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- given by indexClient.ts, as this type
  const options: IndexWorkerOptions = workerData;
  const say = (message: FromIndex): void => port.postMessage(message);
  const writer = SessionWriter.open(options.storePath, {
    sessionId: options.sessionId,
    maxEvents: options.maxEvents,
    maxOutputBytes: options.maxOutputBytes,
  });
  const drain = new Drain(options, writer, (record) => say({ type: 'life', record }));
  let waitMs = BUSY_POLL_MS;
  let dirty = false;
  let committedAt = monotonicMs();
  let timer: NodeJS.Timeout | undefined;

  function commitWhenDue(): void {
    if (!dirty || monotonicMs() - committedAt < COMMIT_MS) return;
    drain.commit();
    committedAt = monotonicMs();
    dirty = false;
    say({ type: 'progress', summary: drain.summary() });
  }

  function tick(): void {
    try {
      const any = drain.poll();
      if (any) dirty = true;
      waitMs = any ? BUSY_POLL_MS : Math.min(IDLE_POLL_MS, waitMs * 2);
      commitWhenDue();
    } catch (error) {
      say({ type: 'fault', message: error instanceof Error ? error.message : String(error) });
      waitMs = IDLE_POLL_MS;
    }
    timer = setTimeout(tick, waitMs);
  }

  function answer(message: Exclude<ToIndex, { type: 'outputGrown' }>): FromIndex {
    switch (message.type) {
      case 'functions':
        drain.defineFunctions(message.functions);
        return { type: 'answer', request: message.request, settled: null };
      case 'ring':
        drain.addRing(message.path);
        return { type: 'answer', request: message.request, settled: null };
      case 'settle': {
        const settled = drain.settle(message.final);
        dirty = false;
        committedAt = monotonicMs();
        return { type: 'answer', request: message.request, settled };
      }
      case 'close':
        clearTimeout(timer);
        drain.commit();
        drain.close();
        return { type: 'answer', request: message.request, settled: null };
    }
  }

  port.on('message', (message: ToIndex) => {
    try {
      if (message.type === 'outputGrown') {
        if (drain.pollOutput()) dirty = true;
        commitWhenDue();
        return;
      }
      say(answer(message));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (message.type === 'outputGrown') say({ type: 'fault', message: text });
      else say({ type: 'failed', request: message.request, message: text });
    }
  });
  tick();
}

main();
