import { noNames, type DefinedNames } from '../../../model/decoding/dynamic.ts';
import type { TracedFunction } from '../../../model/eventColumns.ts';
import { hasOwnLength, type ValueType } from '../../../model/values/valueType.ts';
import type { Block, CallCaptures } from '../block.ts';
import { CaptureMemo, longSize } from '../filter/captureMemo.ts';
import { DifferentValues } from './differentValues.ts';
import { Pointers } from './pointers.ts';
import { decodeReturn, decodeValue } from '../values/capturedValues.ts';

/** One parameter's values, or what was returned. */
interface Place {
  readonly name: string;
  readonly type: ValueType;
  readonly isLong: boolean;
  readonly isDouble: boolean;
  /** How many calls had a word, by word, and one that is decoded for all of them. */
  readonly words: Map<number, Alike>;
  /** The text of longer values, and how often they were seen again. */
  long: CaptureMemo<LongText>;
  readonly others: DifferentValues;
  /** Those that are pointers to what was captured with them. */
  readonly pointers: Pointers | null;
}

interface LongText {
  readonly text: string;
  times: number;
}

/** Equal captures: where one of them lies. */
interface Alike {
  times: number;
  readonly bytes: Buffer;
  readonly at: number;
}

/** Calls whose values are compared, in order. */
export class Samples {
  /** Those of one block are one after the other. */
  readonly runs: { readonly block: Block; readonly from: number; to: number }[] = [];
  readonly rows: Uint16Array;
  /** 1: what it returned counts. */
  readonly areReturned: Uint8Array;
  #count = 0;

  constructor(size: number) {
    this.rows = new Uint16Array(size);
    this.areReturned = new Uint8Array(size);
  }

  get count(): number {
    return this.#count;
  }

  add(block: Block, row: number, hasReturned: boolean): void {
    const at = this.#count++;
    this.rows[at] = row;
    this.areReturned[at] = hasReturned ? 1 : 0;
    const last = this.runs.at(-1);
    if (last?.block === block) last.to = at + 1;
    else this.runs.push({ block, from: at, to: at + 1 });
  }
}

/** Compares the values that the calls of one line of a tree had; equal words are decoded once. */
export class LineValues {
  readonly #fn: TracedFunction;
  readonly #arguments: readonly Place[];
  readonly #returned: Place | null;

  /** Of the block in work. */
  #names: DefinedNames = noNames;

  constructor(fn: TracedFunction) {
    this.#fn = fn;
    this.#arguments = fn.captured.map(({ name, type }) => placeOf(name, type));
    this.#returned = fn.returns.kind === 'void' ? null : placeOf('return', fn.returns);
  }

