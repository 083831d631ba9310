/**
 * The captured bytes of a full block, function by function and column by column, because the
 * captures of one function are alike: most of their words are small numbers, lengths or zero.
 *
 *   for each dictionary entry, first what was entered with, then what was returned:
 *     for each length its calls have, ascending and not 0:
 *       few calls    u32 [calls][words]
 *       many calls   u32 base [words] · u8 width [words] · for each word its column:
 *                    (value - base) of each call in `width` bytes: 0, 1, 2 or 4
 *
 * All parts begin at multiples of 4. Calls are in the order of the postings. Lengths are those of
 * the columns enterBytes and returnBytes, in words of 4 bytes.
 */

/** What has to be known of a block to find captures in its packed bytes. */
export interface PackedPlaces {
  /** The packed bytes, at the start of a buffer. */
  readonly packed: Uint8Array<ArrayBuffer>;
  /** Calls per dictionary entry, and their rows one entry after the other. */
  readonly calls: Uint32Array;
  readonly posting: Uint16Array;
  readonly enterBytes: ArrayLike<number>;
  readonly returnBytes: ArrayLike<number>;
}

/** Calls of one function and length that get no columns: their heads would cost more. */
export const fewCalls = 8;

export function aligned(bytes: number): number {
  return (bytes + 3) & ~3;
}

/** Calls of one function with captures of the same length. */
export interface Alike {
  readonly rows: Uint16Array;
  /** Of each capture, 4 bytes each. */
  readonly words: number;
}

/** How many calls of one function have captures of one length. */
export interface LengthClass {
  readonly bytes: number;
  readonly calls: number;
}

/** Shortest first; calls without captures are left out. `bytes`: by row. */
export function lengthClasses(rows: Uint16Array, bytes: ArrayLike<number>): LengthClass[] {
  const lengths: number[] = [];
  const counts: number[] = [];
  let i = 0;
  while (i < rows.length) {
    const length = bytes[rows[i] ?? 0] ?? 0;
    const from = i;
    do i++;
    while (i < rows.length && bytes[rows[i] ?? 0] === length);
    if (length === 0) continue;
    let at = 0;
    while (at < lengths.length && lengths[at] !== length) at++;
    lengths[at] = length;
    counts[at] = (counts[at] ?? 0) + i - from;
  }
  return lengths
    .map((length, at) => ({ bytes: length, calls: counts[at] ?? 0 }))
    .toSorted((a, b) => a.bytes - b.bytes);
}

/** Puts those of `rows` with this length into `out`; returns how many there are. */
export function rowsOfLength(
  rows: Uint16Array,
  bytes: ArrayLike<number>,
  length: number,
  out: Uint16Array,
): number {
  let found = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0;
    if (bytes[row] === length) out[found++] = row;
  }
  return found;
}

/**
 * Tells the calls of one function apart by the length of their captures, shortest first; those
 * without any are left out. One per reader or writer: what it returns is valid until the next call.
 */
export class LengthClasses {
  readonly #rows = new Uint16Array(0x4000);

  /** `bytes`: by row. */
  of(rows: Uint16Array, bytes: ArrayLike<number>): Alike[] {
    let from = 0;
    return lengthClasses(rows, bytes).map(({ bytes: length, calls }) => {
      const words = length >>> 2;
      if (calls === rows.length) return { rows, words };
      const alike = this.#rows.subarray(from, from + calls);
      from += rowsOfLength(rows, bytes, length, alike);
      return { rows: alike, words };
    });
  }
}

/** What `unpack` needs of a block. */
export interface PackedBlock extends PackedPlaces {
  /** Where each row's captures begin in the result, in bytes. */
  readonly enterAt: Uint32Array;
  readonly returnAt: Uint32Array;
  /** Of all captures, in bytes. */
  readonly total: number;
}

/** The captured words of all rows, row after row. */
export function unpack(block: PackedBlock): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(block.total >>> 2);
  const classes = new LengthClasses();
  let offset = 0;
  let from = 0;
  for (const calls of block.calls) {
    const rows = block.posting.subarray(from, from + calls);
    from += calls;
    for (const alike of classes.of(rows, block.enterBytes)) {
      offset = unpackAlike(block.packed, offset, alike, block.enterAt, words);
    }
    for (const alike of classes.of(rows, block.returnBytes)) {
      offset = unpackAlike(block.packed, offset, alike, block.returnAt, words);
    }
  }
  return words;
}

/** Returns where the next ones begin. */
function unpackAlike(
  { buffer }: Uint8Array<ArrayBuffer>,
  offset: number,
  { rows, words }: Alike,
  starts: Uint32Array,
  out: Uint32Array,
): number {
  const calls = rows.length;
  if (calls < fewCalls) {
    const stored = new Uint32Array(buffer, offset, calls * words);
    for (let i = 0; i < calls; i++) {
      out.set(stored.subarray(i * words, (i + 1) * words), (starts[rows[i] ?? 0] ?? 0) >>> 2);
    }
    return offset + calls * words * 4;
  }
  const bases = new Uint32Array(buffer, offset, words);
  const widths = new Uint8Array(buffer, offset + words * 4, words);
  let at = offset + words * 4 + aligned(words);
  for (let word = 0; word < words; word++) {
    const base = bases[word] ?? 0;
    const width = widths[word] ?? 0;
    if (width === 1) spread(new Uint8Array(buffer, at, calls), base, { rows, starts, word, out });
    else if (width === 2)
      spread(new Uint16Array(buffer, at, calls), base, { rows, starts, word, out });
    else if (width === 4)
      spread(new Uint32Array(buffer, at, calls), base, { rows, starts, word, out });
    else if (base !== 0) {
      for (let i = 0; i < calls; i++) out[((starts[rows[i] ?? 0] ?? 0) >>> 2) + word] = base;
    }
    at += aligned(calls * width);
  }
  return at;
}

interface Target {
  readonly rows: Uint16Array;
  readonly starts: Uint32Array;
  readonly word: number;
  readonly out: Uint32Array;
}

function spread(
  column: Uint8Array | Uint16Array | Uint32Array,
  base: number,
  { rows, starts, word, out }: Target,
): void {
  for (let i = 0; i < rows.length; i++) {
    out[((starts[rows[i] ?? 0] ?? 0) >>> 2) + word] = base + (column[i] ?? 0);
  }
}
