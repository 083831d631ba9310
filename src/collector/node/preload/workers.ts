import threads from 'node:worker_threads';
import { syncBuiltinESMExports } from 'node:module';
import { hide } from './loaders.ts';

const name = 'NODE_OPTIONS';

/** The program sees the options that its user gave. */
export function restoreOptions(options: string | undefined): void {
  if (options === undefined) delete process.env[name];
  else process.env[name] = options;
}

/** Threads that the program starts are entered as it was. */
export function enterWorkers(preload: string): void {
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
  syncBuiltinESMExports();
}
