import { stringFlags, type TracedFunction } from '../../../model/eventColumns.ts';
import { hasOwnLength } from '../../../model/values/valueType.ts';
import { reading, wordNumber } from '../../capturedNumbers.ts';
import { blockCalls } from '../../blockFormat.ts';
import { rangeCalls, returnPlace, type ValueDigest } from '../../valueDigest.ts';
import type { Captures } from '../../captures.ts';
import type { Block } from '../block.ts';
import { numberColumn, type Group, type NumberPlace } from './numberColumn.ts';
import type { AnyTest, NumberTest, PartTest, TextTest, ValueTest } from './valueFilter.ts';

/** What has to hold of one function's captures. */
export interface ValueTests {
  readonly fn: TracedFunction;
  /** Per argument filter, the parameters it may mean. All filters have to hold. */
  readonly arguments: readonly (readonly Meant[])[];
  readonly returns: ValueTest | null;
}

interface Meant {
  readonly index: number;
  readonly test: ValueTest;
}

/** Whether the block may hold a string that passes. */
export type MayHoldPart = (block: Block, part: PartTest) => boolean;

/** One of the things that have to hold: a value among `meant` passes. */
interface Condition {
  readonly fn: TracedFunction;
  readonly meant: readonly Meant[];
  readonly ofReturn: boolean;
  /** The only test and the bytes before its value, when that is always at the same place. */
  readonly only: ValueTest | null;
  readonly offset: number;
  /** Where the number lies that decides alone. */
  readonly place: NumberPlace | null;
}

/** A function's conditions: `late` without the one about its returned value. */
interface Conditions {
  readonly all: readonly Condition[];
  readonly late: readonly Condition[];
  readonly returns: ValueTest | null;
}

/** Finds rows by their captured values: function by function, over postings. */
export class ValueScan {
  readonly #testsOf: (fn: number) => ValueTests;
  readonly #mayHoldPart: MayHoldPart;
  readonly #found = new Uint16Array(blockCalls);
  readonly #marks = new Uint8Array(blockCalls);
  readonly #small = new SmallGroups();
  readonly #runs: Group[] = [];
  readonly #conditions: (Conditions | undefined)[] = [];

  constructor(testsOf: (fn: number) => ValueTests, mayHoldPart: MayHoldPart) {
    this.#testsOf = testsOf;
    this.#mayHoldPart = mayHoldPart;
  }

  /**
   * The rows of these functions whose values pass, ascending unless `inOrder` is false; valid until
   * the next call. What was returned is looked at whether or not the call had returned at the time
   * asked about.
   */
  rows(block: Block, functions: Uint8Array, inOrder = true): Uint16Array {
    const { digest, dictionary } = block;
    const { fn, calls } = dictionary;
    const found = this.#found;
    let filled = 0;
    this.#runs.length = 0;
    let smallRows = 0;
    const small = this.#small;
    small.begin(fn.length);
    let offset = 0;
    for (let entry = 0; entry < fn.length; entry++) {
      const count = calls[entry] ?? 0;
      const number = fn[entry] ?? 0;
      if (functions[number] === 1) {
        const { all } = this.#conditionsOf(number);
        if (this.#mayPass(block, digest, all, entry, count)) {
          const before = filled;
          if (count < rangeCalls && small.take(entry, all)) smallRows += count;
          else
            filled = this.#search(block, all, { entry, from: offset, to: offset + count }, filled);
          if (filled > before) this.#runs.push({ entry, from: before, to: filled });
        }
      }
      offset += count;
    }
    if (smallRows > 0) {
      filled = small.find(block, found, filled);
    }
    const [first] = this.#runs;
    const isAscending = (first?.to ?? filled) === filled;
    const inline = filled;
    filled = this.#addLate(block, functions, filled);
    const rows = found.subarray(0, filled);
    if (!inOrder || (isAscending && filled === inline)) return rows;
    if (filled * 8 > block.calls) return this.#ascending(rows, block.calls);
    // oxlint-disable-next-line unicorn/no-array-sort -- a typed array of our own, sorted in place.
    return rows.sort();
  }

