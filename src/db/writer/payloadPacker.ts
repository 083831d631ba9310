import { blockCalls } from '../blockFormat.ts';
import { aligned, fewCalls, LengthClasses, type Alike } from '../packedPayload.ts';
import type { CallRows } from './callRows.ts';

/** The calls of a block by function. */
export interface GroupedRows {
  readonly entries: number;
  /** Per dictionary entry. */
  readonly calls: Uint32Array;
  readonly posting: Uint16Array;
}

/** Packs a block's captured bytes (packedPayload.ts). One per writer: it owns the scratch space. */
export class PayloadPacker {
  readonly #classes = new LengthClasses();
  readonly #places = new Uint32Array(blockCalls);
  #out = new ArrayBuffer(1 << 16);
  #at = 0;

  /** Of the rows from `base` on; valid until the next call. */
  pack(rows: CallRows, base: number, { entries, calls, posting }: GroupedRows): Buffer {
    this.#at = 0;
    const enterBytes = rows.enterBytes.subarray(base);
    const returnBytes = rows.returnBytes.subarray(base);
    const enterAt = rows.enterAt.subarray(base);
    const returnAt = rows.returnAt.subarray(base);
    let from = 0;
    for (let entry = 0; entry < entries; entry++) {
      const own = posting.subarray(from, from + (calls[entry] ?? 0));
      from += own.length;
      for (const alike of this.#classes.of(own, enterBytes))
        this.#add(alike, rows.payload, enterAt);
      for (const alike of this.#classes.of(own, returnBytes)) {
        this.#add(alike, rows.payload, returnAt);
      }
    }
    return Buffer.from(this.#out, 0, this.#at);
  }

  #add({ rows, words }: Alike, payload: Uint32Array, starts: Uint32Array): void {
    const calls = rows.length;
    const places = this.#places.subarray(0, calls);
    for (let i = 0; i < calls; i++) places[i] = starts[rows[i] ?? 0] ?? 0;
    this.#reserve((calls + 2) * words * 4 + 4);
    if (calls < fewCalls) {
      const out = new Uint32Array(this.#out, this.#at, calls * words);
      for (let i = 0; i < calls; i++) {
        const start = places[i] ?? 0;
        out.set(payload.subarray(start, start + words), i * words);
      }
      this.#at += calls * words * 4;
      return;
    }
    const bases = new Uint32Array(this.#out, this.#at, words);
    const widths = new Uint8Array(this.#out, this.#at + words * 4, words);
    this.#at += words * 4 + aligned(words);
    for (let word = 0; word < words; word++) {
      const { least, most } = rangeOf(payload, places, word);
      const width = widthOf(most - least);
      bases[word] = least;
      widths[word] = width;
      this.#write(payload, places, word, { width, base: least });
    }
  }

  /** One word of each capture. */
  #write(
    payload: Uint32Array,
    places: Uint32Array,
    word: number,
    { width, base }: { readonly width: number; readonly base: number },
  ): void {
    const calls = places.length;
    if (width === 1) {
      const out = new Uint8Array(this.#out, this.#at, calls);
      for (let i = 0; i < calls; i++) out[i] = (payload[(places[i] ?? 0) + word] ?? 0) - base;
    } else if (width === 2) {
      const out = new Uint16Array(this.#out, this.#at, calls);
      for (let i = 0; i < calls; i++) out[i] = (payload[(places[i] ?? 0) + word] ?? 0) - base;
    } else if (width === 4) {
      const out = new Uint32Array(this.#out, this.#at, calls);
      for (let i = 0; i < calls; i++) out[i] = (payload[(places[i] ?? 0) + word] ?? 0) - base;
    }
    this.#at += aligned(calls * width);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#out.byteLength) return;
    const wider = new ArrayBuffer(Math.max(this.#at + bytes, this.#out.byteLength * 2));
    new Uint8Array(wider).set(new Uint8Array(this.#out, 0, this.#at));
    this.#out = wider;
  }
}

function rangeOf(
  payload: Uint32Array,
  places: Uint32Array,
  word: number,
): { least: number; most: number } {
  let least = 0xffffffff;
  let most = 0;
  for (let i = 0; i < places.length; i++) {
    const value = payload[(places[i] ?? 0) + word] ?? 0;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { least, most };
}

function widthOf(most: number): number {
  return most === 0 ? 0 : most < 256 ? 1 : most < 65536 ? 2 : 4;
}
