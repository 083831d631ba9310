import { bootMs, monotonicMs, wallMs } from '../base/clock.ts';
import { duration } from './report/text/timeText.ts';

const ROUND_MS = 5000;
/** Clocks are slewed and read one after the other: what is less is no step. */
const LEAST_MS = 2000;

/**
 * Notices that the machine slept or that its wall clock was set:
 *
 *               asleep    clock set
 *   monotonic   stands    goes on
 *   boot time   goes on   goes on
 *   wall clock  goes on   jumps
 */
export class ClockWatch {
  readonly #tell: (sentence: string) => void;
  readonly #round: NodeJS.Timeout;
  #asleepMs: number;
  #wallAheadMs: number;
  /** Wall clock minus boot time at the start. */
  readonly #firstAheadMs: number;

  /** `tell` gets a sentence for each event, within five seconds of it. */
  constructor(tell: (sentence: string) => void) {
    this.#tell = tell;
    this.#asleepMs = bootMs() - monotonicMs();
    this.#wallAheadMs = wallMs() - bootMs();
    this.#firstAheadMs = this.#wallAheadMs;
    this.#round = setInterval(() => this.#look(), ROUND_MS).unref();
  }

  /**
   * The wall clock for what is to be removed when it is old, in milliseconds since 1970: a clock
   * that was set forward since our start makes nothing older.
   */
  ageingMs(): number {
    return Math.min(wallMs(), this.#firstAheadMs + bootMs());
  }

  close(): void {
    clearInterval(this.#round);
  }

  #look(): void {
    const boot = bootMs();
    const asleepMs = boot - monotonicMs();
    const wallAheadMs = wallMs() - boot;
    const sleptMs = asleepMs - this.#asleepMs;
    const setMs = wallAheadMs - this.#wallAheadMs;
    this.#asleepMs = asleepMs;
    this.#wallAheadMs = wallAheadMs;
    if (sleptMs >= LEAST_MS)
      this.#tell(
        `The machine slept for ${duration(sleptMs * 1e6)}: times and limits of the session stood still.`,
      );
    if (Math.abs(setMs) >= LEAST_MS)
      this.#tell(
        `The clock of the machine was set ${setMs > 0 ? 'forward' : 'back'} by ${duration(Math.abs(setMs) * 1e6)}: only dates are affected, not order or durations.`,
      );
  }
}
