import type { Worker } from 'node:worker_threads';
import type { NumberedFunction } from '../../collector/native/functionNumbers.ts';
import { pause, within } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import type {
  FromIndex,
  IndexWorkerOptions,
  KnownBefore,
  LifeRecord,
  Settled,
  ToIndex,
} from './indexMessages.ts';

const ANSWER_LIMIT_MS = 20_000;
/** At the end everything is read that the log still holds, 1 GB at most. */
const FINAL_LIMIT_MS = 15 * 60_000;

type Request =
  | { readonly type: 'open'; readonly options: IndexWorkerOptions }
  | { readonly type: 'functions'; readonly functions: readonly NumberedFunction[] }
  | { readonly type: 'ring'; readonly path: string }
  | { readonly type: 'known' }
  | { readonly type: 'settle'; readonly final: boolean }
  | { readonly type: 'close' };

type Answer = Extract<FromIndex, { type: 'answer' }>;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** What an index worker tells unasked. */
interface IndexEvents {
  onLife(record: LifeRecord): void;
  onProgress(): void;
  onFault(message: string): void;
  onMended(trouble: string): void;
}

/** The daemon's hold on a session's index worker: the one writer of the session's store. */
export class IndexClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onLife: (record: LifeRecord) => void;
  readonly #onProgress: () => void;
  readonly #onFault: (message: string) => void;
  readonly #onMended: (trouble: string) => void;
  #next = 1;
  #closed = false;

  private constructor(worker: Worker, events: IndexEvents) {
    this.#onLife = (record) => events.onLife(record);
    this.#onProgress = () => events.onProgress();
    this.#onFault = (message) => events.onFault(message);
    this.#onMended = (trouble) => events.onMended(trouble);
    this.#worker = worker;
    this.#worker.on('message', (message: FromIndex) => this.#receive(message));
    this.#worker.on('error', (error) => this.#ended(`The index worker failed: ${error.message}`));
    this.#worker.on('exit', () => this.#ended('The index worker ended.'));
  }

  /** Has a worker open a session's store; what is asked meanwhile waits for it. */
  static open(worker: Worker, options: IndexWorkerOptions, events: IndexEvents): IndexClient {
    const client = new IndexClient(worker, events);
    client.#ask({ type: 'open', options }).catch((error: unknown) => {
      events.onFault(error instanceof Error ? error.message : String(error));
    });
    return client;
  }

  /** Resolves when the functions are in the store, so that their records can be decoded. */
  async defineFunctions(functions: readonly NumberedFunction[]): Promise<void> {
    await this.#ask({ type: 'functions', functions });
  }

  async addRing(path: string): Promise<void> {
    await this.#ask({ type: 'ring', path });
  }

  /** Waits until the store is open and read up to now, at most so long; never rejects. */
  async caughtUp(limitMs: number): Promise<void> {
    await Promise.race([this.settle().catch(() => undefined), pause(limitMs)]);
  }

  /** What earlier workers of this store left. */
  async known(): Promise<KnownBefore> {
    return (await this.#ask({ type: 'known' })).known ?? { functions: [], indexedTo: 0 };
  }

  /** Drains rings and output up to now and commits. `final`: the target is gone for good. */
  async settle(final = false): Promise<Settled> {
    const { settled } = await this.#ask({ type: 'settle', final });
    if (settled === null) throw new StrobeError('INTERNAL', 'The index worker answered nothing.');
    return settled;
  }

  outputGrown(): void {
    if (!this.#closed) this.#post({ type: 'outputGrown' });
  }

  /** Commits and ends the worker. */
  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#ask({ type: 'close' });
    } finally {
      this.#closed = true;
      await this.#worker.terminate();
    }
  }

  async #ask(request: Request): Promise<Answer> {
    if (this.#closed)
      throw new StrobeError('STORE_FAILED', "The session's index worker has ended.");
    const number = this.#next++;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    this.#post({ ...request, request: number });
    try {
      return await within(
        request.type === 'settle' && request.final ? FINAL_LIMIT_MS : ANSWER_LIMIT_MS,
        answer,
        () =>
          new StrobeError(
            'TIMED_OUT',
            `The index worker did not answer "${request.type}" in time.`,
          ),
      );
    } finally {
      this.#waiting.delete(number);
    }
  }

  #post(message: ToIndex): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromIndex): void {
    switch (message.type) {
      case 'answer':
        this.#waiting.get(message.request)?.resolve(message);
        break;
      case 'failed':
        this.#waiting
          .get(message.request)
          ?.reject(new StrobeError('STORE_FAILED', message.message));
        break;
      case 'life':
        this.#onLife(message.record);
        break;
      case 'progress':
        this.#onProgress();
        break;
      case 'fault':
        this.#onFault(message.message);
        break;
      case 'mended':
        this.#onMended(message.trouble);
        break;
    }
  }

  #ended(why: string): void {
    const expected = this.#closed;
    this.#closed = true;
    for (const waiting of this.#waiting.values())
      waiting.reject(new StrobeError('STORE_FAILED', why));
    if (!expected) this.#onFault(why);
  }
}
