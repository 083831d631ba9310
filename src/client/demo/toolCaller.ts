import { within } from '../../base/deadline.ts';
import { LineReader } from '../../base/lines.ts';
import { startOwned, type Command, type OwnedProcess } from '../../base/process.ts';

const longestLine = 64 << 20;
const answerLimitMs = 120_000;

/** A tool's answer as an MCP client gets it. */
export interface ToolResult {
  readonly text: string;
  readonly structured: unknown;
  readonly isError: boolean;
}

/** A small MCP client of our own proxy: one JSON-RPC message per line, over the child's pipes. */
export class ToolCaller implements AsyncDisposable {
  readonly #proxy: OwnedProcess;
  readonly #waiting = new Map<
    number,
    { take: (result: unknown) => void; fail: (error: Error) => void }
  >();
  readonly #progress: (message: string) => void;
  #number = 0;

  private constructor(proxy: OwnedProcess, progress: (message: string) => void) {
    this.#proxy = proxy;
    this.#progress = progress;
    const lines = new LineReader(longestLine);
    proxy.stdout.on('data', (chunk: Buffer) => {
      for (const line of lines.push(chunk)) if (line !== null) this.#take(line);
    });
    proxy.stdout.on('end', () => {
      for (const { fail } of this.#waiting.values()) fail(new Error('strobe mcp ended.'));
      this.#waiting.clear();
    });
  }

  /** Starts the proxy and shakes hands. `progress` gets what a long request says of itself. */
  static async start(command: Command, progress: (message: string) => void): Promise<ToolCaller> {
    const proxy = await startOwned(command);
    proxy.stderr.resume();
    const caller = new ToolCaller(proxy, progress);
    await caller.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'strobe-demo', version: '1' },
    });
    caller.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return caller;
  }

  /** Sends a request and returns its result; rejects with the server's words, or after a limit. */
  async request(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.#number += 1;
    const id = this.#number;
    const answer = new Promise<unknown>((take, fail) => this.#waiting.set(id, { take, fail }));
    this.#send({ jsonrpc: '2.0', id, method, params });
    try {
      return await within(answerLimitMs, answer, () => new Error(`${method} had no answer.`));
    } finally {
      this.#waiting.delete(id);
    }
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult> {
    const result = await this.request('tools/call', {
      name: tool,
      arguments: args,
      _meta: { progressToken: tool },
    });
    const content = member(result, 'content');
    const texts = Array.isArray(content) ? content.map((part) => member(part, 'text')) : [];
    return {
      text: texts.filter((text) => typeof text === 'string').join('\n'),
      structured: member(result, 'structuredContent'),
      isError: member(result, 'isError') === true,
    };
  }

  /** Goes away as a client does: by closing the proxy's stdin. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#proxy.stdin.end();
    await within(5_000, this.#proxy.ended, () => new Error('late')).catch(() => undefined);
    await this.#proxy[Symbol.asyncDispose]();
  }

  #send(message: object): void {
    this.#proxy.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(line: string): void {
    const message: unknown = JSON.parse(line);
    const id = member(message, 'id');
    if (member(message, 'method') === 'notifications/progress') {
      const said = member(member(message, 'params'), 'message');
      if (typeof said === 'string') this.#progress(said);
      return;
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    const error = member(message, 'error');
    if (error === undefined) waiting?.take(member(message, 'result'));
    else waiting?.fail(new Error(JSON.stringify(error)));
  }
}

/** A member of a parsed JSON value, or undefined. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}
