import type { WrittenBlock } from './blockTable.ts';
import type { Continuation } from './continuation.ts';
import type { Recorder } from './recorder.ts';
import { ThreadLog } from './threadLog.ts';

interface Figures {
  stored: number;
  calls: number;
  openCalls: number;
}

interface EndedThread extends Readonly<Figures> {
  /** Oldest first. */
  readonly blocks: readonly WrittenBlock[];
}

/**
 * Threads that have ended, of which there may be any number: their blocks and figures. The rest of a log is in
 * the file, for the few that go on (their agent went with its host) and for the oldest, which go at the limit.
 */
export class EndedThreads {
  readonly #to: Recorder;
  readonly #continuation: Continuation;
  readonly #threads = new Map<number, EndedThread>();
  /** All of whose calls went at the limit. */
  readonly #empty = new Map<number, EndedThread>();
  readonly sum = { stored: 0, calls: 0, openCalls: 0 };

  constructor(to: Recorder, continuation: Continuation) {
    this.#to = to;
    this.#continuation = continuation;
  }

  /** All of it is written. */
  put({ key, stored, calls, openCalls, blocks }: ThreadLog): void {
    const threads = blocks.length > 0 ? this.#threads : this.#empty;
    threads.set(key, { stored, calls, openCalls, blocks });
    addTo(this.sum, { stored, calls, openCalls });
  }

  /** The log of a thread that goes on, or of which something is to go. */
  take(key: number): ThreadLog | null {
    const known = this.#remove(key);
    const state = known ? this.#continuation.thread(key) : null;
    if (!known || !state) return null;
    const log = new ThreadLog(key, this.#to);
    log.continueFrom(state, known.blocks, known.openCalls);
    return log;
  }

  /** The log with the oldest call of those that run and those that have ended; of the latter it is to be put back. */
  oldestWith(running: Iterable<ThreadLog>): ThreadLog | null {
    let oldest: ThreadLog | null = null;
    for (const log of running)
      if ((log.oldestNs ?? Infinity) < (oldest?.oldestNs ?? Infinity)) oldest = log;
    let [ended, since]: [number | null, number] = [null, oldest?.oldestNs ?? Infinity];
    for (const [key, { blocks }] of this.#threads) {
      const startNs = blocks[0]?.startNs ?? Infinity;
      if (startNs < since) [ended, since] = [key, startNs];
    }
    return ended === null ? oldest : this.take(ended);
  }

  #remove(key: number): EndedThread | null {
    for (const threads of [this.#threads, this.#empty]) {
      const known = threads.get(key);
      if (!known) continue;
      threads.delete(key);
      addTo(this.sum, known, -1);
      return known;
    }
    return null;
  }
}

/** Adds figures to a sum, or takes them from it. */
export function addTo(sum: Figures, { stored, calls, openCalls }: Figures, sign: 1 | -1 = 1): void {
  sum.stored += sign * stored;
  sum.calls += sign * calls;
  sum.openCalls += sign * openCalls;
}
