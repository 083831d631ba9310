import type { TaskHead } from '../../model/endings/taskHead.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';

/** A frame of a stopped thread. */
export interface StoppedFrame {
  readonly stop: string;
  /** 0 is the newest. */
  readonly frame: number;
  /** Of a task that is suspended, in which frames have numbers of their own, and its variables as they were read; absent: of the thread. */
  readonly task?: {
    readonly id: string;
    readonly head: TaskHead;
    readonly shown: StackFrame;
  };
}

/**
 * Numbers that a client keeps while a thread is stopped. They end with the stop they belong to, and no number
 * comes twice, so a stale one is refused.
 */
export class Handles<Thing extends StoppedFrame> {
  readonly #things = new Map<number, Thing>();
  #next = 1;

  add(thing: Thing): number {
    const number = this.#next++;
    this.#things.set(number, thing);
    return number;
  }

  get(number: number): Thing | null {
    return this.#things.get(number) ?? null;
  }

  /** Forgets what belongs to a stop that was left. */
  drop(stop: string): void {
    for (const [number, one] of this.#things) if (one.stop === stop) this.#things.delete(number);
  }
}
