import { Worker } from 'node:worker_threads';
import { StrobeError } from '../../model/errors.ts';
import type {
  ExportJob,
  ExportProgress,
  ExportResult,
  FromExportWorker,
} from './exportMessages.ts';

const HEAP_MB = 512;

/** One export under way, in a thread of its own. */
export class ExportRun {
  readonly #worker: Worker;
  #progress: ExportProgress = { calls: 0, events: 0, bytes: 0, done: 0, of: 0 };
  /** Rejects with CANCELLED, EXPORT_FAILED, or what is wrong with the request. */
  readonly result: Promise<ExportResult>;
  #cancel: () => void = () => undefined;

  /** `workerPath`: the built exportWorker. */
  constructor(workerPath: string, job: ExportJob) {
    const worker = new Worker(workerPath, {
      workerData: job,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#worker = worker;
    this.result = new Promise((resolve, reject) => {
      this.#cancel = () => reject(new StrobeError('CANCELLED', 'The export was cancelled.'));
      worker.on('message', (message: FromExportWorker) => {
        if (message.kind === 'progress') this.#progress = message.progress;
        else if (message.kind === 'done') resolve(message.result);
        else reject(asError(message));
      });
      worker.on('error', (error) => reject(ended(error)));
      worker.on('exit', (code) => reject(ended(`exit code ${code}`)));
    });
    this.result.catch(() => undefined); // told to whoever waits for it
  }

  get progress(): ExportProgress {
    return this.#progress;
  }

  /** Ends the thread; what it wrote is left to the caller. */
  async cancel(): Promise<void> {
    this.#cancel();
    await this.#worker.terminate();
  }
}

function asError({ code, message, hint }: Extract<FromExportWorker, { kind: 'failed' }>): Error {
  return code === 'INTERNAL' ? new Error(message) : new StrobeError(code, message, hint);
}

function ended(why: unknown): Error {
  return new Error(`The export thread ended: ${why instanceof Error ? why.message : String(why)}`);
}
