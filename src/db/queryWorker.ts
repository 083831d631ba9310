import { parentPort } from 'node:worker_threads';
import { nameThread } from '../base/threadName.ts';
import { monotonicMs } from '../base/clock.ts';
import { StrobeError } from '../model/errors.ts';
import type {
  Forget,
  FromQueryWorker,
  QuestionKind,
  Questions,
  ToQueryWorker,
} from './queryMessages.ts';
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

type Question = Exclude<ToQueryWorker, Forget>;

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

function answer(readers: Readers, question: Question): Questions[QuestionKind]['answer'] {
  const reader = readers.get(question.path);
  switch (question.kind) {
    case 'events':
      return reader.events(question.query);
    case 'tree':
      return reader.tree(question.query);
    case 'stats':
      return reader.stats(question.query);
    case 'output':
      return reader.output(question.query);
    case 'changes':
      return reader.changes(question.query);
    case 'diff':
      return reader.diff(readers.get(question.query.otherPath), question.query);
    case 'lastCalls':
      return reader.lastCalls(question.query);
    case 'crashes':
      return reader.crashes();
    case 'summary':
      return reader.summary();
    case 'callView':
      return reader.callView(question.query);
  }
}

function failure(error: unknown): FromQueryWorker {
  if (error instanceof StrobeError) {
    const { code, message, hint } = error;
    return { ok: false, code, message, hint };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const code = 'INTERNAL';
  return { ok: false, code, message, hint: new StrobeError(code, message).hint };
}

function main(): void {
  const port = parentPort;
  if (!port) throw new Error('The query worker is started by the daemon only.');
  const readers = new Readers();
  setInterval(() => readers.closeIdle(), IDLE_MS).unref();
  port.on('message', (message: ToQueryWorker) => {
    if (message.kind === 'forget') {
      readers.forget(message.path);
      return;
    }
    let reply: FromQueryWorker;
    try {
      reply = { ok: true, answer: answer(readers, message) };
    } catch (error) {
      reply = failure(error);
    }
    port.postMessage(reply);
  });
}

nameThread('strobe-query');
main();
