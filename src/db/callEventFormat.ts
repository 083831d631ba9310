import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { damagedStore } from './storedJson.ts';

/**
 * What happened in the calls of one thread besides enters and ends, as columns in that order: a row of call_events.
 *
 *   data = deflated: float64 time [n] · float64 ordinal of the call [n] · u32 kind [n] (model/eventColumns) ·
 *          u32 detail [n] · u32 end of its payload [n] · payloads
 *
 * The detail of a `raise` or `handled` is its line, 0: not known; of a `context` the strand, of a `suspend` in
 * a goroutine why it waits (parkReasonOf). The ordinal of a context
 * is -1, and of an exception in a call that was counted and not recorded. A payload is one captured value.
 */
export interface CallEventColumns {
  readonly count: number;
  readonly time: Float64Array;
  readonly ordinal: Float64Array;
  readonly kind: Uint32Array;
  readonly detail: Uint32Array;
  readonly payloadEnd: Uint32Array;
  readonly payload: Buffer;
}

const bytesEach = 28;

/** Most rows hold some kinds only. */
export function kindBit(kind: number): number {
  return 1 << kind;
}

export function packCallEvents(
  count: number,
  { time, ordinal, kind, detail, payloadEnd, payload }: Omit<CallEventColumns, 'count'>,
): Buffer {
  const bytes = payloadEnd[count - 1] ?? 0;
  const all = Buffer.alloc(count * bytesEach + bytes);
  let at = 0;
  for (const { buffer, byteOffset, BYTES_PER_ELEMENT } of [
    time,
    ordinal,
    kind,
    detail,
    payloadEnd,
  ]) {
    all.set(new Uint8Array(buffer, byteOffset, count * BYTES_PER_ELEMENT), at);
    at += count * BYTES_PER_ELEMENT;
  }
  all.set(payload.subarray(0, bytes), at);
  return deflateRawSync(all, { level: 1 });
}

/** Throws STORE_FAILED when they are not so many. */
export function unpackCallEvents(count: number, data: Buffer): CallEventColumns {
  const bytes = inflated(data);
  if (bytes.length < count * bytesEach) throw damagedStore();
  const { buffer } = new Uint8Array(bytes);
  const payloadEnd = new Uint32Array(buffer, count * 24, count);
  const payload = Buffer.from(buffer, count * bytesEach);
  let last = 0;
  for (const end of payloadEnd) {
    if (end < last) throw damagedStore();
    last = end;
  }
  if (payload.length !== last) throw damagedStore();
  return {
    count,
    time: new Float64Array(buffer, 0, count),
    ordinal: new Float64Array(buffer, count * 8, count),
    kind: new Uint32Array(buffer, count * 16, count),
    detail: new Uint32Array(buffer, count * 20, count),
    payloadEnd,
    payload,
  };
}

/** More than any writer puts into a row. */
const mostBytes = 1 << 30;

function inflated(data: Buffer): Buffer {
  try {
    return inflateRawSync(data, { maxOutputLength: mostBytes });
  } catch {
    throw damagedStore();
  }
}
