import { noNames } from '../../../model/decoding/dynamic.ts';
import { hexadecimal } from '../../../model/decoding/scalars.ts';
import { stringFlags } from '../../../model/eventColumns.ts';
import type { PointerShape } from '../../../model/values/shape.ts';
import type { ValueType } from '../../../model/values/valueType.ts';
import type { CallCaptures } from '../block.ts';
import { CaptureMemo } from '../filter/captureMemo.ts';
import { decodeValue, plainText } from '../values/capturedValues.ts';
import { MOST_COUNTED, NAMED, type DifferentValues } from './differentValues.ts';
import { shownBytes, type ShownBytes } from './shownBytes.ts';

/** Where in a captured pointer its first piece lies, the piece's length and the pointer (native/engine/walk.c). */
const pieceAt = 8;
const lengthAt = 16;
const pointerAt = 24;
const pointerEnd = pointerAt + 8;
/** Of each piece: its address, its length. */
const pieceHead = 16;

/** Of values that are not told by their pieces. */
const untold = stringFlags.unreadable | stringFlags.isNull;

type TreeType = Extract<ValueType, { kind: 'tree' }>;

/** A pointer with what it leads to, as captured. */
interface Known {
  readonly bytes: Buffer;
  readonly at: number;
  readonly end: number;
  times: number;
  text: string | null;
}

/**
 * The pointers one argument had in the calls of a line, each captured with what it leads to. Those to different places
 * are different without being read: most need not be decoded, which costs a hundred times as much as comparing.
 */
export class Pointers {
  readonly #type: TreeType;
  /** Of what they lead to, in what is captured behind the pointer itself. */
  readonly #shown: ShownBytes;
  readonly #byAddress = new Map<number, Known[]>();
  readonly #same = new CaptureMemo<Known>();
  /** All different ones, as they came. */
  readonly #all: Known[] = [];
  #isPassed = false;
  #only: number | null = null;
  #areSeveral = false;

  constructor(type: TreeType, { target, dynamic }: PointerShape) {
    this.#type = type;
    // What it leads to may be read as another type.
    this.#shown = target === null || dynamic ? [] : shownBytes(type.shapes, target);
  }

  /** A captured pointer at words[at, at + size), in bytes. */
  add({ bytes, words }: Pick<CallCaptures, 'bytes' | 'words'>, at: number, size: number): void {
    const address = addressIn(words, at, size);
    if (this.#only === null) this.#only = address;
    else if (address !== this.#only) this.#areSeveral = true;
    this.#isPassed ||= this.#all.length >= MOST_COUNTED;
    if (this.#isPassed) return;
    const same = this.#same.get(words, at, size);
    if (same) {
      same.times++;
      return;
    }
    const known = this.#find(address, { bytes, at, end: at + size, times: 0, text: null });
    known.times++;
    this.#same.put(words, at, size, known);
  }

  /** Adds them to other values of the argument. */
  addTo(others: DifferentValues): void {
    if (this.#isPassed) others.pass();
    const isTold = others.isEmpty && this.#all.length > NAMED;
    for (const [i, known] of this.#all.entries()) {
      if (isTold) others.addUnread(String(i), known.times);
      else others.add(this.#decoded(known), known.times);
    }
  }

  /** The one address all of them have, as text; undefined when there are several, or one that is not known. */
  get only(): string | undefined {
    if (this.#areSeveral || this.#only === null || this.#only === unknown) return undefined;
    return hexadecimal(BigInt(this.#only));
  }

  #find(address: number, one: Known): Known {
    const alike = this.#byAddress.get(address);
    if (alike) {
      const found = alike.find((known) => this.#isSame(known, one));
      if (found) return found;
      alike.push(one);
    } else this.#byAddress.set(address, [one]);
    this.#all.push(one);
    return one;
  }

  #isSame(one: Known, other: Known): boolean {
    return !this.#areApart(one, other) && this.#textOf(one) === this.#textOf(other);
  }

  /** Whether bytes that are shown differ; false: that has to be found out. */
  #areApart(one: Known, other: Known): boolean {
    const [here, there] = [targetIn(one), targetIn(other)];
    if (!here || !there || here.length !== there.length) return false;
    return this.#shown.some(
      ({ from, to }) => to <= here.length && here.compare(there, from, to, from, to) !== 0,
    );
  }

  #textOf(known: Known): string {
    return (known.text ??= plainText(this.#decoded(known)));
  }

  #decoded({ bytes, at, end }: Known): ReturnType<typeof decodeValue>['value'] {
    return decodeValue(this.#type, bytes, at, end, noNames).value;
  }
}

/** What the pointer leads to, where that is the one piece behind it. */
function targetIn({ bytes, at, end }: Known): Buffer | null {
  if (end - at < pointerEnd || (bytes.readUInt32LE(at + 4) & untold) !== 0) return null;
  const start = at + pointerAt + ((bytes.readUInt32LE(at + lengthAt) + 7) & -8);
  if (start + pieceHead > end) return null;
  if (bytes.readBigUInt64LE(start) !== bytes.readBigUInt64LE(at + pointerAt)) return null;
  const from = start + pieceHead;
  return bytes.subarray(from, Math.min(end, from + bytes.readUInt32LE(start + 8)));
}

/** No address, or none that is exact. */
const unknown = -1;

/** What a value's text begins with; equal texts have equal ones. */
function addressIn(words: Uint32Array, at: number, size: number): number {
  const flags = words[(at >>> 2) + 1] ?? 0;
  if ((flags & stringFlags.isNull) !== 0) return 0;
  if (size < pointerEnd) return unknown;
  // What cannot be read is told by where it lies.
  if ((flags & stringFlags.unreadable) !== 0) return addressAt(words, at + pieceAt);
  return (words[(at + lengthAt) >>> 2] ?? 0) < 8 ? unknown : addressAt(words, at + pointerAt);
}

function addressAt(words: Uint32Array, at: number): number {
  const high = words[(at >>> 2) + 1] ?? 0;
  return high > 0x1fffff ? unknown : high * 4294967296 + (words[at >>> 2] ?? 0);
}
