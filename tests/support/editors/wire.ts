import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { at, textAt } from '../read.ts';
import { packageRoot } from '../strobe.ts';
import type { TestHome } from '../home.ts';

/** `strobe dap` as an editor of our own sees it: bytes, requests and answers, nothing added to either. */
export class Wire {
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (answer: unknown) => void>();
  readonly #events: unknown[] = [];
  readonly #waiting = new Set<() => void>();
  #bytes = Buffer.alloc(0);
  #seq = 1;
  /** All text that the program printed. */
  output = '';

  constructor(home: TestHome) {
    this.#child = spawn(join(packageRoot, 'strobe'), ['dap'], {
      env: home.env,
      cwd: home.path,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  /** The body of the answer. Throws what a refusal says. */
  async request(command: string, given?: object): Promise<unknown> {
    const seq = this.#seq++;
    const rest = given === undefined ? {} : { arguments: given };
    const text = JSON.stringify({ seq, type: 'request', command, ...rest });
    const answered = new Promise<unknown>((resolve) => this.#answers.set(seq, resolve));
    this.#child.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    const answer = await answered;
    if (at(answer, 'success') === true) return at(answer, 'body');
    throw new Error(`${command}: ${textAt(answer, 'message')}`);
  }

  /** The body of the next event of this name; those before it are passed over. */
  async event(name: string): Promise<unknown> {
    for (;;) {
      const place = this.#events.findIndex((one) => at(one, 'event') === name);
      if (place >= 0) return at(this.#events.splice(0, place + 1).at(-1), 'body');
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Its editor kills the process, as some do without a farewell. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill();
    await gone;
  }

  #read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const [header, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(
        this.#bytes.subarray(0, 64).toString('latin1'),
      ) ?? ['', '0'];
      const end = header.length + Number(length);
      if (header === '' || this.#bytes.length < end) return;
      this.#take(JSON.parse(this.#bytes.subarray(header.length, end).toString('utf8')));
      this.#bytes = this.#bytes.subarray(end);
    }
  }

  #take(message: unknown): void {
    const seq = at(message, 'request_seq');
    if (typeof seq === 'number') this.#answers.get(seq)?.(message);
    else this.#events.push(message);
    const isOutput =
      at(message, 'event') === 'output' && at(message, 'body', 'category') === 'stdout';
    if (isOutput) this.output += textAt(message, 'body', 'output');
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
