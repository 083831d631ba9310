import { pathSegments } from '../../../model/names/functionName.ts';
import { HashSlots } from './hashSlots.ts';
import { TextNumbers, textAt, widened } from './textTable.ts';
import type { TextTable } from './textTable.ts';

/**
 * Qualified names by number, each as what it lies in and its last segment, so that a namespace or class is kept once
 * for all its functions:
 *
 *     number   0    1      2            3           4
 *     segment  ""   std    vector<int>  push_back   size
 *     parent   0    0      1            2           2
 *
 * Number 0 is the empty name. A parent has a smaller number than what lies in it.
 */
export interface NameTree {
  readonly parents: Uint32Array;
  readonly segments: Uint32Array;
  readonly texts: TextTable;
}

/** The whole name. */
export function nameAt(tree: NameTree, number: number): string {
  const { parents, segments, texts } = tree;
  let text = textAt(texts, segments[number] ?? 0);
  for (let at = parentOf(parents, number); at > 0; at = parentOf(parents, at))
    text = `${textAt(texts, segments[at] ?? 0)}::${text}`;
  return text;
}

/** By number of a name: 1 where its first segment is one of these. */
export function namesInside(
  { parents, segments, texts }: NameTree,
  outermost: ReadonlySet<string>,
): Uint8Array {
  const marks = new Uint8Array(parents.length);
  for (let number = 1; number < parents.length; number++) {
    const parent = parentOf(parents, number);
    if (parent > 0) marks[number] = marks[parent] ?? 0;
    else if (outermost.has(textAt(texts, segments[number] ?? 0))) marks[number] = 1;
  }
  return marks;
}

/** 0 at the top, and where a file says otherwise than it must. */
function parentOf(parents: Uint32Array, number: number): number {
  const parent = parents[number] ?? 0;
  return parent < number ? parent : 0;
}

/** Makes a tree of names as they are met. */
export class NameNumbers {
  readonly #texts = new TextNumbers();
  #parents = new Uint32Array(1 << 10);
  #segments = new Uint32Array(1 << 10);
  #isIncomplete = new Uint8Array(1 << 10);
  #count = 0;
  /** By parent and segment. */
  readonly #slots = new HashSlots((number) =>
    hashOf(this.#parents[number] ?? 0, this.#segments[number] ?? 0),
  );
  /** Segments in whose place a linkage name may say more. */
  readonly #open = new Set<number>();

  constructor() {
    this.#texts.numberOf('');
    this.child(0, 0);
  }

  get size(): number {
    return this.#count;
  }

  /** The number of a text as a segment; 0 of the empty one. */
  segment(text: string): number {
    const bytes = Buffer.from(text, 'utf8');
    return this.segmentOfBytes(bytes, 0, bytes.length);
  }

  segmentOfBytes(bytes: Uint8Array, start: number, end: number): number {
    const before = this.#texts.size;
    const number = this.#texts.numberOfBytes(bytes, start, end);
    if (
      number === before &&
      holds(bytes, start, end, brace) &&
      openSegment.test(this.#texts.textOf(number))
    )
      this.#open.add(number);
    return number;
  }

  /** The number of the name of a segment inside another name; 0 as parent is the top. */
  child(parent: number, segment: number): number {
    const slots = this.#slots;
    for (let slot = slots.first(hashOf(parent, segment)); ; slot = slots.next(slot)) {
      const number = slots.at(slot);
      if (number < 0) return this.#add(parent, segment, slot);
      if (this.#parents[number] === parent && this.#segments[number] === segment) return number;
    }
  }

  /** The number of a whole name. */
  path(text: string): number {
    let number = 0;
    for (const segment of pathSegments(text)) number = this.child(number, this.segment(segment));
    return number;
  }

  text(number: number): string {
    let text = this.#texts.textOf(this.#segments[number] ?? 0);
    for (let at = this.#parents[number] ?? 0; at > 0; at = this.#parents[at] ?? 0)
      text = `${this.#texts.textOf(this.#segments[at] ?? 0)}::${text}`;
    return text;
  }

  /** Whether a linkage name may know more than this path. */
  isIncomplete(number: number): boolean {
    return number === 0 || this.#isIncomplete[number] === 1;
  }

  tree(): NameTree {
    return {
      parents: this.#parents.slice(0, this.#count),
      segments: this.#segments.slice(0, this.#count),
      texts: this.#texts.table(),
    };
  }

  #add(parent: number, segment: number, slot: number): number {
    const number = this.#count++;
    if (number === this.#parents.length) {
      this.#parents = widened(this.#parents, new Uint32Array(number * 2));
      this.#segments = widened(this.#segments, new Uint32Array(number * 2));
      this.#isIncomplete = widened(this.#isIncomplete, new Uint8Array(number * 2));
    }
    this.#parents[number] = parent;
    this.#segments[number] = segment;
    this.#isIncomplete[number] =
      this.#isIncomplete[parent] === 1 || this.#open.has(segment) ? 1 : 0;
    this.#slots.put(slot, number);
    return number;
  }
}

/** How a type without a name is called. */
export const unnamedType = '{unnamed type}';
const openSegment = /\{impl#|\{unnamed type\}/;
const brace = 0x7b;

/** Few names have any: it is found without a text of each. */
function holds(bytes: Uint8Array, start: number, end: number, wanted: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === wanted) return true;
  return false;
}

function hashOf(parent: number, segment: number): number {
  const mixed = Math.imul(parent ^ Math.imul(segment, 0x9e37_79b1), 0x85eb_ca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
