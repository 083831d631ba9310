import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { within } from '../../../src/base/deadline.ts';
import { at } from '../../support/read.ts';

/** `strobe mcp --structured`, spoken to line by line. */
export class Wire {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Every line of stdout, parsed. */
  readonly received: unknown[] = [];
  #wake: (() => void)[] = [];

  constructor(program: string, env: Readonly<Record<string, string>>, cwd: string) {
    this.child = spawn(process.execPath, [program, 'mcp', '--structured'], {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.ended = new Promise((resolve) => this.child.once('exit', (code) => resolve(code)));
    if (!this.child.stdout) throw new Error('no stdout');
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.received.push(JSON.parse(line));
      for (const wake of this.#wake.splice(0)) wake();
    });
  }

  send(message: object): void {
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** The answer with this id; fails after 10 s. */
  async answer(id: number): Promise<unknown> {
    return await this.seen(
      (message) => at(message, 'id') === id && at(message, 'method') === undefined,
    );
  }

  /** The first message that fits, also one that came before. */
  async seen(fits: (message: unknown) => boolean): Promise<unknown> {
    const search = async (): Promise<unknown> => {
      for (;;) {
        const found = this.received.find(fits);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    };
    return await within(
      10_000,
      search(),
      () => new Error(`not received; there is: ${JSON.stringify(this.received)}`),
    );
  }

  /** Says hello as a client of the 2025 revisions. */
  async initialize(id: number): Promise<unknown> {
    const clientInfo = { name: 'wire', version: '1' };
    this.send({
      id,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    const answer = await this.answer(id);
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  call(id: number, name: string, args: object, meta: object = {}): void {
    this.send({ id, method: 'tools/call', params: { name, arguments: args, _meta: meta } });
  }

  async close(): Promise<number | null> {
    this.child.stdin?.end();
    return await within(5000, this.ended, () => new Error('the proxy did not end with its input'));
  }
}
