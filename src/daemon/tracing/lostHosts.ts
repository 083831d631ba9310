import { hasEnded, programAfterAgent } from '../../collector/attach/procFacts.ts';
import { imageOf } from '../../collector/program/image.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { TraceableProcess } from './instruments.ts';
import type { SessionFacts } from '../session/sessionFacts.ts';
import { seconds } from '../session/sessionTime.ts';
import type { TracedTarget } from './tracedTarget.ts';

/** A process that costs more hosts than these is let alone. */
const MOST_LOST = 2;
/** How many hosts are tried each time: what ended the one may have ended the spare as well. */
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

interface Interrupted {
  readonly pid: number;
  readonly path: string;
  readonly isMain: boolean;
  readonly why: string;
  readonly since: SessionNs;
}

/** Agent and hooks go with their host: another host brings them back, unless it goes on like that. */
export class LostHosts {
  readonly #facts: SessionFacts;
  readonly #target: TracedTarget;
  readonly #tracing: TracingPart;
  /** How many so far, by process. */
  readonly #lost = new Map<number, number>();

  constructor(facts: SessionFacts, target: TracedTarget, tracing: TracingPart) {
    this.#facts = facts;
    this.#target = target;
    this.#tracing = tracing;
  }

  lost(pid: number, why: string): void {
    const running = this.#target.running();
    if (!running) return;
    const isMain = running.pid === pid;
    if (/process-terminated/.test(why)) {
      // An exec counts as one, too; of a launched program its supervisor tells.
      if (this.#facts.isAttached && isMain)
        this.#tracing.inBackground('following an exec', this.#followExec(pid));
      return;
    }
    const lost = (this.#lost.get(pid) ?? 0) + 1;
    this.#lost.set(pid, lost);
    const path = isMain
      ? this.#facts.image
      : this.#target.children().find((child) => child.pid === pid)?.path;
    if (lost <= MOST_LOST && path !== undefined && !running.atExec) {
      const again = this.#takeUp({ pid, path, isMain, why, since: this.#target.now() });
      this.#tracing.inBackground('taking tracing up again', again);
    } else if (isMain) this.#tracing.end(why);
  }

  async #followExec(pid: number): Promise<void> {
    const path = await programAfterAgent(pid, EXEC_MS);
    const why = `it replaced its program by ${path}`;
    if (path !== null && this.#target.running())
      await this.#takeUp({ pid, path, isMain: true, why, since: this.#target.now() });
  }

  async #takeUp(process: Interrupted): Promise<void> {
    const { pid, isMain, why, since } = process;
    const index = this.#target.index();
    // Told as it passes: the program may end before.
    index?.untracedFrom(since, () => this.#target.now());
    const failed = await this.#enter(process);
    await index?.tracedAgain();
    const isOver = failed !== null && hasEnded(pid);
    if (failed !== null && isMain && !isOver) {
      this.#tracing.end(`${why}; another could not go on: ${failed}`);
      return;
    }
    let then = 'Another took over';
    if (isOver) then = 'It ended before another took over';
    else if (failed !== null) then = `It runs on untraced: ${failed}`;
    this.#target.note(
      `Tracing of process ${pid} was interrupted: ${why}. ${then}; calls${this.#facts.isAttached ? ' and output' : ''} between ${seconds(since)} and ${seconds(this.#target.now())} may be missing.`,
    );
  }

  /** Why it cannot be entered; null: it was. */
  async #enter({ pid, path, isMain }: Interrupted): Promise<string | null> {
    const image = (await imageOf(path))?.path ?? path;
    const isAttached = isMain && this.#facts.isAttached;
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