  /** Where rows that were not put in order are of one function; behind the last run they are mixed. */
  get runs(): readonly Group[] {
    return this.#runs;
  }

  /** Puts the rows of a group for which all conditions hold behind `start`; returns the end. */
  #search(block: Block, conditions: readonly Condition[], group: Group, start: number): number {
    const found = this.#found;
    const others: Condition[] = [];
    let source: RowRange = { rows: block.posting, from: group.from, to: group.to };
    // By their numbers first: these are places in the group until they are known to be enough.
    let places: Uint16Array | null = null;
    for (const condition of conditions) {
      const test = numberTestOf(condition);
      if (condition.place && test) {
        const column = numberColumn(block, group, condition.place);
        places = placesWithin(column, test, places, found.subarray(start));
      } else others.push(condition);
    }
    if (places) {
      for (let i = 0; i < places.length; i++) {
        found[start + i] = block.posting[group.from + (places[i] ?? 0)] ?? 0;
      }
      source = { rows: found, from: start, to: start + places.length };
    }
    return narrowAll(block, others, source, found, start);
  }

  /** Puts many different rows in order. */
  #ascending(rows: Uint16Array, calls: number): Uint16Array {
    const marks = this.#marks;
    for (const row of rows) marks[row] = 1;
    let filled = 0;
    for (let row = 0; row < calls; row++) {
      if (marks[row] === 1) rows[filled++] = row;
    }
    marks.fill(0, 0, calls);
    return rows;
  }

  #conditionsOf(number: number): Conditions {
    return (this.#conditions[number] ??= conditionsOf(this.#testsOf(number)));
  }

  #mayPass(
    block: Block,
    digest: ValueDigest | null,
    conditions: readonly Condition[],
    entry: number,
    count: number,
  ): boolean {
    for (const { meant, ofReturn } of conditions) {
      let may = false;
      for (let i = 0; i < meant.length && !may; i++) {
        const one = meant[i];
        if (!one) continue;
        const { test, index } = one;
        if (test.kind === 'part') may = this.#mayHoldPart(block, test);
        else if (digest === null) may = true;
        else may = mayHold(digest, entry, ofReturn ? returnPlace : index, count, test);
      }
      if (!may) return false;
    }
    return true;
  }

  /** Calls whose returned value came after their block was written. */
  #addLate(block: Block, functions: Uint8Array, from: number): number {
    let filled = from;
    const { late, lateEntries, dictionary } = block;
    for (const [i, { ordinal, payload }] of late.entries()) {
      const row = ordinal - block.first;
      const number = dictionary.fn[lateEntries[i] ?? 0] ?? 0;
      if (payload === null || functions[number] !== 1) continue;
      const { returns, late: others } = this.#conditionsOf(number);
      if (!returns?.test(payload, 0, payload.length)) continue;
      this.#found[filled] = row;
      const one = { rows: this.#found, from: filled, to: filled + 1 };
      filled = narrowAll(block, others, one, this.#found, filled);
    }
    return filled;
  }
}

function conditionsOf({ fn, arguments: filters, returns }: ValueTests): Conditions {
  const late = filters.map((meant): Condition => {
    const [first] = meant;
    const isFixed = first !== undefined && meant.length === 1 && hasFixedPlace(fn, first.index);
    const offset = isFixed ? first.index * 8 : 0;
    const only = isFixed ? first.test : null;
    const place = first && meant.length === 1 ? placeOf(fn, first) : null;
    return { fn, meant, ofReturn: false, only, offset, place };
  });
  if (!returns) return { all: late, late, returns };
  const meant = [{ index: 0, test: returns }];
  return {
    all: [
      { fn, meant, ofReturn: true, only: returns, offset: 0, place: returned(returns) },
      ...late,
    ],
    late,
    returns,
  };
}

