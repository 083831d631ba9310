import type { ForeignMemory } from '../../stackReader.ts';
import { Unreadable } from './unreadable.ts';
import type { Layout } from './layouts.ts';

/** Bits of tp_flags, as in native/python/api.h. */
const typeFlag = { inlineValues: 1 << 2, managedDict: 1 << 4, heap: 1 << 9 } as const;
const builtIn = { integer: 1 << 24, tuple: 1 << 26, text: 1 << 28, dict: 1 << 29 } as const;
/** Of a text's state: behind the two bits that say how it is interned. */
const textState = { kindShift: 2, kindMask: 7, isCompact: 1 << 5, isAscii: 1 << 6 } as const;
/** Of PyDictObject, behind its count and its version. */
const dictPlace = { keys: 32, values: 40 } as const;
/** What lies before an object that has attributes, from 3.11 on. */
const before = { dict: 24, values: 32 } as const;

const MOST_TEXT = 512;
const MOST_ITEMS = 4096;
const WORD = 8;

/** Objects of an interpreter, read from outside. Members throw `Unreadable`. */
export class Objects {
  readonly layout: Layout;
  readonly #memory: ForeignMemory;
  readonly #typeNames = new Map<number, string>();

  constructor(memory: ForeignMemory, layout: Layout) {
    this.#memory = memory;
    this.layout = layout;
  }

  bytes(address: number, length: number): Buffer {
    const read = this.#memory.read(address, length);
    if (address < WORD || read.length < length) throw new Unreadable();
    return read;
  }

  /** A pointer, or 0. */
  pointer(address: number): number {
    const read = this.bytes(address, WORD);
    return read.readUInt32LE(4) * 2 ** 32 + read.readUInt32LE(0);
  }

  int32(address: number): number {
    return this.bytes(address, 4).readInt32LE(0);
  }

  typeOf(object: number): number {
    return this.pointer(object + this.layout.obType);
  }

  /** `tp_name`: of a class that is written in Python its name alone. */
  typeName(object: number): string {
    return this.nameOfType(this.typeOf(object));
  }

  nameOfType(type: number): string {
    const known = this.#typeNames.get(type);
    if (known !== undefined) return known;
    const text = this.#memory.read(this.pointer(type + this.layout.tpName), 128);
    const end = text.indexOf(0);
    if (end < 0) throw new Unreadable();
    const name = text.toString('utf8', 0, end);
    this.#typeNames.set(type, name);
    return name;
  }

  isText(object: number): boolean {
    return this.#is(object, builtIn.text);
  }

  /** What a text says, or its beginning. */
  text(object: number): string {
    const { textLength, textState: stateAt, textAsciiBytes, textCompactBytes } = this.layout;
    if (!this.isText(object)) throw new Unreadable();
    const state = this.int32(object + stateAt);
    const kind = (state >> textState.kindShift) & textState.kindMask;
    const length = Math.min(this.pointer(object + textLength), MOST_TEXT);
    const isAscii = (state & textState.isAscii) !== 0;
    const inside = object + (isAscii ? textAsciiBytes : textCompactBytes);
    const isCompact = (state & textState.isCompact) !== 0;
    const units = this.bytes(
      isCompact ? inside : this.pointer(object + textCompactBytes),
      length * kind,
    );
    if (kind === 1) return units.toString('latin1');
    if (kind === 2) return units.toString('utf16le');
    let text = '';
    for (let at = 0; at + 4 <= units.length; at += 4) {
      const code = units.readUInt32LE(at);
      text += String.fromCodePoint(code <= 0x10_ffff ? code : 0xfffd);
    }
    return text;
  }

