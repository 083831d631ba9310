import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { NumberedFunction } from '../../collector/rings/numberedFunction.ts';
import { monotonicMs } from '../../base/clock.ts';
import { pause, within } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { RaisedException } from '../../model/endings/exception.ts';
import type { WatchDefinition } from '../../model/watches/watch.ts';
import type { WrittenBatch } from '../../model/watches/watchWrite.ts';
import type {
  FromIndex,
  IndexWorkerOptions,
  KnownBefore,
  LifeRecord,
  Settled,
  ToIndex,
} from './indexMessages.ts';
import { UntracedGap } from '../tracing/untracedGap.ts';

const ANSWER_LIMIT_MS = 20_000;
/** At the end everything is read that rings and log still hold, some GB at most, while the worker says that it lives. */
const FINAL_LIMIT_MS = 15 * 60_000;
const MAX_LOST_WORKERS = 5;

type Request =
  | { readonly type: 'open'; readonly options: IndexWorkerOptions }
  | { readonly type: 'functions'; readonly functions: readonly NumberedFunction[] }
  | { readonly type: 'ring' | 'output'; readonly path: string }
  | { readonly type: 'crash'; readonly crash: StoredCrash }
  | { readonly type: 'exception'; readonly exception: RaisedException }
  | { readonly type: 'writes'; readonly writes: WrittenBatch }
  | { readonly type: 'untraced'; readonly from: SessionNs; readonly to: SessionNs }
  | { readonly type: 'known' }
  | { readonly type: 'watches'; readonly watches: readonly WatchDefinition[] }
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

/** Where workers come from: each is the caller's to end, or to give back. */
interface Workers {
  take(): Worker;
  giveBack(worker: Worker): void;
}

/** A worker that serves this session, until it is let go. */
interface Hired {
  readonly worker: Worker;
  /** Of this session alone: what an earlier one left unanswered does not reach it. */
  readonly port: MessagePort;
  readonly leave: () => void;
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
  /** Digests of the facts of life that were told, which a build has many of: another worker tells all it finds in the store. */
  readonly #told = new Set<string>();
  /** What it reads: another worker is told again. */
  readonly #files = new Map<string, 'ring' | 'output'>();
  #hired: Hired;
  #gap: UntracedGap | null = null;
  #next = 1;
  #lost = 0;
  #heardAt = monotonicMs();
  #closed = false;
  /** All is stored: nothing that happens to the worker matters any more. */
  #isOver = false;

  private constructor(workers: Workers, options: IndexWorkerOptions, events: IndexEvents) {
    this.#workers = workers;
    this.#options = options;
    this.#events = events;
    this.#hired = this.#hire();
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

  /** The same of watches. */
  async defineWatches(watches: readonly WatchDefinition[]): Promise<void> {
    await this.#ask({ type: 'watches', watches });
  }

  async addRing(path: string): Promise<void> {
    await this.#addFile('ring', path);
  }

  /** What an attached process writes is read from this file. */
  async addOutput(path: string): Promise<void> {
    await this.#addFile('output', path);
  }

  async #addFile(type: 'ring' | 'output', path: string): Promise<void> {
    this.#files.set(path, type);
    await this.#ask({ type, path });
  }

  /** Waits until the store is open and read up to now, at most so long; never rejects. */
  async caughtUp(limitMs: number): Promise<void> {
    await Promise.race([this.settle().catch(() => undefined), pause(limitMs)]);
  }

  async addCrash(crash: StoredCrash): Promise<void> {
    await this.#ask({ type: 'crash', crash });
  }

  /** Stored anew where one of the same key is known. */
  async addException(exception: RaisedException): Promise<void> {
    await this.#ask({ type: 'exception', exception });
  }

  async addWrites(writes: WrittenBatch): Promise<void> {
    await this.#ask({ type: 'writes', writes });
  }

