import { monotonicMs } from '../../../base/clock.ts';
import type { Block } from '../block.ts';
import type { CallPlan } from './callFilter.ts';
import { firstRowAfter, firstRowFrom, type CallMatcher } from './callMatcher.ts';
import type { SessionTables } from '../sessionTables.ts';

/** Goes through the matching calls of one thread in the order in which they were entered. */
export class CallWalk {
  readonly #tables: SessionTables;
  readonly #plan: CallPlan;
  readonly #matcher: CallMatcher;
  readonly #blocks: readonly Block[];
  readonly #deadline: number;
  #next = 0;
  #rows = new Uint16Array(0);
  #at = 0;
  #block: Block | null = null;
  /** The deadline ended it. */
  isLate = false;

  constructor(
    tables: SessionTables,
    plan: CallPlan,
    matcher: CallMatcher,
    thread: number,
    deadline: number,
  ) {
    this.#tables = tables;
    this.#plan = plan;
    this.#matcher = matcher;
    this.#blocks = tables.blocks.byThread.get(thread) ?? [];
    this.#deadline = deadline;
  }

  /** False when there is no further call. */
  next(): boolean {
    this.#at++;
    while (this.#at >= this.#rows.length) {
      if (!this.#nextBlock()) return false;
    }
    return true;
  }

  /** The call it stands at; after a `next` that was true. */
  get place(): { readonly block: Block; readonly row: number } {
    if (!this.#block) throw new Error('the walk has not begun');
    return { block: this.#block, row: this.#rows[this.#at] ?? 0 };
  }

  /** The block whose calls come next, where all of them do; null in the middle of one. */
  get wholeBlock(): Block | null {
    if (this.#at + 1 < this.#rows.length || !this.#matcher.takesAll) return null;
    const { timeFrom, timeTo } = this.#plan;
    const block = this.#blocks[this.#next];
    const isWhole = block && block.startNs >= timeFrom && block.lastNs <= timeTo;
    return isWhole && this.#matcher.mayMatch(block) ? block : null;
  }

  /** Goes to the last call of `wholeBlock`. */
  skipBlock(): void {
    if (this.#block) this.#tables.blocks.passed(this.#block);
    const block = this.#blocks[this.#next++] ?? null;
    this.#block = block;
    this.#rows = Uint16Array.of((block?.calls ?? 1) - 1);
    this.#at = 0;
  }

  #nextBlock(): boolean {
    if (this.#block) this.#tables.blocks.passed(this.#block);
    for (;;) {
      const block = this.#blocks[this.#next++];
      if (!block || block.startNs > this.#plan.timeTo) return false;
      if (monotonicMs() > this.#deadline) {
        this.isLate = true;
        return false;
      }
      if (block.lastNs < this.#plan.timeFrom || !this.#matcher.mayMatch(block)) continue;
      const rows: number[] = [];
      const to = firstRowAfter(block, this.#plan.timeTo);
      this.#matcher.each(block, firstRowFrom(block, this.#plan.timeFrom), to, (row) => {
        rows.push(row);
        return true;
      });
      this.#block = block;
      this.#rows = Uint16Array.from(rows);
      this.#at = 0;
      return true;
    }
  }
}
