import { stringFlags, watchFlags } from '../../model/eventColumns.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { Value, WatchedValue } from '../../model/questions/query.ts';
import type { WatchDefinition, WatchType } from '../../model/watches/watch.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import { storedJson } from '../storedJson.ts';
import {
  emptySamples,
  unpackSamples,
  type SampleColumns,
  type SampledText,
} from '../watchFormat.ts';
import { decodeDynamic, type DefinedNames } from '../../model/decoding/dynamic.ts';
import { decodeTree } from './values/valueTrees.ts';
import { decodeScalar, hexadecimal } from '../../model/decoding/scalars.ts';

/** Decoded rows kept in memory. */
const CACHE_SAMPLES = 1_000_000;

/** Samples of one thread that were stored together: where, and of which calls and times. */
export interface SampleRow {
  readonly id: number;
  readonly thread: number;
  readonly first: number;
  readonly last: number;
  readonly start_ns: number;
  readonly last_ns: number;
}

/** Samples of one thread that were stored together, in the order they were taken. */
export interface StoredSamples extends SampleColumns {
  readonly id: number;
  readonly thread: number;
  /** Their places by the ordinal of the call. */
  readonly byCall: ReadonlyMap<number, readonly number[]>;
}

/** What watches saw, as of the commit that was seen last. */
export class WatchTable {
  readonly #definitions: Statement<[], { number: number; json: string }>;
  readonly #rows: Statement<[], SampleRow>;
  readonly #content: Statement<[id: number], { count: number; data: Buffer; texts: string | null }>;
  /** Rows never change; least recently used first. */
  readonly #decoded = new Map<number, StoredSamples>();
  #cached = 0;
  #known: ReadonlyMap<number, WatchDefinition> = new Map();
  /** All rows by start, and those of each thread. */
  #byTime: readonly SampleRow[] = [];
  #byThread = new Map<number, SampleRow[]>();

  readonly #namesOf: (thread: number) => DefinedNames;

