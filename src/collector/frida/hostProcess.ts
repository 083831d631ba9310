import { basename, dirname } from 'node:path';
import { within } from '../../base/deadline.ts';
import { encodeFrame, FrameReader } from '../../base/frames.ts';
import { startOwned } from '../../base/process.ts';
import type { Command, OwnedProcess, ProcessEnd } from '../../base/process.ts';
import { StrobeError } from '../../model/errors.ts';
import { hostMessage, hostWire } from '../../protocol/host.ts';
import type { HostMessage, HostRequest } from '../../protocol/host.ts';
import type { AttachOptions, FridaHost, HostSession, Unsubscribe } from './fridaHost.ts';
import type { HostAnswer, HostRequester } from './hostRequester.ts';
import { hostEnvironment, type HostSurroundings } from './hostTransport.ts';
import { Occasion } from './occasion.ts';
import { RemoteSession } from './remoteSession.ts';

export interface HostCommand {
  readonly command: Command;
  readonly surroundings: HostSurroundings;
}

const limits = {
  start: 30_000,
  attach: 30_000,
  resume: 10_000,
  close: 3_000,
  restore: 26_000,
} as const;
/**
 * A host that is entering a program ends when it has come out of it (sidecar.py, native/host): the
 * program would die of an earlier end. By then it has, whatever it did.
 */
export const hostLeaveMs = 27_000;
const keptErrorBytes = 4096;
/** Frida misses its helper for devices on USB, which sidecar.py keeps it from starting. */
const helperWords = /^.*\bidund\b.*$/gm;

/**
 * Each time it enters a program Frida makes two images of its own agent, of 37 MB each, and drops them: most of that
 * time goes into their 9,000 pages. glibc 2.35 and newer take large pages for them then, others do not know the word.
 */
function largePages({ GLIBC_TUNABLES: others }: NodeJS.ProcessEnv): string {
  return [others ?? [], 'glibc.malloc.hugetlb=1'].flat().join(':');
}

interface Waiting {
  resolve(answer: HostAnswer): void;
  reject(error: Error): void;
}

/** A host behind the framed protocol of protocol/host.ts. */
export class HostProcess implements FridaHost, HostRequester {
  readonly pid: number;
  readonly #process: OwnedProcess;
  readonly #frames = new FrameReader(hostWire.maxFrameBytes);
  readonly #waiting = new Map<number, Waiting>();
  readonly #sessions = new Map<number, RemoteSession>();
  readonly #endedEarly = new Map<number, string>();
  readonly #exited = new Occasion<string>();
  #ready: ((message: HostMessage) => void) | null = null;
  #version = '';
  #next = 1;
  #stderr = '';
  #closing = false;
  #entering = 0;
  #gone: string | null = null;
  readonly #over: Promise<void>;

