import { connect, type Socket } from 'node:net';

/**
 * A client that asks a server of lines one number after the other, on a connection of its own, and
 * checks each answer: the sum of 1..n.
 */
export class Requester {
  readonly #socket: Socket;
  #text = '';
  #wake: () => void = () => undefined;
  #ended = false;
  #stop = false;
  #work: Promise<void> = Promise.resolve();
  /** Right answers. */
  answers = 0;
  /** Wrong or missing answers. */
  readonly faults: string[] = [];
  /** Milliseconds from each request to its answer. */
  latencies: number[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString();
      this.#wake();
    });
    for (const event of ['close', 'error'] as const)
      socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
  }

  /** Connects and begins to ask, without pause, until `end`. */
  static async start(path: string): Promise<Requester> {
    const socket = connect(path);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    const requester = new Requester(socket);
    requester.#work = requester.#run();
    return requester;
  }

  /** Asks no more and closes the connection. */
  async end(): Promise<void> {
    this.#stop = true;
    await this.#work;
    this.#socket.end();
  }

  async #run(): Promise<void> {
    for (let n = 1; !this.#stop && this.faults.length === 0; n = (n % 999) + 1) {
      const began = performance.now();
      this.#socket.write(`${n}\n`);
      const line = await this.#line();
      this.latencies.push(performance.now() - began);
      if (line === String((n * (n + 1)) / 2)) this.answers++;
      else this.faults.push(`${n}: ${line ?? 'the connection ended'}`);
    }
  }

  async #line(): Promise<string | null> {
    for (;;) {
      const end = this.#text.indexOf('\n');
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        return line;
      }
      if (this.#ended) return null;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
