import type { TreeNode } from '../../model/query.ts';
import { endNames } from '../blockFormat.ts';
import type { CallForest } from './callForest.ts';
import { viewCall } from './callViews.ts';
import type { SessionTables } from './sessionTables.ts';
import { decodeArguments, decodeReturn, plainText } from './values.ts';

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
const COMPARED = 256;
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
  const show = (line: Line): TreeNode => viewLine(line, forest, tables, until, show);
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

function viewLine(
  line: Line,
  forest: CallForest,
  tables: SessionTables,
  until: number,
  show: (line: Line) => TreeNode,
): TreeNode {
  const place = forest.place(line.calls[0] ?? 0);
  if (!place) throw new Error('a line of the tree stands for no call');
  return {
    call: viewCall(tables, place.block, place.row, until),
    times: line.calls.length,
    totalNs: line.totalNs,
    minNs: line.minNs,
    maxNs: line.maxNs,
    varying: line.calls.length > 1 ? varyingValues(line, forest, tables) : [],
    children: line.children.map(show),
    omitted: line.omitted,
  };
}

/** `name=first..last` for what differs among the calls; numbers as least..greatest. */
function varyingValues(line: Line, forest: CallForest, tables: SessionTables): string[] {
  const ranges = new Map<string, ValueRange>();
  const { calls } = line;
  const compared = Math.min(calls.length, COMPARED);
  for (let i = 0; i < compared; i++) {
    const node = calls[Math.round((i * (calls.length - 1)) / (compared - 1))] ?? 0;
    const place = forest.place(node);
    if (!place) continue;
    const { block, row } = place;
    const fn = tables.fn(forest.fn(node));
    for (const { name, value } of decodeArguments(fn, block.enterPayload(row))) {
      widen(ranges, name, plainText(value), value.kind === 'int' || value.kind === 'float');
    }
    const end = endNames[forest.end(node)] ?? 'lost';
    if (end !== 'returned' || fn.returns.kind === 'void') continue;
    const value = decodeReturn(fn, end, block.returnPayload(row));
    widen(ranges, 'return', plainText(value), value.kind === 'int' || value.kind === 'float');
  }
  const varying: string[] = [];
  for (const [name, { first, last, least, greatest, differs }] of ranges) {
    if (!differs) continue;
    varying.push(least && greatest ? `${name}=${least.text}..${greatest.text}` : `${name}=${first}..${last}`);
  }
  return varying;
}

interface NumberText {
  readonly number: number;
  readonly text: string;
}

interface ValueRange {
  readonly first: string;
  last: string;
  differs: boolean;
  least: NumberText | null;
  greatest: NumberText | null;
}

function widen(
  ranges: Map<string, ValueRange>,
  name: string,
  text: string,
  isNumber: boolean,
): void {
  const number: NumberText | null = isNumber ? { number: Number(text), text } : null;
  const range = ranges.get(name);
  if (!range) {
    ranges.set(name, { first: text, last: text, differs: false, least: number, greatest: number });
    return;
  }
  range.last = text;
  if (text !== range.first) range.differs = true;
  if (!number || !range.least || !range.greatest) {
    range.least = null;
    range.greatest = null;
    return;
  }
  if (number.number < range.least.number) range.least = number;
  if (number.number > range.greatest.number) range.greatest = number;
}