  constructor(db: Sqlite, namesOf: (thread: number) => DefinedNames) {
    this.#namesOf = namesOf;
    this.#definitions = db.prepare('SELECT number, json FROM watches ORDER BY number');
    this.#rows = db.prepare(
      'SELECT id, thread, first, last, start_ns, last_ns FROM watch_samples ORDER BY start_ns, id',
    );
    this.#content = db.prepare('SELECT count, data, texts FROM watch_samples WHERE id = ?');
  }

  /** Takes over what another commit brought. */
  refresh(): void {
    this.#known = new Map(this.#definitions.all().map(({ number, json }) => [number, own(json)]));
    this.#byTime = this.#known.size === 0 ? [] : this.#rows.all();
    this.#byThread = new Map();
    for (const row of this.#byTime) {
      const known = this.#byThread.get(row.thread);
      if (known) known.push(row);
      else this.#byThread.set(row.thread, [row]);
    }
  }

  /** By number. */
  definitions(): ReadonlyMap<number, WatchDefinition> {
    return this.#known;
  }

  get isEmpty(): boolean {
    return this.#byTime.length === 0;
  }

  /** Where what was stored of this time is found, by start; it is read by `read`. */
  *between(from: number, to: number): Iterable<SampleRow> {
    for (const row of this.#byTime) if (row.start_ns <= to && row.last_ns >= from) yield row;
  }

  /** Samples of calls of a thread from an ordinal up to another one, that is not among them. */
  *ofCalls(thread: number, first: number, end: number): Iterable<StoredSamples> {
    for (const row of this.rowsOfCalls(thread, first, end)) yield this.read(row);
  }

  /** Where those are found; they are read by `read`. */
  *rowsOfCalls(thread: number, first: number, end: number): Iterable<SampleRow> {
    for (const row of this.#byThread.get(thread) ?? [])
      if (row.first < end && row.last >= first) yield row;
  }

  /** What was seen up to `until` when a call began and returned, in the order of time; null: nothing. */
  ofCall(
    thread: number,
    ordinal: number,
    until: number,
  ): (WatchedValue & { readonly time: SessionNs })[] | null {
    if (this.isEmpty) return null;
    const definitions = this.definitions();
    const found: (WatchedValue & { time: SessionNs })[] = [];
    for (const samples of this.ofCalls(thread, ordinal, ordinal + 1)) {
      for (const at of samples.byCall.get(ordinal) ?? []) {
        const watch = definitions.get(samples.watch[at] ?? -1);
        const time = samples.time[at] ?? 0;
        if (watch && time <= until)
          found.push({ ...watchedValue(watch, samples, at, this.#namesOf(thread)), time });
      }
    }
    return found.length > 0 ? found : null;
  }

  read(row: SampleRow): StoredSamples {
    const known = this.#decoded.get(row.id);
    if (known) {
      this.#decoded.delete(row.id);
      this.#decoded.set(row.id, known);
      return known;
    }
    const content = this.#content.get(row.id);
    // Outside a snapshot the oldest may go meanwhile.
    const columns = content
      ? unpackSamples(content.count, content.data, content.texts)
      : { count: 0, texts: [], ...emptySamples(0) };
    const samples = { ...columns, id: row.id, thread: row.thread, byCall: byCall(columns) };
    this.#decoded.set(row.id, samples);
    this.#cached += samples.count;
    for (const [id, oldest] of this.#decoded) {
      if (this.#cached <= CACHE_SAMPLES || id === row.id) break;
      this.#decoded.delete(id);
      this.#cached -= oldest.count;
    }
    return samples;
  }
}

export function watchedValue(
  watch: WatchDefinition,
  samples: SampleColumns,
  at: number,
  names: DefinedNames,
): WatchedValue {
  return {
    label: watch.label,
    atReturn: ((samples.flags[at] ?? 0) & watchFlags.atReturn) !== 0,
    value: sampledValue(watch, samples, at, names),
  };
}

/** In place of an address: all was read (protocol/record, watchEntry). */
const noPlace = (1n << 64n) - 1n;
const noValue: Value = {
  kind: 'notCaptured',
  reason: 'it has no value: divided by zero, beyond 64 bits, or the length of a null text',
};

/** What a sample saw; `names`: of its process. */
export function sampledValue(
  watch: WatchDefinition,
  samples: SampleColumns,
  at: number,
  names: DefinedNames,
): Value {
  const flags = samples.flags[at] ?? 0;
  const value = samples.value[at] ?? 0n;
  if ((flags & watchFlags.unreadable) !== 0) {
    const address = samples.address[at] ?? 0n;
    return address === noPlace ? noValue : { kind: 'unreadable', address: hexadecimal(address) };
  }
  const { type } = watch;
  if (type.kind === 'dynamic') {
    const bytes = Buffer.from(samples.texts[Number(value)]?.text ?? '', 'base64');
    if (bytes.length < 8) return noValue;
    return decodeDynamic(type, names, bytes, 0, bytes.length).value;
  }
  if (type.kind === 'cstring' || type.kind === 'tree') {
    const known = samples.texts[Number(value)];
    if (!known) return { kind: 'null' };
    return type.kind === 'cstring' ? { kind: 'string', ...known } : sampledTree(type, known);
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return decodeScalar(type, bytes, 0);
}

function sampledTree(
  type: Extract<WatchType, { kind: 'tree' }>,
  { text, truncated, deeperCut }: NonNullable<SampledText>,
): Value {
  const bytes = Buffer.from(text, 'base64');
  const flags = (truncated ? stringFlags.truncated : 0) | (deeperCut ? stringFlags.deeperCut : 0);
  return decodeTree(type, bytes, 0, bytes.length, flags, 'a watch of it alone has more');
}

function byCall({ count, ordinal }: SampleColumns): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let at = 0; at < count; at++) {
    const call = ordinal[at] ?? -1;
    const known = found.get(call);
    if (known) known.push(at);
    else found.set(call, [at]);
  }
  return found;
}

function own(json: string): WatchDefinition {
  return storedJson<WatchDefinition>(json, { label: 'string', type: 'object' });
}
