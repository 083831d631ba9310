import { parentPort, workerData } from 'node:worker_threads';
import { nameThread } from '../../base/threadName.ts';
import { failureOf } from '../../model/failure.ts';
import type { FromExportWorker } from './exportMessages.ts';
import { writeExport } from './writeExport.ts';

/*
 * The thread of one export. It only reads the store, and may be ended at any time: what it has
 * written until then has no name yet.
 */

async function main(): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('The export worker is started by the daemon only.');
  const tell = (message: FromExportWorker): void => port.postMessage(message);
  try {
    // oxlint-disable-next-line typescript/no-unsafe-argument -- given by our own client.
    const result = await writeExport(workerData, (progress) =>
      tell({ kind: 'progress', progress }),
    );
    tell({ kind: 'done', result });
  } catch (error) {
    tell({ kind: 'failed', ...failureOf(error) });
  }
}

nameThread('strobe-export');
await main();
