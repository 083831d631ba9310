import { connect, type Socket } from 'node:net';
import { LineReader } from '../base/lines.ts';
import type { EndAnswer, HelloAnswer, HelloRequest } from '../protocol/socket.ts';
import { ClientError } from './clientError.ts';
import { member, parse, textMember, type Incoming } from './messages.ts';

/** As protocol/socket `maxLineBytes`. */
export const maxLineBytes = 16 << 20;

/** As protocol/socket `socketMethods.ending`. */
const endingMethod = 'strobe/ending';

/** How long the daemon may take to greet. */
const greetingMs = 10_000;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A greeted connection to the daemon. */
export class DaemonLink {
  /** Everything that is not an answer to `request`. */
  onMessage: (message: Incoming, line: string) => void = () => undefined;
  /** The connection ended; called once. */
  onClose: () => void = () => undefined;
  #hello: HelloAnswer = { version: '', build: 0, pid: 0, busy: false };
  readonly #socket: Socket;
  readonly #lines = new LineReader(maxLineBytes);
  readonly #waiting = new Map<string, Waiting>();
  #number = 0;
  #closed = false;
  #ending = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => this.#end());
  }

  /** Connects and greets; null when nobody listens there. */
  static async open(path: string, hello: HelloRequest): Promise<DaemonLink | null> {
    const socket = await connectTo(path);
    if (!socket) return null;
    const link = new DaemonLink(socket);
    const timer = setTimeout(() => socket.destroy(), greetingMs);
    try {
      link.#hello = readHello(await link.request('strobe/hello', hello));
      return link;
    } catch (error) {
      if (error instanceof ClientError && error.code !== 'DAEMON_UNREACHABLE') throw error;
      return null; // It was ending just then.
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the daemon said of itself. */
  get hello(): HelloAnswer {
    return this.#hello;
  }

  /** The daemon said that it ends; without that, a closed connection means that it died. */
  get isEnding(): boolean {
    return this.#ending;
  }

  get isOpen(): boolean {
    return !this.#closed;
  }

  /** Sends a message, or a line that holds one. */
  send(message: object | string): void {
    this.#socket.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  /** Sends a request of our own and waits for its result; no limit, the daemon has one. */
  async request(method: string, params: unknown): Promise<unknown> {
    this.#number += 1;
    const id = `strobe-${this.#number}`;
    return await new Promise<unknown>((resolve, reject) => {
      if (this.#closed) {
        reject(unreachable());
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** Asks a daemon nobody needs to end; true when it does. */
  async askToEnd(onlyIfIdle: boolean): Promise<boolean> {
    const answer = await this.request('strobe/end', { onlyIfIdle });
    return isEndAnswer(answer) && answer.ending;
  }

  /** Resolves when the connection has ended. */
  async closed(): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) {
      const message = line === null ? null : parse(line);
      if (line === null || message === null) continue; // An answer too long for us: its limit ends it.
      const waiting =
        typeof message.id === 'string' && message.method === undefined
          ? this.#waiting.get(message.id)
          : undefined;
      if (waiting && typeof message.id === 'string') {
        this.#waiting.delete(message.id);
        if (message.error === undefined) waiting.resolve(message.result);
        else waiting.reject(asError(message.error));
      } else if (message.method === endingMethod) this.#ending = true;
      else this.onMessage(message, line);
    }
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const waiting of this.#waiting.values()) waiting.reject(unreachable());
    this.#waiting.clear();
    this.onClose();
  }
}

async function connectTo(path: string): Promise<Socket | null> {
  return await new Promise<Socket | null>((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', () => resolve(null));
  });
}

function unreachable(): ClientError {
  return new ClientError('DAEMON_UNREACHABLE', 'The daemon closed the connection.');
}

function asError(error: unknown): ClientError {
  const code = member(member(error, 'data'), 'code');
  const hint = member(member(error, 'data'), 'hint');
  const message = textMember(error, 'message', 'The daemon refused the request.');
  return new ClientError(
    isCode(code) ? code : 'INTERNAL',
    message,
    typeof hint === 'string' ? hint : undefined,
  );
}

function isCode(code: unknown): code is ClientError['code'] {
  return typeof code === 'string' && /^[A-Z_]+$/.test(code);
}

function readHello(answer: unknown): HelloAnswer {
  return {
    version: textMember(answer, 'version'),
    build: Number(member(answer, 'build') ?? 0),
    pid: Number(member(answer, 'pid') ?? 0),
    busy: member(answer, 'busy') === true,
  };
}

function isEndAnswer(answer: unknown): answer is EndAnswer {
  return typeof member(answer, 'ending') === 'boolean';
}
