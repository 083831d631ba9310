import type { Socket } from 'node:net';
import { within } from '../../base/deadline.ts';
import { encodeFrame } from '../../base/frames.ts';
import { StrobeError } from '../../model/errors.ts';
import { LocalServer, type Served } from './localServer.ts';

/** The connection of a thread that stands still: it asks by that what to do, and runs on when it ends. */
export interface HeldConnection {
  /** Rejects when the thread does not answer: it is gone, or cannot run for a while. */
  ask(request: Uint8Array): Promise<Buffer>;
  /** The last request, with which the thread runs on. Resolves when it does. */
  end(request: Uint8Array): Promise<void>;
  /** Resolves when the thread runs on, or is gone. */
  readonly closed: Promise<void>;
}

/** Takes a thread that stands still. `said`: where, behind the key of its process. */
export type HeldTaker = (said: string, connection: HeldConnection) => void;

const mostBytes = 1 << 20;
/** The interpreter may be busy in another thread. */
const answerMs = 5000;
const runMs = 1000;
const keyEnd = '\u001F';

/** Where threads of traced processes that stand still ask what to do, each by a connection of its own. */
export class StopSocket extends LocalServer {
  readonly #takers: Map<string, HeldTaker>;

  constructor(path: string) {
    const takers = new Map<string, HeldTaker>();
    super(path, mostBytes, (connection) => new Connection(connection, takers));
    this.#takers = takers;
  }

  /** Takes the threads of processes that have this key, until what is returned is disposed of. */
  take(key: string, taker: HeldTaker): Disposable {
    this.#takers.set(key, taker);
    return { [Symbol.dispose]: () => void this.#takers.delete(key) };
  }
}

class Connection implements HeldConnection, Served {
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #takers: ReadonlyMap<string, HeldTaker>;
  readonly #waiting: ((answer: Buffer) => void)[] = [];
  #isTaken = false;

  constructor(socket: Socket, takers: ReadonlyMap<string, HeldTaker>) {
    this.#socket = socket;
    this.#takers = takers;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  take(frame: Buffer): void {
    if (this.#isTaken) {
      this.#waiting.shift()?.(frame);
      return;
    }
    this.#isTaken = true;
    const text = frame.toString();
    const at = text.indexOf(keyEnd);
    const taker = this.#takers.get(text.slice(0, at));
    if (taker) taker(text.slice(at + 1), this);
    else this.#socket.destroy();
  }

  async ask(request: Uint8Array): Promise<Buffer> {
    const answer = new Promise<Buffer>((resolve) => this.#waiting.push(resolve));
    this.#socket.write(encodeFrame(request));
    return await answered(answer, this.closed, answerMs);
  }

  async end(request: Uint8Array): Promise<void> {
    this.#socket.write(encodeFrame(request));
    await within(runMs, this.closed, () => new Error()).catch(() => undefined);
    this.#socket.destroy();
  }
}

async function answered<T>(answer: Promise<T>, closed: Promise<void>, ms: number): Promise<T> {
  const gone = closed.then(() =>
    Promise.reject(new StrobeError('STALE_STOP', 'The thread runs on, or has ended.')),
  );
  const late = (): Error =>
    new StrobeError('TIMED_OUT', `The thread did not answer for ${ms / 1000} s.`);
  return await within(ms, Promise.race([answer, gone]), late);
}
