import { Worker } from 'node:worker_threads';
import { AskedWorker } from '../base/askedWorker.ts';
import { StrobeError } from '../model/errors.ts';
import { answerIn, type Reply } from '../model/failure.ts';
import type { Forget, Query, QueryAnswer, QuestionKind } from './queryMessages.ts';

export interface QueryClientOptions {
  /** Questions that set no deadline of their own may run this long. */
  readonly hardLimitMs?: number;
}

/** Beyond a question's own deadline, before its thread is ended. */
const GRACE_MS = 3000;
const DEFAULT_LIMIT_MS = 10_000;

/**
 * Asks stores without blocking the daemon: a thread answers one question at a time. A question beyond its
 * limit fails with TIMED_OUT; questions still waiting when it is closed fail with CANCELLED.
 */
export class QueryClient extends AskedWorker {
  readonly #hardLimitMs: number;

  private constructor(workerPath: string, options: QueryClientOptions) {
    super({
      start: () => new Worker(workerPath),
      readyMs: null,
      ended: (why) => new StrobeError('INTERNAL', `The query thread ended: ${why}`),
      closed: () => new StrobeError('CANCELLED', 'The daemon is closing.'),
    });
    this.#hardLimitMs = options.hardLimitMs ?? DEFAULT_LIMIT_MS;
  }

  /** `workerPath`: the built queryWorker. The thread starts now, so that the first question does not wait. */
  static start(workerPath: string, options: QueryClientOptions = {}): QueryClient {
    const service = new QueryClient(workerPath, options);
    service.warm();
    return service;
  }

  /** `signal`: ends the question within half a second. */
  async ask<K extends QuestionKind>(
    kind: K,
    path: string,
    query: Query<K>,
    signal?: AbortSignal,
  ): Promise<QueryAnswer<K>> {
    const limitMs = ownLimitMs(query) ?? this.#hardLimitMs;
    return await this.request({
      message: { kind, path, query },
      limitMs,
      late: () => new StrobeError('TIMED_OUT', `The question took longer than ${limitMs} ms.`),
      signal,
      read: (reply: Reply<QueryAnswer<K>>) => ({ answer: answerIn(reply) }),
    });
  }

  /** Closes the store's file, which is removed: another may come under its name. */
  forget(storePath: string): void {
    const message: Forget = { kind: 'forget', path: storePath };
    this.tell(message);
  }
}

/** Of a question that ends its search by itself. */
function ownLimitMs(query: Query<QuestionKind>): number | null {
  if (query === null || typeof query === 'string' || !('deadlineMs' in query)) return null;
  return query.deadlineMs + GRACE_MS;
}
