import { monotonicMs } from '../../../base/clock.ts';
import type { Value } from '../../../model/questions/query.ts';
import type { TreeNode } from '../../../model/questions/treeResult.ts';
import type { Block } from '../block.ts';
import { outlineOf, withValues, type CallOutline } from '../views/callViews.ts';
import type { ContextForest, ContextSums, Share } from './contextForest.ts';
import { ABOVE_ROOTS } from './contexts.ts';
import { likelyLines, type LineFacts } from './likelyLines.ts';
import { LineValues, Samples } from './lineValues.ts';
import { mergedLines } from './mergedLines.ts';
import type { SessionTables } from '../sessionTables.ts';

/**
 * Folding: siblings of the same function that ended alike become one line, and their children
 * are folded together below it.
 *
 *   load ×37                 the usual ones
 *     read ×74
 *   load → null              ended unlike the others: threw, or returned null, false or a
 *                            negative number
 *   load 12 ms               took more than ten times as long as the usual one (by the buckets of histogram.ts)
 *
 * A call whose parent is the same function is folded into its parent's line: its children join
 * the line's, its time is already in the total.
 */

/** Calls of a line whose values are compared: all of so many, else the least from blocks that are evenly spread. */
const COMPARED_MOST = 5000;
const COMPARED_LEAST = 1000;
/** Of all lines of a tree, before more than the least are not all compared. */
const COMPARED_IN_ALL = 20_000;
/** Blocks of one thread whose captures are read; calls in others are not compared, which is told. */
const COMPARED_BLOCKS = 64;
/** From so many the calls of a line are taken that are more than are compared. */
const SAMPLED_BLOCKS = 16;

interface Line {
  /** The first one. */
  readonly call: CallOutline;
  /** Contexts of every call it stands for. */
  readonly contexts: readonly number[];
  readonly sums: ContextSums;
  readonly totalNs: number;
  readonly suspendedNs: number;
  readonly selfNs: number | null;
  readonly children: Line[];
  omitted: number;
}

export interface FoldedForest {
  readonly roots: readonly TreeNode[];
  /** Calls of roots that did not fit. */
  readonly omitted: number;
  /** False: the deadline ended it, what is missing is omitted. */
  readonly isWhole: boolean;
  /** Lines whose values the deadline left uncompared. */
  readonly uncompared: number;
}

interface Folding {
  readonly maxNodes: number;
  readonly maxRead: number;
  readonly selfTime: boolean;
  readonly until: number;
  /** Then no more lines are told apart, nor their values compared. */
  readonly deadline: number;
}

export function foldForest(
  forest: ContextForest,
  tables: SessionTables,
  { maxNodes, maxRead, selfTime, until, deadline }: Folding,
): FoldedForest {
  const top: Pick<Line, 'children' | 'omitted'> = { children: [], omitted: 0 };
  const waiting: { line: Pick<Line, 'children' | 'omitted'>; contexts: readonly number[] }[] = [
    { line: top, contexts: [ABOVE_ROOTS] },
  ];
  let nodes = 0;
  let isWhole = true;
  // Breadth first, so that the limit cuts the deepest lines.
  for (const { line: above, contexts } of waiting) {
    const kinds = kindsBelow(forest, contexts);
    // The roots are always told.
    if (above !== top && kinds.length > 0 && monotonicMs() > deadline) isWhole = false;
    if (nodes >= maxNodes || !isWhole) {
      for (const alike of kinds) above.omitted += totalOf(forest, alike);
      continue;
    }
    const groups = kinds.flatMap((alike) => withoutSlow(forest, alike));
    const found = groups.map((siblings) => ({ siblings, sums: forest.sums(siblings) }));
    found.sort((a, b) => a.sums.first - b.sums.first);
    for (const { siblings, sums } of found) {
      if (nodes >= maxNodes) {
        above.omitted += totalOf(forest, siblings);
        continue;
      }
      nodes++;
      const line = makeLine({ forest, tables, until, selfTime }, siblings, sums);
      above.children.push(line);
      waiting.push({ line, contexts: line.contexts });
    }
  }
  const showing = {
    forest,
    tables,
    deadline,
    isWhole,
    uncompared: 0,
    read: likelyLines(top.children, maxRead, factsOf),
    allowance: { left: COMPARED_IN_ALL, blocks: new Set<Block>() },
  };
  const roots = viewLines(top.children, showing);
  return { roots, omitted: top.omitted, isWhole: showing.isWhole, uncompared: showing.uncompared };
}

/** The contexts below a line, those of one kind together. */
function kindsBelow(forest: ContextForest, contexts: readonly number[]): number[][] {
  const kinds = new Map<number, number[]>();
  for (const above of contexts) {
    for (const context of forest.below(above, false)) {
      const kind = forest.kind(context);
      const known = kinds.get(kind);
      if (known) known.push(context);
      else kinds.set(kind, [context]);
    }
  }
  return [...kinds.values()];
}

function totalOf(forest: ContextForest, contexts: readonly number[]): number {
  return contexts.reduce((sum, context) => sum + forest.total(context), 0);
}

/** Parts off the calls that took much longer than the usual one. */
function withoutSlow(forest: ContextForest, contexts: readonly number[]): (readonly number[])[] {
  const slow = forest.slow(contexts);
  return slow === null ? [contexts] : [contexts, [forest.apart(slow)]];
}

interface Making extends Pick<Folding, 'selfTime' | 'until'> {
  readonly forest: ContextForest;
  readonly tables: SessionTables;
}

