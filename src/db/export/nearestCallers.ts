import { firstActivation } from '../../model/eventColumns.ts';
import type { Block } from '../reader/block.ts';
import type { SessionTables } from '../reader/sessionTables.ts';
import { functionNumber } from '../reader/views/callViews.ts';

/** The nearest exported caller of a call, and how many there are. */
interface Place {
  readonly level: number;
  readonly parent: number | null;
}

/** An exported call that may still be a caller. */
interface Exported {
  readonly level: number;
  readonly endNs: number;
}

/** From so many calls on those that have ended are forgotten. */
const MOST_KEPT = 1024;

/**
 * Finds for each exported call of a thread, taken in the order of entering, its nearest caller
 * that was exported before it. Keeps only those that may still be callers.
 */
export class NearestCallers {
  readonly #tables: SessionTables;
  /** By thread: ordinals of the exported callers of the last call, outermost first, and itself. */
  readonly #stacks = new Map<number, number[]>();
  /** By thread, of those with activations: calls that go on after others by ordinal. */
  readonly #exported = new Map<number, Map<number, Exported>>();

  constructor(tables: SessionTables) {
    this.#tables = tables;
  }

  place(block: Block, row: number): Place {
    const isActivation = functionNumber(block, row) >= firstActivation;
    const exported = this.#exported.get(block.thread) ?? (isActivation ? this.#known(block) : null);
    if (exported) return this.#placeAmong(exported, block, row);
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
    this.#exported.delete(thread);
  }

  #placeAmong(exported: Map<number, Exported>, block: Block, row: number): Place {
    let caller = callerIn(block, row);
    while (caller >= 0 && !exported.has(caller)) caller = this.#callerOf(block, caller);
    const start = block.startOf(row);
    const duration = block.durationOf(row);
    if (exported.size >= MOST_KEPT && (exported.size & (exported.size - 1)) === 0)
      for (const [ordinal, { endNs }] of exported) if (endNs < start) exported.delete(ordinal);
    const level = (exported.get(caller)?.level ?? -1) + 1;
    exported.set(block.first + row, { level, endNs: duration < 0 ? Infinity : start + duration });
    return { level, parent: caller < 0 ? null : caller };
  }

  /** The thread's callers at its first activation. */
  #known({ thread }: Block): Map<number, Exported> {
    const known = new Map(
      this.#stackOf(thread).map((ordinal, level) => [ordinal, { level, endNs: Infinity }]),
    );
    this.#exported.set(thread, known);
    return known;
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
