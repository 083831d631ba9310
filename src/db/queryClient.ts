import { Worker } from 'node:worker_threads';
import { AskedWorker } from '../base/askedWorker.ts';
import { StrobeError } from '../model/errors.ts';
import type {
  FromQueryWorker,
  QuestionKind,
  QuestionMessage,
  Questions,
  ToQueryWorker,
} from './queryMessages.ts';

export interface QueryClientOptions {
  /** Questions that set no deadline of their own may run this long. */
  readonly hardLimitMs?: number;
}

/** Beyond a question's own deadline, before its thread is ended. */
const GRACE_MS = 3000;
const DEFAULT_LIMIT_MS = 10_000;

type Query<K extends QuestionKind> = Questions[K]['query'];
type Answer<K extends QuestionKind> = Promise<Questions[K]['answer']>;

/**
 * Asks stores without blocking the daemon: a thread answers one question at a time. A question beyond its
 * limit fails with TIMED_OUT; questions still waiting when it is closed fail with CANCELLED.
 */
export class QueryClient {
  readonly #worker: AskedWorker;
  readonly #hardLimitMs: number;

  private constructor(workerPath: string, options: QueryClientOptions) {
    this.#hardLimitMs = options.hardLimitMs ?? DEFAULT_LIMIT_MS;
    this.#worker = new AskedWorker({
      start: () => new Worker(workerPath),
      readyMs: null,
      ended: (why) => new StrobeError('INTERNAL', `The query thread ended: ${why}`),
      closed: () => new StrobeError('CANCELLED', 'The daemon is closing.'),
    });
  }

  /** `workerPath`: the built queryWorker. The thread starts now, so that the first question does not wait. */
  static start(workerPath: string, options: QueryClientOptions = {}): QueryClient {
    const service = new QueryClient(workerPath, options);
    service.warm();
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
    const message: ToQueryWorker = { kind: 'forget', path: storePath };
    this.#worker.tell(message);
  }

  /** Starts the thread ahead of the next question. */
  warm(): void {
    this.#worker.warm();
  }

  /** Ends the thread, and with it all it holds in memory, unless a question is asked; the next one starts another. */
  async rest(): Promise<void> {
    await this.#worker.rest();
  }

  async close(): Promise<void> {
    await this.#worker.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #ask<K extends QuestionKind>(kind: K, path: string, query: Query<K>): Answer<K> {
    const message: QuestionMessage<K> = { kind, path, query };
    const limitMs = ownLimitMs(query) ?? this.#hardLimitMs;
    return await this.#worker.ask({
      message,
      limitMs,
      late: () => new StrobeError('TIMED_OUT', `The question took longer than ${limitMs} ms.`),
      read: (reply: FromQueryWorker<K>) => {
        if (reply.ok) return reply;
        throw new StrobeError(reply.code, reply.message, reply.hint);
      },
    });
  }
}

/** Of a question that ends its search by itself. */
function ownLimitMs(query: Query<QuestionKind>): number | null {
  if (query === null || typeof query === 'string' || !('deadlineMs' in query)) return null;
  return query.deadlineMs + GRACE_MS;
}
