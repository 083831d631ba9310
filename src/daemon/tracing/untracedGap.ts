import type { SessionNs } from '../../model/ids.ts';

/** No more than this is missing of what was told should the daemon die. */
const TELL_MS = 1000;

/**
 * The time in which a program runs without its hooks, told as it passes: whoever continues the session, or
 * reads it after another death, knows of it.
 */
export class UntracedGap {
  readonly #add: (from: SessionNs, to: SessionNs) => Promise<void>;
  readonly #now: () => SessionNs;
  readonly #timer: NodeJS.Timeout;
  #toldTo: SessionNs;
  #telling: Promise<void> = Promise.resolve();

  /** `now` stands still when the program has ended. */
  constructor(
    from: SessionNs,
    now: () => SessionNs,
    add: (from: SessionNs, to: SessionNs) => Promise<void>,
  ) {
    this.#toldTo = from;
    this.#now = now;
    this.#add = add;
    this.#tell();
    this.#timer = setInterval(() => this.#tell(), TELL_MS).unref();
  }

  /** The hooks are there, or nothing is left for them. Resolves when all is told; never rejects. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#tell();
    await this.#telling;
  }

  #tell(): void {
    const [from, to] = [this.#toldTo, this.#now()];
    if (to <= from) return;
    this.#toldTo = to;
    const before = this.#telling;
    // What a worker that is lost was not told is lost with it.
    const told = this.#add(from, to).catch(() => undefined);
    this.#telling = before.then(async () => told);
  }
}
