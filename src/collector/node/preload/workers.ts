import threads from 'node:worker_threads';
import { nodeNote } from '../../../protocol/nodeTracer.ts';
import { note } from './moduleRewriting.ts';
import { isDeno } from './readers/mapReaders.ts';
import { hide } from './standIns.ts';

const name = 'NODE_OPTIONS';

/** The program sees the options that its user gave. */
export function restoreOptions(options: string | undefined): void {
  if (options === undefined) delete process.env[name];
  else process.env[name] = options;
}

/** Threads that the program starts are entered as it was; in Deno they cannot be. */
export function enterWorkers(preload: string): void {
  if (isDeno) {
    sayOnceRead(globalThis);
    sayOnceRead(threads);
    return;
  }
  const { Worker } = threads;
  const builtin = threads as { Worker: typeof Worker };
  const ours = `--require "${preload}"`;

  const optionsWith = (options: string | undefined): string =>
    options ? `${ours} ${options}` : ours;

  class EnteredWorker extends Worker {
    constructor(filename: string | URL, options?: threads.WorkerOptions) {
      const { env } = options ?? {};
      const before = process.env[name];
      if (typeof env === 'object') {
        super(filename, { ...options, env: { ...env, [name]: optionsWith(env[name]) } });
        return;
      }
      // It takes the environment over while it is made.
      process.env[name] = optionsWith(before);
      try {
        super(filename, options);
      } finally {
        restoreOptions(before);
      }
    }
  }
  hide(EnteredWorker, Worker);
  builtin.Worker = EnteredWorker;
}

const LEFT = 'Functions that run in workers of Deno show no calls: Deno runs no preload there.';

/** Who reads the class of workers is about to start one. */
function sayOnceRead(holder: object): void {
  const known = Object.getOwnPropertyDescriptor(holder, 'Worker');
  if (known?.configurable !== true || !('value' in known)) return;
  const putBack = (value: unknown): void => {
    Object.defineProperty(holder, 'Worker', { ...known, value });
  };
  Object.defineProperty(holder, 'Worker', {
    configurable: true,
    enumerable: known.enumerable ?? true,
    get() {
      putBack(known.value);
      note(nodeNote.failed, LEFT);
      return known.value as unknown;
    },
    set: putBack,
  });
}
