import type { CallFilter } from '../../../model/questions/query.ts';
import type { Block } from '../block.ts';
import type { SessionTables } from '../sessionTables.ts';
import { planFilter } from './callFilter.ts';
import { CallMatcher } from './callMatcher.ts';

/** Which single calls pass a filter; those of one block after the other are asked for mostly. */
export class PassingCalls {
  readonly #tables: SessionTables;
  readonly #matcher: CallMatcher;
  /** By thread: the block that was asked for last, and 1 where its calls pass. */
  readonly #known = new Map<number, { readonly block: Block; readonly passes: Uint8Array }>();

  /** Throws BAD_PARAMETER, BAD_REGEX or BAD_PATTERN. */
  constructor(tables: SessionTables, filter: CallFilter, until: number) {
    this.#tables = tables;
    this.#matcher = new CallMatcher(tables, planFilter(filter, tables, until), until);
  }

  has(thread: number, ordinal: number): boolean {
    const known = this.#known.get(thread);
    const row = known ? ordinal - known.block.first : -1;
    if (known && row >= 0 && row < known.block.calls) return known.passes[row] === 1;
    const found = this.#tables.blocks.find(thread, ordinal);
    if (!found) return false;
    const passes = this.#passing(found.block);
    this.#known.set(thread, { block: found.block, passes });
    return passes[found.row] === 1;
  }

  #passing(block: Block): Uint8Array {
    const passes = new Uint8Array(block.calls);
    if (!this.#matcher.mayMatch(block)) return passes;
    this.#matcher.each(block, 0, block.calls, (row) => {
      passes[row] = 1;
      return true;
    });
    this.#tables.blocks.passed(block);
    return passes;
  }
}
