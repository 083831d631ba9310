import { listSessions, type SessionRow } from './sessionRows.ts';
import type { StrobeServer } from './strobeServer.ts';

/** How often it asks while a program runs, and while none does. */
const liveMs = 1000;
const idleMs = 3000;

/** The sessions of the user as they are now. It asks only while somebody looks. */
export class SessionFeed {
  rows: readonly SessionRow[] = [];
  /** Why they are not known, with what to do. */
  problem: string | null = null;
  readonly #server: StrobeServer;
  readonly #onChange: () => void;
  #timer: NodeJS.Timeout | null = null;
  #isWatched = false;
  #asking: Promise<void> | null = null;

  constructor(server: StrobeServer, onChange: () => void) {
    this.#server = server;
    this.#onChange = onChange;
  }

  /** Begins or ends to ask. */
  watch(isWatched: boolean): void {
    if (this.#isWatched === isWatched) return;
    this.#isWatched = isWatched;
    if (isWatched) void this.refresh();
    else this.#rest();
  }

  /** Asks now; two that want it share one question. */
  async refresh(): Promise<void> {
    this.#rest();
    this.#asking ??= this.#ask().finally(() => (this.#asking = null));
    await this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      this.rows = await listSessions(this.#server);
      this.problem = null;
    } catch (error) {
      this.rows = [];
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.#onChange();
    this.#rest();
    if (!this.#isWatched) return;
    const isLive = this.rows.some((row) => row.isLive);
    this.#timer = setTimeout(() => void this.refresh(), isLive ? liveMs : idleMs);
  }

  #rest(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
