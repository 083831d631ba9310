import type { Readable, Writable } from 'node:stream';
import { pause } from '../base/deadline.ts';
import { LineReader, readJsonRpc, refusalMessage } from '../base/lines.ts';
import { ClientError } from './clientError.ts';
import { maxLineBytes, type DaemonLink } from './daemonLink.ts';
import type { FoundDaemon } from './daemonStart.ts';
import { claimedRevision, failedAnswer, manifestAnswer, versionKey } from './manifestAnswers.ts';
import type { JsonObject, Manifest } from './manifestTypes.ts';
import { member, type Incoming } from './messages.ts';

/*
 * `strobe mcp`. The handshake and the tool list are answered from the manifest; the first message
 * that needs the daemon connects to it (starting it when needed), and from then on lines pass
 * through with their ids as they are. A new daemon is told the client's `initialize` again; its
 * answer to that is not passed on.
 */

const handshakeId = 'strobe-handshake';
/** What scripts/waiting.cjs, which answered the client's `initialize` already, hands on in its place. */
const answeredHandshake = 'strobe/answered';
/** A daemon that dies again and again is not started for ever. */
const mostUnasked = 3;
/** A daemon's connection closes before its end can be waited for. */
const deathMs = 1000;

interface Pending {
  readonly line: string;
  readonly message: Incoming;
  /** The daemon it was sent to first died before it had answered. */
  readonly repeated?: true;
}

/** What the proxy works with. */
export interface ProxyOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly manifest: Manifest;
  /** Answers carry their structured form beside the text. */
  readonly structured: boolean;
  /** Finds the daemon, starting it when there is none. */
  connect(): Promise<FoundDaemon>;
}

/** Passes MCP between a client on two streams and the daemon; resolves when the client has gone. */
export async function runProxy(options: ProxyOptions): Promise<void> {
  await new ClientProxy(options).run();
}

