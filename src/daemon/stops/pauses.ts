import type { StoppedThread } from '../../model/debug/stop.ts';
import type { Changes } from '../session/sessionSignal.ts';

interface Pause {
  /** Null: not known yet. */
  asked: Set<number> | null;
  readonly arrived: StoppedThread[];
}

const limitMs = 2000;

/** Waits for threads that were asked to stand still, until no more of them have come for a while. Answers whether all have. */
export async function arrival(
  arrived: () => number,
  haveAll: () => boolean,
  changes: Pick<Changes, 'until'>,
): Promise<boolean> {
  for (;;) {
    const before = arrived();
    if (await changes.until(haveAll, limitMs)) return true;
    if (arrived() <= before) return false;
  }
}

/** Threads that a client asked to stand still. */
export class Pauses {
  #now: Pause | null = null;
  /** Threads that one still waits for after its limit. */
  #late = new Set<number>();
  #turn: Promise<unknown> = Promise.resolve();

  get isUnderWay(): boolean {
    return this.#now !== null;
  }

  /** One after the other: what lets threads go that stand still for a pause would make its answer untrue. */
  async inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(act);
    this.#turn = mine.catch(() => undefined);
    return await mine;
  }

  /** Whether a thread that stops is one of those that are asked now. */
  take(thread: StoppedThread): boolean {
    if (this.#now === null || this.#now.asked?.has(thread.tid) === false) return false;
    this.#now.arrived.push(thread);
    return true;
  }

  /** Whether a thread was waited for after the limit; from now on it is not. */
  takeLate(tid: number): boolean {
    return this.#late.delete(tid);
  }

  gone(tid: number): void {
    this.#now?.asked?.delete(tid);
    this.#late.delete(tid);
  }

  /** No thread is waited for any more. */
  forget(): void {
    this.#late = new Set();
  }

  /**
   * In turn. `ask` answers which threads were asked, `held` those that stand still already. Answers who arrived within
   * the limit, and whether all did.
   */
  async run(
    ask: () => Promise<readonly number[]>,
    held: () => readonly number[],
    changes: Pick<Changes, 'until'>,
  ): Promise<{ readonly arrived: readonly StoppedThread[]; readonly isWhole: boolean }> {
    const pause: Pause = { asked: null, arrived: [] };
    this.#now = pause;
    const isDone = (): boolean => pause.arrived.length >= (pause.asked?.size ?? Infinity);
    try {
      pause.asked = new Set(await ask());
      for (const tid of held()) pause.asked.delete(tid);
      await arrival(() => pause.arrived.length, isDone, changes);
    } finally {
      this.#now = null;
    }
    const { arrived } = pause;
    const there = new Set(arrived.map(({ tid }) => tid));
    this.#late = new Set([...pause.asked].filter((tid) => !there.has(tid)));
    return { arrived, isWhole: isDone() };
  }
}