function placeOf(fn: TracedFunction, { index, test }: Meant): NumberPlace | null {
  if (test.kind !== 'number' || index >= returnPlace) return null;
  const areLong = fn.captured.slice(0, index).map(({ type }) => hasOwnLength(type));
  return { index, how: test.how, areLong };
}

function returned(test: ValueTest): NumberPlace | null {
  return test.kind === 'number' ? { index: returnPlace, how: test.how, areLong: [] } : null;
}

/** The test of the number at its place. */
function numberTestOf({ meant }: Condition): NumberTest | null {
  const test = meant[0]?.test;
  return test?.kind === 'number' ? test : null;
}

/** The places (of `among`, null: all) whose number passes, put into `out`, which may hold `among`. */
function placesWithin(
  column: Float64Array,
  { low, high }: NumberTest,
  among: Uint16Array | null,
  out: Uint16Array,
): Uint16Array {
  let kept = 0;
  if (among === null) {
    for (let at = 0; at < column.length; at++) {
      const number = column[at] ?? NaN;
      if (number >= low && number <= high) out[kept++] = at;
    }
  } else {
    for (let i = 0; i < among.length; i++) {
      const at = among[i] ?? 0;
      const number = column[at] ?? NaN;
      if (number >= low && number <= high) out[kept++] = at;
    }
  }
  return out.subarray(0, kept);
}

function mayHold(
  digest: ValueDigest,
  entry: number,
  place: number,
  count: number,
  test: NumberTest | TextTest | AnyTest,
): boolean {
  switch (test.kind) {
    case 'number': {
      const { low, high, hash } = test;
      if (hash !== null && !digest.mayHold(hash)) return false;
      return count < rangeCalls || digest.mayReach(entry, place, low, high);
    }
    case 'text':
      if (test.takesAny) return true;
      if (test.takesNull && digest.mayHold(test.nullHash)) return true;
      return test.bytes !== null && digest.mayHold(test.hash);
    case 'any':
      return true;
  }
}

/**
 * Functions with few calls each, of which one number has to be tested: their rows are visited
 * in order, because going from function to function means a cache miss per call.
 */
class SmallGroups {
  /** By dictionary entry; `reading.none`: not one of them. */
  readonly #how = new Uint8Array(blockCalls);
  readonly #offset = new Uint32Array(blockCalls);
  readonly #low = new Float64Array(blockCalls);
  readonly #high = new Float64Array(blockCalls);
  #ofReturn = false;

  begin(entries: number): void {
    this.#how.fill(reading.none, 0, entries);
  }

  /** False when its calls have to be looked at in another way. */
  take(entry: number, conditions: readonly Condition[]): boolean {
    const condition = conditions[0];
    const only = condition?.only;
    if (conditions.length !== 1 || only?.kind !== 'number') return false;
    this.#how[entry] = only.how;
    this.#offset[entry] = condition?.offset ?? 0;
    this.#low[entry] = only.low;
    this.#high[entry] = only.high;
    this.#ofReturn = condition?.ofReturn ?? false;
    return true;
  }

  /** Puts the rows that pass into out[start, ..), ascending; returns the end. */
  find({ captures, entry: entries, calls }: Block, out: Uint16Array, start: number): number {
    const { words } = captures;
    const starts = this.#ofReturn ? captures.returnAt : captures.enterAt;
    const ends = this.#ofReturn ? captures.endAt : captures.returnAt;
    const hows = this.#how;
    const offsets = this.#offset;
    const lows = this.#low;
    const highs = this.#high;
    let kept = start;
    for (let row = 0; row < calls; row++) {
      const entry = entries[row] ?? 0;
      const how = hows[entry] ?? 0;
      if (how === reading.none) continue;
      const at = (starts[row] ?? 0) + (offsets[entry] ?? 0);
      if (at + 8 > (ends[row] ?? 0)) continue;
      const number = wordNumber(how, words[at >>> 2] ?? 0, words[(at >>> 2) + 1] ?? 0);
      if (number >= (lows[entry] ?? 0) && number <= (highs[entry] ?? 0)) out[kept++] = row;
    }
    return kept;
  }
}

