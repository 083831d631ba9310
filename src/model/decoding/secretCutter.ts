import { stringFlags } from '../eventColumns.ts';
import { immediateTag, itemTag } from '../values/dynamicValue.ts';
import { mostLevels, type DefinedNames } from './dynamic.ts';
import type { SecretKeys } from './secretKeys.ts';
import { characters } from './textValues.ts';

/** Values whose tag tells all of them: none of these gives a secret away. */
const harmless = new Set<number>([
  itemTag.none,
  itemTag.undefined,
  itemTag.true,
  itemTag.false,
  itemTag.unset,
  itemTag.getter,
  itemTag.proxy,
  itemTag.cut,
  itemTag.cycle,
  itemTag.array,
  itemTag.function,
  itemTag.type,
  itemTag.other,
  itemTag.redacted,
]);
const harmlessImmediate = new Set<number>([
  immediateTag.none,
  immediateTag.undefined,
  immediateTag.true,
  immediateTag.false,
  immediateTag.unset,
]);

/** By tag, one more than the bytes behind it, where there are always as many. */
const fixedBytes = new Uint8Array(256);
for (const [tag, bytes] of [
  [itemTag.i8, 1],
  [itemTag.i16, 2],
  [itemTag.i32, 4],
  [itemTag.i64, 8],
  [itemTag.float, 8],
  [itemTag.cycle, 1],
  [itemTag.none, 0],
  [itemTag.true, 0],
  [itemTag.false, 0],
  [itemTag.undefined, 0],
  [itemTag.unset, 0],
  [itemTag.getter, 0],
  [itemTag.proxy, 0],
  [itemTag.cut, 0],
  [itemTag.redacted, 0],
] as const)
  fixedBytes[tag] = bytes + 1;

/** By tag, bytes of a unit of what has a number of units. */
const unitBytes = new Uint8Array(256);
for (const [tag, bytes] of [
  [itemTag.text1, 1],
  [itemTag.bytes, 1],
  [itemTag.text2, 2],
  [itemTag.text4, 4],
] as const)
  unitBytes[tag] = bytes;

/** By tag, 1 for what has other items inside. */
const containers = new Uint8Array(256);
for (const tag of [
  itemTag.list,
  itemTag.tuple,
  itemTag.set,
  itemTag.map,
  itemTag.object,
  itemTag.enumeration,
  itemTag.subclass,
  itemTag.exception,
])
  containers[tag] = 1;

/** Header of a whole value that is redacted, and a value of one item that no tag has. */
const redactedValue = [0, 0, 0, 0, immediateTag.redacted << 3, 0, 0, 0];
const damagedValue = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/** Bytes end before what they say begins. */
class Damaged extends Error {}

/**
 * Copies values that describe themselves (values/dynamicValue.ts) without their secrets: in place of each is `redacted`,
 * so the copy does not tell how long it was. Damaged values lose all they hold. Nothing is copied while nothing is cut.
 */
export class SecretCutter {
  readonly #bytes: Buffer;
  readonly #names: DefinedNames;
  readonly #secrets: SecretKeys;
  #at = 0;
  #end = 0;
  /** Its first #to bytes are those before #from. */
  #copy: Buffer | null = null;
  #from = 0;
  #to = 0;

  constructor(bytes: Buffer, names: DefinedNames, secrets: SecretKeys) {
    this.#bytes = bytes;
    this.#names = names;
    this.#secrets = secrets;
  }

