import { alone, blockCalls } from '../../blockFormat.ts';
import { BlockContexts, INNER, NONE, type ContextColumns } from './blockContexts.ts';

/*
 * The contexts of a full block as they lie in the file beside it (blockFormat.ts), so that a first
 * tree need not find them:
 *
 *   u32 late ends they know · u32 contexts · u32 buckets · u32 long calls
 *   float64 outer, total, child, least, most [contexts] · duration [long calls]
 *   u16     above + 1, level + 1, entry + 1, calls, timed, first, buckets of it, longFrom [contexts]
 *   u16     bucket, calls in it [buckets] · row, context of it [long calls]
 *   u8      end, is inner [contexts]
 *
 * Valid while the block has as many late ends.
 */

const HEADER_WORDS = 4;
/** More are not stored, a byte for each call of a block: then they are found as quickly. */
const MOST_BYTES = blockCalls;

/** Null: they take too much room. `contexts`: of a whole block, with the time in children, all levels. */
export function storeContexts(contexts: BlockContexts, lateEnds: number): Buffer | null {
  const { columns, count } = contexts;
  const { childNs, buckets, long } = columns;
  const sizes = { count, buckets: buckets.length, long: long.length };
  const bytes = bytesOf(sizes);
  if (bytes > MOST_BYTES || childNs === null) return null;
  const out = Buffer.alloc(bytes);
  const places = new Places(out, sizes);
  new Uint32Array(out.buffer, out.byteOffset, HEADER_WORDS).set([
    ...[lateEnds, count, buckets.length, long.length],
  ]);
  for (const column of [
    ...[columns.outer, columns.totalNs, childNs, columns.leastNs, columns.mostNs],
  ])
    places.floats(count).set(column);
  places.floats(long.length).set(columns.longNs);
  for (const column of [columns.above, columns.level, columns.entry])
    places.shorts(count).set(column.map((number) => number + 1));
  for (const column of [columns.calls, columns.timed, columns.first])
    places.shorts(count).set(column);
  const { bucketsAt } = columns;
  places
    .shorts(count)
    .set(columns.calls.map((_, c) => (bucketsAt[c + 1] ?? 0) - (bucketsAt[c] ?? 0)));
  places.shorts(count).set(columns.longFrom);
  places.shorts(buckets.length).set(buckets);
  places.shorts(buckets.length).set(columns.inBucket);
  places.shorts(long.length).set(long);
  places.shorts(long.length).set(columns.longOf);
  places.bytes().set(columns.end);
  places.bytes().set(columns.kind.map((kind, c) => (isInner(columns, c, kind) ? 1 : 0)));
  return out;
}

/** Null where the block has other late ends than they know. `functions`: numbers by dictionary entry. */
export function readContexts(
  stored: Buffer,
  lateEnds: number,
  functions: Uint32Array,
): BlockContexts | null {
  const bytes = alone(stored);
  const header = new Uint32Array(bytes.buffer, 0, HEADER_WORDS);
  if (header[0] !== lateEnds) return null;
  const sizes = { count: header[1] ?? 0, buckets: header[2] ?? 0, long: header[3] ?? 0 };
  const { count } = sizes;
  const places = new Places(bytes, sizes);
  const outer = places.floats(count);
  const totalNs = places.floats(count);
  const childNs = places.floats(count);
  const leastNs = places.floats(count);
  const mostNs = places.floats(count);
  const longNs = places.floats(sizes.long);
  const above = places.lessOne();
  const level = places.lessOne();
  const entry = places.lessOne();
  const calls = new Int32Array(places.shorts(count));
  const timed = new Int32Array(places.shorts(count));
  const first = new Int32Array(places.shorts(count));
  const bucketsAt = new Int32Array(count + 1);
  bucketsAt.set(places.shorts(count), 1);
  for (let c = 1; c <= count; c++) bucketsAt[c] = (bucketsAt[c] ?? 0) + (bucketsAt[c - 1] ?? 0);
  const longFrom = places.shorts(count);
  const buckets = places.shorts(sizes.buckets);
  const inBucket = new Int32Array(places.shorts(sizes.buckets));
  const long = places.shorts(sizes.long);
  const longOf = new Int32Array(places.shorts(sizes.long));
  const end = places.bytes();
  const inner = places.bytes();
  const kind = new Int32Array(count);
  const fn = new Int32Array(count);
  for (let c = 0; c < count; c++) {
    const number = entry[c] ?? NONE;
    kind[c] = inner[c] === 1 || number < 0 ? INNER : number * 32 + (end[c] ?? 0);
    fn[c] = functions[number] ?? NONE;
  }
  return new BlockContexts(
    {
      ...{ outer, above, level, kind, entry, end, fn, calls, timed, totalNs, childNs, leastNs },
      ...{ mostNs, first, bucketsAt, buckets, inBucket, longFrom, long, longOf, longNs },
    },
    NONE,
    Number.POSITIVE_INFINITY,
  );
}

interface Sizes {
  readonly count: number;
  readonly buckets: number;
  readonly long: number;
}

function bytesOf({ count, buckets, long }: Sizes): number {
  return HEADER_WORDS * 4 + count * (5 * 8 + 8 * 2 + 2) + buckets * 4 + long * 12;
}

function isInner({ entry }: ContextColumns, context: number, kind: number): boolean {
  return kind === INNER && (entry[context] ?? NONE) >= 0;
}

/** The columns one after the other. */
class Places {
  readonly #buffer: ArrayBufferLike;
  readonly #count: number;
  #at: number;

  constructor(bytes: Uint8Array, { count }: Sizes) {
    this.#buffer = bytes.buffer;
    this.#at = bytes.byteOffset + HEADER_WORDS * 4;
    this.#count = count;
  }

  floats(length: number): Float64Array {
    const column = new Float64Array(this.#buffer, this.#at, length);
    this.#at += column.byteLength;
    return column;
  }

  shorts(length: number): Uint16Array {
    const column = new Uint16Array(this.#buffer, this.#at, length);
    this.#at += column.byteLength;
    return column;
  }

  /** Numbers that are stored one higher, because some are -1. */
  lessOne(): Int32Array {
    return new Int32Array(this.shorts(this.#count)).map((number) => number - 1);
  }

  bytes(): Uint8Array {
    const column = new Uint8Array(this.#buffer, this.#at, this.#count);
    this.#at += column.byteLength;
    return column;
  }
}
