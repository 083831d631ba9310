import { parentPort } from 'node:worker_threads';
import { nameThread } from '../../base/threadName.ts';
import { IndexLoop } from './indexLoop.ts';
import type { FromIndex, ToIndex } from './indexMessages.ts';

/** The one writer of a session's store, in a thread of its own. Its first message opens the store. */
function main(): void {
  const port = parentPort;
  if (!port) throw new Error('The index worker is started by the daemon only.');
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
    else say(loop.answer(message));
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

nameThread('strobe-index');
main();
