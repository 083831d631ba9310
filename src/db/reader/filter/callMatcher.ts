import { firstAtOrAfter } from '../../../base/sorted.ts';
import { noNames } from '../../../model/decoding/dynamic.ts';
import type { TracedFunction } from '../../../model/eventColumns.ts';
import type { Value, ValueFilter } from '../../../model/questions/query.ts';
import { hasOwnLength, type ValueType } from '../../../model/values/valueType.ts';
import { blockCalls, columns, endCode, endMask, unindexedString } from '../../blockFormat.ts';
import { readingOf } from '../../capturedNumbers.ts';
import type { Captures } from '../../captures.ts';
import type { Block } from '../block.ts';
import {
  hasStrings,
  holdsText,
  isMeant,
  pathIn,
  type CallPlan,
  type TextPlan,
} from './callFilter.ts';
import { CaptureMemo, longSize } from './captureMemo.ts';
import type { CallSet } from './subtree.ts';
import type { SessionTables } from '../sessionTables.ts';
import { valueTest, type NamesInUse, type ValueTest } from './valueFilter.ts';
import { decodeValue, textsOf } from '../values/capturedValues.ts';
import { ValueScan, type ValueTests } from './valueScan.ts';
import { whereTest } from './whereFilter.ts';
import { fitsWords } from './words.ts';

/** Tests one row of the block it was made for. */
type RowTest = (row: number) => boolean;

/** Rows in order, except that each run has the calls of one function; behind the last run are others. */
export interface MatchingRows {
  readonly rows: Uint16Array;
  readonly runs: readonly { readonly from: number; readonly to: number }[];
}

/** Finds the calls of a block that pass a plan, as things stood at `until`. */
export class CallMatcher {
  readonly #tables: SessionTables;
  readonly #plan: CallPlan;
  readonly #until: number;
  /** Until when an open call is known to have lasted. */
  readonly #openUntil: number;
  readonly #tests = new Map<number, ValueTests>();
  /** By argument filter (or -1) and type: most types occur many times. */
  readonly #testOfType = new Map<string, ValueTest>();
  readonly #parts = new Map<string, ReadonlySet<number>>();
  #partSeen: { block: Block; part: string; held: boolean } | null = null;
  /** Whether captured strings hold the words of the text that is looked for. */
  readonly #fits = new CaptureMemo<boolean>();
  readonly #inUse: NamesInUse = { names: noNames };
  readonly #values: ValueScan | null;
  readonly #needsRowTest: boolean;
  readonly #rows = new Uint16Array(blockCalls);
  readonly #lasting = new Uint16Array(blockCalls);

  constructor(tables: SessionTables, plan: CallPlan, until: number) {
    this.#tables = tables;
    this.#plan = plan;
    this.#until = until;
    this.#openUntil = Math.min(until, tables.summary.indexedTo);
    this.#values =
      plan.arguments.length > 0 || plan.returnValue !== null
        ? new ValueScan(
            (fn) => this.#testsOf(fn),
            (block, { part }) => this.#mayHoldPart(block, part),
          )
        : null;
    this.#needsRowTest =
      plan.arguments.length > 0 ||
      plan.returnValue !== null ||
      plan.text !== null ||
      plan.where !== null ||
      plan.strands !== null ||
      plan.minDurationNs > 0 ||
      plan.sets.length > 0;
  }

  /** False when no call of the block can pass, whatever its time. Reads no columns. */
  mayMatch(block: Block): boolean {
    const { threads, strands, sets, text } = this.#plan;
    if (threads && !threads.has(block.thread)) return false;
    if (strands && (block.strand === null || strands(block.thread).size === 0)) return false;
    if (!sets.every((set) => mayHold(set, block))) return false;
    if (text && !mayHoldText(text, block)) return false;
    return this.#mayLast(block) && this.#mayHoldFunctions(block);
  }

  /** Whether every call of a block that may match does. */
  get takesAll(): boolean {
    return this.takesByFunction && this.#plan.functions === null;
  }

  /** Whether every call of a block that may match does, if its function is one of the plan's. */
  get takesByFunction(): boolean {
    return !this.#needsRowTest;
  }

