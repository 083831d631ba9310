import type { Socket } from 'node:net';
import { within } from '../../base/deadline.ts';
import { encodeFrame } from '../../base/frames.ts';
import { StrobeError } from '../../model/errors.ts';
import type { NodeAnswer } from '../../protocol/agent.ts';
import type { AgentLink } from '../frida/fridaHost.ts';
import { LocalServer, type Served } from '../source/localServer.ts';
import type { OwnWaySink } from '../source/sourceProcess.ts';

const mostBytes = 64 << 10;
const callMs = 30_000;
const notDone = -1;

/** Where processes come in that nothing entered: native/node/alone.c is their side. */
export class OwnLinks extends LocalServer {
  readonly #expected = new Map<number, OwnLink>();

  constructor(path: string) {
    super(path, mostBytes, (connection) => this.#serve(connection));
  }

  /** The process begins with a word by which it comes. */
  expect(pid: number, sink: OwnWaySink): OwnLink {
    const link = new OwnLink(sink, () => {
      if (this.#expected.get(pid) === link) this.#expected.delete(pid);
    });
    this.#expected.set(pid, link);
    return link;
  }

  #serve(connection: Socket): Served {
    let link: OwnLink | null = null;
    return {
      take: (frame) => {
        if (link) {
          link.answered(frame.toString());
          return;
        }
        const [, pid = '', ring = ''] = /^(\d+) (.*)$/s.exec(frame.toString()) ?? [];
        link = this.#expected.get(Number(pid)) ?? null;
        if (link) void link.came(connection, ring);
        else connection.destroy();
      },
      ended: () => link?.ended(),
    };
  }
}

/** Our way into a process that loads the tracer itself, before its first module. */
export class OwnLink implements AgentLink {
  readonly #sink: OwnWaySink;
  readonly #onClosed: () => void;
  readonly #waiting: ((answer: string | null) => void)[] = [];
  #connection: Socket | null = null;
  #isClosed = false;
  /** Told to it as it comes. */
  #wanted = '';

  constructor(sink: OwnWaySink, onClosed: () => void) {
    this.#sink = sink;
    this.#onClosed = onClosed;
  }

  /** `nodeWant`, `nodePause` and `nodeLeave`, as of an agent (src/protocol/agent.ts). */
  async call<T>(method: string, [first]: readonly unknown[]): Promise<T> {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- as of every AgentLink
    return (await this.#call(method, first)) as T;
  }

  async #call(method: string, first: unknown): Promise<NodeAnswer | readonly number[]> {
    if (method === 'nodePause')
      return this.#connection ? numbersIn(await this.#ask(`pause ${String(first)}`)) : [];
    this.#wanted = method === 'nodeWant' ? String(first) : '';
    const answer = Number(await this.#ask(`want ${this.#wanted}`));
    if (answer === notDone) throw new Error(`${this.#wanted} cannot be read`);
    return { isDone: answer !== 0 };
  }

  onMessage(): () => void {
    return () => undefined;
  }

  async post(): Promise<void> {
    await Promise.resolve();
  }

  /** It stands in front of its first module, and waits. */
  async came(connection: Socket, ring: string): Promise<void> {
    try {
      await this.#sink.ring(ring);
      this.#connection = connection;
      await this.#ask(`want ${this.#wanted}`);
    } catch {
      // Its session is over.
      connection.destroy();
    }
  }

  answered(text: string): void {
    this.#waiting.shift()?.(text);
  }

  ended(): void {
    this.#connection = null;
    for (const answer of this.#waiting.splice(0)) answer(null);
    this.#onClosed();
    if (!this.#isClosed) this.#sink.ended();
  }

  /** The process runs on without us. */
  close(): void {
    this.#isClosed = true;
    this.#onClosed();
    this.#connection?.destroy();
  }

  /** Answers as one that has nothing to do where the process has not come yet, or has ended. */
  async #ask(request: string): Promise<string> {
    const connection = this.#connection;
    if (!connection) return '1';
    const answer = new Promise<string | null>((resolve) => this.#waiting.push(resolve));
    connection.write(encodeFrame(Buffer.from(request)));
    return (await within(callMs, answer, () => tooLate())) ?? '1';
  }
}

function numbersIn(text: string): number[] {
  return text.split(' ').filter(Boolean).map(Number);
}

function tooLate(): StrobeError {
  return new StrobeError('TIMED_OUT', 'The process did not answer its tracer in time.');
}