  add({ runs, rows, areReturned }: Samples): void {
    for (const { block, from, to } of runs) {
      this.#beginBlock(block.names);
      const { bytes, words, ...at } = block.capturesOf(rows.subarray(from, to));
      for (let i = from; i < to; i++) {
        const enterAt = at.enterAt[i - from] ?? 0;
        const returnAt = at.returnAt[i - from] ?? 0;
        const endAt = at.endAt[i - from] ?? 0;
        const captured = { bytes, words, enterAt, returnAt, endAt };
        this.#addArguments(captured);
        // It came late.
        if (areReturned[i] === 1 && !this.#addReturned(captured))
          this.#addDecoded(block.returnPayload(rows[i] ?? 0));
      }
    }
  }

  /** Equal bytes may mean another value in another process. */
  #beginBlock(names: DefinedNames): void {
    if (names === this.#names) return;
    this.#names = names;
    for (const place of this.#places()) {
      if (place.type.kind !== 'dynamic') continue;
      for (const { text, times } of place.long.values()) place.others.again(text, times);
      place.long = new CaptureMemo<LongText>();
    }
  }

  #addArguments({ bytes, words, enterAt, returnAt: end }: CallCaptures): void {
    let at = enterAt;
    for (const place of this.#arguments) {
      const next = place.isLong
        ? addLong(place, this.#names, { bytes, words }, at, end)
        : addWord(place, bytes, words, at, end);
      if (next >= 0) at = next;
      else {
        const decoded = decodeValue(place.type, bytes, at, end, this.#names);
        place.others.add(decoded.value);
        at = decoded.next;
      }
    }
  }

  /** False when it has to be decoded. */
  #addReturned({ bytes, words, returnAt: at, endAt: end }: CallCaptures): boolean {
    const returned = this.#returned;
    if (!returned) return true;
    return returned.isLong
      ? addLong(returned, this.#names, { bytes, words }, at, end) >= 0
      : addWord(returned, bytes, words, at, end) >= 0;
  }

  #addDecoded(payload: Buffer): void {
    this.#returned?.others.add(decodeReturn(this.#fn, 'returned', payload, this.#names));
  }

  /** Of all values that it is not known whether they differ. */
  unknown(): string[] {
    return this.#places().map(({ name }) => `${name}=?`);
  }

  #places(): readonly Place[] {
    return [...this.#arguments, ...(this.#returned ? [this.#returned] : [])];
  }

  /** `name=values` of what differs; `isPart`: not all calls were added. */
  varying(isPart: boolean): string[] {
    const varying: string[] = [];
    for (const place of this.#places()) {
      const { name, type, words, long, others, pointers } = place;
      // Of others it is not known where they point to.
      const only = others.isEmpty ? pointers?.only : undefined;
      pointers?.addTo(others);
      for (const { text, times } of long.values()) others.again(text, times);
      for (const { times, bytes, at } of words.values()) {
        others.add(decodeValue(type, bytes, at, at + 8, this.#names).value, times);
      }
      const text = others.text({ isPart, withCounts: place === this.#returned });
      const target = text?.endsWith(' different') ? only : undefined;
      if (text !== null) varying.push(`${name}=${target ? `${target}{${text}}` : text}`);
    }
    return varying;
  }
}

function placeOf(name: string, type: ValueType): Place {
  const isLong = hasOwnLength(type);
  const others = new DifferentValues();
  const pointers = type.kind === 'tree' ? pointersOf(type) : null;
  const isDouble = type.kind === 'float' && type.bytes === 8;
  const [words, long] = [new Map<number, Alike>(), new CaptureMemo<LongText>()];
  return { name, type, isLong, isDouble, words, long, others, pointers };
}

function pointersOf(type: Extract<ValueType, { kind: 'tree' }>): Pointers | null {
  const root = type.shapes[type.root];
  return root?.kind === 'pointer' && root.at === 0 ? new Pointers(type, root) : null;
}

/** Returns where the next value begins; -1 when this one is cut off, or no exact number. */
function addWord(place: Place, bytes: Buffer, words: Uint32Array, at: number, end: number): number {
  if (at + 8 > end) return -1;
  const high = (words[(at >>> 2) + 1] ?? 0) | 0;
  if (!place.isDouble && (high > 0x1fffff || high < -0x1fffff)) return -1;
  const key = place.isDouble ? bytes.readDoubleLE(at) : high * 4294967296 + (words[at >>> 2] ?? 0);
  // Two kinds of zero are one key.
  if (key === 0 && high !== 0) return -1;
  const same = place.words.get(key);
  if (same) same.times++;
  else place.words.set(key, { times: 1, bytes, at });
  return at + 8;
}

/** The same for a value with a length of its own. */
function addLong(
  { type, long, others, pointers }: Place,
  names: DefinedNames,
  { bytes, words }: Pick<CallCaptures, 'bytes' | 'words'>,
  at: number,
  end: number,
): number {
  const size = longSize(words, at, end);
  if (size < 0) return -1;
  if (pointers) {
    pointers.add({ bytes, words }, at, size);
    return at + size;
  }
  if (type.kind === 'tree' && others.passes()) return at + size;
  const same = long.get(words, at, size);
  if (same) same.times++;
  else {
    // Counted once with this.
    const text = others.add(decodeValue(type, bytes, at, end, names).value);
    const gone = long.put(words, at, size, { text, times: 0 });
    if (gone) others.again(gone.text, gone.times);
  }
  return at + size;
}
