import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { within } from '../../../base/deadline.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { PagePipes } from './chromium.ts';

const LIMIT_MS = 5000;
/** A browser that has just been started answers late. */
const FIRST_MS = 15_000;
/** The first number of a question: answers to one who asked before us are not ours. */
const MOST_FIRST = 1e9;

export type Fields = Readonly<Record<string, unknown>>;

interface Waiting {
  readonly resolve: (result: Fields) => void;
  readonly reject: (error: Error) => void;
}

type Hear = (method: string, params: Fields, page: string | null) => void;

/** Asks a program of Chromium by the protocol of its developer tools: JSON texts, each with a NUL at its end. */
export class DevtoolsPipe {
  readonly #orders: Socket;
  readonly #answers: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #hear: Hear;
  #hasAnswered = false;
  #next = Math.floor(Math.random() * MOST_FIRST);
  #parts: Buffer[] = [];

  constructor(pipes: PagePipes, hear: Hear) {
    this.#hear = hear;
    this.#orders = new Socket({ fd: opened(pipes.orders), readable: false, writable: true });
    this.#answers = new Socket({ fd: opened(pipes.answers), readable: true, writable: false });
    this.#answers.on('data', (part) => this.#take(Buffer.from(part)));
  }

  /** `page`: the session that the program gave us with a page; null: the browser. */
  async ask(method: string, params: Fields = {}, page: string | null = null): Promise<Fields> {
    const id = this.#next++;
    const answer = new Promise<Fields>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    const order = { id, method, params, ...(page === null ? {} : { sessionId: page }) };
    this.#orders.write(`${JSON.stringify(order)}\0`);
    try {
      const limitMs = this.#hasAnswered ? LIMIT_MS : FIRST_MS;
      const result = await within(limitMs, answer, () => late(method, limitMs));
      this.#hasAnswered = true;
      return result;
    } finally {
      this.#waiting.delete(id);
    }
  }

  #take(part: Buffer): void {
    let from = 0;
    for (let end = part.indexOf(0); end >= 0; end = part.indexOf(0, from)) {
      this.#parts.push(part.subarray(from, end));
      this.#hearText(Buffer.concat(this.#parts).toString());
      this.#parts = [];
      from = end + 1;
    }
    this.#parts.push(part.subarray(from));
  }

  #hearText(text: string): void {
    const message = fieldsIn(text);
    if (message === null) return; // The end of one that began before us.
    const { id, method, params, sessionId, result, error } = message;
    if (typeof id !== 'number') {
      const page = typeof sessionId === 'string' ? sessionId : null;
      if (typeof method === 'string') this.#hear(method, fieldsOf(params), page);
      return;
    }
    const waiting = this.#waiting.get(id);
    if (error === undefined) waiting?.resolve(fieldsOf(result));
    else waiting?.reject(new Error(String(fieldsOf(error)['message'])));
  }
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function fieldsIn(text: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** For both, as a pipe that only one end has would wait for the other, or end. */
function opened(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
}

function late(method: string, limitMs: number): StrobeError {
  return new StrobeError(
    'TIMED_OUT',
    `The page did not answer ${method} in ${limitMs} ms: its script runs, or a dialog or a breakpoint holds it.`,
    'debug_ui {"action":"screenshot"} shows it.',
  );
}