/** Rows [from, to) of a list. */
interface RowRange {
  readonly rows: Uint16Array;
  readonly from: number;
  readonly to: number;
}

/** Copies the rows for which all conditions hold to out[start, ..); returns the end. */
function narrowAll(
  block: Block,
  conditions: readonly Condition[],
  range: RowRange,
  out: Uint16Array,
  start: number,
): number {
  let source = range;
  for (const condition of conditions) {
    const to = narrow(block.captures, condition, source, out, start);
    source = { rows: out, from: start, to };
  }
  return source.to;
}

function narrow(
  captures: Captures,
  { fn, meant, ofReturn, only, offset }: Condition,
  { rows, from, to }: RowRange,
  out: Uint16Array,
  start: number,
): number {
  const starts = ofReturn ? captures.returnAt : captures.enterAt;
  const ends = ofReturn ? captures.endAt : captures.returnAt;
  let kept = start;
  for (let i = from; i < to; i++) {
    const row = rows[i] ?? 0;
    const at = starts[row] ?? 0;
    const end = ends[row] ?? 0;
    if (at >= end) continue;
    const passes =
      only === null
        ? anyFits(fn, meant, captures, at, end)
        : passesAt(captures, only, at + offset, end);
    if (passes) out[kept++] = row;
  }
  return kept;
}

function passesAt(captures: Captures, test: ValueTest, at: number, end: number): boolean {
  if (at + 8 > end) return false;
  switch (test.kind) {
    case 'number': {
      const { words } = captures;
      const number = wordNumber(test.how, words[at >>> 2] ?? 0, words[(at >>> 2) + 1] ?? 0);
      return number >= test.low && number <= test.high;
    }
    case 'text':
      return textFits(captures, test, at, end);
    case 'part':
    case 'any':
      return test.test(captures.bytes, at, end);
  }
}

function textFits(
  { words, bytes }: Captures,
  { bytes: wanted, takesNull, takesAny }: TextTest,
  at: number,
  end: number,
): boolean {
  const flags = words[(at >>> 2) + 1] ?? 0;
  if ((flags & stringFlags.isNull) !== 0) return takesNull;
  if (takesAny) return true;
  if (wanted === null || (flags & stringFlags.unreadable) !== 0) return false;
  if (Math.min(words[at >>> 2] ?? 0, end - at - 8) !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i++) if (bytes[at + 8 + i] !== wanted[i]) return false;
  return true;
}

/** Whether the captured value has a length of its own. */
function isLong(fn: TracedFunction, index: number): boolean {
  const captured = fn.captured[index];
  return captured !== undefined && hasOwnLength(captured.type);
}

/** Whether what comes before the index-th captured value always takes the same space. */
function hasFixedPlace(fn: TracedFunction, index: number): boolean {
  for (let i = 0; i < index; i++) if (isLong(fn, i)) return false;
  return true;
}

/** Whether one of the parameters a filter may mean fits. */
function anyFits(
  fn: TracedFunction,
  meant: readonly Meant[],
  captures: Captures,
  from: number,
  to: number,
): boolean {
  const { words } = captures;
  let at = from;
  let index = 0;
  for (const { index: wanted, test } of meant) {
    for (; index < wanted && at + 8 <= to; index++) {
      const isText = isLong(fn, index);
      at += isText ? 8 + (((words[at >>> 2] ?? 0) + 7) & -8) : 8;
    }
    if (at + 8 > to) return false;
    if (passesAt(captures, test, at, to)) return true;
  }
  return false;
}
