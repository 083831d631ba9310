import type { CallEnd } from '../model/questions/query.ts';

/**
 * A block: up to 16,384 consecutive calls of one thread, in the order they were entered.
 *
 *   row r            = call number `first + r` of the thread
 *   start            ns after the block's start_ns
 *   duration         ns + 1; 0 = none known (still open, or lost)
 *   child            ns spent in direct children (self = duration - child)
 *   fn               index into the dictionary
 *   up               distance to the parent's ordinal; 0 = root
 *   depth            number of ancestors
 *   end              call end (3 bits) | return class << 3
 *   enterBytes, returnBytes   lengths of what was captured
 *   payload          for each row its enter bytes, then its return bytes; not of a full block
 *   posting          row numbers grouped by dictionary entry, ascending in each group
 *   digest           what values it holds (valueDigest.ts); only of a full block
 *   packed           the payload of a full block (packedPayload.ts)
 *   suspended        ns for which the call waited; only of a block where one did
 *   strand           number of the task, goroutine, test or greenlet; only of a block where there is one.
 *                    The widths of both follow those of the others, 0: the block has no such column
 *
 * Each number column is stored with the narrowest of 1, 2, 4 or 8 bytes (8: float64) that holds
 * its largest value; `widths` has one digit per column. Little-endian, like every target so far.
 *
 *   dictionary = float64 max duration [k] · u32 function [k] · u32 calls [k]
 *
 * Invariant: a written block never changes. A call that ends afterwards has a row in `late`.
 * A thread's last, unfinished block is written as smaller blocks that are merged (rewritten
 * under a new id) as they grow, so that a commit costs what is new and not what is there.
 */
export const columns = {
  start: 0,
  duration: 1,
  child: 2,
  fn: 3,
  up: 4,
  depth: 5,
  end: 6,
  enterBytes: 7,
  returnBytes: 8,
  payload: 9,
  posting: 10,
  digest: 11,
  packed: 12,
  suspended: 13,
  strand: 14,
} as const;

/** The columns that hold numbers, i.e. have a width. */
export const numberColumns = 9;
export const columnsPerBlock = 16;
export const blockCalls = 16384;
/** A block is closed early when it holds this many captured bytes. */
export const blockPayloadBytes = 4 << 20;

/** The id that stands for all strings that are not listed. */
export const unindexedString = 0;

/** Wire codes of CallEnd. */
export const endCode = {
  open: 0,
  returned: 1,
  unwound: 2,
  jumped: 3,
  tail: 4,
  lost: 5,
  unseen: 6,
} as const;
export const endNames = [
  'open',
  'returned',
  'unwound',
  'jumped',
  'tail',
  'lost',
  'unseen',
] as const satisfies readonly CallEnd[];
export const endMask = 7;

/** What a return value is at a glance: tells odd ones out without reading captures. */
export const returnClass = { plain: 0, zero: 1, negative: 2 } as const;
export const returnClassShift = 3;

export interface DictionaryView {
  readonly max: Float64Array;
  readonly fn: Uint32Array;
  readonly calls: Uint32Array;
}

export function readDictionary(bytes: Buffer): DictionaryView {
  const aligned = alignedCopy(bytes);
  const size = aligned.byteLength / 16;
  return {
    max: new Float64Array(aligned.buffer, 0, size),
    fn: new Uint32Array(aligned.buffer, size * 8, size),
    calls: new Uint32Array(aligned.buffer, size * 12, size),
  };
}

/** The same bytes at the start of a buffer of their own; shared with them where they have that. */
export function alone(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  const isAlone = byteOffset === 0 && buffer.byteLength === byteLength;
  return isAlone && buffer instanceof ArrayBuffer ? new Uint8Array(buffer) : alignedCopy(bytes);
}

/** A copy at the start of a buffer of its own. */
export function alignedCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(bytes);
  return copy;
}
