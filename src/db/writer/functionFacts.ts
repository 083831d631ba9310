import { stringFlags, type TracedFunction } from '../../model/eventColumns.ts';
import type { ValueType } from '../../model/valueType.ts';
import { returnClass } from '../blockFormat.ts';

/** What the recording of calls needs to know of functions, by function number. */
export class FunctionFacts {
  readonly #functions: (TracedFunction | undefined)[] = [];
  #hasStrings = new Uint8Array(64);

  get size(): number {
    return this.#functions.reduce((sum, fn) => sum + (fn ? 1 : 0), 0);
  }

  set(fn: TracedFunction): void {
    this.#functions[fn.number] = fn;
    if (fn.number >= this.#hasStrings.length) {
      const wider = new Uint8Array(Math.max(fn.number + 1, this.#hasStrings.length * 2));
      wider.set(this.#hasStrings);
      this.#hasStrings = wider;
    }
    const captures = fn.captured.some((parameter) => parameter.type.kind === 'cstring');
    const returns = fn.returns.kind === 'cstring';
    this.#hasStrings[fn.number] = (captures ? 1 : 0) | (returns ? 2 : 0);
  }

  capturesStrings(fn: number): boolean {
    return ((this.#hasStrings[fn] ?? 0) & 1) !== 0;
  }

  returnsString(fn: number): boolean {
    return ((this.#hasStrings[fn] ?? 0) & 2) !== 0;
  }

  /** Calls `found` for each captured string of an enter's payload. */
  eachString(
    fn: number,
    bytes: Uint8Array,
    range: { from: number; to: number },
    found: (from: number, length: number) => void,
  ): void {
    let at = range.from;
    for (const { type } of this.#functions[fn]?.captured ?? []) {
      if (at + 8 > range.to) return;
      if (type.kind !== 'cstring') {
        at += 8;
        continue;
      }
      at = eachOne(bytes, at, range.to, found);
    }
  }

  /** Calls `found` for the string a return's payload holds. */
  returnedString(
    bytes: Uint8Array,
    range: { from: number; to: number },
    found: (from: number, length: number) => void,
  ): void {
    if (range.from + 8 <= range.to) eachOne(bytes, range.from, range.to, found);
  }

  /** A value of `returnClass`. */
  classOfReturn(fn: number, bytes: Uint8Array, from: number, to: number): number {
    const type = this.#functions[fn]?.returns;
    if (!type || to - from < 8) return returnClass.plain;
    return classOf(type, bytes, from);
  }
}

function eachOne(
  bytes: Uint8Array,
  at: number,
  to: number,
  found: (from: number, length: number) => void,
): number {
  const length = u32(bytes, at);
  const flags = u32(bytes, at + 4);
  const readable = (flags & (stringFlags.unreadable | stringFlags.isNull)) === 0;
  if (readable && length > 0) found(at + 8, Math.min(length, to - at - 8));
  return at + 8 + ((length + 7) & ~7);
}

function classOf(type: ValueType, bytes: Uint8Array, at: number): number {
  switch (type.kind) {
    case 'bool':
      return (bytes[at] ?? 0) === 0 ? returnClass.zero : returnClass.plain;
    case 'pointer':
      return u32(bytes, at) === 0 && u32(bytes, at + 4) === 0
        ? returnClass.zero
        : returnClass.plain;
    case 'cstring':
      return (u32(bytes, at + 4) & stringFlags.isNull) !== 0 ? returnClass.zero : returnClass.plain;
    case 'int':
    case 'enum': {
      const top = bytes[at + Math.min(8, Math.max(1, type.bytes)) - 1] ?? 0;
      return type.signed && top >= 128 ? returnClass.negative : returnClass.plain;
    }
    case 'float':
      return (bytes[at + (type.bytes === 4 ? 3 : 7)] ?? 0) >= 128
        ? returnClass.negative
        : returnClass.plain;
    case 'void':
    case 'char':
    case 'opaque':
    case 'unknown':
      return returnClass.plain;
  }
}

function u32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24)) >>>
    0
  );
}