/** The line of these siblings, with the contexts of all calls that it stands for. */
function makeLine(
  { forest, tables, until, selfTime }: Making,
  siblings: readonly number[],
  outer: ContextSums,
): Line {
  const contexts = [...siblings];
  for (const context of contexts) contexts.push(...forest.below(context, true));
  const sums = contexts.length === siblings.length ? outer : forest.sums(contexts);
  const { block, row } = forest.placeOf(sums.first);
  const suspendedNs = forest.suspendedNs(contexts);
  return {
    call: outlineOf(tables, block, row, until),
    contexts,
    sums,
    totalNs: outer.totalNs,
    suspendedNs,
    selfNs: selfTime ? sums.totalNs - sums.childNs - suspendedNs : null,
    children: [],
    omitted: contexts.reduce((sum, context) => sum + forest.hidden(context), 0),
  };
}

interface Showing {
  readonly forest: ContextForest;
  readonly tables: SessionTables;
  readonly deadline: number;
  /** Lines of which values are read. */
  readonly read: ReadonlySet<Line>;
  isWhole: boolean;
  uncompared: number;
  readonly allowance: { left: number; readonly blocks: Set<Block> };
}

function viewLines(lines: readonly Line[], showing: Showing): TreeNode[] {
  const shown: TreeNode[] = [];
  for (const line of lines) {
    const alone = viewLine(line, showing);
    if (line.children.length > 0 && monotonicMs() > showing.deadline) {
      showing.isWhole = false;
      shown.push({ ...alone, omitted: alone.omitted + callsOf(line.children), children: [] });
      continue;
    }
    shown.push({ ...alone, children: mergedLines(viewLines(line.children, showing)) });
  }
  return shown;
}

function callsOf(lines: readonly Line[]): number {
  return lines.reduce(
    (sum, { sums, omitted, children }) => sum + sums.calls + omitted + callsOf(children),
    0,
  );
}

/** How its calls ended, where an answer tells that first. */
function factsOf({ call, sums, totalNs }: Line): LineFacts {
  const isOdd = call.end === 'unwound' || call.end === 'jumped' || call.end === 'open';
  const oddity = isOdd ? `${call.end} ${call.fn}` : null;
  return { function: call.function, times: sums.calls, totalNs, oddity };
}

/** Without what is below it. */
function viewLine(line: Line, showing: Showing): Omit<TreeNode, 'children'> {
  const { forest, tables, read } = showing;
  const { calls, first, minNs, maxNs } = line.sums;
  const { block, row } = forest.placeOf(first);
  const isRead = read.has(line);
  return {
    call: isRead
      ? withValues(tables, block, row, line.call)
      : { ...line.call, arguments: [], returns: notRead },
    isRead,
    times: calls,
    totalNs: line.totalNs,
    minNs,
    maxNs,
    ...(line.suspendedNs > 0 ? { suspendedNs: line.suspendedNs } : {}),
    selfNs: line.selfNs,
    varying: isRead && calls > 1 ? comparedValues(line, showing) : [],
    omitted: line.omitted,
  };
}

const notRead: Value = { kind: 'notCaptured', reason: 'it was not read' };

/** What differs among the calls, or that it is not known. */
function comparedValues(line: Line, showing: Showing): string[] {
  if (monotonicMs() <= showing.deadline) return varyingValues(line, showing);
  showing.isWhole = false;
  showing.uncompared++;
  return new LineValues(showing.tables.fn(line.call.fn)).unknown();
}

/** What differs among the calls (`TreeNode.varying`). */
function varyingValues(
  { call, contexts, sums: { calls } }: Line,
  { forest, tables, allowance }: Showing,
): string[] {
  const isSmall = calls <= Math.max(COMPARED_LEAST, Math.min(COMPARED_MOST, allowance.left));
  const compared = isSmall ? calls : COMPARED_LEAST;
  allowance.left -= compared;
  const samples = new Samples(compared);
  const shares = forest.spread(contexts);
  const isAll = compared === calls && shares.length <= COMPARED_BLOCKS;
  const sampled = isAll ? shares : evenly(shares, forest.size);
  const each = Math.ceil(compared / sampled.length);
  for (const share of sampled) {
    const { piece } = share;
    if (!allowance.blocks.has(piece.block)) {
      if (allowance.blocks.size >= COMPARED_BLOCKS && share !== sampled[0]) continue;
      allowance.blocks.add(piece.block);
    }
    const most = Math.min(isAll ? calls : each, compared - samples.count);
    for (const row of rowsOf(share, most, share === sampled.at(-1)))
      samples.add(piece.block, row, piece.hasReturned(row));
  }
  const values = new LineValues(tables.fn(call.fn));
  values.add(samples);
  return values.varying(samples.count < calls);
}

/** The first or the last rows of a share, at most so many, in order. */
function rowsOf({ piece, parts, single }: Share, most: number, fromEnd: boolean): number[] {
  const rows = [...single];
  for (const part of parts) {
    const enough = rows.length + most;
    piece.eachOf(part, (row) => rows.push(row) < enough || fromEnd);
  }
  rows.sort((a, b) => a - b);
  return fromEnd ? rows.slice(-most) : rows.slice(0, most);
}

/**
 * Some of many shares, the first and the last among them: in the same few blocks for all lines where that
 * goes, because the captures of a block are unpacked together.
 */
function evenly(shares: readonly Share[], blocks: number): readonly Share[] {
  if (shares.length <= SAMPLED_BLOCKS) return shares;
  const every = Math.ceil(blocks / SAMPLED_BLOCKS);
  const shared = shares.filter(({ piece }) => piece.index % every === 0);
  const among = shared.length * 2 >= SAMPLED_BLOCKS ? shared : shares;
  const step = Math.ceil(among.length / SAMPLED_BLOCKS);
  const first = shares[0];
  const last = shares.at(-1);
  const chosen = among.filter((share, i) => i % step === 0 && share !== first && share !== last);
  return [...(first ? [first] : []), ...chosen, ...(last ? [last] : [])];
}
