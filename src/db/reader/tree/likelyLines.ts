import { rankOf } from '../../../model/questions/treeRank.ts';

/** What of a line says whether it is shown. */
export interface LineFacts {
  readonly function: string;
  readonly times: number;
  readonly totalNs: number;
  /** How its calls ended, where that is unusual, with their function; null: as usual. */
  readonly oddity: string | null;
}

interface Candidate<Line> extends LineFacts {
  readonly line: Line;
  readonly depth: number;
  readonly above: Candidate<Line> | null;
  isOdd: boolean;
  /** What is odd lies below, too. */
  isOnWay: boolean;
  /** The lowest rank on the way there: no line is shown before those above it. */
  rank: number;
}

/**
 * Of the lines of a thread's tree so many, those that an answer may have room for: of the highest rank, and where calls
 * that ended oddly lie, with the way there. Which of them it shows depends on how long their values are.
 */
export function likelyLines<Line extends { readonly children: readonly Line[] }>(
  roots: readonly Line[],
  most: number,
  factsOf: (line: Line) => LineFacts,
): ReadonlySet<Line> {
  const all = candidatesIn(roots, factsOf);
  const likely = new Set<Line>();
  for (const origin of originsIn(all)) {
    const way = wayTo(origin).filter((line) => !likely.has(line));
    // A way without room is told by how many levels it has.
    const wanted = likely.size + way.length <= most / 2 ? way : [origin.line];
    if (likely.size < most / 2) for (const line of wanted) likely.add(line);
  }
  for (const { line } of all.toSorted((a, b) => b.rank - a.rank)) {
    if (likely.size >= most) break;
    likely.add(line);
  }
  return likely;
}

/** Those above a line come before it. */
function candidatesIn<Line extends { readonly children: readonly Line[] }>(
  roots: readonly Line[],
  factsOf: (line: Line) => LineFacts,
): Candidate<Line>[] {
  const all: Candidate<Line>[] = [];
  const visit = (lines: readonly Line[], above: Candidate<Line> | null): void => {
    for (const line of lines) {
      const facts = factsOf(line);
      const depth = above === null ? 0 : above.depth + 1;
      const isOdd = facts.oddity !== null;
      const one = { ...facts, line, depth, above, isOdd, isOnWay: false, rank: 0 };
      all.push(one);
      visit(line.children, one);
    }
  };
  visit(roots, null);
  for (const { isOdd, above } of all.toReversed())
    if (isOdd && above) above.isOdd = above.isOnWay = true;
  const top = all.filter(({ depth }) => depth === 0);
  const among = {
    longestNs: top.reduce((longest, { totalNs }) => Math.max(longest, totalNs), 0),
    calls: all.reduce((sum, { times }) => sum + times, 0),
  };
  for (const one of all) one.rank = Math.min(rankOf(one, among), one.above?.rank ?? Infinity);
  return all;
}

/** Of each oddity the line that stands for most calls, most first. */
function originsIn<Line>(all: readonly Candidate<Line>[]): Candidate<Line>[] {
  const origins = new Map<string, Candidate<Line>>();
  for (const one of all) {
    if (one.oddity === null || one.isOnWay) continue;
    if (one.times > (origins.get(one.oddity)?.times ?? 0)) origins.set(one.oddity, one);
  }
  return [...origins.values()].toSorted((a, b) => b.times - a.times);
}

/** The line and those above it. */
function wayTo<Line>(to: Candidate<Line>): Line[] {
  const way: Line[] = [];
  for (let at: Candidate<Line> | null = to; at; at = at.above) way.push(at.line);
  return way;
}
