import type { TreeNode } from '../../model/query.ts';
import { endCode } from '../blockFormat.ts';
import type { CallForest, ForestLinks } from './callForest.ts';
import { viewCall } from './callViews.ts';
import { LineValues } from './lineValues.ts';
import { nthLeast } from './nthLeast.ts';
import type { SessionTables } from './sessionTables.ts';

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
const COMPARED_MOST = 5000;
const COMPARED_LEAST = 1000;
/** Of all lines of a tree, before each gets the least. */
const COMPARED_IN_ALL = 30_000;
const NONE = -1;

interface Line {
  /** Every call it stands for: the siblings in order, then what was folded into them. */
  readonly calls: Int32Array;
  totalNs: number;
  minNs: number | null;
  maxNs: number | null;
  selfNs: number | null;
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
  { maxNodes, selfTime, until }: { maxNodes: number; selfTime: boolean; until: number },
): FoldedForest {
  const links = forest.links();
  const below = forest.below();
  const top: Line = emptyLine();
  const roots = new NodeList();
  for (let node = links.firstRoot; node !== NONE; node = links.next[node] ?? NONE) roots.add(node);
  const waiting: { line: Line; children: Int32Array }[] = [{ line: top, children: roots.taken() }];
  let nodes = 0;
  // Breadth first, so that the limit cuts the deepest lines.
  for (const job of waiting) {
    for (const group of groups(forest, job.children)) {
      if (nodes >= maxNodes) {
        for (const node of group) job.line.omitted += 1 + (below[node] ?? 0);
        continue;
      }
      nodes++;
      const { line, children } = makeLine(forest, group, links);
      if (selfTime) line.selfNs = selfTimeOf(forest, line.calls);
      job.line.children.push(line);
      waiting.push({ line, children });
    }
    job.children = noNodes;
  }
  const showing = { forest, tables, until, allowance: { left: COMPARED_IN_ALL } };
  const show = (line: Line): TreeNode => viewLine(line, showing, show);
  return { roots: top.children.map(show), nodes, omitted: top.omitted };
}

const noNodes = new Int32Array(0);

/** A growing list of nodes. */
class NodeList {
  #nodes = new Int32Array(16);
  length = 0;

