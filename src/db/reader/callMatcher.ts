import type { TracedFunction } from '../../model/eventColumns.ts';
import { endCode, endMask } from '../blockFormat.ts';
import type { Block } from './blocks.ts';
import { hasStrings, isMeant, type CallPlan, type TextPlan } from './callFilter.ts';
import type { CallSet } from './subtree.ts';
import type { SessionTables } from './sessionTables.ts';
import { valueTest, type CapturedBytes, type ValueTest } from './valueFilter.ts';
import { decodeValue } from './values.ts';
import { fitsWords } from './words.ts';

/** Tests one row of the block it was made for. */
type RowTest = (row: number) => boolean;

/** What has to be tested of one function's captures. */
interface FunctionTests {
  readonly fn: TracedFunction;
  readonly hasStrings: boolean;
  /** Per argument filter, the parameters it may mean. All filters have to hold. */
  readonly arguments: readonly (readonly { readonly index: number; readonly test: ValueTest }[])[];
  readonly returns: ValueTest | null;
}

/** Finds the calls of a block that pass a plan, as things stood at `until`. */
export class CallMatcher {
  readonly #tables: SessionTables;
  readonly #plan: CallPlan;
  readonly #until: number;
  /** Until when an open call is known to have lasted. */
  readonly #openUntil: number;
  readonly #tests = new Map<number, FunctionTests>();
  readonly #needsRowTest: boolean;

  constructor(tables: SessionTables, plan: CallPlan, until: number) {
    this.#tables = tables;
    this.#plan = plan;
    this.#until = until;
    this.#openUntil = Math.min(until, tables.summary.indexedTo);
    this.#needsRowTest =
      plan.arguments.length > 0 ||
      plan.returnValue !== null ||
      plan.text !== null ||
      plan.minDurationNs > 0 ||
      plan.sets.length > 0;
  }

  /** False when no call of the block can pass, whatever its time. Reads no columns. */
  mayMatch(block: Block): boolean {
    const { threads, sets, text } = this.#plan;
    if (threads && !threads.has(block.thread)) return false;
    if (!sets.every((set) => mayHold(set, block))) return false;
    if (text && !mayHoldText(text, block)) return false;
    return this.#mayLast(block) && this.#mayHoldFunctions(block);
  }

