import type { ServerContext } from '@modelcontextprotocol/server';
import { monotonicMs } from '../../base/clock.ts';

/** A client that waits hears this often that there is still something to wait for. */
const EVERY_MS = 1000;
const LEAST_STEP = 0.001;

/** Progress of one request, for a client that asked for it. */
export class Progress {
  readonly #context: ServerContext['mcpReq'];
  readonly #began = monotonicMs();
  readonly #timer: NodeJS.Timeout | null;
  #message = 'working';
  #total: number | undefined;
  #last = 0;
  #saidMs = this.#began;

  constructor({ mcpReq }: ServerContext) {
    this.#context = mcpReq;
    const isAsked = mcpReq._meta?.progressToken !== undefined;
    this.#timer = isAsked ? setInterval(() => this.#goOn(), EVERY_MS) : null;
    this.#timer?.unref();
  }

  say(message: string, done?: number, total?: number): void {
    this.#message = message;
    this.#total = total;
    // The protocol wants progress to grow with every notification.
    const next = done !== undefined && done > this.#last ? done : this.#last + LEAST_STEP;
    this.#send(message, total === undefined ? next : Math.min(next, Math.max(total, this.#last)));
  }

  end(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #goOn(): void {
    const now = monotonicMs();
    // A timer may come a little early: then this turn counts, not the next.
    if (now - this.#saidMs < EVERY_MS / 2) return;
    const seconds = Math.round((now - this.#began) / 1000);
    this.#send(`${this.#message} (${seconds} s)`, this.#last + LEAST_STEP);
  }

  #send(message: string, progress: number): void {
    const { signal, notify, _meta: meta } = this.#context;
    const progressToken = meta?.progressToken;
    if (progressToken === undefined || signal.aborted || progress <= this.#last) return;
    this.#last = progress;
    this.#saidMs = monotonicMs();
    const total = this.#total !== undefined && this.#total >= progress ? this.#total : undefined;
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    notify({ method: 'notifications/progress', params }).catch(() => undefined); // the client went
  }
}