  add(node: number): void {
    if (this.length === this.#nodes.length) {
      const wider = new Int32Array(this.length * 2);
      wider.set(this.#nodes);
      this.#nodes = wider;
    }
    this.#nodes[this.length++] = node;
  }

  at(index: number): number {
    return this.#nodes[index] ?? NONE;
  }

  /** The nodes so far; nothing may be added afterwards. */
  taken(): Int32Array {
    return this.#nodes.subarray(0, this.length);
  }
}

function emptyLine(): Line {
  return {
    calls: new Int32Array(0),
    totalNs: 0,
    minNs: null,
    maxNs: null,
    selfNs: null,
    children: [],
    omitted: 0,
  };
}

/** Siblings that become one line each, by their first call. */
function groups(forest: CallForest, siblings: Int32Array): Int32Array[] {
  const numbers = new Map<number, number>();
  const groupOf = new Int32Array(siblings.length);
  const ends: number[] = [];
  let lastKey = -1;
  let last = 0;
  for (let i = 0; i < siblings.length; i++) {
    const key = forest.kind(siblings[i] ?? 0);
    if (key !== lastKey) {
      lastKey = key;
      last = numbers.get(key) ?? numbers.size;
      if (last === numbers.size) {
        numbers.set(key, last);
        ends.push(0);
      }
    }
    groupOf[i] = last;
    ends[last] = (ends[last] ?? 0) + 1;
  }
  if (ends.length === 1) return byFirst(withoutSlow(forest, siblings));
  let from = 0;
  const starts = ends.map((count) => (from += count) - count);
  const filled = [...starts];
  const arranged = new Int32Array(siblings.length);
  for (let i = 0; i < siblings.length; i++) {
    const group = groupOf[i] ?? 0;
    const at = filled[group] ?? 0;
    arranged[at] = siblings[i] ?? 0;
    filled[group] = at + 1;
  }
  const found: Int32Array[] = [];
  for (const [group, start] of starts.entries()) {
    found.push(...withoutSlow(forest, arranged.subarray(start, filled[group])));
  }
  return byFirst(found);
}

function byFirst(unsorted: readonly Int32Array[]): Int32Array[] {
  return unsorted.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

/** Parts off the calls that took ten times the median. */
function withoutSlow(forest: CallForest, alike: Int32Array): Int32Array[] {
  if (alike.length < 3) {
    const [a, b] = alike;
    if (a === undefined || b === undefined) return [alike];
    const [short, long] = [forest.duration(a), forest.duration(b)].toSorted((x, y) => x - y);
    const isApart = (short ?? -1) >= 0 && (long ?? 0) >= SLOW_FACTOR * Math.max(1, short ?? 0);
    return isApart ? [alike.subarray(0, 1), alike.subarray(1)] : [alike];
  }
  const durations = new Float64Array(alike.length);
  let known = 0;
  let most = 0;
  for (let i = 0; i < alike.length; i++) {
    const duration = forest.duration(alike[i] ?? 0);
    if (duration < 0) continue;
    durations[known++] = duration;
    if (duration > most) most = duration;
  }
  if (known === 0) return [alike];
  const median = nthLeast(durations, known, (known - 1) >> 1);
  const limit = SLOW_FACTOR * Math.max(1, median);
  if (most < limit) return [alike];
  const usual = new NodeList();
  const slow = new NodeList();
  for (let i = 0; i < alike.length; i++) {
    const node = alike[i] ?? 0;
    (forest.duration(node) >= limit ? slow : usual).add(node);
  }
  return [usual.taken(), slow.taken()];
}

/** The line of these siblings, and the calls below it that it does not stand for. */
function makeLine(
  forest: CallForest,
  group: Int32Array,
  { first, next }: ForestLinks,
): { line: Line; children: Int32Array } {
  let totalNs = 0;
  let minNs = Number.POSITIVE_INFINITY;
  let maxNs = -1;
  let omitted = 0;
  const inner = new NodeList();
  const children = new NodeList();
  for (let at = 0; at < group.length + inner.length; at++) {
    const node = at < group.length ? (group[at] ?? 0) : inner.at(at - group.length);
    const duration = forest.duration(node);
    if (duration >= 0) {
      if (at < group.length) totalNs += duration;
      if (duration < minNs) minNs = duration;
      if (duration > maxNs) maxNs = duration;
    }
    omitted += forest.hidden(node);
    for (let child = first[node] ?? NONE; child !== NONE; child = next[child] ?? NONE) {
      (forest.isInnerRecursion(child) ? inner : children).add(child);
    }
  }
  let calls = group;
  if (inner.length > 0) {
    calls = new Int32Array(group.length + inner.length);
    calls.set(group);
    calls.set(inner.taken(), group.length);
  }
  const times = maxNs < 0 ? { minNs: null, maxNs: null } : { minNs, maxNs };
  return {
    line: { calls, totalNs, ...times, selfNs: null, children: [], omitted },
    children: children.taken(),
  };
}

function selfTimeOf(forest: CallForest, calls: Int32Array): number {
  let selfNs = 0;
  for (const node of calls) {
    const duration = forest.duration(node);
    const place = forest.place(node);
    if (duration >= 0 && place) selfNs += duration - (place.block.child[place.row] ?? 0);
  }
  return selfNs;
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
    selfNs: line.selfNs,
    varying: line.calls.length > 1 ? varyingValues(line, showing) : [],
    children: line.children.map(show),
    omitted: line.omitted,
  };
}

/** What differs among the calls (`TreeNode.varying`). */
function varyingValues(line: Line, { forest, tables, allowance }: Showing): string[] {
  const { calls } = line;
  const compared = Math.min(
    calls.length,
    Math.max(COMPARED_LEAST, Math.min(COMPARED_MOST, allowance.left)),
  );
  allowance.left -= compared;
  const values = new LineValues(tables.fn(forest.fn(calls[0] ?? 0)));
  for (let i = 0; i < compared; i++) {
    const node = calls[Math.round((i * (calls.length - 1)) / (compared - 1))] ?? 0;
    const place = forest.place(node);
    if (place) values.add(place.block, place.row, forest.end(node) === endCode.returned);
  }
  return values.varying(compared < calls.length);
}