  private constructor(process: OwnedProcess) {
    this.pid = process.pid;
    this.#process = process;
    process.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    process.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-keptErrorBytes);
    });
    this.#over = this.#follow(process);
  }

  /** Starts a host and hears that Frida works in it; FRIDA_MISSING when it does not. */
  static async start(options: HostCommand): Promise<HostProcess> {
    let process: OwnedProcess;
    const { home, paths } = options.surroundings;
    const { env, remove } = await hostEnvironment(home);
    // By a relative name: the loader takes blanks and colons in a path for separators.
    const preload = [`./${basename(paths.hostCalls)}`, env['LD_PRELOAD'] ?? []].flat().join(':');
    try {
      const cwd = dirname(paths.hostCalls);
      const hostEnv = { ...env, LD_PRELOAD: preload, GLIBC_TUNABLES: largePages(env) };
      process = await startOwned({ ...options.command, cwd, env: hostEnv });
    } catch (error) {
      remove();
      throw new StrobeError(
        'FRIDA_MISSING',
        `${options.command.command} cannot be started: ${String(error)}`,
      );
    }
    const host = new HostProcess(process);
    host.#exited.listen(remove);
    try {
      host.#version = await host.#hearReady();
      return host;
    } catch (error) {
      await process[Symbol.asyncDispose]();
      throw error;
    }
  }

  version(): string {
    return this.#version;
  }

  async attach(pid: number, options?: AttachOptions): Promise<HostSession> {
    this.#entering++;
    const asked = this.request({ op: 'attach', pid, ...options }, null, limits.attach);
    const { value } = await asked.catch((error: unknown) => {
      // After its time it may still be in there.
      if (!(error instanceof StrobeError) || error.code !== 'TIMED_OUT') this.#entering--;
      throw this.#explained(error, pid);
    });
    this.#entering--;
    const number = typeof value === 'number' ? value : 0;
    const session = new RemoteSession(this, number, pid);
    const ended = this.#gone === null ? this.#endedEarly.get(number) : 'host-lost';
    if (ended === undefined) this.#sessions.set(number, session);
    else session.detached(ended);
    return session;
  }

  #explained(error: unknown, pid: number): unknown {
    if (!(error instanceof StrobeError) || this.#closing) return error;
    if (error.code === 'TRACER_LOST') {
      const why = `It was entering process ${pid}: if it crashes during start-up, this is probably why.`;
      return new StrobeError('TRACER_LOST', `${error.message} ${why}`);
    }
    if (!/unexpectedly timed out/i.test(error.message)) return error;
    const why = `Process ${pid} did not take Frida in within its limit, as happens with too little processor time (Frida: ${error.message}). It runs on without it.`;
    return new StrobeError(error.code, why, 'Try again when less runs beside it.');
  }

  async resume(pid: number): Promise<void> {
    await this.request({ op: 'resume', pid }, null, limits.resume);
  }

  async close(): Promise<void> {
    if (this.#gone !== null) return;
    this.#closing = true;
    this.#process.stdin.end();
    const late = (): Error => new Error('late');
    const limit = this.#entering > 0 ? hostLeaveMs : limits.close;
    await within(limit, this.#process.ended, late).catch(() => this.#process.kill('SIGKILL'));
    await this.#over;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  onExit(callback: (reason: string) => void): Unsubscribe {
    return this.#exited.listen(callback);
  }

  /** One request and its answer: TRACER_LOST, TIMED_OUT, or what the host says went wrong. */
  async request(
    request: HostRequest,
    data: Uint8Array | null,
    limitMs: number,
  ): Promise<HostAnswer> {
    if (this.#gone !== null || this.#closing) throw this.#lost();
    const id = this.#next++;
    const answer = new Promise<HostAnswer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    const head = Buffer.from(JSON.stringify({ id, ...request }));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(head.length);
    this.#process.stdin.write(encodeFrame(length, head, data ?? Buffer.alloc(0)));
    const late = (): StrobeError =>
      new StrobeError('TIMED_OUT', `Frida did not ${request.op} within ${limitMs} ms.`);
    try {
      return await within(limitMs, answer, late);
    } finally {
      this.#waiting.delete(id);
    }
  }

  async #hearReady(): Promise<string> {
    const first = new Promise<HostMessage>((resolve, reject) => {
      this.#ready = resolve;
      this.#exited.listen((reason) => reject(new StrobeError('FRIDA_MISSING', reason)));
    });
    const late = (): StrobeError =>
      new StrobeError('FRIDA_MISSING', `Frida did not start within ${limits.start} ms.`);
    const message = await within(limits.start, first, late);
    this.#ready = null;
    if ('event' in message && message.event === 'ready' && message.version === hostWire.version)
      return message.frida;
    const reason =
      'event' in message && message.event === 'unusable'
        ? message.reason
        : 'it speaks another protocol';
    throw new StrobeError('FRIDA_MISSING', `Frida cannot be used: ${reason}`);
  }

  #take(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.push(chunk)) this.#frame(frame);
    } catch (error) {
      this.#stderr = `unreadable answer: ${String(error)}`;
      this.#process.kill('SIGKILL');
    }
  }

  #frame(frame: Buffer): void {
    const headLength = frame.readUInt32LE(0);
    const message = hostMessage.parse(JSON.parse(frame.toString('utf8', 4, 4 + headLength)));
    const rest = frame.subarray(4 + headLength);
    const data = rest.length > 0 ? new Uint8Array(rest) : null;
    if ('ok' in message) this.#waiting.get(message.id)?.resolve({ value: message.ok, data });
    else if ('error' in message) {
      const { code, message: text } = message.error;
      this.#waiting.get(message.id)?.reject(new StrobeError(code, text));
    } else this.#event(message, data);
  }

  #event(message: Extract<HostMessage, { event: string }>, data: Uint8Array | null): void {
    switch (message.event) {
      case 'ready':
      case 'unusable':
        this.#ready?.(message);
        return;
      case 'detached':
        // It may come before whoever attached has heard the answer.
        if (!this.#sessions.has(message.session))
          this.#endedEarly.set(message.session, message.reason);
        this.#sessions.get(message.session)?.detached(message.reason);
        this.#sessions.delete(message.session);
        return;
      case 'message':
      case 'log':
        this.#sessions.get(message.session)?.message(message, data);
    }
  }

  #lost(): StrobeError {
    return new StrobeError('TRACER_LOST', this.#gone ?? 'The host is being closed.');
  }

  /**
   * Programs that it leaves in the middle of a call are put back by a process of its own (native/host/restorer.c), which
   * holds its standard output until then: whatever comes into them before would be lost.
   */
  async #follow({ stdout, ended }: OwnedProcess): Promise<void> {
    const closed = new Promise((resolve) => stdout.once('close', resolve));
    const end = await ended;
    await within(limits.restore, closed, () => new Error('late')).catch(() => undefined);
    this.#ended(end);
  }

  #ended(end: ProcessEnd): void {
    const how = end.signal ? `was ended by ${end.signal}` : `ended with code ${end.code}`;
    const words = this.#stderr.replaceAll(helperWords, '').trim();
    const said = words === '' ? '' : `: ${words.slice(-500)}`;
    this.#gone = this.#closing
      ? 'The host was closed.'
      : `The process that speaks Frida ${how}${said}.`;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#lost());
    this.#waiting.clear();
    for (const session of this.#sessions.values()) session.detached('host-lost');
    this.#sessions.clear();
    this.#exited.happen(this.#gone);
  }
}
