import type { TreeNode, Value } from '../../model/query.ts';
import { endNames } from '../blockFormat.ts';
import type { CallForest } from './callForest.ts';
import { viewCall } from './callViews.ts';
import { DifferentValues } from './differentValues.ts';
import type { SessionTables } from './sessionTables.ts';
import { decodeArguments, decodeReturn } from './values.ts';

/**
 * Folding: siblings of the same function that ended alike become one line, and their children
 * are folded together below it.
 *
 *   load ×37                 the usual ones
 *     read ×74
 *   load → null              ended unlike the others: threw, or returned null, false or a
 *                            negative number
 *   load 12 ms               took ten times as long as the usual one
 *
 * A call whose parent is the same function is folded into its parent's line: its children join
 * the line's, its time is already in the total.
 */

const SLOW_FACTOR = 10;
/** Calls of a line whose values are compared: all, or as many of them evenly spread. */
const COMPARED_MOST = 10_000;
const COMPARED_LEAST = 1000;
/** Of all lines of a tree, before each gets the least. */
const COMPARED_IN_ALL = 60_000;
const NONE = -1;

interface Line {
  /** Every call it stands for, in order. */
  readonly calls: number[];
  totalNs: number;
  minNs: number | null;
  maxNs: number | null;
  readonly children: Line[];
  omitted: number;
}

export interface FoldedForest {
  readonly roots: readonly TreeNode[];
  readonly nodes: number;
  /** Calls of roots that did not fit. */
  readonly omitted: number;
}

export function foldForest(
  forest: CallForest,
  tables: SessionTables,
  { maxNodes, until }: { maxNodes: number; until: number },
): FoldedForest {
  const { first, next, firstRoot } = forest.links();
  const below = forest.below();
  const chain = (from: number): number[] => {
    const nodes: number[] = [];
    for (let node = from; node !== NONE; node = next[node] ?? NONE) nodes.push(node);
    return nodes;
  };
  const childrenOf = (line: Line): number[] => {
    const children: number[] = [];
    for (const node of line.calls) {
      line.omitted += forest.hidden(node);
      for (const child of chain(first[node] ?? NONE)) {
        if (!forest.isInnerRecursion(child)) children.push(child);
      }
    }
    return children;
  };
  const top: Line = emptyLine();
  const waiting: { line: Line; children: number[] }[] = [{ line: top, children: chain(firstRoot) }];
  let nodes = 0;
  // Breadth first, so that the limit cuts the deepest lines.
  for (const job of waiting) {
    for (const group of groups(forest, job.children)) {
      if (nodes >= maxNodes) {
        for (const node of group) job.line.omitted += 1 + (below[node] ?? 0);
        continue;
      }
      nodes++;
      const line = makeLine(forest, group, (node) => chain(first[node] ?? NONE));
      job.line.children.push(line);
      waiting.push({ line, children: childrenOf(line) });
    }
  }
  const showing = { forest, tables, until, allowance: { left: COMPARED_IN_ALL } };
  const show = (line: Line): TreeNode => viewLine(line, showing, show);
  return { roots: top.children.map(show), nodes, omitted: top.omitted };
}

function emptyLine(): Line {
  return { calls: [], totalNs: 0, minNs: null, maxNs: null, children: [], omitted: 0 };
}