  /** The number of matching calls when no row has to be looked at, else null. */
  countWhole(block: Block): number | null {
    if (this.#needsRowTest) return null;
    const { functions } = this.#plan;
    return functions ? callsOf(block, functions) : block.calls;
  }

  /** The matching rows of [from, to); valid until the next call. */
  rows(block: Block, from: number, to: number): MatchingRows {
    this.#inUse.names = block.names;
    const functions = this.#functionsIn(block);
    const isWhole = from === 0 && to === block.calls;
    if (functions && this.#values && isWhole && this.#rowTests(block).length === 0) {
      const rows = this.#values.rows(block, functions, false);
      return { rows, runs: this.#values.runs };
    }
    if (isWhole && !this.#needsRowTest) return rowsByFunction(block, functions);
    let count = 0;
    this.each(block, from, to, (row) => {
      this.#rows[count++] = row;
      return true;
    });
    return { rows: this.#rows.subarray(0, count), runs: [] };
  }

  /** Visits the matching rows of [from, to) in order until `visit` returns false. */
  each(block: Block, from: number, to: number, visit: (row: number) => boolean): void {
    this.#inUse.names = block.names;
    const functions = this.#functionsIn(block);
    const lasting = this.#rowsThatLast(block);
    const candidates = lasting ?? (functions ? this.#candidates(block, functions) : null);
    if (candidates?.length === 0) return;
    const tests = this.#rowTests(block);
    const [only] = tests;
    if (candidates) {
      if (lasting && functions) tests.unshift(functionRowTest(block, functions));
      eachOf(candidates, from, to, (row) => !passesAll(tests, row) || visit(row));
      return;
    }
    if (functions && callsOf(block, functions) < block.calls) {
      tests.unshift(functionRowTest(block, functions));
    } else if (only && tests.length === 1) {
      for (let row = from; row < to; row++) if (only(row) && !visit(row)) return;
      return;
    }
    for (let row = from; row < to; row++) {
      if (passesAll(tests, row) && !visit(row)) return;
    }
  }

  /** The functions whose calls may pass in this block; null: all. */
  #functionsIn(block: Block): Uint8Array | null {
    const { functions, text } = this.#plan;
    if (!text || !functions || mayHoldStrings(text, block)) return functions;
    // Its strings do not fit: only names do.
    return functions.map((pass, fn) => pass & (text.names[fn] ?? 0));
  }

  /** The rows to look at, ascending; null when they are most of the block. */
  #candidates(block: Block, functions: Uint8Array): Uint16Array | null {
    return this.#values ? this.#values.rows(block, functions) : rowsOf(block, functions);
  }

  /** The rows that last long enough, ascending, where durations alone tell that; else null. */
  #rowsThatLast(block: Block): Uint16Array | null {
    const { minDurationNs } = this.#plan;
    if (minDurationNs <= 0 || this.#values || block.open > 0 || block.endsAfter(this.#until))
      return null;
    const { duration } = block;
    const rows = this.#lasting;
    let count = 0;
    for (let row = 0; row < block.calls; row++) {
      if ((duration[row] ?? -1) >= minDurationNs) rows[count++] = row;
    }
    return rows.subarray(0, count);
  }

  /** False when no string of the block holds the part. */
  #mayHoldPart(block: Block, part: string): boolean {
    const seen = this.#partSeen;
    if (seen?.block === block && seen.part === part) return seen.held;
    let ids = this.#parts.get(part);
    if (!ids) {
      ids = this.#tables.stringsContaining(part);
      this.#parts.set(part, ids);
    }
    let held = block.strings[0] === unindexedString;
    for (let i = 0; i < block.strings.length && !held; i++) {
      held = ids.has(block.strings[i] ?? 0);
    }
    this.#partSeen = { block, part, held };
    return held;
  }

  #mayLast(block: Block): boolean {
    const { minDurationNs } = this.#plan;
    return minDurationNs <= 0 || block.open > 0 || block.maxNs >= minDurationNs;
  }

  #mayHoldFunctions(block: Block): boolean {
    const { functions, minDurationNs } = this.#plan;
    if (!functions) return true;
    const { fn, max } = block.dictionary;
    const anyDuration = minDurationNs <= 0 || block.open > 0 || block.late.length > 0;
    for (const [entry, number] of fn.entries()) {
      if (functions[number] !== 1) continue;
      if (anyDuration || (max[entry] ?? 0) >= minDurationNs) return true;
    }
    return false;
  }

