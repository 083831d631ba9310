import { firstActivation, stringFlags, type TracedFunction } from '../../model/eventColumns.ts';
import { hasOwnLength, type ValueType } from '../../model/values/valueType.ts';
import { returnClass } from '../blockFormat.ts';
import { reading, readingOf } from '../capturedNumbers.ts';
import { classOfDynamic, eachDynamicText, notListed, u32 } from './dynamicFacts.ts';
import { emptyResultOf, isEmptyResult, type EmptyResult } from './emptyResult.ts';

/** How a returned value's class is found; `signed` + the byte that holds the sign. */
const returnShape = {
  plain: 0,
  bool: 1,
  address: 2,
  text: 3,
  tree: 4,
  dynamic: 5,
  signed: 8,
} as const;
/** Bytes before what a captured tree itself is: its header, and that of its first piece (native/engine/walk.c). */
const treeHead = 8 + 16;

/** How the captured values of a function are read (capturedNumbers.ts). */
interface Readings {
  readonly captured: readonly number[];
  readonly returned: number;
}

function holdsText({ kind }: ValueType): boolean {
  return kind === 'cstring' || kind === 'tree' || kind === 'dynamic';
}

const noReadings: Readings = { captured: [], returned: reading.none };

/** What the recording of calls needs to know of functions, by function number. */
export class FunctionFacts {
  readonly #functions: (TracedFunction | undefined)[] = [];
  readonly #readings: (Readings | undefined)[] = [];
  readonly #empty: (EmptyResult | null | undefined)[] = [];
  /** By function: strings are captured (bit 0), returned (bit 1); what `returnShape` says << 2. */
  #facts = new Uint8Array(64);
  #count = 0;

  /** There are some that appeared at run time. */
  hasDynamic = false;
  /** Breakpoints, invariants and lines. */
  readonly probes = new Set<number>();

  get size(): number {
    return this.#count;
  }

  /** A breakpoint, or an invariant; a line that ran is to be recorded. */
  isProbe(number: number): boolean {
    const probe = this.#functions[number]?.probe;
    return probe !== undefined && probe.line === undefined;
  }

  set(fn: TracedFunction): void {
    if (fn.number >= firstActivation) this.hasDynamic = true;
    if (!this.#functions[fn.number]) this.#count++;
    this.#functions[fn.number] = fn;
    if (fn.probe) this.probes.add(fn.number);
    this.#readings[fn.number] = {
      captured: fn.captured.map(({ type }) => readingOf(type)),
      returned: readingOf(fn.returns),
    };
    this.#empty[fn.number] = fn.returns.kind === 'tree' ? emptyResultOf(fn.returns) : null;
    if (fn.number >= this.#facts.length) {
      const wider = new Uint8Array(Math.max(fn.number + 1, this.#facts.length * 2));
      wider.set(this.#facts);
      this.#facts = wider;
    }
    const captures = fn.captured.some(({ type }) => holdsText(type));
    const returns = holdsText(fn.returns);
    const strings = (captures ? 1 : 0) | (returns ? 2 : 0);
    this.#facts[fn.number] = strings | (shapeOf(fn.returns) << 2);
  }

  of(fn: number): TracedFunction | undefined {
    return this.#functions[fn];
  }

  /** Only entries of its calls are recorded. */
  endsUnseen(fn: number): boolean {
    return this.#functions[fn]?.endsUnseen === true;
  }

  name(fn: number): string {
    return this.#functions[fn]?.name ?? `function ${fn}`;
  }

  readings(fn: number): Readings {
    return this.#readings[fn] ?? noReadings;
  }

  capturesStrings(fn: number): boolean {
    return fn < this.#facts.length && ((this.#facts[fn] ?? 0) & 1) !== 0;
  }

  returnsString(fn: number): boolean {
    return fn < this.#facts.length && ((this.#facts[fn] ?? 0) & 2) !== 0;
  }

  /**
   * Calls `found` for each captured string of an enter's payload; of a tree, whose text is not known
   * before it is decoded, once with `notListed`.
   */
  eachString(
    fn: number,
    bytes: Uint8Array,
    from: number,
    to: number,
    found: (from: number, length: number) => void,
  ): void {
    let at = from;
    for (const { type } of this.#functions[fn]?.captured ?? []) {
      if (at + 8 > to) return;
      if (type.kind === 'cstring') at = eachOne(bytes, at, to, found);
      else {
        if (type.kind === 'tree') found(at, notListed);
        else if (type.kind === 'dynamic') eachDynamicText(bytes, at, to, found);
        at = afterValue(type, bytes, at);
      }
    }
  }

  /** Calls `found` for the string a return's payload holds. */
  returnedString(
    fn: number,
    bytes: Uint8Array,
    from: number,
    to: number,
    found: (from: number, length: number) => void,
  ): void {
    if (from + 8 > to) return;
    const { kind } = this.#functions[fn]?.returns ?? {};
    if (kind === 'tree') found(from, notListed);
    else if (kind === 'dynamic') eachDynamicText(bytes, from, to, found);
    else eachOne(bytes, from, to, found);
  }

  /** A value of `returnClass`. */
  classOfReturn(fn: number, bytes: Uint8Array, from: number, to: number): number {
    if (fn >= this.#facts.length || to - from < 8) return returnClass.plain;
    const shape = (this.#facts[fn] ?? 0) >> 2;
    switch (shape) {
      case returnShape.plain:
        return returnClass.plain;
      case returnShape.bool:
        return bytes[from] === 0 ? returnClass.zero : returnClass.plain;
      case returnShape.address:
        return u32(bytes, from) === 0 && u32(bytes, from + 4) === 0
          ? returnClass.zero
          : returnClass.plain;
      case returnShape.text:
        return isNull(bytes, from) ? returnClass.zero : returnClass.plain;
      case returnShape.tree: {
        const empty = this.#empty[fn];
        const isEmpty = empty && isEmptyResult(empty, bytes, from + treeHead, to);
        return isEmpty || isNull(bytes, from) ? returnClass.zero : returnClass.plain;
      }
      case returnShape.dynamic:
        return classOfDynamic(bytes, from, to);
      default:
        return (bytes[from + shape - returnShape.signed] ?? 0) >= 128
          ? returnClass.negative
          : returnClass.plain;
    }
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

function afterValue(type: ValueType, bytes: Uint8Array, at: number): number {
  return at + 8 + (hasOwnLength(type) ? (u32(bytes, at) + 7) & ~7 : 0);
}

function shapeOf(type: ValueType): number {
  switch (type.kind) {
    case 'bool':
      return returnShape.bool;
    case 'pointer':
      return returnShape.address;
    case 'cstring':
    case 'list':
      return returnShape.text;
    case 'tree':
      return returnShape.tree;
    case 'dynamic':
      return returnShape.dynamic;
    case 'int':
    case 'enum':
      return type.signed
        ? returnShape.signed + Math.min(8, Math.max(1, type.bytes)) - 1
        : returnShape.plain;
    case 'float':
      return returnShape.signed + (type.bytes === 4 ? 3 : 7);
    case 'void':
    case 'char':
    case 'opaque':
    case 'unknown':
      return returnShape.plain;
  }
}

function isNull(bytes: Uint8Array, from: number): boolean {
  return (u32(bytes, from + 4) & stringFlags.isNull) !== 0;
}