class ClientProxy {
  readonly #options: ProxyOptions;
  readonly #lines = new LineReader(maxLineBytes);
  #link: DaemonLink | null = null;
  /** What is unusual about the daemon, until a tool's answer has told it. */
  #note: string | null = null;
  #connecting = false;
  #gone = false;
  /** Daemons connected to since the client last asked for one. */
  #unasked = 0;
  /** Waiting for the daemon, in order. */
  #queue: Pending[] = [];
  /** Sent to the daemon and not answered. */
  readonly #open = new Map<unknown, Pending>();
  /** Parameters of the client's `initialize`; null for clients of the 2026 revision. */
  #initialize: unknown = null;
  /** Some request was of the 2026 revision. */
  #isModern = false;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', (chunk: Buffer) => this.#read(chunk));
    input.resume(); // Whoever read it before us paused it.
    await new Promise<void>((resolve) => {
      for (const event of ['end', 'close', 'error']) input.once(event, resolve);
      for (const event of ['close', 'error']) output.once(event, resolve);
    });
    this.#gone = true;
    this.#link?.close();
  }

  #read(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) {
      const { message, refused } = readJsonRpc(line, maxLineBytes);
      if (message === null) this.#write(refusalMessage(refused));
      else this.#receive({ line: line ?? '', message });
    }
  }

  #receive(pending: Pending): void {
    const { message } = pending;
    if (message.method === 'notifications/initialized') return; // The daemon was told in the handshake.
    if (message.method === answeredHandshake) {
      if (claimedRevision(message) === null) this.#initialize = message.params ?? {};
      else this.#isModern = true;
      return;
    }
    if (claimedRevision(message) !== null) this.#isModern = true;
    else if (this.#lacksRevision(message)) {
      this.#write(
        refusalMessage({
          ...idOf(message),
          code: -32602,
          text: `${String(message.method)}: _meta["${versionKey}"] is missing.`,
        }),
      );
      return;
    }
    if (message.method === 'notifications/cancelled' && this.#cancel(message)) return;
    const result = message.id === undefined ? null : this.#fromManifest(message);
    if (result === null) {
      this.#forward(pending);
      return;
    }
    if (message.method === 'initialize' && this.#link) this.#introduce(this.#link);
    this.#write({ jsonrpc: '2.0', id: message.id, result });
  }

  /** Tells a daemon of the client's `initialize`, which was answered here. */
  #introduce(link: DaemonLink): void {
    const params = this.#initialize;
    link.send({ jsonrpc: '2.0', id: handshakeId, method: 'initialize', params });
    link.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** A request of no era, of a client that has spoken only the revision in which each says it; or one that is of no other. */
  #lacksRevision({ id, method }: Incoming): boolean {
    const isRequest = id !== undefined && method !== undefined && method !== 'initialize';
    const isModern = method === 'server/discover' || (this.#isModern && this.#initialize === null);
    return isRequest && isModern;
  }

  /** The answer of a request the manifest has one for. */
  #fromManifest(message: Incoming): JsonObject | null {
    const { manifest, structured } = this.#options;
    // A daemon of another version has the last word about its tools.
    const isOther = this.#link !== null && this.#link.hello.version !== manifest.version;
    if (message.method === 'tools/list' && isOther) return null;
    const result = manifestAnswer(manifest, message, structured);
    if (message.method === 'initialize' && result !== null) this.#initialize = message.params ?? {};
    return result;
  }

  #forward(pending: Pending): void {
    this.#unasked = 0;
    if (this.#link) {
      this.#pass(this.#link, pending);
      return;
    }
    if (pending.message.id === undefined) return; // A notification for a daemon that is not there.
    this.#queue.push(pending);
    if (!this.#connecting) void this.#connect();
  }

  #pass(link: DaemonLink, pending: Pending): void {
    const { id, method } = pending.message;
    if (id !== undefined && method !== undefined) this.#open.set(id, pending);
    link.send(pending.line);
  }

  async #connect(): Promise<void> {
    this.#connecting = true;
    try {
      const { link, note, death } = await this.#options.connect();
      if (this.#gone) {
        link.close();
        return;
      }
      if (note !== null) this.#note = this.#note === null ? note : `${this.#note} ${note}`;
      link.onMessage = (message, line) => this.#fromDaemon(link, message, line);
      link.onClose = () => void this.#lost(link, death);
      if (this.#initialize !== null) this.#introduce(link);
      this.#link = link;
      for (const pending of this.#queue.splice(0)) this.#pass(link, pending);
      if (!link.isOpen) void this.#lost(link, death);
    } catch (error) {
      const known =
        error instanceof ClientError ? error : new ClientError('DAEMON_UNREACHABLE', String(error));
      for (const pending of this.#queue.splice(0)) this.#fail(pending, known);
    } finally {
      this.#connecting = false;
    }
  }

  #fromDaemon(link: DaemonLink, message: Incoming, line: string): void {
    let told = line;
    if (message.method === undefined) {
      if (message.id === handshakeId) return;
      const asked = this.#open.get(message.id);
      this.#open.delete(message.id);
      if (this.#note !== null && asked?.message.method === 'tools/call')
        told = this.#withNote(message) ?? line;
    }
    if (this.#options.output.write(`${told}\n`)) return;
    link.pause();
    this.#options.output.once('drain', () => link.resume());
  }

  /** The answer of a tool with the note in both of its forms; null when it has not the usual shape. */
  #withNote(message: Incoming): string | null {
    const { result } = message;
    const content = member(result, 'content');
    if (typeof result !== 'object' || result === null || !Array.isArray(content)) return null;
    const text = `! ${this.#note ?? ''}`;
    const structured = member(result, 'structuredContent');
    const notes = member(structured, 'notes');
    const twin =
      typeof structured === 'object' && structured !== null
        ? { structuredContent: { ...structured, notes: [...listOf(notes), this.#note] } }
        : {};
    this.#note = null;
    return JSON.stringify({
      ...message,
      result: { ...result, content: [...listOf(content), { type: 'text', text }], ...twin },
    });
  }

  async #lost(link: DaemonLink, death: FoundDaemon['death']): Promise<void> {
    if (this.#link !== link) return;
    this.#link = null;
    this.#note = null;
    const open = [...this.#open.values()];
    this.#open.clear();
    const how = open.length === 0 ? null : await Promise.race([death, pause(deathMs)]);
    const manner = typeof how === 'string' ? ` (${how})` : '';
    const error = new ClientError(
      'DAEMON_UNREACHABLE',
      `The daemon ended before it had answered${manner}.`,
      'Send the request again: the daemon starts again. debug_session {"action": "list"} shows what is left.',
    );
    const again = link.isEnding ? [] : open.filter((pending) => this.#mayRepeat(pending));
    for (const pending of open) if (!again.includes(pending)) this.#fail(pending, error);
    if (link.isEnding || this.#gone) return;
    if (again.length > 0) {
      this.#note = `The daemon ended${manner} before it had answered; another one was started and asked again.`;
      for (const pending of again) this.#forward({ ...pending, repeated: true });
    } else if (!this.#link && !this.#connecting && this.#unasked++ < mostUnasked) {
      // Who comes back keeps its sessions; the next daemon waits for it, but not for long.
      void this.#connect();
    }
  }

  /** A question that a daemon's death left open is asked once more where asking twice changes nothing. */
  #mayRepeat({ message, repeated }: Pending): boolean {
    if (repeated || message.method !== 'tools/call') return false;
    const tool = listOf(this.#options.manifest.toolList['tools']).find(
      (one) => member(one, 'name') === member(message.params, 'name'),
    );
    return member(member(tool, 'annotations'), 'idempotentHint') === true;
  }

  #fail(pending: Pending, error: ClientError): void {
    const { id, method } = pending.message;
    if (id === undefined || method === undefined) return;
    this.#write(failedAnswer(pending.message, error, this.#options.structured));
  }

  /** Nobody waits for the answer any more; true when the daemon was not told of the request. */
  #cancel(message: Incoming): boolean {
    const id = member(message.params, 'requestId');
    this.#open.delete(id);
    const before = this.#queue.length;
    this.#queue = this.#queue.filter((pending) => pending.message.id !== id);
    return this.#queue.length < before;
  }

  #write(message: object): void {
    this.#options.output.write(`${JSON.stringify(message)}\n`);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function idOf({ id }: Incoming): { readonly id?: string | number } {
  return typeof id === 'string' || typeof id === 'number' ? { id } : {};
}
