import type { Spot, ValueMemory } from '../../../model/decoding/memorySource.ts';
import { stringFlags } from '../../../model/eventColumns.ts';

/** Layout of a piece, see native/engine/walk.c. */
const head = { bytes: 16, length: 8, flags: 15 } as const;

/** Memory at an address, or in no memory at all (a register) when `address` is 0. */
export interface Piece {
  readonly address: bigint;
  readonly bytes: Buffer;
  readonly isUnreadable: boolean;
  readonly isTruncated: boolean;
}

/** The pieces of memory one captured value consists of; the first is the value itself. */
export class Pieces implements ValueMemory {
  readonly all: readonly Piece[];
  readonly #byAddress = new Map<bigint, Piece[]>();

  /** Reads what lies in bytes[at, end); never throws. */
  constructor(bytes: Buffer, at: number, end: number) {
    const all: Piece[] = [];
    for (let from = at; from + head.bytes <= end;) {
      const length = bytes.readUInt32LE(from + head.length);
      const flags = bytes[from + head.flags] ?? 0;
      const start = from + head.bytes;
      const piece: Piece = {
        address: bytes.readBigUInt64LE(from),
        bytes: bytes.subarray(start, Math.min(end, start + length)),
        isUnreadable: (flags & stringFlags.unreadable) !== 0,
        isTruncated: (flags & stringFlags.truncated) !== 0,
      };
      all.push(piece);
      const same = this.#byAddress.get(piece.address);
      if (same) same.push(piece);
      else this.#byAddress.set(piece.address, [piece]);
      from = start + Math.ceil(length / 8) * 8;
    }
    this.all = all;
  }

  /** The piece that begins here, the largest when there are several. */
  #at(address: bigint): Piece | null {
    let found: Piece | null = null;
    for (const piece of this.#byAddress.get(address) ?? []) {
      if (!found || piece.bytes.length > found.bytes.length) found = piece;
    }
    return found;
  }

  /** Up to `length` bytes at an address, from whichever piece holds most of them; null when none holds any. */
  read(address: bigint, length: number): Buffer | null {
    const own = address === 0n ? null : this.#at(address);
    if (own && own.bytes.length >= length) return own.bytes.subarray(0, length);
    let found: Buffer | null = null;
    for (const piece of this.all) {
      const from = address - piece.address;
      if (piece.address === 0n || from < 0n || from >= BigInt(piece.bytes.length)) continue;
      const bytes = piece.bytes.subarray(Number(from), Number(from) + length);
      if (!found || bytes.length > found.length) found = bytes;
    }
    return found;
  }

  text(address: bigint): Piece | null {
    return this.#at(address);
  }

  isUnreadable(address: bigint): boolean {
    const piece = this.#at(address);
    return piece !== null && piece.isUnreadable && piece.bytes.length === 0;
  }

  slots(control: bigint, buckets: bigint, unit: number): Spot[] {
    const lowest = control - buckets * BigInt(unit);
    return this.all.filter(
      ({ address, bytes }) =>
        address >= lowest &&
        address < control &&
        bytes.length === unit &&
        (control - address) % BigInt(unit) === 0n,
    );
  }
}
