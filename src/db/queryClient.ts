import { Worker } from 'node:worker_threads';
import { StrobeError } from '../model/errors.ts';
import type {
  Forget,
  FromQueryWorker,
  QuestionKind,
  QuestionMessage,
  Questions,
} from './queryMessages.ts';

export interface QueryClientOptions {
  /** Questions that set no deadline of their own may run this long. */
  readonly hardLimitMs?: number;
}

/** Beyond a question's own deadline, before its thread is ended. */
const GRACE_MS = 3000;
const DEFAULT_LIMIT_MS = 10_000;

interface Waiting {
  readonly message: QuestionMessage<QuestionKind>;
  readonly limitMs: number;
  /** Written as a method: the worker's answer is of the message's kind, which no type can say. */
  resolve(answer: Questions[QuestionKind]['answer']): void;
  reject(error: Error): void;
}

type Query<K extends QuestionKind> = Questions[K]['query'];
type Answer<K extends QuestionKind> = Promise<Questions[K]['answer']>;

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

  async events(storePath: string, query: Query<'events'>): Answer<'events'> {
    return this.#ask('events', storePath, query);
  }

  async tree(storePath: string, query: Query<'tree'>): Answer<'tree'> {
    return this.#ask('tree', storePath, query);
  }

  async stats(storePath: string, query: Query<'stats'>): Answer<'stats'> {
    return this.#ask('stats', storePath, query);
  }

  async output(storePath: string, query: Query<'output'>): Answer<'output'> {
    return this.#ask('output', storePath, query);
  }

  async changes(storePath: string, query: Query<'changes'>): Answer<'changes'> {
    return this.#ask('changes', storePath, query);
  }

  async diff(storePath: string, query: Query<'diff'>): Answer<'diff'> {
    return this.#ask('diff', storePath, query);
  }

  async lastCalls(storePath: string, query: Query<'lastCalls'>): Answer<'lastCalls'> {
    return this.#ask('lastCalls', storePath, query);
  }

  async crashes(storePath: string): Answer<'crashes'> {
    return this.#ask('crashes', storePath, null);
  }

  async summary(storePath: string): Answer<'summary'> {
    return this.#ask('summary', storePath, null);
  }

  async callView(storePath: string, id: Query<'callView'>): Answer<'callView'> {
    return this.#ask('callView', storePath, id);
  }

  /** Closes the store's file, which is removed: another may come under its name. */
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

  async #ask<K extends QuestionKind>(kind: K, path: string, query: Query<K>): Answer<K> {
    if (this.#closed) throw new StrobeError('CANCELLED', 'The daemon is closing.');
    const message: QuestionMessage<K> = { kind, request: this.#nextRequest++, path, query };
    const limitMs = ownLimitMs(query) ?? this.#hardLimitMs;
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

  #post(message: QuestionMessage<QuestionKind> | Forget): void {
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

/** Of a question that ends its search by itself. */
function ownLimitMs(query: Query<QuestionKind>): number | null {
  if (query === null || typeof query === 'string' || !('deadlineMs' in query)) return null;
  return query.deadlineMs + GRACE_MS;
}
