import type { Value } from '../questions/query.ts';
import type { Shape } from '../values/shape.ts';

/** A value in memory that is known: `bytes` of it, and the address, 0 in a register. */
export interface Spot {
  readonly bytes: Buffer;
  readonly address: bigint;
}

/** A spot inside another. */
export function part(spot: Spot, offset: number, length?: number): Spot {
  const address = spot.address === 0n ? 0n : spot.address + BigInt(offset);
  const end = length === undefined ? undefined : offset + length;
  return { bytes: spot.bytes.subarray(offset, end), address };
}

/**
 * The memory that values are decoded from: the pieces captured with an event, or what is kept of a
 * process that died. None of its members throws.
 */
export interface ValueMemory {
  /** Up to `length` bytes at an address, which it may shorten; null when none are known. */
  read(address: bigint, length: number): Buffer | null;
  /** What is known of text that begins there and may end at a NUL; null when nothing is. */
  text(address: bigint): { readonly bytes: Buffer; readonly isTruncated: boolean } | null;
  /** Reading it was tried, and failed. */
  isUnreadable(address: bigint): boolean;
  /** Elements of a hash table of `buckets` places below its control bytes, of `unit` bytes each, as far as they are known. */
  slots(control: bigint, buckets: bigint, unit: number): Iterable<Spot>;
}

/** What decoding a container asks of whoever decodes the value it is part of. */
export interface ShapeReader {
  readonly memory: ValueMemory;
  /** Something is missing because it had no room. */
  readonly isCut: boolean;
  /** Elements of a container that are decoded. */
  readonly mostElements: number;
  shape(index: number): Shape | null;
  /** The value of a shape at a place; what lies beyond the known bytes is not captured. */
  value(index: number, spot: Spot): Value;
  /** A word at an offset; null when it is not known. */
  word(spot: Spot, at: number): bigint | null;
}

/** What was read of a container's elements, and how many there are. */
export interface ReadElements {
  readonly items: readonly Value[];
  /** Null when only going through them would tell. */
  readonly total: number | null;
  /** Its parts do not fit together: it changed while it was copied. */
  readonly torn?: boolean;
}