  /** The target ran without hooks from the one time to the other, at most. */
  async #addUntraced(from: SessionNs, to: SessionNs): Promise<void> {
    await this.#ask({ type: 'untraced', from, to });
  }

  /** The target runs without hooks from that time on, until `tracedAgain` or its end. */
  untracedFrom(from: SessionNs, now: () => SessionNs): void {
    this.#gap ??= new UntracedGap(from, now, async (since, to) => this.#addUntraced(since, to));
  }

  /** Resolves when all the time without hooks is told. */
  async tracedAgain(): Promise<void> {
    const gap = this.#gap;
    this.#gap = null;
    await gap?.end();
  }

  /** What earlier workers of this store left. */
  async known(): Promise<KnownBefore> {
    return (
      (await this.#ask({ type: 'known' })).known ?? { functions: [], nextWatch: 0, indexedTo: 0 }
    );
  }

  /** Drains rings and output up to now and commits. */
  async settle(): Promise<Settled> {
    return settledOf(await this.#ask({ type: 'settle', final: false }));
  }

  /** The target is gone for good: reads all it left, however long that takes a worker that lives. */
  async settleAtEnd(): Promise<void> {
    await this.tracedAgain();
    // A flood of output is read piece by piece, so that questions are answered meanwhile.
    let complete = false;
    while (!complete)
      ({ complete } = settledOf(await this.#ask({ type: 'settle', final: false }, FINAL_LIMIT_MS)));
    await this.#ask({ type: 'settle', final: true }, FINAL_LIMIT_MS);
  }

  /** Lets the worker go after `settleAtEnd`. Never rejects: the store is whole, so a lost worker is not replaced. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.close().catch(() => undefined);
  }

  outputGrown(): void {
    if (!this.#closed) this.#post({ type: 'outputGrown' });
  }

  /** Commits and lets the worker go: to the next session, or to its end. */
  async close(): Promise<void> {
    if (this.#closed) return;
    let isReusable = false;
    try {
      const answer = await this.#ask({ type: 'close' }, FINAL_LIMIT_MS);
      isReusable = answer.isReusable === true && !this.#closed;
    } finally {
      this.#closed = true;
      const { worker, leave } = this.#hired;
      leave();
      if (isReusable) this.#workers.giveBack(worker);
      // Its files are closed, and the thread takes its time.
      else worker.terminate().catch(() => undefined);
    }
  }

  /** Beyond the usual limit it is waited for only while the worker says that it lives. */
  async #ask(request: Request, limitMs = ANSWER_LIMIT_MS): Promise<Answer> {
    if (this.#closed)
      throw new StrobeError('STORE_FAILED', "The session's index worker has ended.");
    const hired = this.#hired;
    const number = this.#next++;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    this.#post({ ...request, request: number });
    const late = new StrobeError(
      'TIMED_OUT',
      `The index worker did not answer "${request.type}" in time.`,
    );
    try {
      for (let waitedMs = ANSWER_LIMIT_MS; ; waitedMs += ANSWER_LIMIT_MS) {
        try {
          return await within(ANSWER_LIMIT_MS, answer, () => late);
        } catch (error) {
          if (error !== late) throw error;
          // One that is busy says so now and then; one that is silent hangs.
          const isSilent = monotonicMs() - this.#heardAt > ANSWER_LIMIT_MS / 2;
          if (isSilent) this.#lostWorker(hired, late.message);
          if (isSilent || waitedMs >= limitMs) throw error;
        }
      }
    } finally {
      this.#waiting.delete(number);
    }
  }

  #post(message: ToIndex): void {
    this.#hired.port.postMessage(message);
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
        if (!this.#isOver) this.#events.onFault(message.message);
        break;
      case 'mended':
        this.#events.onMended(message.trouble);
        break;
    }
  }

  #tell(record: LifeRecord): void {
    const key = createHash('sha1').update(JSON.stringify(record)).digest('base64');
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#events.onLife(record);
  }

  #hire(): Hired {
    const worker = this.#workers.take();
    const { port1: port, port2: theirs } = new MessageChannel();
    const failed = (error: Error): void =>
      this.#lostWorker(hired, `The index worker failed: ${error.message}`);
    const ended = (): void => this.#lostWorker(hired, 'The index worker ended.');
    const heard = (message: FromIndex): void => this.#receive(message);
    const hired: Hired = {
      worker,
      port,
      leave: () => {
        worker.off('error', failed).off('exit', ended);
        // One that is closed still tells what had come.
        port.off('message', heard).close();
      },
    };
    port.on('message', heard);
    worker.on('error', failed).on('exit', ended);
    worker.postMessage(theirs, [theirs]);
    return hired;
  }

  /** Another worker goes on, unless too many were lost or the session is over. */
  #lostWorker(hired: Hired, why: string): void {
    if (hired !== this.#hired || this.#closed) return;
    hired.leave();
    hired.worker.terminate().catch(() => undefined);
    for (const waiting of this.#waiting.values())
      waiting.reject(new StrobeError('STORE_FAILED', why));
    this.#waiting.clear();
    if (this.#isOver) this.#closed = true;
    if (this.#closed) return;
    this.#events.onFault(why);
    this.#lost++;
    if (this.#lost > MAX_LOST_WORKERS) this.#closed = true;
    else void this.#replace(why);
  }

  async #replace(why: string): Promise<void> {
    this.#hired = this.#hire();
    try {
      const options = { ...this.#options, continues: true };
      await this.#ask({ type: 'open', options });
      // Those of programs that have ended are read to their end and gone.
      for (const [path, type] of this.#files) if (existsSync(path)) await this.#ask({ type, path });
      this.#events.onMended(why);
    } catch (error) {
      // A thread that hangs inside a commit still holds the store: the next one is tried in its turn.
      this.#lostWorker(this.#hired, error instanceof Error ? error.message : String(error));
    }
  }
}

function settledOf({ settled }: Answer): Settled {
  if (settled === null) throw new StrobeError('INTERNAL', 'The index worker answered nothing.');
  return settled;
}
