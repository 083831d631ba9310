import { HashSlots } from './hashSlots.ts';

/** Texts one after another, each ended by a line feed. */
export interface TextTable {
  readonly bytes: Uint8Array;
  /** One more than texts. */
  readonly starts: Uint32Array;
}

export function textAt(table: TextTable, number: number): string {
  const start = table.starts[number];
  const end = table.starts[number + 1];
  if (start === undefined || end === undefined || end <= start) return '';
  return Buffer.from(table.bytes.buffer, table.bytes.byteOffset + start, end - start - 1).toString(
    'utf8',
  );
}

export function textCount(table: TextTable): number {
  return Math.max(0, table.starts.length - 1);
}

/** By number of a text: 1 where it holds these bytes, none of which ends a text. */
export function textsWith({ bytes, starts }: TextTable, wanted: Uint8Array): Uint8Array {
  const marks = new Uint8Array(Math.max(0, starts.length - 1));
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let number = 0;
  for (let at = all.indexOf(wanted); at >= 0;) {
    while (number < marks.length && (starts[number + 1] ?? 0) <= at) number++;
    if (number === marks.length) break;
    marks[number] = 1;
    at = all.indexOf(wanted, starts[number + 1]);
  }
  return marks;
}

/** Numbers texts in the order of their first use. */
export class TextNumbers {
  #bytes = new Uint8Array(1 << 12);
  #starts = new Uint32Array(1 << 8);
  #count = 0;
  readonly #slots = new HashSlots((number) => this.#hashes[number] ?? 0);
  #hashes = new Uint32Array(1 << 8);

  get size(): number {
    return this.#count;
  }

  numberOf(text: string): number {
    const bytes = Buffer.from(text, 'utf8');
    return this.numberOfBytes(bytes, 0, bytes.length);
  }

  /** The same of the text that these bytes are in UTF-8. */
  numberOfBytes(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c_9dc5;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x0100_0193);
    hash = (hash ^ (hash >>> 15)) >>> 0;
    const slots = this.#slots;
    for (let slot = slots.first(hash); ; slot = slots.next(slot)) {
      const number = slots.at(slot);
      if (number < 0) return this.#add(bytes, start, end, { hash, slot });
      if (this.#hashes[number] === hash && this.#isAt(number, bytes, start, end)) return number;
    }
  }

  /** The text of a number that `numberOf` gave. */
  textOf(number: number): string {
    return textAt({ bytes: this.#bytes, starts: this.#starts }, number);
  }

  /** Exactly as long as needed: of a large program it is the largest thing there is. */
  table(): TextTable {
    const end = this.#starts[this.#count] ?? 0;
    return { bytes: this.#bytes.slice(0, end), starts: this.#starts.slice(0, this.#count + 1) };
  }

  #isAt(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const own = this.#starts[number] ?? 0;
    if ((this.#starts[number + 1] ?? 0) - own - 1 !== end - start) return false;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] ?? 0;
      if (this.#bytes[own + i - start] !== (byte === lineFeed ? blank : byte)) return false;
    }
    return true;
  }

  #add(
    bytes: Uint8Array,
    start: number,
    end: number,
    { hash, slot }: { readonly hash: number; readonly slot: number },
  ): number {
    const number = this.#count++;
    if (number + 2 > this.#hashes.length) {
      this.#hashes = widened(this.#hashes, new Uint32Array(number * 2 + 2));
      this.#starts = widened(this.#starts, new Uint32Array(number * 2 + 2));
    }
    this.#hashes[number] = hash;
    let at = this.#starts[number] ?? 0;
    const needed = at + end - start + 1;
    if (needed > this.#bytes.length)
      this.#bytes = widened(this.#bytes, new Uint8Array(Math.ceil(needed * 1.5)));
    for (let i = start; i < end; i++) {
      const byte = bytes[i] ?? 0;
      this.#bytes[at++] = byte === lineFeed ? blank : byte;
    }
    this.#bytes[at++] = lineFeed;
    this.#starts[this.#count] = at;
    this.#slots.put(slot, number);
    return number;
  }
}

const lineFeed = 10;
const blank = 32;

/** `into`, which is longer, with what is in `from`. */
export function widened<T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  from: T,
  into: T,
): T {
  into.set(from);
  return into;
}
