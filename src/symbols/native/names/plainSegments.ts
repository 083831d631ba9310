import { operatorSymbols } from '../../../model/names/functionName.ts';
import { textCount } from './textTable.ts';
import type { TextTable } from './textTable.ts';

const ascii = 128;
const blank = 32;
const minus = 45;
const less = 60;
const greater = 62;
const tilde = 126;
const mostOpen = 256;
const operator = Buffer.from('operator');
const symbols = operatorSymbols.map((symbol) => Buffer.from(symbol));

/** Of each ASCII code: 1 when it is of a word. */
export const isWord = Uint8Array.from({ length: ascii }, (_unused, code) =>
  /[\w$]/.test(String.fromCharCode(code)) ? 1 : 0,
);
/** Of each bracket that opens the one that closes it. */
const closers = new Uint8Array(ascii);
for (const [open = 0, close = 0] of ['<>', '()', '[]', '{}'].map((pair) => Buffer.from(pair)))
  closers[open] = close;
const isCloser = Uint8Array.from(closers.keys(), (code) => (closers.includes(code) ? 1 : 0));
/** Of each byte: 1 of those that are to be looked at: brackets, and what no plain segment holds. */
const isSpecial = Uint8Array.from({ length: 256 }, (_unused, byte) =>
  byte < blank || byte >= ascii || closers[byte] !== 0 || isCloser[byte] === 1 ? 1 : 0,
);

/**
 * Which segments of names are plain: a word, or an operator that is a symbol, and perhaps template arguments up to the
 * end. All but a few are, and need no parser. Each is looked at once, when it is first asked for.
 */
export class PlainSegments {
  readonly #texts: TextTable;
  /** 1 + the end of the word; -1 of those that are not plain, 0 where it is not known yet. */
  readonly #wordEnds: Int32Array;
  /** The brackets to be closed, from the outermost on. */
  readonly #open = new Uint8Array(mostOpen);

  constructor(texts: TextTable) {
    this.#texts = texts;
    this.#wordEnds = new Int32Array(textCount(texts));
  }

  /** Where the word of a segment ends in the bytes of its table; -1 when it is not plain. */
  wordEnd(segment: number): number {
    const known = this.#wordEnds[segment] ?? -1;
    if (known !== 0) return known < 0 ? -1 : known - 1;
    const end = this.#find(segment);
    this.#wordEnds[segment] = end < 0 ? -1 : end + 1;
    return end;
  }

  #find(segment: number): number {
    const { bytes, starts } = this.#texts;
    const start = starts[segment] ?? 0;
    const end = (starts[segment + 1] ?? 1) - 1;
    if (holdsAt(bytes, operator, start) && isWord[bytes[start + operator.length] ?? 0] !== 1)
      return this.#operatorEnd(start + operator.length, end);
    let at = bytes[start] === tilde && start < end ? start + 1 : start;
    while (at < end && isWord[bytes[at] ?? 0] === 1) at++;
    if (at === end) return at;
    return at > start && isWord[bytes[at - 1] ?? 0] === 1 ? this.#beforeArguments(at, end) : -1;
  }

  #operatorEnd(start: number, end: number): number {
    if (start === end) return end;
    const symbol = symbols.find((candidate) => holdsAt(this.#texts.bytes, candidate, start));
    return symbol === undefined ? -1 : this.#beforeArguments(start + symbol.length, end);
  }

  /** The same place when nothing but template arguments follows it. */
  #beforeArguments(at: number, end: number): number {
    if (at === end) return at;
    return this.#texts.bytes[at] === less && this.#bracketEnd(at, end) === end ? at : -1;
  }

  /** Behind the bracket that closes the one at `start`; -1 when there is none, or what stands between is not plain. */
  #bracketEnd(start: number, end: number): number {
    const { bytes } = this.#texts;
    let depth = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (isSpecial[byte] === 0) continue;
      if (byte >= ascii || byte < blank) return -1;
      depth = this.#depthAfter(byte, at, depth);
      if (depth === 0) return at + 1;
      if (depth < 0) return -1;
    }
    return -1;
  }

  /** How many brackets are open behind a byte (see `bracketEnd`); -1 when they are too many. */
  #depthAfter(byte: number, at: number, depth: number): number {
    const open = this.#open;
    const closer = closers[byte] ?? 0;
    if (closer !== 0) {
      if (depth === mostOpen) return -1;
      open[depth] = closer;
      return depth + 1;
    }
    if (isCloser[byte] !== 1) return depth;
    if (byte === greater) {
      const isArrow = this.#texts.bytes[at - 1] === minus;
      return !isArrow && open[depth - 1] === greater ? depth - 1 : depth;
    }
    let left = depth;
    while (left > 0 && open[left - 1] !== byte) left--;
    return Math.max(0, left - 1);
  }
}

/** A text ends with a byte that is in none of these words. */
function holdsAt(bytes: Uint8Array, word: Uint8Array, at: number): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
  return true;
}

const known = new WeakMap<TextTable, PlainSegments>();

/** Of a table; what is found of it serves all patterns. */
export function plainSegmentsOf(texts: TextTable): PlainSegments {
  let plain = known.get(texts);
  if (plain === undefined) {
    plain = new PlainSegments(texts);
    known.set(texts, plain);
  }
  return plain;
}
