import type { Worker } from 'node:worker_threads';

/** What an owner of a worker says of it. */
export interface AskedWorkerOptions {
  readonly start: () => Worker;
  /** The time limit of its first message, which says that it is ready; null: it sends none. */
  readonly readyMs: number | null;
  readonly ended: (why: string) => Error;
  readonly closed: () => Error;
}

export interface Asked<Reply, Answer> {
  readonly message: unknown;
  /** Counted from when the thread begins with it. */
  readonly limitMs: number;
  readonly late: () => Error;
  /** A question that nobody waits for any more is not asked; in hand, it costs the thread after a moment. */
  readonly signal?: AbortSignal | undefined;
  /** The answer in a reply, or null when others follow; throws what the thread says went wrong. */
  readonly read: (reply: Reply) => { readonly answer: Answer } | null;
}

/** What ends by itself soon after it was cancelled does not cost the thread what it holds in memory. */
const CANCEL_GRACE_MS = 150;

interface Current {
  /** A method, because no type says that a reply belongs to its question. */
  take(reply: unknown): void;
  fail(error: Error): void;
}

/**
 * A worker thread that is asked one question at a time. A question beyond its limit costs the thread, which
 * only reads: it is ended, the question fails, and the next one gets a new thread. So it is when a thread ends by itself.
 * An idle thread keeps no process alive.
 */
export abstract class AskedWorker implements AsyncDisposable {
  readonly #options: AskedWorkerOptions;
  #thread: { readonly worker: Worker; readonly ready: Promise<Worker> } | null = null;
  #current: Current | null = null;
  /** Ends when all questions asked so far are answered. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Questions that are not answered yet. */
  #asked = 0;
  #isClosed = false;

  protected constructor(options: AskedWorkerOptions) {
    this.#options = options;
  }

  /** Asks when all earlier questions are answered. */
  protected request<Reply, Answer>(asked: Asked<Reply, Answer>): Promise<Answer> {
    this.#asked++;
    const answer = this.#queue.then(() => this.#send(asked)).finally(() => this.#asked--);
    this.#queue = answer.catch(() => undefined);
    return answer;
  }

  /** Tells the thread something that it does not answer, if there is one. */
  protected tell(message: unknown): void {
    this.#thread?.worker.postMessage(message);
  }

  /** Resolves when a thread can be asked. */
  protected async ready(): Promise<void> {
    await this.#ready();
  }

  /** Starts the thread ahead of the next question. */
  warm(): void {
    this.#ready().catch(() => undefined);
  }

  /** Ends the thread, and with it all it holds in memory, unless a question is asked; the next one starts another. */
  async rest(): Promise<void> {
    if (this.#asked === 0) await this.#drop(this.#options.closed());
  }

  /** Ends the thread once what was asked so far is answered. */
  async finish(): Promise<void> {
    await this.#queue;
    await this.close();
  }

  /** Questions still waiting fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop(this.#options.closed());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #send<Reply, Answer>({
    message,
    limitMs,
    late,
    signal,
    read,
  }: Asked<Reply, Answer>): Promise<Answer> {
    signal?.throwIfAborted();
    const worker = await this.#ready();
    signal?.throwIfAborted();
    worker.ref();
    const timer = setTimeout(() => void this.#drop(late()), limitMs);
    let patience: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      patience = setTimeout(() => void this.#drop(reasonOf(signal)), CANCEL_GRACE_MS);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise<Answer>((resolve, reject) => {
        const take = (reply: Reply): void => {
          try {
            const found = read(reply);
            if (found !== null) resolve(found.answer);
          } catch (error) {
            reject(error);
          }
        };
        this.#current = { take, fail: reject };
        worker.postMessage(message);
      });
    } finally {
      clearTimeout(timer);
      clearTimeout(patience);
      signal?.removeEventListener('abort', cancel);
      this.#current = null;
      worker.unref();
    }
  }

  async #ready(): Promise<Worker> {
    if (this.#isClosed) throw this.#options.closed();
    this.#thread ??= this.#start();
    return await this.#thread.ready;
  }

  #start(): { readonly worker: Worker; readonly ready: Promise<Worker> } {
    const { start, readyMs, ended, closed } = this.#options;
    const worker = start();
    let why: string | null = null;
    let isReady = readyMs === null;
    if (isReady) worker.unref();
    const ready = new Promise<Worker>((resolve, reject) => {
      if (readyMs === null) resolve(worker);
      const timer = setTimeout(() => {
        if (isReady) return;
        why = `it was not ready within ${readyMs} ms`;
        void worker.terminate();
      }, readyMs ?? 0);
      worker.on('message', (reply: unknown) => {
        if (isReady) {
          if (worker === this.#thread?.worker) this.#current?.take(reply);
          return;
        }
        isReady = true;
        clearTimeout(timer);
        worker.unref();
        resolve(worker);
      });
      worker.on('error', (error) => {
        why = error instanceof Error ? error.message : String(error);
      });
      worker.on('exit', (code) => {
        clearTimeout(timer);
        const error = ended(why ?? `exit code ${code}`);
        // Nothing changes where it was ready.
        reject(this.#isClosed ? closed() : error);
        if (worker !== this.#thread?.worker) return;
        this.#thread = null;
        this.#current?.fail(error);
      });
    });
    ready.catch(() => undefined); // Who waits for it gets the error.
    return { worker, ready };
  }

  /** Ends the thread; the question in hand fails with `reason`. */
  async #drop(reason: Error): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    this.#current?.fail(reason);
    await thread?.worker.terminate();
  }
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('cancelled');
}
