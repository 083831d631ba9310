import { Worker } from 'node:worker_threads';

/** The next spare is started so long after one was taken: not in the way of the launch that took it. */
const RESPITE_MS = 400;
/** One that has worked, and one for a launch beside it. */
const MAX_IDLE = 2;

/**
 * The threads that index. One is started ahead, because its start costs more than a launch should wait; one that a session
 * gives back serves the next, because its code is compiled by then.
 */
export class IndexWorkers {
  readonly #path: string;
  /** The last one is taken first. */
  #idle: Worker[] = [];
  #respite: NodeJS.Timeout | null = null;
  #rests = false;
  #closed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Starts a spare unless there is one. */
  warm(): void {
    this.#rests = false;
    if (this.#idle.length === 0 && !this.#closed) this.#idle.push(this.#start());
  }

  /** A worker of one's own; the caller ends it or gives it back. */
  take(): Worker {
    const worker = this.#idle.pop() ?? this.#start();
    this.#respite ??= setTimeout(() => {
      this.#respite = null;
      this.warm();
    }, RESPITE_MS).unref();
    return worker;
  }

  /** Takes a worker back that holds nothing of its session any more. */
  giveBack(worker: Worker): void {
    this.#idle.push(worker);
    const kept = this.#closed || this.#rests ? 0 : MAX_IDLE;
    for (const one of this.#idle.splice(0, this.#idle.length - kept)) void one.terminate();
  }

  /** Ends those that are idle: nobody is there who might launch something. */
  async rest(): Promise<void> {
    this.#rests = true;
    if (this.#respite) clearTimeout(this.#respite);
    this.#respite = null;
    await Promise.all(this.#idle.splice(0).map(async (worker) => worker.terminate()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.rest();
  }

  #start(): Worker {
    const worker = new Worker(this.#path);
    const forget = (): void => {
      this.#idle = this.#idle.filter((one) => one !== worker);
    };
    worker.once('error', forget);
    worker.once('exit', forget);
    return worker;
  }
}
