import { returnedUnknown, type Hooks } from '../calls.ts';
import type { RewrittenModule } from '../moduleHooks.ts';

/** A call that was seen to begin. */
interface LiveCall {
  /** Of its frame on the stack, which grows to less. */
  readonly place: number;
  readonly fn: number;
  readonly module: RewrittenModule;
  readonly hooks: Hooks;
  readonly call: number;
  /** Its end may not be seen. */
  suspends: boolean;
}

/** Places of one frame differ by less, as conditions do; a frame is larger. */
const SAME_FRAME = 48;

/**
 * Open calls of this thread. Only where they return their end is seen; of one whose frame is gone without that, an
 * exception left it, or it suspended.
 */
export class LiveStack {
  #open: LiveCall[] = [];
  #isFlushing = false;

  enter(call: LiveCall): void {
    this.#open.push(call);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    // No call is on the stack by then.
    queueMicrotask(() => {
      this.#isFlushing = false;
      try {
        this.flush();
      } catch {
        // It is none of the program's.
      }
    });
  }

  /** A call begins there: frames at this place and deeper are gone. */
  settle(place: number): void {
    this.#goneUpTo(place + SAME_FRAME);
  }

  #goneUpTo(place: number): void {
    for (let last = this.#open.at(-1); last && last.place <= place; last = this.#open.at(-1)) {
      this.#open.pop();
      gone(last);
    }
  }

  /** A call returns; `results`: what, as far as that is known. */
  leave(place: number, fn: number, module: RewrittenModule, results: readonly unknown[]): void {
    this.#goneUpTo(place - SAME_FRAME);
    const last = this.#open.at(-1);
    if (last?.fn !== fn || last.module !== module || last.place > place + SAME_FRAME) return;
    this.#open.pop();
    if (results.length > 0) last.hooks.exit(last.call, results[0]);
    else returnedUnknown(last.call);
  }

  /** The ends of a function's calls are seen no longer. */
  lose(fn: number, module: RewrittenModule): void {
    for (const call of this.#open)
      if (call.fn === fn && call.module === module) call.suspends = true;
  }

  flush(): void {
    this.#goneUpTo(Number.MAX_SAFE_INTEGER);
  }
}

function gone({ hooks, call, suspends }: LiveCall): void {
  if (suspends) returnedUnknown(call);
  else hooks.exit(call, hooks.flags);
}
