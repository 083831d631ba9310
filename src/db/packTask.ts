import { Worker } from 'node:worker_threads';
import { StrobeError } from '../model/errors.ts';

/** What a pack worker is started with. */
export type PackTask =
  | {
      readonly kind: 'pack';
      readonly storePath: string;
      readonly path: string;
      readonly facts: string;
    }
  | { readonly kind: 'open'; readonly path: string };

export type FromPackWorker =
  | { readonly ok: true; readonly facts: string }
  | { readonly ok: false; readonly message: string; readonly hint: string | undefined };

/**
 * Packs, or opens and answers with the facts in the pack (pack.ts), in a thread of its own.
 * Throws STORE_FAILED, or CANCELLED.
 */
export async function runPackTask(
  workerPath: string,
  task: PackTask,
  signal: AbortSignal,
): Promise<string> {
  if (signal.aborted) throw cancelled();
  const worker = new Worker(workerPath, { workerData: task });
  try {
    return await new Promise<string>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(cancelled()), { once: true });
      worker.on('message', (reply: FromPackWorker) => {
        if (reply.ok) resolve(reply.facts);
        else reject(new StrobeError('STORE_FAILED', reply.message, reply.hint));
      });
      worker.on('error', reject);
      worker.on('exit', (code) => reject(new Error(`The pack thread ended: exit code ${code}`)));
    });
  } finally {
    await worker.terminate();
  }
}

function cancelled(): StrobeError {
  return new StrobeError('CANCELLED', 'The request was cancelled.');
}
