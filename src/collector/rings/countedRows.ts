import { readSync } from 'node:fs';
import type { CountedCalls } from '../../model/eventColumns.ts';
import { countedRow, slotHeader } from '../../protocol/record.ts';
import type { ClockMap } from './clockMap.ts';

/** What was told of each row: its index, calls, ended ones, their cycles. JSON. */
export type CountedSoFar = readonly (readonly [
  row: number,
  calls: number,
  timed: number,
  cycles: number,
])[];

/** The rows go on over threads of the slot, so what they say is told as differences. */
export class CountedRows {
  readonly #seen = new Map<number, { calls: number; timed: number; cycles: number }>();
  #bytes = Buffer.alloc(0);

  constructor(soFar: CountedSoFar = []) {
    for (const [row, calls, timed, cycles] of soFar) this.#seen.set(row, { calls, timed, cycles });
  }

  get soFar(): CountedSoFar {
    return [...this.#seen].map(([row, { calls, timed, cycles }]) => [row, calls, timed, cycles]);
  }

  /** What was added to the first `rows` rows of the slot at `offset` since the last time. */
  read(file: number, offset: number, rows: number, clock: ClockMap): CountedCalls[] {
    const length = Math.min(rows, countedRow.count) * countedRow.bytes;
    if (this.#bytes.length < length) this.#bytes = Buffer.alloc(length);
    const bytes = this.#bytes;
    readSync(file, bytes, 0, length, offset + slotHeader.counted);
    const added: CountedCalls[] = [];
    for (let row = 1; row * countedRow.bytes < length; row++) {
      const at = row * countedRow.bytes;
      const word = (where: number): number => Number(bytes.readBigUInt64LE(at + where));
      const now = {
        timed: word(countedRow.timed),
        calls: word(countedRow.calls),
        cycles: word(countedRow.total),
      };
      const before = this.#seen.get(row) ?? { calls: 0, timed: 0, cycles: 0 };
      if (now.calls === before.calls && now.timed === before.timed) continue;
      this.#seen.set(row, now);
      const inverted = bytes.readBigUInt64LE(at + countedRow.leastInverted);
      added.push({
        fn: bytes.readUInt32LE(at + countedRow.fn),
        calls: now.calls - before.calls,
        timed: now.timed - before.timed,
        totalNs: clock.toNs(now.cycles - before.cycles),
        minNs: clock.toNs(Number(BigInt.asUintN(64, ~inverted))),
        maxNs: clock.toNs(word(countedRow.most)),
      });
    }
    return added;
  }
}
