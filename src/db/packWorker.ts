import { parentPort, workerData } from 'node:worker_threads';
import { nameThread } from '../base/threadName.ts';
import { StrobeError } from '../model/errors.ts';
import { unpack, writePack } from './pack.ts';
import type { FromPackWorker, PackTask } from './packTask.ts';

/* The thread that packs or opens one session: both go through the whole of it. */

function work(task: PackTask): string {
  if (task.kind === 'open') return unpack(task.path);
  writePack(task.storePath, task.path, task.facts);
  return '';
}

function answer(task: PackTask): FromPackWorker {
  try {
    return { ok: true, facts: work(task) };
  } catch (error) {
    const hint = error instanceof StrobeError ? error.hint : undefined;
    return { ok: false, message: error instanceof Error ? error.message : String(error), hint };
  }
}

nameThread('strobe-pack');
// oxlint-disable-next-line typescript/no-unsafe-argument -- given by our own client.
parentPort?.postMessage(answer(workerData));
