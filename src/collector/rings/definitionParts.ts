import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { definitions, definitionsHead } from '../../protocol/definitions.ts';
import { readEntries, type Entry } from './definitionEntries.ts';

const CHUNK_BYTES = 1 << 20;
/** One for all: one for each reading, of its size, would have V8 collect garbage all the time. Entries hold nothing of it. */
const chunk = Buffer.allocUnsafe(CHUNK_BYTES);

interface Part {
  readonly entries: readonly (Entry | null)[];
  /** Where the next part begins. */
  readonly position: number;
  /** Bytes behind it that are no whole entry. */
  readonly left: number;
  /** They never will be. */
  readonly isDamaged: boolean;
}

/** What the definitions file beside a ring holds from a position on, a part at a time; the last one has no entries. */
export function* partsOf(
  ringPath: string,
  from: number,
  until = Number.POSITIVE_INFINITY,
): Generator<Part> {
  const path = `${ringPath}.defs`;
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    for (let at = from, isMore = true; isMore;) {
      const most = Math.min(CHUNK_BYTES, until - at);
      const bytes = chunk.subarray(0, readSync(file, chunk, 0, most, at));
      const head = at > 0 ? 0 : headBytes(bytes);
      const read =
        head === null
          ? { entries: [], bytes: 0, isDamaged: bytes.length >= definitions.headBytes }
          : readEntries(bytes.subarray(head));
      const taken = read.bytes + (head ?? 0);
      at += taken;
      isMore = taken > 0 && !read.isDamaged;
      yield { ...read, position: at, left: bytes.length - taken };
    }
  } finally {
    closeSync(file);
  }
}

/** Null where there is none, or not all of it yet. */
function headBytes(bytes: Buffer): number | null {
  if (bytes.length < definitions.headBytes) return null;
  const isOurs =
    bytes.readBigUInt64LE(definitionsHead.magic) === definitions.magic &&
    bytes.readUInt32LE(definitionsHead.version) === definitions.version;
  return isOurs ? definitions.headBytes : null;
}
