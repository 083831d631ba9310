import type { Value } from '../../model/query.ts';
import type { Shape } from '../../model/shape.ts';
import type { Pieces } from './pieces.ts';

/** A value in memory that was captured: `bytes` of it, and the address, 0 in a register. */
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

/** What decoding a container asks of whoever decodes the value it is part of. */
export interface ShapeReader {
  readonly pieces: Pieces;
  /** Something had no room. */
  readonly isCut: boolean;
  shape(index: number): Shape | null;
  /** The value of a shape at a place; what lies beyond the captured bytes is not captured. */
  value(index: number, spot: Spot): Value;
  /** A word at an offset; null when it was not captured. */
  word(spot: Spot, at: number): bigint | null;
}
