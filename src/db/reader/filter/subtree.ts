import type { Blocks } from '../blocks.ts';

/** A set of calls. */
export interface CallSet {
  /** Those of a thread by their ordinals; null: none. */
  of(thread: number): OrdinalSet | null;
}

export interface OrdinalSet {
  /** False when no ordinal of [from, to) is a member. */
  mayHold(from: number, to: number): boolean;
  has(ordinal: number): boolean;
}

/** A growing set of small numbers. */
class Marks {
  #marks = new Uint8Array(4096);

  add(number: number): void {
    if (number >= this.#marks.length) {
      const wider = new Uint8Array(Math.max(number + 1, this.#marks.length * 2));
      wider.set(this.#marks);
      this.#marks = wider;
    }
    this.#marks[number] = 1;
  }

  has(number: number): boolean {
    return this.#marks[number] === 1;
  }
}

/** Calls below one. */
export interface Subtree extends CallSet {
  /** Behind the ordinal of the last. */
  readonly to: number;
}

const nothing: Subtree = { of: () => null, to: 0 };

/**
 * The calls anywhere below a call, or directly below it (`depth` 1), as known at `until`. A child
 * begins while its parent is open, so the search ends where the last open member has ended.
 */
export function callsBelow(
  blocks: Blocks,
  root: { thread: number; ordinal: number },
  { directly, until }: { directly: boolean; until: number },
): Subtree {
  const found = blocks.find(root.thread, root.ordinal);
  if (!found) return nothing;
  const members = new Marks();
  members.add(0);
  let openUntil = endOf(found.block, found.row);
  let last = root.ordinal;
  for (const block of blocks.byThread.get(root.thread) ?? []) {
    if (block.first + block.calls <= root.ordinal) continue;
    if (block.startNs > Math.min(openUntil, until)) break;
    const { start, up } = block;
    const fromRow = Math.max(0, root.ordinal + 1 - block.first);
    for (let row = fromRow; row < block.calls; row++) {
      if ((start[row] ?? 0) > openUntil) break;
      const distance = up[row] ?? 0;
      const ordinal = block.first + row;
      if (distance === 0 || !members.has(ordinal - distance - root.ordinal)) continue;
      if (directly && ordinal - distance !== root.ordinal) continue;
      last = ordinal;
      members.add(ordinal - root.ordinal);
      if (!directly) openUntil = Math.max(openUntil, endOf(block, row));
    }
    blocks.passed(block);
  }
  const below: OrdinalSet = {
    mayHold: (from, to) => to > root.ordinal + 1 && from <= last,
    has: (ordinal) => ordinal > root.ordinal && members.has(ordinal - root.ordinal),
  };
  return { of: (thread) => (thread === root.thread ? below : null), to: last + 1 };
}

function endOf(block: { start: Float64Array; duration: Float64Array }, row: number): number {
  const duration = block.duration[row] ?? -1;
  return duration < 0 ? Number.POSITIVE_INFINITY : (block.start[row] ?? 0) + duration;
}
