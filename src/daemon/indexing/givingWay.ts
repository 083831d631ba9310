import { setThreadNiceness } from '../../base/threadPriority.ts';

const WINDOW_MS = 1000;
/** Shares of a window's time: more is a flood, less is over with it. */
const FLOOD_SHARE = 0.5;
const CALM_SHARE = 0.1;
/** Who works for so long at a time is behind: what it does not read in time may be lost. */
const BEHIND_MS = 250;
/** A third of the weight of a thread that answers: enough to go on with beside other busy programs. */
const FLOOD_NICENESS = 5;

/**
 * A thread that works without pause uses up what its process is due of the processors, and every thread
 * that answers a question waits for its turn. While it does, and is not behind, it gives way to them.
 */
export class GivingWay {
  #windowAt: number;
  #workedMs = 0;
  #gives = false;

  constructor(nowMs: number) {
    this.#windowAt = nowMs;
  }

  /** Ends with the thread as it began; false when that is not permitted. */
  end(): boolean {
    if (this.#gives) this.#gives = !setThreadNiceness(0);
    return !this.#gives;
  }

  /** It worked from the one time to the other. */
  worked(fromMs: number, toMs: number): void {
    this.#workedMs += toMs - fromMs;
    const isBehind = toMs - fromMs > BEHIND_MS;
    if (isBehind && this.#gives) this.#gives = !setThreadNiceness(0);
    const windowMs = toMs - this.#windowAt;
    if (windowMs < WINDOW_MS) return;
    const share = this.#workedMs / windowMs;
    this.#windowAt = toMs;
    this.#workedMs = 0;
    if (!this.#gives && share > FLOOD_SHARE && !isBehind)
      this.#gives = setThreadNiceness(FLOOD_NICENESS);
    else if (this.#gives && share < CALM_SHARE) this.#gives = !setThreadNiceness(0);
  }
}
