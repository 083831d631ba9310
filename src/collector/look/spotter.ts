import { linesOf, startOwned, type OwnedProcess } from '../../base/process.ts';
import { within } from '../../base/deadline.ts';
import { processorNamed } from '../../model/processors.ts';
import type { Mapping } from '../../model/endings/snapshot.ts';

/** A write as the kernel recorded it; values as their bits, null: not known. */
export interface SpottedWrite {
  /** CLOCK_MONOTONIC. */
  readonly monotonicNs: bigint;
  readonly tid: number;
  /** Number of its site. */
  readonly site: number;
  readonly isNear: boolean;
  readonly old: bigint | null;
  readonly now: bigint | null;
}

/** Registers in the order of DWARF, the last the writing instruction's address; stack from its pointer on. */
export interface SpottedSite {
  readonly number: number;
  readonly registers: readonly bigint[];
  readonly stack: Uint8Array;
}

/** What came together. */
export interface Spotted {
  readonly sites: readonly SpottedSite[];
  readonly writes: readonly SpottedWrite[];
  /** Writes that were not recorded, since the last. */
  readonly missed: number;
  /** So many were recorded, and no more are. */
  readonly full: number | null;
}

export interface SpotterOptions {
  readonly spotterPath: string;
  readonly pid: number;
  readonly address: bigint;
  /** 1, 2, 4 or 8; the address is a multiple. */
  readonly bytes: number;
  /** Awaited before more is read. Called until `close`, or until the process or its program ends. */
  readonly take: (spotted: Spotted, mappings: readonly Mapping[]) => Promise<void>;
}

/** How watching began. `threads`, `refused`: watched ones, and those where it cannot be; `error`: why. */
export interface SpotterStart {
  readonly threads: number;
  readonly refused: number;
  /** Error number of perf_event_open(2); 0: none. */
  readonly error: number;
}

const lineBytes = 8192;
const startLimitMs = 5000;
const syncLimitMs = 1000;
const registerCount = processorNamed(process.arch).registers.length;

/** Watches one place of a process for writes (native/spotter), without stopping or changing it. */
export class Spotter implements AsyncDisposable {
  readonly started: SpotterStart;
  readonly #process: OwnedProcess;
  readonly #reader: SpotterReader;
  readonly #reading: Promise<void>;

  private constructor(
    started: SpotterStart,
    process: OwnedProcess,
    reader: SpotterReader,
    reading: Promise<void>,
  ) {
    this.started = started;
    this.#process = process;
    this.#reader = reader;
    this.#reading = reading;
  }

  /** `started.threads` is 0 when nothing is watched; rejects when the spotter cannot be run. */
  static async start(options: SpotterOptions): Promise<Spotter> {
    const process = await startOwned({
      command: options.spotterPath,
      args: [String(options.pid), options.address.toString(16), String(options.bytes)],
    });
    const reader = new SpotterReader(options);
    const reading = reader.readAll(process);
    try {
      const started = await within(
        startLimitMs,
        Promise.race([reader.started, reading.then(() => reader.start)]),
        () => new Error('The spotter does not answer.'),
      );
      return new Spotter(started, process, reader, reading);
    } catch (error) {
      await process[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Resolves when it ended by itself, and all it told was taken. */
  get ended(): Promise<void> {
    return this.#reading;
  }

  /** What was written before is taken afterwards; does not wait for it for long. */
  async sync(): Promise<void> {
    const synced = this.#reader.nextSync();
    this.#process.stdin.write('\n');
    await within(syncLimitMs, Promise.race([synced, this.#reading]), () => new Error('late')).catch(
      () => undefined,
    );
  }

  /** Stops watching; what was written before is taken first. */
  async close(): Promise<void> {
    this.#process.stdin.end();
    await within(syncLimitMs, this.#reading, () => new Error('late')).catch(() => undefined);
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}

/** Reads what a spotter writes, see native/spotter/main.c. */
class SpotterReader {
  start: SpotterStart = { threads: 0, refused: 0, error: 0 };
  readonly started: Promise<SpotterStart>;
  readonly #take: SpotterOptions['take'];
  readonly #mappings: Mapping[] = [];
  readonly #syncs: (() => void)[] = [];
  #sites: SpottedSite[] = [];
  #writes: SpottedWrite[] = [];
  #missed = 0;
  #missedTold = 0;
  #full: number | null = null;
  #synced = 0;
  #onStarted: (start: SpotterStart) => void = () => undefined;

  constructor({ take }: SpotterOptions) {
    this.#take = take;
    this.started = new Promise((resolve) => {
      this.#onStarted = resolve;
    });
  }

  nextSync(): Promise<void> {
    return new Promise((resolve) => void this.#syncs.push(resolve));
  }

  async readAll(spotter: OwnedProcess): Promise<void> {
    for await (const lines of linesOf(spotter, lineBytes)) {
      for (const line of lines) this.#line(line.split(' '));
      await this.#tell();
    }
    await spotter.ended;
  }

  async #tell(): Promise<void> {
    const spotted = {
      sites: this.#sites,
      writes: this.#writes,
      missed: this.#missed - this.#missedTold,
      full: this.#full,
    };
    this.#sites = [];
    this.#writes = [];
    this.#missedTold = this.#missed;
    const isNews = spotted.writes.length > 0 || spotted.missed > 0 || spotted.full !== null;
    if (isNews || spotted.sites.length > 0) await this.#take(spotted, this.#mappings);
    for (; this.#synced > 0; this.#synced--) this.#syncs.shift()?.();
  }

  #line([word = '', ...rest]: readonly string[]): void {
    const [a = '', b = '', c = '', d = '', e = '-', f = '-'] = rest;
    switch (word) {
      case 'ready':
        this.start = { ...this.start, threads: Number(a) };
        this.#onStarted(this.start);
        return;
      case 'refused':
        this.start = { ...this.start, error: Number(a), refused: Number(b) };
        return;
      case 'map':
        this.#mappings.unshift(mappingFrom(a, b, c, rest.slice(3).join(' ')));
        return;
      case 'site':
        this.#sites.push(siteFrom(rest));
        return;
      case 'write':
        this.#writes.push({
          monotonicNs: BigInt(a),
          tid: Number(b),
          site: Number(c),
          isNear: d === '1',
          old: bitsOf(e),
          now: bitsOf(f),
        });
        return;
      case 'lost':
        this.#missed = Number(a);
        return;
      case 'full':
        this.#full = Number(a);
        return;
      case 'synced':
        this.#synced++;
        return;
      default:
    }
  }
}

/** The newest come first, so that they are found first. */
function mappingFrom(start: string, bytes: string, offset: string, path: string): Mapping {
  const from = BigInt(`0x${start}`);
  return {
    start: from,
    end: from + BigInt(`0x${bytes}`),
    protection: 'r-xp',
    offset: BigInt(`0x${offset}`),
    path,
    isDeleted: false,
  };
}

function siteFrom([number = '', ...words]: readonly string[]): SpottedSite {
  return {
    number: Number(number),
    registers: words.slice(0, registerCount).map((word) => BigInt(`0x${word}`)),
    stack: Uint8Array.from(Buffer.from(words[registerCount] ?? '', 'hex')),
  };
}

function bitsOf(text: string): bigint | null {
  return text === '-' ? null : BigInt(`0x${text}`);
}