  /** A whole number of at most two digits; null for others. */
  integer(object: number): number | null {
    const { integerTag, integerDigits, obSize } = this.layout;
    if (!this.#is(object, builtIn.integer)) return null;
    const size = this.pointer(object + (integerTag < 0 ? obSize : integerTag));
    const digits = integerTag < 0 ? size : (size & 3) === 1 ? 0 : Math.floor(size / 8);
    if (digits > 2) return null;
    let number = 0;
    for (let at = digits - 1; at >= 0; at--)
      number = number * 2 ** 30 + this.int32(object + integerDigits + 4 * at);
    return number;
  }

  /** Pointers to the items of a tuple. */
  tuple(object: number): number[] {
    if (object === 0 || !this.#is(object, builtIn.tuple)) return [];
    const count = Math.min(this.pointer(object + this.layout.obSize), MOST_ITEMS);
    return this.pointers(object + this.layout.tupleItems, count);
  }

  pointers(address: number, count: number): number[] {
    if (count <= 0) return [];
    const read = this.bytes(address, count * WORD);
    return Array.from({ length: count }, (_none, i) => {
      const at = i * WORD;
      return read.readUInt32LE(at + 4) * 2 ** 32 + read.readUInt32LE(at);
    });
  }

  /** Of a function: where its closure is, a tuple of cells. */
  get closurePlace(): number {
    return this.layout.minor === 9 ? 48 : 72;
  }

  /** The value of a bytes object. */
  content(object: number, most: number): Buffer {
    const length = Math.min(this.pointer(object + this.layout.obSize), most);
    return this.bytes(object + this.layout.bytesValue, length);
  }

  /** Keys and values of a dictionary, the first of many. */
  *entries(dict: number): Generator<readonly [key: number, value: number]> {
    if (dict === 0 || !this.#is(dict, builtIn.dict)) return;
    const keys = this.pointer(dict + dictPlace.keys);
    const values = this.pointer(dict + dictPlace.values);
    yield* this.#pairs(
      keys,
      values === 0 ? null : this.layout.minor >= 13 ? values + WORD : values,
    );
  }

  /** What a dictionary has under a text, or 0. */
  valueIn(dict: number, name: string): number {
    for (const [key, value] of this.entries(dict)) {
      if (this.isText(key) && this.text(key) === name) return value;
    }
    return 0;
  }

  /** Names and values of the attributes that an object itself has. */
  *attributes(object: number): Generator<readonly [name: number, value: number]> {
    const type = this.typeOf(object);
    const flags = this.#flags(type);
    const { minor, tpDictoffset } = this.layout;
    if (minor < 11 || (flags & typeFlag.managedDict) === 0) {
      const offset = this.pointer(type + tpDictoffset);
      // Below zero it counts from the end of an object of no fixed size.
      if (offset > 0 && offset < 2 ** 32) yield* this.entries(this.pointer(object + offset));
      return;
    }
    const word = this.pointer(object - before.dict);
    const values = this.#valuesOf(object, type, flags, word);
    if (values === null) yield* this.entries(word);
    else yield* this.#pairs(this.pointer(type + this.layout.htCachedKeys), values);
  }

  /** The value of an attribute that an object itself has, or 0. */
  attribute(object: number, name: string): number {
    for (const [key, value] of this.attributes(object)) {
      if (this.isText(key) && this.text(key) === name) return value;
    }
    return 0;
  }

  /** What a bound method belongs to, and its name; null for what is none. */
  bound(object: number): { readonly to: number; readonly name: string } | null {
    const type = this.typeName(object);
    const { methodFunction, functionQualname, builtinDefinition } = this.layout;
    if (type === 'method') {
      const name = this.text(
        this.pointer(this.pointer(object + methodFunction) + functionQualname),
      );
      const to = this.pointer(object + methodFunction + WORD);
      return { to, name: name.slice(name.lastIndexOf('.') + 1) };
    }
    if (type !== 'builtin_function_or_method') return null;
    const name = this.#shortText(this.pointer(this.pointer(object + builtinDefinition)));
    return { to: this.pointer(object + builtinDefinition + WORD), name };
  }

  /** Members of a set, of at most that number of places in its table. */
  members(set: number, mostPlaces: number): number[] {
    const { setMask, setTable } = this.layout;
    const count = Math.min(this.pointer(set + setMask) + 1, mostPlaces);
    // A key and its hash.
    return this.pointers(this.pointer(set + setTable), count * 2).filter(
      (word, i) => i % 2 === 0 && word !== 0,
    );
  }

  #shortText(address: number): string {
    const read = this.#memory.read(address, 64);
    return read.toString('latin1', 0, Math.max(0, read.indexOf(0)));
  }

  /** Where the values of attributes lie in the order of the class's keys; null: in a dictionary. */
  #valuesOf(object: number, type: number, flags: number, word: number): number | null {
    const { minor } = this.layout;
    if (minor === 11) {
      const values = this.pointer(object - before.values);
      return values === 0 ? null : values;
    }
    if (minor === 12) return word % 2 === 1 ? word + 1 : null;
    if (word !== 0 || (flags & typeFlag.inlineValues) === 0) return null;
    const size = minor === 13 ? 2 * WORD : this.pointer(type + this.layout.tpBasicsize);
    return object + size + WORD;
  }

  /** PyDictKeysObject. */
  *#pairs(keys: number, values: number | null): Generator<readonly [number, number]> {
    const { minor } = this.layout;
    const head = this.bytes(keys, 40);
    let entries: number;
    let count: number;
    let isPlain: boolean;
    if (minor < 11) {
      const size = head.readUInt32LE(8);
      count = head.readUInt32LE(32);
      entries = keys + 40 + size * (size <= 0xff ? 1 : size <= 0xffff ? 2 : 4);
      isPlain = true;
    } else {
      count = head.readUInt32LE(24);
      entries = keys + 32 + 2 ** head.readUInt8(9);
      // A table that holds other keys than texts has their hashes, too.
      isPlain = head.readUInt8(10) === 0;
    }
    const words = isPlain ? 3 : 2;
    const used = Math.min(count, MOST_ITEMS);
    const rows = this.pointers(entries, used * words);
    const apart = values === null ? null : this.pointers(values, used);
    for (let i = 0; i < used; i++) {
      const at = i * words + (isPlain ? 1 : 0);
      const key = rows[at] ?? 0;
      const value = (apart === null ? rows[at + 1] : apart[i]) ?? 0;
      if (key !== 0 && value !== 0) yield [key, value];
    }
  }

  #is(object: number, flag: number): boolean {
    return (this.#flags(this.typeOf(object)) & flag) !== 0;
  }

  #flags(type: number): number {
    return this.int32(type + this.layout.tpFlags);
  }
}
