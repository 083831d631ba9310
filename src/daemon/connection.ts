import type { Socket } from 'node:net';
import { z } from 'zod';
import { LineReader, readJsonRpc, refusalMessage } from '../base/lines.ts';
import { StrobeError, type ErrorCode } from '../model/errors.ts';
import {
  runAbandonRequest,
  runLiveRequest,
  runMethods,
  runPrepareRequest,
  runStartRequest,
  runWaitRequest,
} from '../protocol/runCommand.ts';
import {
  endRequest,
  helloRequest,
  maxLineBytes,
  socketMethods,
  type DaemonStatus,
  type EndAnswer,
  type EndRequest,
  type HelloAnswer,
} from '../protocol/socket.ts';
import type { Clients } from './clients.ts';
import type { Daemon } from './daemon.ts';
import type { Log } from './log.ts';
import type { DapServer } from './dap/dapServer.ts';
import { McpEras } from './mcp/eras.ts';
import { answeringText } from './report/answers/budget.ts';
import type { ToolCalls } from './toolCalls.ts';
import type { Client, RequestContext } from './request.ts';

/** What a connection needs of the process it lives in. */
export interface ConnectionPart {
  readonly version: string;
  readonly build: number;
  readonly daemon: Daemon;
  readonly clients: Clients;
  readonly calls: ToolCalls;
  readonly log: Log;
  status(): DaemonStatus;
  end(request: EndRequest, asker: Connection): EndAnswer;
}

/** A message with a method of ours; everything else is MCP. */
const ownMessage = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().startsWith('strobe/'),
  params: z.unknown().optional(),
});

const cancelled = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

const dapMessage = z.object({
  id: z.undefined().optional(),
  method: z.literal(socketMethods.dap),
  params: z.unknown(),
});

/** A peer that does not greet within this long is let go. */
const greetingMs = 10_000;

/** Bytes that may wait for a client that does not read. */
const mostUnread = 64 << 20;

/** One connection: the greeting, then MCP and our own requests, until either side closes it. */
export class Connection {
  readonly #socket: Socket;
  readonly #part: ConnectionPart;
  readonly #lines = new LineReader(maxLineBytes);
  readonly #gone = new AbortController();
  readonly #running = new Map<string | number, AbortController>();
  readonly #greeting: NodeJS.Timeout;
  #client: Client | null = null;
  #toolCalls = 0;
  #mcp: McpEras | null = null;
  #dap: DapServer | null = null;

  constructor(socket: Socket, part: ConnectionPart) {
    this.#socket = socket;
    this.#part = part;
    this.#greeting = setTimeout(() => socket.destroy(), greetingMs);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) =>
      part.log.debug('rpc', 'connection fault', { error: error.message }),
    );
    socket.on('close', () => void this.#closed());
  }

  /** A request of it has not been answered yet. */
  get isWorking(): boolean {
    return this.#toolCalls > 0 || this.#running.size > 0;
  }

  /** Ends the connection after what was written has been sent. */
  close(): void {
    this.#write({ jsonrpc: '2.0', method: socketMethods.ending });
    this.#socket.end();
  }

