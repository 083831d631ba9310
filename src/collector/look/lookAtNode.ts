import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { monotonicMs } from '../../base/clock.ts';
import { pause, within } from '../../base/deadline.ts';
import { catches } from '../../base/proc.ts';

/** What the main thread of a Node process does. */
export interface NodeLook {
  /** Newest call first; null when none of the program's own JavaScript runs. */
  readonly frames:
    | readonly {
        readonly function: string;
        readonly file: string;
        /** From 1. */
        readonly line: number;
      }[]
    | null;
  /** What keeps its event loop alive: `Timeout`, `TCPSocketWrap` …; empty when that is not known. */
  readonly waitsFor: readonly string[];
}

const portLimitMs = 4000;
const answerLimitMs = 3000;
const pauseLimitMs = 2000;
const mostFrames = 20;
const mostBytes = 16 << 20;

const target = z.array(z.object({ webSocketDebuggerUrl: z.string() }));
const reply = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
  params: z.unknown().optional(),
});
const evaluated = z.object({ result: z.object({ value: z.string() }) });
const paused = z.object({
  callFrames: z.array(
    z.object({
      functionName: z.string(),
      location: z.object({ scriptId: z.string(), lineNumber: z.number() }),
    }),
  ),
});
const script = z.object({ scriptId: z.string(), url: z.string() });
const texts = z.array(z.string());

/**
 * Asks a Node process through its inspector, which SIGUSR1 opens on a loopback port (Node says so on
 * standard error) and which is closed again; its main thread is held for a moment. Null when
 * the process takes no such signal or does not answer.
 */
export async function lookAtNode(pid: number): Promise<NodeLook | null> {
  // Node handles it unless it was told not to.
  if (!catches(pid, constants.signals.SIGUSR1)) return null;
  try {
    const before = new Set(listening(pid));
    process.kill(pid, 'SIGUSR1');
    const port = await newPort(pid, before);
    if (port === null) return null;
    const [first] = target.parse(JSON.parse(await text(port, '/json/list')));
    if (!first) return null;
    const { pathname } = new URL(first.webSocketDebuggerUrl);
    const socket = await connected(`ws://127.0.0.1:${port}${pathname}`);
    try {
      return await ask(new Inspector(socket));
    } finally {
      socket.terminate();
    }
  } catch {
    return null; // It has ended, is another user's, or does not answer.
  }
}

/** Rejects when there is no answer in time. */
function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, {
    handshakeTimeout: answerLimitMs,
    maxPayload: mostBytes,
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    // Also later: what is asked then has no answer in time.
    socket.on('error', reject);
  });
}

async function ask(inspector: Inspector): Promise<NodeLook> {
  const resources = 'JSON.stringify(process.getActiveResourcesInfo?.() ?? [])';
  const told = evaluated.safeParse(
    await inspector.call('Runtime.evaluate', { expression: resources }),
  );
  const files = new Map<string, string>();
  inspector.on('Debugger.scriptParsed', (params) => {
    const parsed = script.safeParse(params);
    if (parsed.success) files.set(parsed.data.scriptId, parsed.data.url);
  });
  await inspector.call('Debugger.enable', {});
  const stopped = inspector.next('Debugger.paused', pauseLimitMs);
  await inspector.call('Debugger.pause', {});
  const held = paused.safeParse(await stopped);
  if (held.success) await inspector.call('Debugger.resume', {});
  await inspector.call('Debugger.disable', {});
  // Ends with this connection: nothing stays open in the process.
  inspector.tell('Runtime.evaluate', { expression: 'process._debugEnd?.()' });
  const frames = held.success ? framesOf(held.data, files) : [];
  return {
    frames: frames.length > 0 ? frames : null,
    waitsFor: told.success ? texts.parse(JSON.parse(told.data.result.value)) : [],
  };
}

/** Those of the program: Node's own modules are left out. */
function framesOf(
  { callFrames }: z.infer<typeof paused>,
  files: ReadonlyMap<string, string>,
): NonNullable<NodeLook['frames']> {
  return callFrames
    .map((frame) => ({ ...frame, url: files.get(frame.location.scriptId) ?? '' }))
    .filter(({ url }) => !url.startsWith('node:') && url !== '')
    .slice(0, mostFrames)
    .map(({ functionName, url, location }) => ({
      function: functionName,
      file: url.startsWith('file:') ? fileURLToPath(url) : url,
      line: location.lineNumber + 1,
    }));
}

/** The inspector's protocol: requests with numbers, answers with the same, events with names. */
class Inspector {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #events = new Map<string, (params: unknown) => void>();
  #number = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (message) => {
      const told = Buffer.isBuffer(message) ? replyOf(message) : null;
      if (!told) return;
      const { id, method, result, params } = told;
      if (id !== undefined) this.#answers.get(id)?.(result);
      if (method !== undefined) this.#events.get(method)?.(params);
    });
  }

  tell(method: string, params: object): number {
    this.#number += 1;
    this.#socket.send(JSON.stringify({ id: this.#number, method, params }));
    return this.#number;
  }

  /** Null when there is no answer in time. */
  call(method: string, params: object): Promise<unknown> {
    const id = this.tell(method, params);
    return timed(answerLimitMs, (resolve) => this.#answers.set(id, resolve));
  }

  /** The next event of this name, or null. */
  next(method: string, limitMs: number): Promise<unknown> {
    return timed(limitMs, (resolve) => this.on(method, resolve));
  }

  on(method: string, callback: (params: unknown) => void): void {
    this.#events.set(method, callback);
  }
}

/** Null for what no inspector says. */
function replyOf(message: Buffer): z.infer<typeof reply> | null {
  try {
    return reply.parse(JSON.parse(message.toString()));
  } catch {
    return null;
  }
}

async function timed(
  limitMs: number,
  start: (resolve: (value: unknown) => void) => void,
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      timer = setTimeout(() => resolve(null), limitMs);
      start(resolve);
    });
  } finally {
    clearTimeout(timer);
  }
}

async function newPort(pid: number, before: ReadonlySet<number>): Promise<number | null> {
  const until = monotonicMs() + portLimitMs;
  while (monotonicMs() < until) {
    const port = listening(pid).find((one) => !before.has(one));
    if (port !== undefined) return port;
    await pause(20);
  }
  return null;
}

/** Loopback ports that this very process listens on. */
function listening(pid: number): number[] {
  try {
    const own = new Set(
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
        } catch {
          return []; // It was closed meanwhile.
        }
      }),
    );
    return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, at, , state, , , , , , inode]) => {
        const isLocal = at?.startsWith('0100007F:') ?? false;
        return isLocal && state === '0A' && own.has(inode ?? '');
      })
      .map(([, at = '']) => Number.parseInt(at.split(':')[1] ?? '', 16));
  } catch {
    return []; // It has ended.
  }
}

/** What a server on a loopback port answers. It may be the program's own: neither its length nor its time is taken for granted. */
async function text(port: number, path: string): Promise<string> {
  const asked = request({ host: '127.0.0.1', port, path });
  const answer = new Promise<string>((resolve, reject) => {
    asked.on('error', reject);
    asked.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
        if (body.length > mostBytes) asked.destroy(new Error('too long'));
      });
      response.on('error', reject);
      response.on('end', () => resolve(body));
    });
  });
  try {
    asked.end();
    return await within(answerLimitMs, answer, () => new Error('no answer'));
  } finally {
    asked.destroy();
  }
}