/** Siblings that become one line each, by their first call. */
function groups(forest: CallForest, siblings: readonly number[]): number[][] {
  const byShape = new Map<number, number[]>();
  for (const node of siblings) {
    const key = (forest.fn(node) * 8 + forest.end(node)) * 4 + forest.shape(node);
    const known = byShape.get(key);
    if (known) known.push(node);
    else byShape.set(key, [node]);
  }
  const found: number[][] = [];
  for (const alike of byShape.values()) found.push(...withoutSlow(forest, alike));
  return found.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

/** Parts off the calls that took ten times the median. */
function withoutSlow(forest: CallForest, alike: number[]): number[][] {
  if (alike.length < 3) {
    const [a, b] = alike;
    if (a === undefined || b === undefined) return [alike];
    const [short, long] = [forest.duration(a), forest.duration(b)].toSorted((x, y) => x - y);
    const isApart = (short ?? -1) >= 0 && (long ?? 0) >= SLOW_FACTOR * Math.max(1, short ?? 0);
    return isApart ? [[a], [b]] : [alike];
  }
  const known = Float64Array.from(alike, (node) => forest.duration(node)).filter(
    (duration) => duration >= 0,
  );
  // oxlint-disable-next-line unicorn/no-array-sort -- a typed array of our own, sorted in place.
  known.sort();
  const limit = SLOW_FACTOR * Math.max(1, known[(known.length - 1) >> 1] ?? Infinity);
  const slow = alike.filter((node) => forest.duration(node) >= limit);
  if (slow.length === 0) return [alike];
  return [alike.filter((node) => forest.duration(node) < limit), slow];
}

function makeLine(
  forest: CallForest,
  group: readonly number[],
  children: (node: number) => number[],
): Line {
  const line: Line = { ...emptyLine(), calls: [...group] };
  for (const node of group) {
    const duration = forest.duration(node);
    if (duration < 0) continue;
    line.totalNs += duration;
    line.minNs = Math.min(line.minNs ?? duration, duration);
    line.maxNs = Math.max(line.maxNs ?? duration, duration);
  }
  for (let at = 0; at < line.calls.length; at++) {
    for (const child of children(line.calls[at] ?? 0)) {
      if (!forest.isInnerRecursion(child)) continue;
      line.calls.push(child);
      const duration = forest.duration(child);
      if (duration < 0) continue;
      line.minNs = Math.min(line.minNs ?? duration, duration);
      line.maxNs = Math.max(line.maxNs ?? duration, duration);
    }
  }
  return line;
}

interface Showing {
  readonly forest: CallForest;
  readonly tables: SessionTables;
  readonly until: number;
  readonly allowance: { left: number };
}

function viewLine(line: Line, showing: Showing, show: (line: Line) => TreeNode): TreeNode {
  const { forest, tables, until } = showing;
  const place = forest.place(line.calls[0] ?? 0);
  if (!place) throw new Error('a line of the tree stands for no call');
  return {
    call: viewCall(tables, place.block, place.row, until),
    times: line.calls.length,
    totalNs: line.totalNs,
    minNs: line.minNs,
    maxNs: line.maxNs,
    varying: line.calls.length > 1 ? varyingValues(line, showing) : [],
    children: line.children.map(show),
    omitted: line.omitted,
  };
}

/** What differs among the calls (`TreeNode.varying`). */
function varyingValues(line: Line, { forest, tables, allowance }: Showing): string[] {
  const kept = new Map<string, DifferentValues>();
  const { calls } = line;
  const compared = Math.min(
    calls.length,
    Math.max(COMPARED_LEAST, Math.min(COMPARED_MOST, allowance.left)),
  );
  allowance.left -= compared;
  for (let i = 0; i < compared; i++) {
    const node = calls[Math.round((i * (calls.length - 1)) / (compared - 1))] ?? 0;
    const place = forest.place(node);
    if (!place) continue;
    const { block, row } = place;
    const fn = tables.fn(forest.fn(node));
    for (const { name, value } of decodeArguments(fn, block.enterPayload(row))) {
      keep(kept, name, value);
    }
    const end = endNames[forest.end(node)] ?? 'lost';
    if (end !== 'returned' || fn.returns.kind === 'void') continue;
    keep(kept, 'return', decodeReturn(fn, end, block.returnPayload(row)));
  }
  const varying: string[] = [];
  for (const [name, values] of kept) {
    const text = values.text({ isPart: compared < calls.length, withCounts: name === 'return' });
    if (text !== null) varying.push(`${name}=${text}`);
  }
  return varying;
}

function keep(kept: Map<string, DifferentValues>, name: string, value: Value): void {
  let values = kept.get(name);
  if (!values) {
    values = new DifferentValues();
    kept.set(name, values);
  }
  values.add(value);
}