  #read(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) {
      const { message, refused } = readJsonRpc(line, maxLineBytes);
      if (message === null) this.#write(refusalMessage(refused));
      else this.#receive(message);
    }
  }

  #receive(message: object): void {
    const dap = dapMessage.safeParse(message);
    if (dap.success) {
      this.#editor()?.receive(dap.data.params);
      return;
    }
    const own = ownMessage.safeParse(message);
    if (own.success) {
      void this.#answerOwn(own.data);
      return;
    }
    const cancel = cancelled.safeParse(message);
    const running = cancel.success ? this.#running.get(cancel.data.params.requestId) : undefined;
    if (running) running.abort();
    else {
      const refused = this.#mcp
        ? this.#mcp.receive(message)
        : { code: -32600, text: `Greet first: ${socketMethods.hello}.` };
      if (refused) this.#write(refusalMessage(refused));
    }
  }

  async #answerOwn(message: z.output<typeof ownMessage>): Promise<void> {
    const { id } = message;
    if (id === undefined) return;
    const abort = new AbortController();
    this.#running.set(id, abort);
    const signal = AbortSignal.any([abort.signal, this.#gone.signal]);
    try {
      const result = await this.#own(message.method, message.params, signal);
      this.#write({ jsonrpc: '2.0', id, result });
    } catch (error) {
      const known = this.#part.calls.asStrobeError(error, signal);
      const data = { code: known.code, hint: known.hint };
      this.#write({ jsonrpc: '2.0', id, error: { code: -32000, message: known.message, data } });
    } finally {
      this.#running.delete(id);
    }
  }

  async #own(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const { daemon } = this.#part;
    if (method === socketMethods.hello) return this.#hello(params);
    const context = this.#context(signal);
    switch (method) {
      case socketMethods.status:
        return this.#part.status();
      case socketMethods.end:
        return this.#part.end(checked(endRequest, params), this);
      case runMethods.prepare:
        return await daemon.run.prepare(checked(runPrepareRequest, params), context);
      case runMethods.start:
        return await daemon.run.start(checked(runStartRequest, params), context);
      case runMethods.live:
        return await daemon.run.live(checked(runLiveRequest, params), context);
      case runMethods.wait:
        return await daemon.run.wait(checked(runWaitRequest, params), context);
      case runMethods.abandon:
        await daemon.run.abandon(checked(runAbandonRequest, params), context);
        return {};
      default:
        throw new StrobeError(
          'BAD_PARAMETER',
          `There is no request ${method}.`,
          'Use the same version on both sides.',
        );
    }
  }

  #hello(params: unknown): HelloAnswer {
    const { version, daemon, clients, calls, log } = this.#part;
    if (this.#client)
      throw new StrobeError('BAD_PARAMETER', 'The connection has been greeted before.');
    const hello = checked(helloRequest, params);
    clearTimeout(this.#greeting);
    const client = clients.arrive(hello);
    this.#client = client;
    this.#mcp = new McpEras(
      {
        version,
        client,
        structured: hello.structured,
        complete: async (asked) => await daemon.complete(asked, client),
        call: async (name, request, context) => {
          const signal = AbortSignal.any([context.signal, this.#gone.signal]);
          this.#toolCalls += 1;
          try {
            const answer = async () => await calls.call(name, request, { ...context, signal });
            return await (hello.shown === 'both' ? answer() : answeringText(answer));
          } finally {
            this.#toolCalls -= 1;
          }
        },
        onError: (error) =>
          log.debug('mcp', 'protocol fault', { client: client.id, error: error.message }),
      },
      (message) => this.#write(message),
    );
    return { version, build: this.#part.build, pid: process.pid, busy: daemon.busy };
  }

  /** Null before the greeting. */
  #editor(): DapServer | null {
    const client = this.#client;
    if (!client) return null;
    this.#dap ??= this.#part.daemon.editor(client, (params) =>
      this.#write({ jsonrpc: '2.0', method: socketMethods.dap, params }),
    );
    return this.#dap;
  }

  #context(signal: AbortSignal): RequestContext {
    if (!this.#client)
      throw new StrobeError('BAD_PARAMETER', `Greet first: ${socketMethods.hello}.`);
    return { client: this.#client, signal, progress: () => undefined };
  }

  #write(message: unknown): void {
    if (this.#socket.destroyed || !this.#socket.writable) return;
    this.#socket.write(`${JSON.stringify(message)}\n`);
    if (this.#socket.writableLength > mostUnread) this.#socket.destroy();
  }

  async #closed(): Promise<void> {
    clearTimeout(this.#greeting);
    this.#gone.abort();
    await Promise.all([this.#mcp?.close(), this.#dap?.close()]);
    if (this.#client) await this.#part.clients.leave(this.#client.id);
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const code: ErrorCode =
    issue?.code === 'unrecognized_keys' ? 'UNKNOWN_PARAMETER' : 'BAD_PARAMETER';
  throw new StrobeError(code, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong'}`);
}
