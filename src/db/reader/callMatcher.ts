import type { TracedFunction } from '../../model/eventColumns.ts';
import { endCode, endMask } from '../blockFormat.ts';
import type { Block } from './blocks.ts';
import { isMeant, type CallPlan } from './callFilter.ts';
import type { SessionTables } from './sessionTables.ts';
import { valueTest, type ValueTest } from './valueFilter.ts';
import { decodeValue } from './values.ts';
import { fitsWords } from './words.ts';

/** What has to be tested of one function's captures. */
interface FunctionTests {
  readonly fn: TracedFunction;
  readonly hasStrings: boolean;
  /** Per argument filter, the parameters it may mean. All filters have to hold. */
  readonly arguments: readonly (readonly { readonly index: number; readonly test: ValueTest }[])[];
  readonly returns: ValueTest | null;
  readonly nameFitsText: boolean;
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
  readonly #needsCaptures: boolean;

  constructor(tables: SessionTables, plan: CallPlan, until: number) {
    this.#tables = tables;
    this.#plan = plan;
    this.#until = until;
    this.#openUntil = Math.min(until, tables.summary.indexedTo);
    this.#needsCaptures =
      plan.arguments.length > 0 || plan.returnValue !== null || plan.text !== null;
    this.#needsRowTest = this.#needsCaptures || plan.minDurationNs > 0 || plan.sets.length > 0;
  }

