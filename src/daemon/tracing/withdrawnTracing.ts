import { hasEnded } from '../../base/proc.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { Tracing } from '../../model/session.ts';
import type { SessionContext } from '../session/sessionContext.ts';
import { seconds } from '../session/sessionTime.ts';
import { heldByAdapter } from '../stops/heldByAdapter.ts';
import { presentImage } from './presentImage.ts';
import type { SessionTracers } from './sessionTracers.ts';

/** What is done to the session's tracing. */
export interface WithdrawnParts {
  tracers(): SessionTracers;
  /** Brings the hooks of a process in line with what is wanted. */
  hook(pid: number): Promise<void>;
}

/** A process that tracing has left. */
interface Left {
  readonly pid: number;
  readonly name: string;
  readonly since: SessionNs;
  /** There was something to record. */
  readonly isMissed: boolean;
}

/** Leaves a process while another debugger holds it, and comes back into it. The time between is a gap of the session. */
export class WithdrawnTracing {
  readonly #context: SessionContext;
  readonly #parts: WithdrawnParts;
  #left: Left | null = null;
  #entering: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(context: SessionContext, parts: WithdrawnParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Why nothing is traced; null: nothing was withdrawn. */
  get state(): Tracing | null {
    if (this.#left?.isMissed !== true) return null;
    const { code, message, hint } = heldByAdapter(this.#left.name);
    return { kind: 'unavailable', code, message, hint };
  }

  async withdraw(pid: number, name: string): Promise<void> {
    await this.#entering;
    const hooked = this.#parts.tracers().hooked().get(pid);
    if (hooked === undefined) return;
    const since = this.#context.now();
    const isMissed = hooked > 0;
    this.#left = { pid, name, since, isMissed };
    if (isMissed) {
      this.#context.index()?.untracedFrom(since, () => this.#context.now());
      this.#context.note(
        `Tracing has left process ${pid}, as ${name} holds it: no calls are recorded from ${seconds(since)} on.`,
      );
    }
    await this.#parts.tracers().drop(pid, true);
  }

  async comeBack(pid: number): Promise<void> {
    const left = this.#left;
    if (left?.pid !== pid) return;
    this.#left = null;
    if (this.#isClosed || this.#context.running()?.pid !== pid) return;
    const entered = this.#enter(pid);
    // Hooking waits for breakpoints, and these may wait for this.
    this.#entering = entered.catch(() => undefined);
    void this.#finish(left, entered);
    await this.#entering;
  }

  /** The processes are left for good. */
  close(): void {
    this.#isClosed = true;
  }

  async #enter(pid: number): Promise<void> {
    const { isAttached } = this.#context.facts;
    const image = await presentImage(this.#context, pid);
    await this.#parts.tracers().enter({ pid, image, atExec: false, isAttached });
  }

  async #finish({ pid, name, since, isMissed }: Left, entered: Promise<void>): Promise<void> {
    try {
      await entered;
      await this.#parts.hook(pid);
      if (isMissed)
        this.#context.note(
          `${name} has left process ${pid}, and it is traced again: calls between ${seconds(since)} and ${seconds(this.#context.now())} are missing.`,
        );
    } catch (error) {
      if (!this.#context.running() || this.#isClosed || hasEnded(pid)) return;
      const why = error instanceof StrobeError ? error.message : String(error);
      this.#context.note(`Process ${pid} is not traced again: ${why}`);
    } finally {
      if (isMissed) await this.#context.index()?.tracedAgain();
    }
  }
}
