import { Worker } from 'node:worker_threads';
import { StrobeError } from '../model/errors.ts';
import type { CallId, SessionNs } from '../model/ids.ts';
import type { StoredCrash } from '../model/crash.ts';
import type {
  CallView,
  DiffQuery,
  DiffResult,
  EventsPage,
  EventsQuery,
  LastCalls,
  OutputPage,
  OutputQuery,
  StatsQuery,
  StatsResult,
  StoreSummary,
  TreeQuery,
  TreeResult,
} from '../model/query.ts';
import type { FromQueryWorker, QuestionKind, Questions, ToQueryWorker } from './queryMessages.ts';

export interface QueryClientOptions {
  /** Questions that set no deadline of their own may run this long. */
  readonly hardLimitMs?: number;
}

/** Beyond a question's own deadline, before its thread is ended. */
const GRACE_MS = 3000;
const DEFAULT_LIMIT_MS = 10_000;

interface Waiting {
  readonly message: Question;
  readonly limitMs: number;
  /** Written as a method: the worker's answer is of the message's kind, which no type can say. */
  resolve(answer: Questions[QuestionKind]['answer']): void;
  reject(error: Error): void;
}

type Question = Extract<ToQueryWorker, { request: number }>;

/**
 * Asks stores without blocking the daemon: one worker thread answers one question at a time. A
 * question beyond its limit fails with TIMED_OUT and costs the thread, which is started anew;
 * questions behind it are asked again.
 */
export class QueryClient {
  readonly #workerPath: string;
  readonly #hardLimitMs: number;
  readonly #queue: Waiting[] = [];
  #worker: Worker | null = null;
  #current: { waiting: Waiting; timer: NodeJS.Timeout } | null = null;
  #nextRequest = 1;
  #closed = false;

  private constructor(workerPath: string, options: QueryClientOptions) {
    this.#workerPath = workerPath;
    this.#hardLimitMs = options.hardLimitMs ?? DEFAULT_LIMIT_MS;
  }

  /** `workerPath`: the built queryWorker. The thread starts now, so that the first question does not wait. */
  static start(workerPath: string, options: QueryClientOptions = {}): QueryClient {
    const service = new QueryClient(workerPath, options);
    service.#startWorker();
    return service;
  }

  async events(storePath: string, query: EventsQuery): Promise<EventsPage> {
    const request = this.#nextRequest++;
    const limitMs = query.deadlineMs + GRACE_MS;
    return this.#ask<'events'>({ kind: 'events', request, path: storePath, query }, limitMs);
  }

  async tree(storePath: string, query: TreeQuery): Promise<TreeResult> {
    const request = this.#nextRequest++;
    const limitMs = query.deadlineMs + GRACE_MS;
    return this.#ask<'tree'>({ kind: 'tree', request, path: storePath, query }, limitMs);
  }

  async stats(storePath: string, query: StatsQuery): Promise<StatsResult> {
    const request = this.#nextRequest++;
    const limitMs = query.deadlineMs + GRACE_MS;
    return this.#ask<'stats'>({ kind: 'stats', request, path: storePath, query }, limitMs);
  }