  /** The number of matching calls when no row has to be looked at, else null. */
  countWhole(block: Block): number | null {
    if (this.#needsRowTest) return null;
    const { functions } = this.#plan;
    return functions ? callsOf(block, functions) : block.calls;
  }

  /** Visits the matching rows of [from, to) in order until `visit` returns false. */
  each(block: Block, from: number, to: number, visit: (row: number) => boolean): void {
    const { functions } = this.#plan;
    const tests = this.#rowTests(block);
    const [only] = tests;
    const candidates = functions ? rowsOf(block, functions) : null;
    if (candidates) {
      for (const row of candidates) {
        if (row < from) continue;
        if (row >= to) return;
        if (passesAll(tests, row) && !visit(row)) return;
      }
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
    const { minDurationNs, sets, text, returnValue } = this.#plan;
    const tests: RowTest[] = [];
    if (!this.#needsRowTest) return tests;
    if (minDurationNs > 0) tests.push(this.#durationTest(block));
    for (const set of sets) tests.push((row) => set.has(block.first + row));
    if (this.#plan.arguments.length === 0 && !returnValue && !text) return tests;
    const functions = Array.from(block.dictionary.fn, (fn) => this.#testsOf(fn));
    for (const i of this.#plan.arguments.keys()) tests.push(argumentTest(block, functions, i));
    if (returnValue) tests.push(this.#returnTest(block, functions));
    if (text) tests.push(this.#textTest(block, functions, text));
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

  #returnTest(block: Block, functions: readonly FunctionTests[]): RowTest {
    const { entry, captures } = block;
    const { returnAt, endAt } = captures;
    const hasReturned = this.#returnedTest(block);
    return (row) => {
      const test = functions[entry[row] ?? 0]?.returns;
      if (!test || !hasReturned(row)) return false;
      const from = returnAt[row] ?? 0;
      const to = endAt[row] ?? 0;
      if (to > from) return test(captures, from, to);
      const late = capturedBytes(block.returnPayload(row));
      return test(late, 0, late.bytes.length);
    };
  }

  #textTest(block: Block, functions: readonly FunctionTests[], text: TextPlan): RowTest {
    const { entry } = block;
    const hasReturned = this.#returnedTest(block);
    return (row) => {
      const tests = functions[entry[row] ?? 0];
      if (!tests) return false;
      if (text.names[tests.fn.number] === 1) return true;
      if (!tests.hasStrings) return false;
      const { fn } = tests;
      if (enteredWith(fn, block.enterPayload(row), text.words)) return true;
      if (fn.returns.kind !== 'cstring' || !hasReturned(row)) return false;
      const bytes = block.returnPayload(row);
      const { value } = decodeValue(fn.returns, bytes, 0, bytes.length);
      return value.kind === 'string' && fitsWords(value.text, text.words);
    };
  }

  #testsOf(number: number): FunctionTests {
    const known = this.#tests.get(number);
    if (known) return known;
    const fn = this.#tables.fn(number);
    const { returnValue } = this.#plan;
    const tests: FunctionTests = {
      fn,
      hasStrings: hasStrings(fn),
      arguments: this.#plan.arguments.map((filter) =>
        fn.captured.flatMap(({ type }, index) =>
          isMeant(filter, fn, index) ? [{ index, test: valueTest('argument', filter, type) }] : [],
        ),
      ),
      returns: returnValue ? valueTest('returnValue', returnValue, fn.returns) : null,
    };
    this.#tests.set(number, tests);
    return tests;
  }
}

function passesAll(tests: readonly RowTest[], row: number): boolean {
  for (const test of tests) if (!test(row)) return false;
  return true;
}

function mayHold(set: CallSet, block: Block): boolean {
  if (set.thread !== block.thread) return false;
  return set.to > block.first && set.from < block.first + block.calls;
}

function mayHoldText({ names, strings }: TextPlan, block: Block): boolean {
  if (block.dictionary.fn.some((fn) => names[fn] === 1)) return true;
  if (block.late.some(({ payload }) => payload !== null)) return true;
  if (block.strings.length === 0) return false;
  // Id 0 stands for strings that are not indexed.
  if (strings === null || block.strings[0] === 0) return true;
  return block.strings.some((id) => strings.has(id));
}

function functionRowTest(block: Block, functions: Uint8Array): RowTest {
  const allowed = Uint8Array.from(block.dictionary.fn, (fn) => functions[fn] ?? 0);
  const { entry } = block;
  return (row) => allowed[entry[row] ?? 0] === 1;
}

/** The i-th argument filter. */
function argumentTest(block: Block, functions: readonly FunctionTests[], i: number): RowTest {
  const { entry, captures } = block;
  const { enterAt, returnAt } = captures;
  // Nearly always one parameter at a fixed place is meant: that takes no loop.
  const tests: (ValueTest | null)[] = [];
  const places: number[] = [];
  for (const { hasStrings: isMovable, arguments: meant } of functions) {
    const [only, ...others] = meant[i] ?? [];
    const isFixed = only !== undefined && others.length === 0 && (!isMovable || only.index === 0);
    tests.push(isFixed ? only.test : null);
    places.push(isFixed ? only.index * 8 : 0);
  }
  return (row) => {
    const at = entry[row] ?? 0;
    const test = tests[at];
    const from = enterAt[row] ?? 0;
    const to = returnAt[row] ?? 0;
    if (test) return test(captures, from + (places[at] ?? 0), to);
    const wanted = functions[at];
    return wanted ? anyFits(wanted, i, captures, from, to) : false;
  };
}

/** Whether one of the parameters the i-th filter may mean fits. */
function anyFits(
  { fn, arguments: meant }: FunctionTests,
  i: number,
  captured: CapturedBytes,
  from: number,
  to: number,
): boolean {
  for (const { index, test } of meant[i] ?? []) {
    if (test(captured, placeOf(fn, captured.bytes, from, to, index), to)) return true;
  }
  return false;
}

/** Where the index-th captured value begins. */
function placeOf(
  fn: TracedFunction,
  bytes: Buffer,
  from: number,
  to: number,
  index: number,
): number {
  let at = from;
  for (const { type } of fn.captured.slice(0, index)) {
    if (at + 8 > to) return to;
    at += type.kind === 'cstring' ? 8 + Math.ceil(bytes.readUInt32LE(at) / 8) * 8 : 8;
  }
  return at;
}

function enteredWith(fn: TracedFunction, payload: Buffer, words: readonly string[]): boolean {
  let at = 0;
  for (const { type } of fn.captured) {
    const { value, next } = decodeValue(type, payload, at, payload.length);
    if (value.kind === 'string' && fitsWords(value.text, words)) return true;
    at = next;
  }
  return false;
}

function capturedBytes(bytes: Buffer): CapturedBytes {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
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
  return lowerBound(block.start, block.calls, time);
}

/** Index of the first row that starts after `time`. */
export function firstRowAfter(block: Block, time: number): number {
  if (time < block.startNs) return 0;
  if (time >= block.lastNs) return block.calls;
  // Times are whole nanoseconds.
  return lowerBound(block.start, block.calls, Math.floor(time) + 1);
}

/** Index of the first value at or above `wanted` in ascending values. */
function lowerBound(values: Float64Array, count: number, wanted: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) >= wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
