import type { Worker } from 'node:worker_threads';
import type { NumberedFunction } from '../../collector/native/functionNumbers.ts';
import { monotonicMs } from '../../base/clock.ts';
import { pause, within } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import type { StoredCrash } from '../../model/crash.ts';
import type { StoredException } from '../../model/query.ts';
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
const MAX_LOST_WORKERS = 5;

type Request =
  | { readonly type: 'open'; readonly options: IndexWorkerOptions }
  | { readonly type: 'functions'; readonly functions: readonly NumberedFunction[] }
  | { readonly type: 'ring' | 'output'; readonly path: string }
  | { readonly type: 'crash'; readonly crash: StoredCrash }
  | { readonly type: 'exception'; readonly exception: StoredException }
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
  /** `settled`: what a question may be answered from by now. */
  onProgress(settled: Settled): void;
  onFault(message: string): void;
  onMended(trouble: string): void;
}

/** Where workers come from: each is the caller's to end. */
interface Workers {
  take(): Worker;
}

/**
 * The daemon's hold on a session's index worker: the one writer of the session's store. A worker that
 * dies or hangs is replaced by another, which goes on from its last commit.
 */
export class IndexClient {
  readonly #workers: Workers;
  readonly #options: IndexWorkerOptions;
  readonly #events: IndexEvents;
  readonly #waiting = new Map<number, Waiting>();
  /** Facts of life that were told: another worker tells all it finds in the store. */
  readonly #told = new Set<string>();
  readonly #rings = new Set<string>();
  #worker: Worker;
  #next = 1;
  #lost = 0;
  #heardAt = monotonicMs();
  #closed = false;

  private constructor(workers: Workers, options: IndexWorkerOptions, events: IndexEvents) {
    this.#workers = workers;
    this.#options = options;
    this.#events = events;
    this.#worker = this.#takeWorker();
  }

  /** Has a worker open a session's store; what is asked meanwhile waits for it. */
  static open(workers: Workers, options: IndexWorkerOptions, events: IndexEvents): IndexClient {
    const client = new IndexClient(workers, options, events);
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
    this.#rings.add(path);
    await this.#ask({ type: 'ring', path });
  }

  /** What an attached process writes is read from this file. */
  async addOutput(path: string): Promise<void> {
    await this.#ask({ type: 'output', path });
  }

  /** Waits until the store is open and read up to now, at most so long; never rejects. */
  async caughtUp(limitMs: number): Promise<void> {
    await Promise.race([this.settle().catch(() => undefined), pause(limitMs)]);
  }

  async addCrash(crash: StoredCrash): Promise<void> {
    await this.#ask({ type: 'crash', crash });
  }

  /** Stored anew where one of the same key is known. */
  async addException(exception: StoredException): Promise<void> {
    await this.#ask({ type: 'exception', exception });
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
    const worker = this.#worker;
    const number = this.#next++;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    this.#post({ ...request, request: number });
    const late = (): StrobeError => {
      const why = `The index worker did not answer "${request.type}" in time.`;
      // One that is busy says so now and then; one that is silent hangs.
      if (monotonicMs() - this.#heardAt > ANSWER_LIMIT_MS / 2) this.#lostWorker(worker, why);
      return new StrobeError('TIMED_OUT', why);
    };
    try {
      const limitMs = request.type === 'settle' && request.final ? FINAL_LIMIT_MS : ANSWER_LIMIT_MS;
      return await within(limitMs, answer, late);
    } finally {
      this.#waiting.delete(number);
    }
  }

  #post(message: ToIndex): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromIndex): void {
    this.#heardAt = monotonicMs();
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
        this.#tell(message.record);
        break;
      case 'progress':
        this.#events.onProgress(message.settled);
        break;
      case 'alive':
        break;
      case 'fault':
        this.#events.onFault(message.message);
        break;
      case 'mended':
        this.#events.onMended(message.trouble);
        break;
    }
  }

  #tell(record: LifeRecord): void {
    const key = JSON.stringify(record);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#events.onLife(record);
  }

  #takeWorker(): Worker {
    const worker = this.#workers.take();
    worker.on('message', (message: FromIndex) => {
      if (worker === this.#worker) this.#receive(message);
    });
    worker.on('error', (error) =>
      this.#lostWorker(worker, `The index worker failed: ${error.message}`),
    );
    worker.on('exit', () => this.#lostWorker(worker, 'The index worker ended.'));
    return worker;
  }

  /** Another worker goes on, unless too many were lost or the session is over. */
  #lostWorker(worker: Worker, why: string): void {
    if (worker !== this.#worker) return;
    worker.terminate().catch(() => undefined);
    for (const waiting of this.#waiting.values())
      waiting.reject(new StrobeError('STORE_FAILED', why));
    this.#waiting.clear();
    if (this.#closed) return;
    this.#events.onFault(why);
    this.#lost++;
    if (this.#lost > MAX_LOST_WORKERS) this.#closed = true;
    else void this.#replace(why);
  }

  async #replace(why: string): Promise<void> {
    this.#worker = this.#takeWorker();
    try {
      const options = { ...this.#options, continues: true };
      await this.#ask({ type: 'open', options });
      for (const path of this.#rings) await this.#ask({ type: 'ring', path });
      this.#events.onMended(why);
    } catch (error) {
      // A thread that hangs inside a commit still holds the store: the next one is tried in its turn.
      this.#lostWorker(this.#worker, error instanceof Error ? error.message : String(error));
    }
  }
}
