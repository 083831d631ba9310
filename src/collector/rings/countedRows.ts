import { readSync } from 'node:fs';
import type { CountedCalls } from '../../model/eventColumns.ts';
import { countedRow, record, slotHeader } from '../../protocol/record.ts';
import type { ClockMap } from './clockMap.ts';

/** What was told of each row: its index, calls, ended ones, their cycles. JSON. */
export type CountedSoFar = readonly (readonly [
  row: number,
  calls: number,
  timed: number,
  cycles: number,
])[];

interface Told {
  readonly calls: number;
  readonly timed: number;
  readonly cycles: number;
}

const none: Told = { calls: 0, timed: 0, cycles: 0 };
const rowWords = countedRow.bytes / 4;

/** The rows go on over threads of the slot, so what they say is told as differences. */
export class CountedRows {
  readonly #seen = new Map<number, Told>();
  #words: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  /** What was read before: of thousands of rows few have changed. */
  #before: Uint32Array<ArrayBuffer> = new Uint32Array(0);

  constructor(soFar: CountedSoFar = []) {
    for (const [row, calls, timed, cycles] of soFar) this.#seen.set(row, { calls, timed, cycles });
  }

  get soFar(): CountedSoFar {
    return [...this.#seen].map(([row, { calls, timed, cycles }]) => [row, calls, timed, cycles]);
  }

  /** What was added to the first `rows` rows of the slot at `offset` since the last time. */
  read(
    file: number,
    offset: number,
    rows: number,
    clock: ClockMap,
    locals: Uint32Array,
  ): CountedCalls[] {
    const used = Math.min(rows, record.maxFunctions);
    const words = this.#roomFor(used);
    const length = used * countedRow.bytes;
    readSync(file, words, 0, length, offset + slotHeader.counted);
    const added: CountedCalls[] = [];
    for (let row = 1; row < used; row++) {
      if (!this.#hasChanged(words, row)) continue;
      const word = (at: number): number => wordAt(words, row, at);
      const now = {
        timed: word(countedRow.timed),
        calls: word(countedRow.calls),
        cycles: word(countedRow.total),
      };
      const before = this.#seen.get(row) ?? none;
      if (now.calls === before.calls && now.timed === before.timed) continue;
      this.#seen.set(row, now);
      const fn = words[row * rowWords + countedRow.fn / 4] ?? 0;
      added.push({
        fn: fn < record.localFunctions ? fn : (locals[fn - record.localFunctions] ?? 0),
        calls: now.calls - before.calls,
        timed: now.timed - before.timed,
        totalNs: clock.toNs(now.cycles - before.cycles),
        minNs: clock.toNs(wordAt(words, row, countedRow.leastInverted, ~0)),
        maxNs: clock.toNs(word(countedRow.most)),
      });
    }
    [this.#words, this.#before] = [this.#before, words];
    return added;
  }

  #roomFor(rows: number): Uint32Array<ArrayBuffer> {
    if (this.#words.length >= rows * rowWords) return this.#words;
    const before = new Uint32Array(rows * rowWords);
    before.set(this.#before);
    this.#before = before;
    return new Uint32Array(rows * rowWords);
  }

  /** Calls began or ended. */
  #hasChanged(words: Uint32Array, row: number): boolean {
    const from = row * rowWords + countedRow.calls / 4;
    const until = row * rowWords + countedRow.total / 4;
    for (let at = from; at < until; at++) if (words[at] !== this.#before[at]) return true;
    return false;
  }
}

/** `inverted`: all ones where the word's bits are. */
function wordAt(words: Uint32Array, row: number, at: number, inverted = 0): number {
  const low = row * rowWords + at / 4;
  return (
    (((words[low] ?? 0) ^ inverted) >>> 0) + (((words[low + 1] ?? 0) ^ inverted) >>> 0) * 2 ** 32
  );
}
