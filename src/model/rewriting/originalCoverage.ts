import { InsertedOffsets, type RunningText } from './insertedOffsets.ts';

/** How often a part of a script ran, as V8 tells it: offsets in the text that ran. */
export interface CoverageRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

export interface FunctionCoverage {
  readonly functionName: string;
  readonly isBlockCoverage: boolean;
  /** The first is the function, others are in it. */
  readonly ranges: readonly CoverageRange[];
}

/** The coverage of the original text: the same count for each word and sign of it. */
export function originalCoverage(
  functions: readonly FunctionCoverage[],
  running: RunningText,
): FunctionCoverage[] {
  const offsets = new InsertedOffsets(running);
  return functions.flatMap((fn) => {
    const [whole, ...parts] = fn.ranges;
    if (!whole) return [fn];
    const moved = movedRange(whole, offsets);
    // A function of the inserted code.
    if (moved.startOffset === moved.endOffset) return [];
    const kept = parts.flatMap((part) => keptRange(part, offsets, running.original));
    return [{ ...fn, ranges: [moved, ...kept] }];
  });
}

/** Nothing of what is a part of its own only since code was inserted there. */
function keptRange(range: CoverageRange, offsets: InsertedOffsets, text: string): CoverageRange[] {
  const moved = movedRange(range, offsets);
  const { startOffset, endOffset } = moved;
  const isOurs =
    offsets.original(range.startOffset).isInserted ||
    offsets.original(range.endOffset, true).isInserted;
  // Where a block ends the original has nothing more to run.
  return isOurs && !/[^\s;)}]/.test(text.slice(startOffset, endOffset)) ? [] : [moved];
}

function movedRange(range: CoverageRange, offsets: InsertedOffsets): CoverageRange {
  return {
    ...range,
    startOffset: offsets.original(range.startOffset).offset,
    endOffset: offsets.original(range.endOffset, true).offset,
  };
}
