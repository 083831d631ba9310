import type { TestEvent } from '../../model/tests/testReport.ts';
import type { ReportSource, RunnerEnd, TestReader } from '../adapter.ts';
import { EventLines } from './eventLines.ts';

const mostWords = 20_000;

/**
 * Reads what a reporter of ours writes. A runner that ended before the reporter lived has only
 * its output to say why: `saidNothing` gets the beginning of both streams.
 */
export class EventReader implements TestReader {
  readonly #events = new EventLines();
  readonly #saidNothing: (words: string, end: RunnerEnd) => readonly TestEvent[];
  readonly #sieve: (events: readonly TestEvent[]) => readonly TestEvent[];
  #words = '';
  #spoke = false;

  /** `sieve`: leaves out what was not asked for. */
  constructor(
    saidNothing: (words: string, end: RunnerEnd) => readonly TestEvent[],
    sieve: (events: readonly TestEvent[]) => readonly TestEvent[] = (events) => events,
  ) {
    this.#saidNothing = saidNothing;
    this.#sieve = sieve;
  }

  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[] {
    if (source === 'report') {
      this.#spoke = true;
      return this.#sieve(this.#events.push(chunk));
    }
    if (!this.#spoke && this.#words.length < mostWords) this.#words += chunk.toString('utf8');
    return [];
  }

  end(end: RunnerEnd): Promise<readonly TestEvent[]> {
    const events: TestEvent[] = this.#events.end();
    if (!this.#spoke && !end.stopped) events.push(...this.#saidNothing(this.#words, end));
    return Promise.resolve(this.#sieve(events));
  }
}
