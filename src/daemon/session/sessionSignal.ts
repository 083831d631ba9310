import { monotonicMs } from '../../base/clock.ts';

/** Resolves the next time something about a session changes. */
export class Changes {
  #waiting = new Set<() => void>();

  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }

  /** Resolves at the next change, after `ms`, or when the signal aborts; never rejects. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting;
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      }
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** Waits until something is so, looking at each change, at most `ms`; answers whether it is. */
  async until(isSo: () => boolean, ms: number, signal?: AbortSignal): Promise<boolean> {
    const end = monotonicMs() + ms;
    const either = signal ?? new AbortController().signal;
    while (!isSo() && !either.aborted && monotonicMs() < end)
      await this.next(end - monotonicMs(), either);
    return isSo();
  }
}
