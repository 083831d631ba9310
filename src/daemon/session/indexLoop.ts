import { monotonicMs } from '../../base/clock.ts';
import { SessionWriter } from '../../db/writer/sessionWriter.ts';
import { Drain } from './drain.ts';
import type { FromIndex, IndexWorkerOptions, KnownBefore, ToIndex } from './indexMessages.ts';

const BUSY_POLL_MS = 2;
const IDLE_POLL_MS = 50;
const COMMIT_MS = 200;

type Request = Exclude<ToIndex, { type: 'outputGrown' | 'open' }>;

/**
 * Polls a session's rings and output log, more often the more there is to read, and commits a few
 * times a second or when asked.
 */
export class IndexLoop {
  readonly #drain: Drain;
  readonly #say: (message: FromIndex) => void;
  readonly #known: KnownBefore;
  #waitMs = BUSY_POLL_MS;
  #dirty = false;
  #committedAt = monotonicMs();
  #timer: NodeJS.Timeout | undefined;

  private constructor(drain: Drain, known: KnownBefore, say: (message: FromIndex) => void) {
    this.#drain = drain;
    this.#known = known;
    this.#say = say;
  }

  /** Opens the store and begins, or goes on; throws when it cannot be opened. */
  static start(options: IndexWorkerOptions, say: (message: FromIndex) => void): IndexLoop {
    const limits = {
      sessionId: options.sessionId,
      maxEvents: options.maxEvents,
      maxOutputBytes: options.maxOutputBytes,
      terminal: options.terminal,
    };
    const { writer, sources } = options.continues
      ? SessionWriter.continue(options.storePath, limits)
      : { writer: SessionWriter.open(options.storePath, limits), sources: null };
    const drain = new Drain(options, writer, (record) => say({ type: 'life', record }));
    for (const message of drain.continueFrom(sources)) say({ type: 'fault', message });
    const known = { functions: writer.functions(), indexedTo: writer.summary().indexedTo };
    const loop = new IndexLoop(drain, known, say);
    loop.#tick();
    return loop;
  }

  outputGrown(): void {
    if (this.#drain.pollOutput()) this.#dirty = true;
    this.#commitWhenDue();
  }

  answer(message: Request): FromIndex {
    const { request } = message;
    switch (message.type) {
      case 'functions':
        this.#drain.defineFunctions(message.functions);
        return { type: 'answer', request, settled: null };
      case 'ring':
        this.#drain.addRing(message.path);
        return { type: 'answer', request, settled: null };
      case 'known':
        return { type: 'answer', request, settled: null, known: this.#known };
      case 'settle': {
        const settled = this.#drain.settle(message.final);
        this.#dirty = false;
        this.#committedAt = monotonicMs();
        return { type: 'answer', request, settled };
      }
      case 'close':
        clearTimeout(this.#timer);
        this.#drain.commit();
        this.#drain.close();
        return { type: 'answer', request, settled: null };
    }
  }

  #tick(): void {
    try {
      const any = this.#drain.poll();
      if (any) this.#dirty = true;
      this.#waitMs = any ? BUSY_POLL_MS : Math.min(IDLE_POLL_MS, this.#waitMs * 2);
      this.#commitWhenDue();
    } catch (error) {
      this.#say({ type: 'fault', message: error instanceof Error ? error.message : String(error) });
      this.#waitMs = IDLE_POLL_MS;
    }
    this.#timer = setTimeout(() => this.#tick(), this.#waitMs);
  }

  #commitWhenDue(): void {
    if (!this.#dirty || monotonicMs() - this.#committedAt < COMMIT_MS) return;
    this.#drain.commit();
    this.#committedAt = monotonicMs();
    this.#dirty = false;
    this.#say({ type: 'progress' });
  }
}
