import type { Block } from '../reader/block.ts';
import type { SessionTables } from '../reader/sessionTables.ts';

/**
 * Finds for each exported call of a thread, taken in the order of entering, its nearest caller
 * that was exported before it. Keeps only those that may still be callers.
 */
export class NearestCallers {
  readonly #tables: SessionTables;
  /** By thread: ordinals of the exported callers of the last call, outermost first, and itself. */
  readonly #stacks = new Map<number, number[]>();

  constructor(tables: SessionTables) {
    this.#tables = tables;
  }

  /** `level`: how many exported callers there are. */
  place(block: Block, row: number): { readonly level: number; readonly parent: number | null } {
    const stack = this.#stackOf(block.thread);
    let caller = callerIn(block, row);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      while (caller > top) caller = this.#callerOf(block, caller);
      if (caller === top) break;
      stack.pop();
    }
    const level = stack.length;
    const parent = stack.at(-1) ?? null;
    stack.push(block.first + row);
    return { level, parent };
  }

  /** No further call of the thread comes. */
  forget(thread: number): void {
    this.#stacks.delete(thread);
  }

  #stackOf(thread: number): number[] {
    const known = this.#stacks.get(thread);
    if (known) return known;
    const stack: number[] = [];
    this.#stacks.set(thread, stack);
    return stack;
  }

  /** -1: it has none, or it went. */
  #callerOf(near: Block, ordinal: number): number {
    if (ordinal >= near.first) return callerIn(near, ordinal - near.first);
    const found = this.#tables.blocks.find(near.thread, ordinal);
    return found ? callerIn(found.block, found.row) : -1;
  }
}

function callerIn(block: Block, row: number): number {
  const up = block.up[row] ?? 0;
  return up === 0 ? -1 : block.first + row - up;
}
