/** What is asked of a line of a tree to find out which are shown first. */
export interface RankedLine {
  /** Something unusual happened in or below it. */
  readonly isOdd: boolean;
  readonly function: string;
  readonly depth: number;
  readonly times: number;
  readonly totalNs: number;
}

/** What all lines shown together come to. */
export interface RankedAmong {
  /** Of a root. */
  readonly longestNs: number;
  readonly calls: number;
}

/**
 * Lines of a higher rank are shown first: what explains most of the time or of the calls, shallow before deep.
 * The store reads values by it (db/reader/tree/likelyLines.ts), answers are laid out by it.
 */
export function rankOf(line: RankedLine, { longestNs, calls }: RankedAmong): number {
  const share = Math.max(line.totalNs / Math.max(1, longestNs), line.times / (calls + 1));
  return (
    (line.isOdd ? 4 : 0) -
    (line.function.includes('~') ? 4 : 0) -
    line.depth * 6 +
    9 * Math.sqrt(Math.min(1, share))
  );
}
