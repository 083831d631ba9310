import { LineReader } from '../../../src/base/lines.ts';
import { startOwned, type OwnedProcess } from '../../../src/base/process.ts';
import { listMember, member, parse, textMember } from '../../../src/client/messages.ts';

/** What a tool answered. */
export interface ToolAnswer {
  readonly text: string;
  /** The structured form. */
  readonly body: unknown;
}

/** A tool refused, or Strobe is not there: the message says what to do next. */
export class StrobeFailure extends Error {
  /** The code of the error table; empty: none of Strobe's own. */
  readonly code: string;

  constructor(message: string, code = '') {
    super(message);
    this.code = code;
  }
}

/** Bytes of one answer, as of the daemon. */
const longestLine = 16 << 20;
/** Characters of the last words of a `strobe` that ended. */
const wordsKept = 600;
const protocolVersion = '2025-06-18';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** How `strobe` is started: its path and folder, asked at each start. */
export type StrobeStart = () => { readonly path: string; readonly cwd: string };

/**
 * The tools of Strobe, through `strobe mcp`: the same way that agents take. It is started with the first call, finds or
 * starts the daemon, and follows it when that restarts; one that ended is started again with the next call.
 */
export class StrobeServer {
  readonly #start: StrobeStart;
  readonly #clientVersion: string;
  #running: Promise<RunningServer> | null = null;
  #isClosed = false;

  constructor(start: StrobeStart, clientVersion: string) {
    this.#start = start;
    this.#clientVersion = clientVersion;
  }

  /** The version of the strobe that answers; starts it. */
  async version(): Promise<string> {
    return (await this.#server()).version;
  }

  /** Calls a tool. Throws StrobeFailure. */
  async call(tool: string, args: object): Promise<ToolAnswer> {
    const result = await (
      await this.#server()
    ).request('tools/call', { name: tool, arguments: args });
    const body = member(result, 'structuredContent');
    const text = listMember(result, 'content')
      .map((part) => textMember(part, 'text'))
      .join('\n');
    if (member(result, 'isError') !== true) return { text, body };
    const error = member(body, 'error');
    const words = [textMember(error, 'message'), textMember(error, 'hint')].filter(Boolean);
    throw new StrobeFailure(words.length > 0 ? words.join(' ') : text, textMember(error, 'code'));
  }

  /** Ends `strobe mcp`; the daemon and all programs run on as their sessions say. */
  close(): void {
    this.#isClosed = true;
    void this.#running?.then((running) => running.close()).catch(() => undefined);
    this.#running = null;
  }

  async #server(): Promise<RunningServer> {
    if (this.#isClosed) throw new StrobeFailure('The extension was deactivated.');
    this.#running ??= this.#begin();
    return await this.#running;
  }

  async #begin(): Promise<RunningServer> {
    try {
      const { path, cwd } = this.#start();
      const running = await RunningServer.start(path, cwd, this.#clientVersion);
      void running.ended.then(() => (this.#running = null));
      return running;
    } catch (error) {
      this.#running = null;
      throw error;
    }
  }
}

/** One process of `strobe mcp`. */
class RunningServer {
  /** Its process has ended and all that waited was refused. */
  readonly ended: Promise<void>;
  version = '';
  readonly #process: OwnedProcess;
  readonly #lines = new LineReader(longestLine);
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #words = '';
  #isOver = false;

  private constructor(process: OwnedProcess) {
    this.#process = process;
    process.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    process.stderr.on('data', (chunk: Buffer) => {
      this.#words = (this.#words + chunk.toString()).slice(-wordsKept);
    });
    this.ended = process.ended.then(() => this.#end());
  }

  static async start(path: string, cwd: string, clientVersion: string): Promise<RunningServer> {
    const command = { command: path, args: ['mcp', '--structured'], cwd };
    const started = await startOwned(command).catch((error: unknown) => {
      throw new StrobeFailure(`${path} could not be started: ${String(error)}`);
    });
    const running = new RunningServer(started);
    const clientInfo = { name: 'strobe-vscode', version: clientVersion };
    const result = await running.request('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo,
    });
    running.version = textMember(member(result, 'serverInfo'), 'version');
    running.#send({ method: 'notifications/initialized' });
    return running;
  }

  async request(method: string, params: object): Promise<unknown> {
    const id = ++this.#number;
    return await new Promise<unknown>((resolve, reject) => {
      if (this.#isOver) {
        reject(this.#goneError());
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  /** It ends when its input does. */
  close(): void {
    this.#process.stdin.end();
  }

  #send(message: object): void {
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #read(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) {
      const message = line === null ? null : parse(line);
      const waiting = typeof message?.id === 'number' ? this.#waiting.get(message.id) : undefined;
      if (typeof message?.id !== 'number' || message.method !== undefined || !waiting) continue;
      this.#waiting.delete(message.id);
      if (message.error === undefined) waiting.resolve(message.result);
      else waiting.reject(new StrobeFailure(textMember(message.error, 'message', 'Refused.')));
    }
  }

  #end(): void {
    this.#isOver = true;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#goneError());
    this.#waiting.clear();
  }

  #goneError(): StrobeFailure {
    const words = this.#words.trim();
    return new StrobeFailure(
      `strobe mcp ended${words === '' ? '.' : `: ${words}`} Run strobe doctor in a terminal.`,
    );
  }
}