  /** The tests rows have to pass besides the function's; cheap ones first. */
  #rowTests(block: Block): RowTest[] {
    const { minDurationNs, strands, sets, text, returnValue, where } = this.#plan;
    const tests: RowTest[] = [];
    if (!this.#needsRowTest) return tests;
    if (strands) {
      const own = strands(block.thread);
      const { strand } = block;
      tests.push((row) => own.has(strand?.[row] ?? 0));
    }
    if (minDurationNs > 0) tests.push(this.#durationTest(block));
    for (const set of sets) {
      const own = set.of(block.thread);
      tests.push((row) => own?.has(block.first + row) === true);
    }
    if (returnValue) tests.push(this.#returnedTest(block));
    if (text) tests.push(this.#textTest(block, text));
    if (where) tests.push(whereTest(where, this.#tables, block, this.#returnedTest(block)));
    return tests;
  }

  #durationTest(block: Block): RowTest {
    const { start, duration, end } = block;
    const { minDurationNs } = this.#plan;
    const until = this.#until;
    const openUntil = this.#openUntil;
    return (row) => {
      const began = start[row] ?? 0;
      const lasted = duration[row] ?? -1;
      if (lasted >= 0 && began + lasted <= until) return lasted >= minDurationNs;
      const isOpen = lasted >= 0 || ((end[row] ?? 0) & endMask) === endCode.open;
      return isOpen && openUntil - began >= minDurationNs;
    };
  }

  #returnedTest(block: Block): RowTest {
    const { start, duration, end } = block;
    const until = this.#until;
    return (row) =>
      ((end[row] ?? 0) & endMask) === endCode.returned &&
      (start[row] ?? 0) + (duration[row] ?? 0) <= until;
  }

  #textTest(block: Block, text: TextPlan): RowTest {
    const { entry, captures } = block;
    const functions = Array.from(block.dictionary.fn, (fn) => this.#tables.fn(fn));
    const hasReturned = this.#returnedTest(block);
    return (row) => {
      const fn = functions[entry[row] ?? 0];
      if (!fn) return false;
      if (text.names[fn.number] === 1) return true;
      if (!hasStrings(fn)) return false;
      if (this.#enteredWith(fn, captures, row, text.words)) return true;
      if (!holdsText(fn.returns) || !hasReturned(row)) return false;
      const bytes = block.returnPayload(row);
      return holdsWords(
        decodeValue(fn.returns, bytes, 0, bytes.length, block.names).value,
        text.words,
      );
    };
  }

  #enteredWith(
    { captured }: TracedFunction,
    { bytes, words, enterAt, returnAt }: Captures,
    row: number,
    wanted: readonly string[],
  ): boolean {
    const end = returnAt[row] ?? 0;
    let at = enterAt[row] ?? 0;
    for (const { type } of captured) {
      const size = hasOwnLength(type) ? longSize(words, at, end) : 8;
      // Only of a string do the bytes alone tell what it is.
      const known =
        size > 0 && type.kind === 'cstring' ? this.#fits.get(words, at, size) : undefined;
      if (known === true) return true;
      if (known === undefined && (size < 0 || holdsText(type))) {
        const { value, next } = decodeValue(type, bytes, at, end, this.#inUse.names);
        const fits = holdsWords(value, wanted);
        if (size > 0 && type.kind === 'cstring') this.#fits.put(words, at, size, fits);
        if (fits) return true;
        at = next;
      } else at += size;
    }
    return false;
  }

  #testsOf(number: number): ValueTests {
    const known = this.#tests.get(number);
    if (known) return known;
    const fn = this.#tables.fn(number);
    const { returnValue } = this.#plan;
    const tests: ValueTests = {
      fn,
      arguments: this.#plan.arguments.map((filter, i) =>
        fn.captured.flatMap(({ type }, index) =>
          isMeant(filter, fn, index)
            ? [{ index, test: this.#valueTest(i, filter, type, pathIn(filter, fn, index)) }]
            : [],
        ),
      ),
      returns: returnValue && this.#valueTest(-1, returnValue, fn.returns, []),
    };
    this.#tests.set(number, tests);
    return tests;
  }

  #valueTest(
    filter: number,
    wanted: ValueFilter,
    type: ValueType,
    path: readonly string[],
  ): ValueTest {
    const subject = filter < 0 ? 'returnValue' : 'argument';
    if (['enum', 'tree', 'dynamic'].includes(type.kind) || path.length > 0)
      return valueTest(subject, wanted, type, this.#inUse, path);
    const key = `${filter} ${type.kind} ${readingOf(type)}`;
    const known = this.#testOfType.get(key);
    if (known) return known;
    const test = valueTest(subject, wanted, type, this.#inUse);
    this.#testOfType.set(key, test);
    return test;
  }
}

/** Visits those of ascending rows that are in [from, to) until `visit` returns false. */
function eachOf(
  rows: Uint16Array,
  from: number,
  to: number,
  visit: (row: number) => boolean,
): void {
  for (const row of rows) {
    if (row < from) continue;
    if (row >= to || !visit(row)) return;
  }
}

function passesAll(tests: readonly RowTest[], row: number): boolean {
  for (const test of tests) if (!test(row)) return false;
  return true;
}

function mayHold(set: CallSet, { thread, first, calls }: Block): boolean {
  return set.of(thread)?.mayHold(first, first + calls) === true;
}

function mayHoldText(text: TextPlan, block: Block): boolean {
  return block.dictionary.fn.some((fn) => text.names[fn] === 1) || mayHoldStrings(text, block);
}

function mayHoldStrings({ strings, returning }: TextPlan, block: Block): boolean {
  // What was returned late is not among the block's strings.
  const { late, lateEntries, dictionary } = block;
  const isReturned = (payload: Buffer | null, i: number): boolean =>
    payload !== null && returning[dictionary.fn[lateEntries[i] ?? 0] ?? 0] === 1;
  if (late.some(({ payload }, i) => isReturned(payload, i))) return true;
  if (block.strings.length === 0) return false;
  if (strings === null || block.strings[0] === unindexedString) return true;
  return block.strings.some((id) => strings.has(id));
}

function functionRowTest(block: Block, functions: Uint8Array): RowTest {
  const allowed = Uint8Array.from(block.dictionary.fn, (fn) => functions[fn] ?? 0);
  const { entry } = block;
  return (row) => allowed[entry[row] ?? 0] === 1;
}

function holdsWords(value: Value, wanted: readonly string[]): boolean {
  return textsOf(value).some((found) => fitsWords(found, wanted));
}

/** How many calls of these functions the block holds. */
function callsOf(block: Block, functions: Uint8Array): number {
  const { fn, calls } = block.dictionary;
  let count = 0;
  for (const [entry, number] of fn.entries()) {
    if (functions[number] === 1) count += calls[entry] ?? 0;
  }
  return count;
}

/** All rows of these functions (null: of all), one function after the other. */
function rowsByFunction(block: Block, functions: Uint8Array | null): MatchingRows {
  const { posting, dictionary } = block;
  const runs: { from: number; to: number }[] = [];
  const rows = new Uint16Array(functions ? callsOf(block, functions) : block.calls);
  let filled = 0;
  let offset = 0;
  for (const [entry, number] of dictionary.fn.entries()) {
    const count = dictionary.calls[entry] ?? 0;
    if (count > 0 && (!functions || functions[number] === 1)) {
      rows.set(posting.subarray(offset, offset + count), filled);
      runs.push({ from: filled, to: filled + count });
      filled += count;
    }
    offset += count;
  }
  return { rows, runs };
}

/** The rows of few calls among many, by postings; null when scanning all is as fast. */
function rowsOf(block: Block, functions: Uint8Array): Uint16Array | null {
  const wanted = callsOf(block, functions);
  if (wanted * 8 > block.calls) return null;
  const { fn, calls } = block.dictionary;
  const rows = new Uint16Array(wanted);
  let filled = 0;
  let offset = 0;
  for (const [entry, number] of fn.entries()) {
    const count = calls[entry] ?? 0;
    if (functions[number] === 1) {
      rows.set(block.posting.subarray(offset, offset + count), filled);
      filled += count;
    }
    offset += count;
  }
  // oxlint-disable-next-line unicorn/no-array-sort -- a typed array of our own, sorted in place.
  return rows.sort();
}

/** Index of the first row that starts at or after `time`. */
export function firstRowFrom(block: Block, time: number): number {
  if (time <= block.startNs) return 0;
  if (time > block.lastNs) return block.calls;
  return firstAtOrAfter(block.narrow(columns.start), time - block.startNs, 0, block.calls);
}

/** Index of the first row that starts after `time`. */
export function firstRowAfter(block: Block, time: number): number {
  if (time < block.startNs) return 0;
  if (time >= block.lastNs) return block.calls;
  // Times are whole nanoseconds.
  const behind = Math.floor(time) + 1 - block.startNs;
  return firstAtOrAfter(block.narrow(columns.start), behind, 0, block.calls);
}