  async output(storePath: string, query: OutputQuery): Promise<OutputPage> {
    const request = this.#nextRequest++;
    return this.#ask<'output'>(
      { kind: 'output', request, path: storePath, query },
      this.#hardLimitMs,
    );
  }

  /** `otherPath`: the store of `diff.there`. */
  async diff(storePath: string, otherPath: string, diff: DiffQuery): Promise<DiffResult> {
    const request = this.#nextRequest++;
    const limitMs = diff.deadlineMs + GRACE_MS;
    const query = { diff, otherPath };
    return this.#ask<'diff'>({ kind: 'diff', request, path: storePath, query }, limitMs);
  }

  /** The newest and the open calls of each thread. */
  async lastCalls(
    storePath: string,
    query: { readonly perThread: number; readonly until: SessionNs },
  ): Promise<readonly LastCalls[]> {
    const request = this.#nextRequest++;
    return this.#ask<'lastCalls'>(
      { kind: 'lastCalls', request, path: storePath, query },
      this.#hardLimitMs,
    );
  }

  async crashes(storePath: string): Promise<readonly StoredCrash[]> {
    const request = this.#nextRequest++;
    return this.#ask<'crashes'>(
      { kind: 'crashes', request, path: storePath, query: null },
      this.#hardLimitMs,
    );
  }

  async summary(storePath: string): Promise<StoreSummary> {
    const request = this.#nextRequest++;
    return this.#ask<'summary'>(
      { kind: 'summary', request, path: storePath, query: null },
      this.#hardLimitMs,
    );
  }

  /** Null when there is no such call. */
  async callView(storePath: string, id: CallId): Promise<CallView | null> {
    const request = this.#nextRequest++;
    return this.#ask<'callView'>(
      { kind: 'callView', request, path: storePath, query: id },
      this.#hardLimitMs,
    );
  }

  /** Closes the store's file, before it is removed. */
  forget(storePath: string): void {
    this.#post({ kind: 'forget', path: storePath });
  }

  /** Starts the thread ahead of the next question. */
  warm(): void {
    if (!this.#closed) this.#worker ??= this.#startWorker();
  }

  /** Ends the thread, and with it all it holds in memory, unless a question is asked; the next one starts another. */
  async rest(): Promise<void> {
    if (this.#current) return;
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  /** Questions still waiting fail with CANCELLED. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = null;
    for (const waiting of [...this.#takeCurrent(), ...this.#queue.splice(0)]) {
      waiting.reject(new StrobeError('CANCELLED', 'The daemon is closing.'));
    }
    await worker?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #ask<K extends QuestionKind>(
    message: Extract<Question, { kind: K }>,
    limitMs: number,
  ): Promise<Questions[K]['answer']> {
    if (this.#closed) throw new StrobeError('CANCELLED', 'The daemon is closing.');
    return new Promise((resolve, reject) => {
      this.#queue.push({ message, limitMs, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current || this.#closed) return;
    const waiting = this.#queue.shift();
    if (!waiting) return;
    this.#worker ??= this.#startWorker();
    const timer = setTimeout(() => this.#tooLate(), waiting.limitMs);
    this.#current = { waiting, timer };
    this.#post(waiting.message);
  }

  #post(message: ToQueryWorker): void {
    this.#worker?.postMessage(message);
  }

  #takeCurrent(): Waiting[] {
    if (!this.#current) return [];
    const { waiting, timer } = this.#current;
    clearTimeout(timer);
    this.#current = null;
    return [waiting];
  }

  #answered(reply: FromQueryWorker): void {
    if (this.#current?.waiting.message.request !== reply.request) return;
    const [waiting] = this.#takeCurrent();
    if (reply.ok) waiting?.resolve(reply.answer);
    else waiting?.reject(new StrobeError(reply.code, reply.message, reply.hint));
    this.#next();
  }

  #tooLate(): void {
    const [waiting] = this.#takeCurrent();
    const worker = this.#worker;
    this.#worker = null;
    // The thread only reads: ending it in the middle harms nothing.
    worker?.terminate().catch(() => undefined);
    waiting?.reject(
      new StrobeError('TIMED_OUT', `The question took longer than ${waiting.limitMs} ms.`),
    );
    this.#next();
  }

  #failed(worker: Worker, message: string): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    const [waiting] = this.#takeCurrent();
    waiting?.reject(new StrobeError('INTERNAL', `The query thread ended: ${message}`));
    this.#next();
  }

  #startWorker(): Worker {
    const worker = new Worker(this.#workerPath);
    worker.unref();
    worker.on('message', (reply: FromQueryWorker) => {
      if (worker === this.#worker) this.#answered(reply);
    });
    worker.on('error', (error) =>
      this.#failed(worker, error instanceof Error ? error.message : String(error)),
    );
    worker.on('exit', (code) => this.#failed(worker, `exit code ${code}`));
    this.#worker = worker;
    return worker;
  }
}
