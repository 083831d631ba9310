import { pause } from '../../base/deadline.ts';
import type { HostMessage, NumberedRequest } from '../../protocol/host.ts';

/** What is used of the npm package `frida`; it is optional, so its own types cannot be relied on. */
export interface Addon {
  getLocalDevice(): Promise<AddonDevice>;
}

export interface AddonDevice {
  attach(pid: number): Promise<AddonSession>;
  resume(pid: number): Promise<void>;
}

interface Signal<Handler> {
  connect(handler: Handler): void;
}

interface AddonSession {
  readonly isDetached: boolean;
  readonly detached: Signal<(reason: string) => void>;
  detach(): Promise<void>;
  createScript(source: string, options: { name: string }): Promise<AddonScript>;
}

type ScriptMessage =
  | { readonly type: 'send'; readonly payload: unknown }
  | { readonly type: 'error'; readonly description: string; readonly stack?: string };

interface AddonScript {
  logHandler: (level: string, text: string) => void;
  readonly message: Signal<(message: ScriptMessage, data: Buffer | null) => void>;
  readonly exports: Record<string, (...args: unknown[]) => Promise<unknown>>;
  load(): Promise<void>;
  unload(): Promise<void>;
  post(message: unknown, data: Buffer | null): void;
}

/** Not for ever: Frida may hang in a program. */
const leaveMs = 10_000;

type Send = (head: HostMessage, data?: Uint8Array | null) => void;
type ErrorCode = 'PTRACE_DENIED' | 'INSTRUMENTATION_FAILED' | 'SESSION_ENDED';

/** A request that fails for a reason of ours. */
class Refusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Answers the requests of protocol/host.ts with the addon. */
export class AddonHost {
  readonly #device: AddonDevice;
  readonly #send: Send;
  readonly #sessions = new Map<number, AddonSession>();
  readonly #scripts = new Map<number, { script: AddonScript; session: number }>();
  #entering: Promise<unknown> | null = null;
  #last = 0;

  constructor(device: AddonDevice, send: Send) {
    this.#device = device;
    this.#send = send;
  }

  /**
   * Resolves when no program is being entered: it executes calls of Frida's then, and dies of them
   * when this process ends meanwhile.
   */
  async leave(): Promise<void> {
    await Promise.race([this.#entering?.catch(() => undefined), pause(leaveMs)]);
  }

  /** Begins a request; the answer is sent when it is done. Calls reach the agent in order. */
  take(request: NumberedRequest, data: Buffer): void {
    this.#do(request, data).then(
      (result) => this.#answer(request.id, result),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.#send({ id: request.id, error: { code: codeOf(error, message), message } });
      },
    );
  }

  #answer(id: number, result: unknown): void {
    if (Buffer.isBuffer(result)) this.#send({ id, ok: null }, result);
    else if (Array.isArray(result) && result.length === 2 && Buffer.isBuffer(result[1])) {
      this.#send({ id, ok: result[0] }, result[1]);
    } else this.#send({ id, ok: result ?? null });
  }

  async #do(request: NumberedRequest, data: Buffer): Promise<unknown> {
    switch (request.op) {
      case 'attach':
        return await this.#attach(request.thread ?? request.pid);
      case 'load':
        return await this.#load(request.session, data.toString());
      case 'call': {
        const call = this.#script(request.script).exports[request.method];
        if (!call)
          throw new Refusal('INSTRUMENTATION_FAILED', `the agent has no ${request.method}`);
        return await call(...request.args, ...(data.length > 0 ? [Buffer.from(data)] : []));
      }
      case 'post':
        this.#script(request.script).post(
          request.message,
          data.length > 0 ? Buffer.from(data) : null,
        );
        return null;
      case 'detach':
        await this.#sessions.get(request.session)?.detach();
        return null;
      case 'resume':
        await this.#device.resume(request.pid);
        return null;
    }
  }

  async #attach(pid: number): Promise<number> {
    const entering = this.#device.attach(pid);
    this.#entering = entering;
    const session = await entering;
    const number = ++this.#last;
    this.#sessions.set(number, session);
    session.detached.connect((reason) => {
      this.#sessions.delete(number);
      for (const [key, entry] of this.#scripts)
        if (entry.session === number) this.#scripts.delete(key);
      this.#send({ event: 'detached', session: number, reason });
    });
    if (session.isDetached)
      throw new Refusal('SESSION_ENDED', 'the process ended while it was attached to');
    return number;
  }

  async #load(session: number, source: string): Promise<number> {
    const attached = this.#sessions.get(session);
    if (!attached) throw new Refusal('SESSION_ENDED', 'the process is no longer attached to');
    const script = await attached.createScript(source, { name: 'strobe' });
    const number = ++this.#last;
    const place = { session, script: number };
    const broken: string[] = [];
    let loading = true;
    script.message.connect((message, data) => {
      if (message.type === 'send')
        this.#send({ event: 'message', ...place, payload: message.payload }, data);
      else if (loading) broken.push(message.stack ?? message.description);
      else
        this.#send({
          event: 'log',
          ...place,
          level: 'warn',
          text: message.stack ?? message.description,
        });
    });
    script.logHandler = (level, text) => {
      this.#send({ event: 'log', ...place, level: level === 'info' ? 'debug' : 'warn', text });
    };
    await script.load();
    loading = false;
    if (broken[0] !== undefined) {
      await script.unload();
      throw new Refusal('INSTRUMENTATION_FAILED', `the agent failed while loading: ${broken[0]}`);
    }
    this.#scripts.set(number, { script, session });
    return number;
  }

  #script(number: number): AddonScript {
    const entry = this.#scripts.get(number);
    if (!entry) throw new Refusal('SESSION_ENDED', 'the agent is no longer loaded');
    return entry.script;
  }
}

/** The addon gives sentences only. */
function codeOf(error: unknown, message: string): ErrorCode {
  if (error instanceof Refusal) return error.code;
  if (/unable to access process|permission|not permitted/i.test(message)) return 'PTRACE_DENIED';
  if (/unable to find process|is destroyed|session is gone/i.test(message)) return 'SESSION_ENDED';
  return 'INSTRUMENTATION_FAILED';
}