  /** What is kept of the bytes before `end`; null: all of them. */
  kept(end: number): Buffer | null {
    if (this.#copy) this.#copyTo(end);
    return this.#copy?.subarray(0, this.#to) ?? null;
  }

  /** Where in the copy the byte is that is at `at`, which nothing was cut behind. */
  placeOf(at: number): number {
    return this.#to + at - this.#from;
  }

  /** Takes the value that begins at bytes[at, end); returns where the next one does. `isSecret`: so is all of it. */
  value(at: number, end: number, isSecret: boolean): number {
    if (at + 8 > end) return end;
    const length = this.#bytes.readUInt32LE(at);
    const next = Math.min(end, at + 8 + Math.ceil(length / 8) * 8);
    if (length === 0) {
      if (isSecret && !isHarmless(this.#bytes.readUInt32LE(at + 4)))
        this.#replace(at, next, redactedValue);
      return next;
    }
    if (at + 8 + length > end) {
      this.#replace(at + 8, end, []);
      return end;
    }
    const tag = this.#bytes[at + 8] ?? 0;
    if (isSecret && !harmless.has(tag)) this.#replace(at, next, redactedValue);
    else if (containers[tag] === 1) this.#whole(at, length, next);
    return next;
  }

  #whole(at: number, length: number, next: number): void {
    const [from, to] = [this.#from, this.#to];
    const head = this.placeOf(at);
    this.#at = at + 8;
    this.#end = at + 8 + length;
    try {
      this.#item(0);
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      [this.#from, this.#to] = [from, to];
      this.#replace(at, next, damagedValue);
      return;
    }
    const kept = this.placeOf(this.#at) - head - 8;
    if (kept === length) return;
    this.#replace(
      this.#at,
      next,
      Array.from({ length: -kept & 7 }, () => 0),
    );
    this.#copy?.writeUInt32LE(kept, head);
  }

  #item(level: number): void {
    const tag = this.#u8();
    const fixed = fixedBytes[tag] ?? 0;
    const unit = unitBytes[tag] ?? 0;
    if (fixed > 0) this.#skip(fixed - 1);
    else if (unit > 0) this.#skipHeld(unit);
    else if (containers[tag] === 1) this.#container(tag, level);
    else this.#otherItem(tag, level);
  }

  #otherItem(tag: number, level: number): void {
    switch (tag) {
      case itemTag.integer:
        this.#skip(1);
        return this.#skipHeld(4);
      case itemTag.array: {
        this.#number();
        this.#skip(3);
        for (let dimensions = Math.min(this.#u8(), 8); dimensions > 0; dimensions--) this.#number();
        return;
      }
      case itemTag.function:
      case itemTag.type:
      case itemTag.symbol:
        if (level >= mostLevels) throw new Damaged();
        return this.#item(level + 1);
      case itemTag.other:
        this.#number();
        this.#skip(6);
        return;
      case itemTag.name:
        this.#number();
        return;
      default:
        throw new Damaged();
    }
  }

  #container(tag: number, level: number): void {
    const begin = this.#at;
    const size = this.#bytes.readUInt16LE(this.#skip(2));
    const end = this.#at + size;
    const outer = this.#end;
    if (end > outer) throw new Damaged();
    if (level >= mostLevels) this.#replace(begin - 1, end, [itemTag.cut]);
    else {
      const head = this.placeOf(begin);
      this.#end = end;
      this.#inside(tag, level + 1);
      const kept = this.placeOf(end) - head - 2;
      if (kept !== size) {
        this.#copyTo(end);
        this.#copy?.writeUInt16LE(kept, head);
      }
    }
    this.#at = end;
    this.#end = outer;
  }

  #inside(tag: number, level: number): void {
    this.#number();
    switch (tag) {
      case itemTag.map:
        return this.#entries(level);
      case itemTag.object:
      case itemTag.enumeration:
        this.#skip(6);
        return this.#entries(level);
      case itemTag.subclass:
        if (this.#at < this.#end) this.#item(level);
        return this.#entries(level);
      default:
        while (this.#at < this.#end) this.#item(level);
    }
  }

  #entries(level: number): void {
    while (this.#at < this.#end) {
      const key = this.#at;
      this.#item(level);
      if (this.#at >= this.#end) return;
      const begin = this.#at;
      const [from, to] = [this.#from, this.#to];
      this.#item(level);
      if (harmless.has(this.#bytes[begin] ?? 0)) continue;
      if (!this.#isSecretKey(key, begin)) continue;
      [this.#from, this.#to] = [from, to];
      this.#replace(begin, this.#at, [itemTag.redacted]);
    }
  }

  /** Whether the key at bytes[at, end) names a secret; what is no text names none. */
  #isSecretKey(at: number, end: number): boolean {
    const tag = this.#bytes[at] ?? 0;
    if (tag === itemTag.symbol || tag === itemTag.function || tag === itemTag.type)
      return this.#isSecretKey(at + 1, end);
    const unit = unitBytes[tag] ?? 0;
    if (unit === 0 && tag !== itemTag.name) return false;
    const here = this.#at;
    this.#at = at + 1;
    const number = this.#number();
    if (unit > 0) this.#number();
    const units = this.#at;
    this.#at = here;
    if (unit === 1) return this.#secrets.hasText(this.#bytes, units, end);
    const name =
      unit === 0 ? this.#names.name(number) : wideText(this.#bytes.subarray(units, end), unit);
    return name !== null && this.#secrets.has(name);
  }

  #replace(from: number, to: number, by: readonly number[]): void {
    this.#copy ??= Buffer.alloc(this.#bytes.length);
    this.#copyTo(from);
    this.#copy.set(by, this.#to);
    this.#to += by.length;
    this.#from = to;
  }

  #copyTo(end: number): void {
    if (this.#copy) this.#bytes.copy(this.#copy, this.#to, this.#from, end);
    this.#to += end - this.#from;
    this.#from = end;
  }

  #skipHeld(unit: number): void {
    this.#number();
    this.#skip(this.#number() * unit);
  }

  #u8(): number {
    return this.#bytes[this.#skip(1)] ?? 0;
  }

  /** LEB128. */
  #number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#u8();
      value += (byte & 127) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw new Damaged();
      if (byte < 128) return value;
    }
  }

  /** Where the bytes begin that it goes behind. */
  #skip(count: number): number {
    const from = this.#at;
    if (count > this.#end - from) throw new Damaged();
    this.#at = from + count;
    return from;
  }
}

function isHarmless(high: number): boolean {
  if ((high & (stringFlags.truncated | stringFlags.unreadable)) !== 0) return true;
  return harmlessImmediate.has((high >>> 3) & 31);
}

function wideText(units: Buffer, unit: number): string | null {
  const text = characters(units, unit, false);
  return text.kind === 'string' ? text.text : null;
}
