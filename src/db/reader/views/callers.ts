import { ContextBuilder } from '../tree/contextBuilder.ts';
import { Piece, wholeBlock } from '../tree/piece.ts';
import type { Block } from '../block.ts';
import { functionNumber } from './callViews.ts';
import type { SessionTables } from '../sessionTables.ts';

/** All calls of one function by another. */
export interface CallerSums {
  /** Function number; null: called by no traced function. */
  readonly caller: number | null;
  readonly callee: number;
  calls: number;
  /** Over the calls whose duration is known. */
  totalNs: number;
  minNs: number | null;
  maxNs: number | null;
}

/** Who calls whom, from the contexts of blocks: few calls are looked at. Inside a snapshot. */
export function callersOf(tables: SessionTables): CallerSums[] {
  const builder = new ContextBuilder();
  const known = new Map<string, CallerSums>();
  for (const block of tables.blocks.byTime) {
    const everything = { ...wholeBlock(block), withChild: false };
    const { contexts } = new Piece(block, { index: 0, base: 0 }, everything, builder);
    const { outer, above, fn, calls, timed, totalNs, leastNs, mostNs } = contexts.columns;
    for (let context = 0; context < contexts.count; context++) {
      if ((outer[context] ?? 0) >= 0) continue;
      const higher = above[context] ?? -1;
      const ordinal = outer[higher] ?? -1;
      const caller =
        higher < 0 ? null : ordinal < 0 ? (fn[higher] ?? 0) : functionOf(tables, block, ordinal);
      const callee = fn[context] ?? 0;
      const key = `${caller} ${callee}`;
      let sums = known.get(key);
      if (!sums)
        known.set(key, (sums = { caller, callee, calls: 0, totalNs: 0, minNs: null, maxNs: null }));
      sums.calls += calls[context] ?? 0;
      if (timed[context] === 0) continue;
      sums.totalNs += totalNs[context] ?? 0;
      sums.minNs = Math.min(sums.minNs ?? Infinity, leastNs[context] ?? 0);
      sums.maxNs = Math.max(sums.maxNs ?? 0, mostNs[context] ?? 0);
    }
    tables.blocks.passed(block);
  }
  return [...known.values()];
}

function functionOf(tables: SessionTables, { thread }: Block, ordinal: number): number | null {
  const found = tables.blocks.find(thread, ordinal);
  return found && functionNumber(found.block, found.row);
}
