import { hasEnded } from '../../base/proc.ts';
import { imageOf } from '../../collector/program/image.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { Tracing } from '../../model/session.ts';
import type { NextProgram, TraceableProcess } from '../../collector/tracer.ts';
import { childrenOf, type SessionContext } from '../session/sessionContext.ts';
import { presentImage } from './presentImage.ts';
import { seconds } from '../session/sessionTime.ts';

/** A process that costs more tracers than these is let alone. */
const MOST_LOST = 2;
/** How many are tried each time: what ended the one may have ended the spare as well. */
const TRIES = 2;
/** How long an exec may take to end the old program. */
const EXEC_MS = 30_000;

/** What is done to the session's tracing. */
export interface TracingPart {
  /** Brings agent and hooks into a process. */
  enter(process: TraceableProcess): Promise<unknown>;
  /** The main process is no longer traced. */
  end(why: string): void;
  inBackground(what: string, work: Promise<void>): void;
}

/** Tracing that ended; `why`: a clause. */
export function lostTracing(why: string, isAttached: boolean): Tracing {
  return {
    kind: 'unavailable',
    code: 'TRACER_LOST',
    message: `Tracing ended: ${why}.`,
    hint: isAttached
      ? 'The program runs on. Detach, then attach again: neither calls nor output are captured now.'
      : 'The program runs on; launch it again to trace it.',
  };
}

interface Interrupted {
  readonly pid: number;
  readonly path: string;
  readonly isMain: boolean;
  readonly why: string;
  readonly since: SessionNs;
}

/** Hooks end with their tracer. A new tracer brings them back, unless tracers keep failing. */
export class LostTracers {
  readonly #context: SessionContext;
  readonly #tracing: TracingPart;
  /** How many so far, by process. */
  readonly #lost = new Map<number, number>();

  constructor(context: SessionContext, tracing: TracingPart) {
    this.#context = context;
    this.#tracing = tracing;
  }

  lost(pid: number, why: string, next: NextProgram | null): void {
    const running = this.#context.running();
    if (!running) return;
    const isMain = running.pid === pid;
    if (next !== null) {
      // Of an exec of a launched program its supervisor tells.
      if (this.#context.facts.isAttached && isMain)
        this.#tracing.inBackground('following an exec', this.#followExec(pid, next));
      return;
    }
    const lost = (this.#lost.get(pid) ?? 0) + 1;
    this.#lost.set(pid, lost);
    const path = isMain
      ? this.#context.facts.image
      : childrenOf(this.#context).find((child) => child.pid === pid)?.path;
    if (lost <= MOST_LOST && path !== undefined && !running.atExec) {
      const again = this.#takeUp({ pid, path, isMain, why, since: this.#context.now() });
      this.#tracing.inBackground('taking tracing up again', again);
    } else if (isMain) this.#tracing.end(why);
  }

  async #followExec(pid: number, next: NextProgram): Promise<void> {
    const path = await next(EXEC_MS);
    const why = `it replaced its program by ${path}`;
    if (path !== null && this.#context.running())
      await this.#takeUp({ pid, path, isMain: true, why, since: this.#context.now() });
  }

  async #takeUp(process: Interrupted): Promise<void> {
    const { pid, isMain, why, since } = process;
    const index = this.#context.index();
    // Told as it passes: the program may end before.
    index?.untracedFrom(since, () => this.#context.now());
    const failed = await this.#enter(process);
    await index?.tracedAgain();
    const isOver = failed !== null && hasEnded(pid);
    if (failed !== null && isMain && !isOver) {
      this.#tracing.end(`${why}; another helper process could not take over: ${failed}`);
      return;
    }
    let then = 'Another took over';
    if (isOver) then = 'It ended before another took over';
    else if (failed !== null) then = `It runs on untraced: ${failed}`;
    this.#context.note(
      `Tracing of process ${pid} was interrupted: ${why}. ${then}; calls${this.#context.facts.isAttached ? ' and output' : ''} between ${seconds(since)} and ${seconds(this.#context.now())} may be missing.`,
    );
  }

  /** Why it cannot be entered; null: it was. */
  async #enter({ pid, path, isMain }: Interrupted): Promise<string | null> {
    const isAttached = isMain && this.#context.facts.isAttached;
    const image =
      isMain && !isAttached
        ? await presentImage(this.#context, pid)
        : ((await imageOf(path))?.path ?? path);
    for (let left = TRIES; ;) {
      try {
        await this.#tracing.enter({ pid, image, atExec: false, isAttached });
        return null;
      } catch (error) {
        if (--left > 0 && error instanceof StrobeError && error.code === 'TRACER_LOST') continue;
        return error instanceof StrobeError ? error.message : String(error);
      }
    }
  }
}
