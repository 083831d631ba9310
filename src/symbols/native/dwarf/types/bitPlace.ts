import { attribute } from '../constants.ts';
import type { Entry } from '../entry.ts';

/** The bits of a bit-field: the lowest one, counted from a byte's lowest, and how many there are. */
export interface BitPlace {
  readonly from: number;
  readonly count: number;
}

/** Where the bits of a member lie; `offset` in bytes. DWARF 4 counts the bits of a storage unit from its most significant one (DWARF 3 §5.6.6),
 * `bitOffset`: of a packed one that ends behind its unit below zero. */
export function bitsOf(
  { child, bitOffset }: { readonly child: Entry; readonly bitOffset: bigint },
  typeBytes: number,
): { readonly offset: number; readonly bits: BitPlace } {
  const count = child.value(attribute.bitSize);
  const location = child.value(attribute.memberLocation);
  if (child.has(attribute.bitOffset)) {
    const storage = child.has(attribute.byteSize) ? child.value(attribute.byteSize) : typeBytes;
    const from = location * 8 + storage * 8 - Number(bitOffset) - count;
    return { offset: Math.floor(from / 8), bits: { from: from % 8, count } };
  }
  const from = child.has(attribute.dataBitOffset)
    ? child.value(attribute.dataBitOffset)
    : location * 8;
  return { offset: Math.floor(from / 8), bits: { from: from % 8, count } };
}
