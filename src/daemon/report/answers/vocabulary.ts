import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/*
 * The o200k vocabulary, read from the file its package brings: a line for each token, its bytes in
 * base64 and its rank, which is the number of the line. The package itself makes strings and maps of them
 * (200 ms and 65 MB); three flat columns and a table by hash take 40 ms and 4 MB.
 */

const FILE = 'gpt-tokenizer/data/o200k_base.tiktoken';
/** Places for hashes: a power of two, more than twice the tokens. */
const PLACES = 2 ** 19;
/** Characters, with its end. */
const SHORTEST_LINE = 7;
const NEWLINE = 0x0a;
const NO_RANK = Number.POSITIVE_INFINITY;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** By character; 64: none of base64. */
const sixBits = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = alphabet.indexOf(String.fromCharCode(code));
  return value < 0 ? 64 : value;
});

export class Vocabulary {
  /** The bytes of all tokens, by rank; those of one begin where the ones before it end. */
  readonly #bytes: Uint8Array;
  readonly #ends: Uint32Array;
  /** Rank + 1 by hash, at the next free place; 0: none. */
  readonly #ranks = new Uint32Array(PLACES);
  readonly #encoder = new TextEncoder();
  #piece = new Uint8Array(256);

  private constructor(lines: Uint8Array) {
    this.#bytes = new Uint8Array(lines.length);
    this.#ends = new Uint32Array(Math.ceil(lines.length / SHORTEST_LINE));
    this.#read(lines);
  }

  static async load(): Promise<Vocabulary> {
    return new Vocabulary(await readFile(createRequire(import.meta.url).resolve(FILE)));
  }

  /** Tokens of one piece of text, of those that the vocabulary's expression splits text into. */
  count(piece: string): number {
    if (piece.length * 3 > this.#piece.length) this.#piece = new Uint8Array(piece.length * 6);
    const { written } = this.#encoder.encodeInto(piece, this.#piece);
    return this.#rank(this.#piece, 0, written) === NO_RANK ? this.#merge(this.#piece, written) : 1;
  }

  /** What is left when neighbours have been joined, the pair of the lowest rank first. */
  #merge(bytes: Uint8Array, length: number): number {
    const starts = Array.from({ length: length + 1 }, (_, i) => i);
    const rankAt = (part: number): number =>
      part + 2 < starts.length
        ? this.#rank(bytes, starts[part] ?? 0, starts[part + 2] ?? 0)
        : NO_RANK;
    const ranks = starts.map((_, part) => rankAt(part));
    for (;;) {
      let lowest = 0;
      for (let part = 1; part < ranks.length; part++)
        if ((ranks[part] ?? NO_RANK) < (ranks[lowest] ?? NO_RANK)) lowest = part;
      if (ranks[lowest] === NO_RANK) return starts.length - 1;
      starts.splice(lowest + 1, 1);
      ranks.splice(lowest + 1, 1);
      ranks[lowest] = rankAt(lowest);
      if (lowest > 0) ranks[lowest - 1] = rankAt(lowest - 1);
    }
  }

  /** Of the token with these bytes. */
  #rank(bytes: Uint8Array, from: number, to: number): number {
    for (let place = placeOf(bytes, from, to); ; place = (place + 1) & (PLACES - 1)) {
      const rank = (this.#ranks[place] ?? 0) - 1;
      if (rank < 0) return NO_RANK;
      const begin = rank === 0 ? 0 : (this.#ends[rank - 1] ?? 0);
      if ((this.#ends[rank] ?? 0) - begin !== to - from) continue;
      let same = 0;
      while (from + same < to && this.#bytes[begin + same] === bytes[from + same]) same++;
      if (from + same === to) return rank;
    }
  }

  #read(lines: Uint8Array): void {
    const [bytes, ends, ranks] = [this.#bytes, this.#ends, this.#ranks];
    let end = 0;
    for (let at = 0, rank = 0; at < lines.length; rank++) {
      const begin = end;
      let bits = 0;
      let held = 0;
      for (let six = 0; (six = sixBits[lines[at] ?? 0] ?? 64) < 64; at++) {
        bits = (bits << 6) | six;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes[end++] = bits >>> held;
      }
      ends[rank] = end;
      let place = placeOf(bytes, begin, end);
      while (ranks[place] !== 0) place = (place + 1) & (PLACES - 1);
      ranks[place] = rank + 1;
      while (at < lines.length && lines[at] !== NEWLINE) at++;
      at++;
    }
  }
}

function placeOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) & (PLACES - 1);
}
