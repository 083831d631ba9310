import { placeAt, placesIn } from '../../src/collector/rings/ringPlaces.ts';
import { readFileSync } from 'node:fs';
import {
  countedRow,
  fileHeader,
  record,
  ringPlace,
  slotHeader,
} from '../../src/protocol/record.ts';

/** One record of a ring with its continuations, decoded independently of src/collector/rings. */
export interface RingEvent {
  readonly kind: number;
  readonly fn: number;
  readonly tsc: bigint;
  readonly sp: bigint;
  /** Captured words; padded to what the records hold. */
  readonly words: readonly bigint[];
}

interface RingThread {
  readonly tid: number;
  readonly name: string;
  readonly state: number;
  readonly generation: number;
  readonly position: number;
  /** Records that are not complete, or were overwritten before the oldest whole one. */
  readonly broken: number;
  readonly events: readonly RingEvent[];
}

export interface RingContent {
  readonly pid: number;
  readonly lostNoRing: number;
  readonly lostNoMemory: number;
  readonly threads: readonly RingThread[];
  /** By function: calls that left no records. */
  readonly counted: ReadonlyMap<number, number>;
}

/** Everything a ring file still holds. */
export function readRings(path: string): RingContent {
  const bytes = readFileSync(path);
  if (bytes.readBigUInt64LE(fileHeader.magic) !== record.magic) throw new Error('no ring file');
  const stride = Number(bytes.readBigUInt64LE(fileHeader.slotStride));
  const slots = Array.from({ length: bytes.readUInt32LE(fileHeader.usedSlots) }, (_, slot) =>
    bytes.subarray(fileHeader.bytes + slot * stride),
  );
  const threads = slots.map(readSlot);
  return {
    pid: bytes.readUInt32LE(fileHeader.pid),
    lostNoRing: Number(bytes.readBigUInt64LE(fileHeader.lostNoRing)),
    lostNoMemory: Number(bytes.readBigUInt64LE(fileHeader.lostNoMemory)),
    threads,
    counted: countedIn(slots, bytes.readUInt32LE(fileHeader.countedRows)),
  };
}

function countedIn(slots: readonly Buffer[], rows: number): ReadonlyMap<number, number> {
  const counted = new Map<number, number>();
  for (const slot of slots)
    for (let row = 1; row < rows; row++) {
      const at = slotHeader.counted + row * countedRow.bytes;
      const fn = slot.readUInt32LE(at + countedRow.fn);
      const calls = Number(slot.readBigUInt64LE(at + countedRow.calls));
      if (calls > 0) counted.set(fn, (counted.get(fn) ?? 0) + calls);
    }
  return counted;
}

function readSlot(slot: Buffer): RingThread {
  const position = Number(slot.readBigUInt64LE(slotHeader.position));
  const name = slot.subarray(slotHeader.name, slotHeader.name + slotHeader.nameBytes);
  const events: RingEvent[] = [];
  let broken = 0;
  const list = slot.subarray(slotHeader.places);
  const places = placesIn(list.subarray(0, slotHeader.placeCount * ringPlace.bytes));
  const at = (ringPosition: number): number => {
    const { base, bytes } = placeAt(places, ringPosition, position);
    return slotHeader.bytes + base + (ringPosition % bytes);
  };
  const markOf = (ringPosition: number) => slot.readUInt32LE(at(ringPosition) + 28);
  let next = placeAt(places, 0, position).oldest;
  while (next < position) {
    const head = at(next);
    const mark = markOf(next);
    const kind = mark & record.kindMask;
    if (mark - kind !== next % 2 ** 32 || kind === 6) {
      broken++;
      next += record.bytes;
      continue;
    }
    const tag = slot.readUInt32LE(head + 24);
    const words = [slot.readBigUInt64LE(head + 16)];
    const more = tag >>> record.functionBits;
    for (let i = 1; i <= more; i++) {
      const row = next + i * record.bytes;
      if (markOf(row) !== (row % 2 ** 32) + 6) broken++;
      for (let k = 0; k < 3; k++) words.push(slot.readBigUInt64LE(at(row) + k * 8));
    }
    events.push({
      kind,
      fn: tag & ((1 << record.functionBits) - 1),
      tsc: slot.readBigUInt64LE(head),
      sp: slot.readBigUInt64LE(head + 8),
      words,
    });
    next += record.bytes * (1 + more);
  }
  return {
    tid: slot.readUInt32LE(slotHeader.tid),
    name: name.subarray(0, name.indexOf(0)).toString(),
    state: slot.readUInt32LE(slotHeader.state),
    generation: slot.readUInt32LE(slotHeader.generation),
    position,
    broken,
    events,
  };
}
