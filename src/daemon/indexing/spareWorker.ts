import { Worker } from 'node:worker_threads';

/** The next spare is started so long after one was taken: not in the way of the launch that took it. */
const RESPITE_MS = 400;

/** Keeps one worker thread started ahead: its start costs more than a launch should wait. */
export class SpareWorker {
  readonly #path: string;
  #spare: Worker | null = null;
  #respite: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Starts the spare unless there is one. */
  warm(): void {
    if (this.#spare || this.#closed) return;
    const spare = new Worker(this.#path);
    this.#spare = spare;
    spare.once('error', () => this.#forget(spare));
    spare.once('exit', () => this.#forget(spare));
  }

  /** A worker of one's own; the caller ends it. */
  take(): Worker {
    const spare = this.#spare ?? new Worker(this.#path);
    this.#spare = null;
    this.#respite ??= setTimeout(() => {
      this.#respite = null;
      this.warm();
    }, RESPITE_MS).unref();
    return spare;
  }

  /** Ends the spare: nobody is there who might launch something. */
  async rest(): Promise<void> {
    if (this.#respite) clearTimeout(this.#respite);
    this.#respite = null;
    const spare = this.#spare;
    this.#spare = null;
    await spare?.terminate();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.rest();
  }

  #forget(worker: Worker): void {
    if (this.#spare === worker) this.#spare = null;
  }
}
