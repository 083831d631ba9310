import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { wallMs } from '../../base/clock.ts';
import type { Catalog, CatalogSession } from '../../db/catalog.ts';
import type { SessionId } from '../../model/ids.ts';
import type { Settings } from '../../protocol/settingsSchema.ts';
import type { Log } from '../log.ts';
import { removeRings } from '../../collector/rings/ringFolder.ts';
import { letSupervisorEnd } from './leftOver.ts';

const HOUR_MS = 3_600_000;
const ROUND_MS = 10 * 60_000;
/** Sessions often end together. */
const SOON_MS = 500;

export interface RetentionParts {
  readonly catalog: Catalog;
  readonly sessionsDirectory: string;
  readonly settings: Settings;
  readonly log: Log;
  /** Milliseconds since 1970 by which sessions grow old. */
  readonly ageingMs: () => number;
  /** Its program runs, or its store is still written to. */
  readonly isBusy: (id: string) => boolean;
  /** It is gone from the catalogue and the disk. */
  readonly removed: (id: SessionId) => void;
}

/**
 * How long sessions stay on disk, and their removal: the one place that deletes what was captured.
 * Only folders directly below the folder of sessions are ever removed, whatever a catalogue says.
 */
export class Retention {
  readonly #parts: RetentionParts;
  readonly #round: NodeJS.Timeout;
  #soon: NodeJS.Timeout | null = null;
  #isClosed = false;
  /** Sessions that are being asked about, each with how many requests do. */
  readonly #asked = new Map<string, number>();
  /** Those of them that a purge has passed over. */
  readonly #passedOver = new Set<string>();
  #toldFull = false;
  readonly #removals = new Set<Promise<void>>();

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#round = setInterval(() => this.purge(), ROUND_MS).unref();
  }

  /** What is due at the start of a daemon. */
  begin(): void {
    this.#sweep();
    this.purge();
  }

  /** Removes folders that no session of the catalogue knows: their launch was cut short by a crash. */
  #sweep(): void {
    const { catalog, sessionsDirectory, log } = this.#parts;
    const known = new Set<string>(catalog.list().map((row) => row.id));
    for (const name of readdirSync(sessionsDirectory)) {
      if (known.has(name)) continue;
      void this.#removeFolder(name);
      log.warn('store', 'removed a folder of no session', { name });
    }
  }

  /** Removes what is too old, then the oldest while all together take too much room. */
  purge(): void {
    const { catalog, settings, log, ageingMs, removed, isBusy } = this.#parts;
    const bytes = new Map<string, number>();
    const gone = catalog.purge(
      ageingMs(),
      {
        endedMs: settings['retention.endedHours'] * HOUR_MS,
        retainedMs: settings['retention.days'] * 24 * HOUR_MS,
        maxBytes: settings['retention.maxBytes'],
      },
      {
        isBusy: (row) => isBusy(row.id) || this.#isAsked(row.id),
        bytesOf: (row) => {
          const size = this.#bytesOf(row.id);
          bytes.set(row.id, size);
          return size;
        },
      },
    );
    for (const row of gone) {
      bytes.delete(row.id);
      void this.#removeFolder(row.id);
      removed(row.id);
      log.info('store', 'session removed by retention', { session: row.id });
    }
    this.#tellWhenFull([...bytes.values()].reduce((sum, size) => sum + size, 0));
  }

  /** Does work that asks about a session, which stays until that is answered. */
  async keepFor<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#asked.set(id, (this.#asked.get(id) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#asked.get(id) ?? 1) - 1;
      if (left > 0) this.#asked.set(id, left);
      else {
        this.#asked.delete(id);
        if (this.#passedOver.delete(id)) this.purgeSoon();
      }
    }
  }

  /** Purges a little later: a session has ended. */
  purgeSoon(): void {
    if (this.#isClosed) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      this.purge();
    }, SOON_MS).unref();
  }

  /** Removes one session that is not busy, with all its files. */
  async remove(id: SessionId): Promise<void> {
    this.#parts.catalog.delete(id);
    this.#parts.removed(id);
    await this.#removeFolder(id);
    this.#parts.log.info('store', 'session deleted', { session: id });
  }

  /** Until when it stays, in milliseconds since 1970; counted from now while it runs. */
  keptUntil(row: Pick<CatalogSession, 'endedWallMs' | 'retain'>): number {
    const { settings } = this.#parts;
    const hours = row.retain ? settings['retention.days'] * 24 : settings['retention.endedHours'];
    return (row.endedWallMs ?? wallMs()) + hours * HOUR_MS;
  }

  /** Days after its end that a retained session is kept. */
  get retainedDays(): number {
    return this.#parts.settings['retention.days'];
  }

  /** All sessions on disk. */
  get figures(): { readonly stored: number; readonly storedBytes: number } {
    const rows = this.#parts.catalog.list();
    const storedBytes = rows.reduce((sum, row) => sum + this.#bytesOf(row.id), 0);
    return { stored: rows.length, storedBytes };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#round);
    if (this.#soon) clearTimeout(this.#soon);
    await Promise.all(this.#removals);
  }

  #isAsked(id: string): boolean {
    const isAsked = this.#asked.has(id);
    if (isAsked) this.#passedOver.add(id);
    return isAsked;
  }

  #tellWhenFull(bytes: number): void {
    const isFull = bytes > this.#parts.settings['retention.maxBytes'];
    if (isFull && !this.#toldFull) {
      this.#parts.log.warn('store', 'running sessions alone exceed retention.maxBytes', { bytes });
    }
    this.#toldFull = isFull;
  }

  /** Never rejects. */
  async #removeFolder(name: string): Promise<void> {
    const folder = this.#folderOf(name);
    if (folder === null) return;
    const removal = this.#removeNow(folder, name);
    this.#removals.add(removal);
    await removal;
    this.#removals.delete(removal);
  }

  async #removeNow(folder: string, name: string): Promise<void> {
    await letSupervisorEnd(folder);
    try {
      rmSync(folder, { recursive: true, force: true });
      removeRings(name);
    } catch (error) {
      this.#parts.log.error('store', 'a session could not be removed', { session: name, error });
    }
  }

  #bytesOf(name: string): number {
    const folder = this.#folderOf(name);
    if (folder === null) return 0;
    try {
      return readdirSync(folder).reduce(
        (sum, file) => sum + (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0),
        0,
      );
    } catch {
      return 0; // It has no folder any more.
    }
  }

  /** Null for a name that would lead out of the folder of sessions. */
  #folderOf(name: string): string | null {
    const isPlain = name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
    return isPlain ? join(this.#parts.sessionsDirectory, name) : null;
  }
}
