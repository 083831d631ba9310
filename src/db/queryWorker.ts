import { parentPort } from 'node:worker_threads';
import { nameThread } from '../base/threadName.ts';
import { monotonicMs } from '../base/clock.ts';
import { failureOf, type Reply } from '../model/failure.ts';
import type { Forget, Query, QueryAnswer, Question, QuestionKind } from './queryMessages.ts';
import { SessionReader } from './reader/sessionReader.ts';

/**
 * The thread in which questions are answered: it can be ended at any time without harm, because
 * it only reads. Readers stay open while they are used, so that their caches serve the next
 * question.
 */

const IDLE_MS = 60_000;
const MAX_READERS = 8;

interface OpenReader {
  readonly reader: SessionReader;
  usedMs: number;
}

class Readers {
  readonly #open = new Map<string, OpenReader>();

  get(path: string): SessionReader {
    const known = this.#open.get(path);
    if (known) {
      known.usedMs = monotonicMs();
      this.#open.delete(path);
      this.#open.set(path, known);
      return known.reader;
    }
    const reader = SessionReader.open(path);
    this.#open.set(path, { reader, usedMs: monotonicMs() });
    this.#closeBeyond(MAX_READERS);
    return reader;
  }

  forget(path: string): void {
    this.#open.get(path)?.reader.close();
    this.#open.delete(path);
  }

  closeIdle(): void {
    const since = monotonicMs() - IDLE_MS;
    for (const [path, { usedMs }] of this.#open) if (usedMs < since) this.forget(path);
  }

  #closeBeyond(size: number): void {
    for (const path of this.#open.keys()) {
      if (this.#open.size <= size) return;
      this.forget(path);
    }
  }
}

function answer<K extends QuestionKind>(
  readers: Readers,
  { kind, path, query }: Question<K>,
): QueryAnswer<K> {
  const reader = readers.get(path);
  const answers: { readonly [P in QuestionKind]: (asked: Query<P>) => QueryAnswer<P> } = {
    events: (asked) => reader.events(asked),
    tree: (asked) => reader.tree(asked),
    stats: (asked) => reader.stats(asked),
    output: (asked) => reader.output(asked),
    channel: (asked) => reader.channel(asked),
    changes: (asked) => reader.changes(asked),
    diff: (asked) => reader.diff(readers.get(asked.otherPath), asked),
    lastCalls: (asked) => reader.lastCalls(asked),
    callLines: (asked) => reader.callLines(asked),
    threads: () => reader.threads(),
    crashes: () => reader.crashes(),
    summary: () => reader.summary(),
    callView: (id) => reader.callView(id),
  };
  return answers[kind](query);
}

function main(): void {
  const port = parentPort;
  if (!port) throw new Error('The query worker is started by the daemon only.');
  const readers = new Readers();
  setInterval(() => readers.closeIdle(), IDLE_MS).unref();
  port.on('message', (message: Question | Forget) => {
    if (message.kind === 'forget') {
      readers.forget(message.path);
      return;
    }
    let reply: Reply<QueryAnswer<QuestionKind>>;
    try {
      reply = { ok: true, answer: answer(readers, message) };
    } catch (error) {
      reply = { ok: false, ...failureOf(error) };
    }
    port.postMessage(reply);
  });
}

nameThread('strobe-query');
main();
