import { ringPlace } from '../../protocol/record.ts';

/** One of a slot's rings, as it is written from a position on. */
interface WrittenFrom {
  readonly from: number;
  /** Where the ring begins behind the slot's header. */
  readonly base: number;
  readonly bytes: number;
}

/** The ring that holds a position. */
export interface RingPlace extends WrittenFrom {
  /** Its records end before this position. */
  readonly until: number;
  /** What is before this position was written over. */
  readonly oldest: number;
  /** The thread writes elsewhere by now. */
  readonly isLeft: boolean;
}

/** All places of a slot, in the form of `ringPlace`. */
export function placesIn(list: Buffer): readonly WrittenFrom[] {
  const places: WrittenFrom[] = [];
  for (let at = 0; at < list.length; at += ringPlace.bytes) {
    const start = Number(list.readBigUInt64LE(at + ringPlace.start));
    if (start === 0) continue;
    const log2 = start % (ringPlace.log2Mask + 1);
    const base = list.readUInt32LE(at + ringPlace.base);
    places.push({ from: start - log2, base, bytes: 2 ** log2 });
  }
  return places;
}

/**
 * Where a position lies, once the thread has written up to `written`; of one that is nowhere any more, the
 * place after it. Throws when there is no place at all.
 */
export function placeAt(
  places: readonly WrittenFrom[],
  position: number,
  written: number,
): RingPlace {
  let found: WrittenFrom | null = null;
  let next: WrittenFrom | null = null;
  for (const place of places) {
    if (place.from <= position) {
      if (!found || place.from > found.from) found = place;
    } else if (!next || place.from < next.from) next = place;
  }
  if (!found) {
    if (!next) throw new Error('the slot has no ring');
    return { ...next, until: next.from, oldest: next.from, isLeft: true };
  }
  const until = Math.min(written, next?.from ?? written);
  const oldest = Math.max(found.from, until - found.bytes);
  return { ...found, until, oldest, isLeft: next !== null };
}
