import { getHeapStatistics } from 'node:v8';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { nameThread } from '../../base/threadName.ts';
import { IndexLoop } from './indexLoop.ts';
import type { FromIndex, ToIndex } from './indexMessages.ts';

/** A thread that holds more after its session is not kept for the next. */
const KEPT_BYTES = 96 * 1024 * 1024;

/** The one writer of a session's store, asked through a port that is the session's own. Its first message opens the store. */
function serveSession(port: MessagePort): void {
  const say = (message: FromIndex): void => port.postMessage(message);
  let loop: IndexLoop | null = null;

  function serve(message: ToIndex): void {
    if (message.type === 'open') {
      loop = IndexLoop.start(message.options, say);
      say({ type: 'answer', request: message.request, settled: null });
      return;
    }
    if (!loop) throw new Error("The session's store was not opened.");
    if (message.type === 'outputGrown') loop.outputGrown();
    else if (message.type === 'close') {
      const isReusable = loop.close() && isSmall();
      say({ type: 'answer', request: message.request, settled: null, isReusable });
    } else say(loop.answer(message));
  }

  port.on('message', (message: ToIndex) => {
    try {
      serve(message);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (message.type === 'outputGrown') say({ type: 'fault', message: text });
      else say({ type: 'failed', request: message.request, message: text });
    }
  });
}

function isSmall(): boolean {
  const { total_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external <= KEPT_BYTES;
}

/** A thread that serves one session after the other. */
function main(): void {
  if (!parentPort) throw new Error('The index worker is started by the daemon only.');
  parentPort.on('message', serveSession);
}

nameThread('strobe-index');
main();