  /** False when no call of the block can pass, whatever its time. Reads no columns. */
  mayMatch(block: Block): boolean {
    const { threads, functions, minDurationNs, sets, text } = this.#plan;
    if (threads && !threads.has(block.thread)) return false;
    for (const set of sets) {
      const apart = set.to <= block.first || set.from >= block.first + block.calls;
      if (set.thread !== block.thread || apart) return false;
    }
    if (minDurationNs > 0 && block.open <= 0 && block.maxNs < minDurationNs) return false;
    if (text && !this.#mayHoldText(block)) return false;
    if (!functions) return true;
    const { fn, max } = block.dictionary;
    const anyDuration = minDurationNs <= 0 || block.open > 0 || block.late.length > 0;
    for (let entry = 0; entry < fn.length; entry++) {
      if (functions[fn[entry] ?? 0] !== 1) continue;
      if (anyDuration || (max[entry] ?? 0) >= minDurationNs) return true;
    }
    return false;
  }

  /** The number of matching calls when no row has to be looked at, else null. */
  countWhole(block: Block): number | null {
    if (this.#needsRowTest) return null;
    const { functions } = this.#plan;
    if (!functions) return block.calls;
    const { fn, calls } = block.dictionary;
    let count = 0;
    for (let entry = 0; entry < fn.length; entry++) {
      if (functions[fn[entry] ?? 0] === 1) count += calls[entry] ?? 0;
    }
    return count;
  }

  /** Visits the matching rows of [from, to) in order until `visit` returns false. */
  each(block: Block, from: number, to: number, visit: (row: number) => boolean): void {
    const { functions } = this.#plan;
    const candidates = functions ? rowsOf(block, functions) : null;
    if (candidates) {
      for (const row of candidates) {
        if (row < from) continue;
        if (row >= to) return;
        if (this.#passes(block, row) && !visit(row)) return;
      }
      return;
    }
    const allowed = functions ? allowedEntries(block, functions) : null;
    const entry = allowed ? block.entry : null;
    for (let row = from; row < to; row++) {
      if (allowed && entry && allowed[entry[row] ?? 0] !== 1) continue;
      if (this.#passes(block, row) && !visit(row)) return;
    }
  }

  #passes(block: Block, row: number): boolean {
    if (!this.#needsRowTest) return true;
    const { minDurationNs, sets } = this.#plan;
    if (minDurationNs > 0 && this.#lasted(block, row) < minDurationNs) return false;
    for (const set of sets) if (!set.has(block.first + row)) return false;
    return !this.#needsCaptures || this.#capturesFit(block, row);
  }

  /** Duration so far; -1 when it ended at an unknown time. */
  #lasted(block: Block, row: number): number {
    const start = block.start[row] ?? 0;
    const duration = block.duration[row] ?? -1;
    if (duration >= 0 && start + duration <= this.#until) return duration;
    const isOpen = duration >= 0 || ((block.end[row] ?? 0) & endMask) === endCode.open;
    return isOpen ? this.#openUntil - start : -1;
  }

  #capturesFit(block: Block, row: number): boolean {
    const fn = block.dictionary.fn[block.entry[row] ?? 0] ?? 0;
    const tests = this.#tests.get(fn) ?? this.#prepare(fn);
    if (tests.arguments.length > 0 && !this.#argumentsFit(tests, block, row)) return false;
    if (tests.returns && !this.#returnFits(tests.returns, block, row)) return false;
    return this.#plan.text === null || tests.nameFitsText || this.#textFits(tests, block, row);
  }

  #argumentsFit(tests: FunctionTests, block: Block, row: number): boolean {
    const at = block.enterAt(row);
    const end = at + block.enterLength(row);
    const bytes = block.payload;
    return tests.arguments.every((meant) =>
      meant.some(({ index, test }) => test(bytes, placeOf(tests, bytes, at, end, index), end)),
    );
  }

  #returnFits(test: ValueTest, block: Block, row: number): boolean {
    if (!this.#hasReturned(block, row)) return false;
    const bytes = block.returnPayload(row);
    return test(bytes, 0, bytes.length);
  }

  #hasReturned(block: Block, row: number): boolean {
    if (((block.end[row] ?? 0) & endMask) !== endCode.returned) return false;
    return (block.start[row] ?? 0) + (block.duration[row] ?? 0) <= this.#until;
  }

  #textFits({ fn, hasStrings }: FunctionTests, block: Block, row: number): boolean {
    const { text } = this.#plan;
    if (!hasStrings || !text) return false;
    const enter = block.enterPayload(row);
    let at = 0;
    for (const { type } of fn.captured) {
      const { value, next } = decodeValue(type, enter, at, enter.length);
      if (value.kind === 'string' && fitsWords(value.text, text.words)) return true;
      at = next;
    }
    if (fn.returns.kind !== 'cstring' || !this.#hasReturned(block, row)) return false;
    const bytes = block.returnPayload(row);
    const { value } = decodeValue(fn.returns, bytes, 0, bytes.length);
    return value.kind === 'string' && fitsWords(value.text, text.words);
  }

  #prepare(number: number): FunctionTests {
    const fn = this.#tables.fn(number);
    const { returnValue, text } = this.#plan;
    const tests: FunctionTests = {
      fn,
      hasStrings:
        fn.returns.kind === 'cstring' || fn.captured.some(({ type }) => type.kind === 'cstring'),
      arguments: this.#plan.arguments.map((filter) =>
        fn.captured.flatMap(({ type }, index) =>
          isMeant(filter, fn, index) ? [{ index, test: valueTest('argument', filter, type) }] : [],
        ),
      ),
      returns: returnValue ? valueTest('returnValue', returnValue, fn.returns) : null,
      nameFitsText: text?.names[number] === 1,
    };
    this.#tests.set(number, tests);
    return tests;
  }

  #mayHoldText(block: Block): boolean {
    const { text } = this.#plan;
    if (!text) return true;
    for (const fn of block.dictionary.fn) if (text.names[fn] === 1) return true;
    if (block.late.some(({ payload }) => payload !== null)) return true;
    if (block.strings.length === 0) return false;
    const { strings } = text;
    // Id 0 stands for strings that are not indexed.
    if (strings === null || block.strings[0] === 0) return true;
    for (const id of block.strings) if (strings.has(id)) return true;
    return false;
  }
}

/** Where the index-th captured value begins. */
function placeOf(
  { fn, hasStrings }: FunctionTests,
  bytes: Buffer,
  at: number,
  end: number,
  index: number,
): number {
  if (!hasStrings) return at + index * 8;
  let place = at;
  for (let i = 0; i < index && place + 8 <= end; i++) {
    const isString = fn.captured[i]?.type.kind === 'cstring';
    place += isString ? 8 + Math.ceil(bytes.readUInt32LE(place) / 8) * 8 : 8;
  }
  return place;
}

/** The rows of few calls among many, by postings; null when scanning all is as fast. */
function rowsOf(block: Block, functions: Uint8Array): Uint16Array | null {
  const { fn, calls } = block.dictionary;
  let wanted = 0;
  for (let entry = 0; entry < fn.length; entry++) {
    if (functions[fn[entry] ?? 0] === 1) wanted += calls[entry] ?? 0;
  }
  if (wanted * 8 > block.calls) return null;
  const rows = new Uint16Array(wanted);
  let filled = 0;
  let offset = 0;
  for (let entry = 0; entry < fn.length; entry++) {
    const count = calls[entry] ?? 0;
    if (functions[fn[entry] ?? 0] === 1) {
      rows.set(block.posting.subarray(offset, offset + count), filled);
      filled += count;
    }
    offset += count;
  }
  return rows.sort();
}

function allowedEntries(block: Block, functions: Uint8Array): Uint8Array {
  return Uint8Array.from(block.dictionary.fn, (fn) => functions[fn] ?? 0);
}

/** Index of the first row that starts at or after `time`. */
export function firstRowFrom(block: Block, time: number): number {
  if (time <= block.startNs) return 0;
  if (time > block.lastNs) return block.calls;
  const { start } = block;
  let low = 0;
  let high = block.calls;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((start[middle] ?? 0) >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first row that starts after `time`. */
export function firstRowAfter(block: Block, time: number): number {
  if (time < block.startNs) return 0;
  if (time >= block.lastNs) return block.calls;
  const { start } = block;
  let low = 0;
  let high = block.calls;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((start[middle] ?? 0) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
