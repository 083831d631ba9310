import type { TreeNode, TreeResult } from '../../../model/questions/treeResult.ts';
import { rankOf, type RankedAmong } from '../../../model/questions/treeRank.ts';
import { costOf, type Space } from '../answers/budget.ts';
import type { CallStyle } from '../text/callText.ts';
import {
  groupHeader,
  groupThreads,
  isOddEnd,
  threadTwin,
  type ThreadGroup,
} from './treeThreads.ts';
import type { SharedArguments } from '../text/sharedArguments.ts';
import { nodeLine, Written, type LineDetail } from './treeLines.ts';

/*
 * The tree is laid out before it is written. Nodes are taken best first, parents before
 * children, as long as they fit; what is left out below a node becomes one line there:
 *
 *   settle(batch=7) = 3  4.1 ms  src/settle.cpp:88  [c1.40]
 *     book(id=1..36) = true ×37  total 3.0 ms (12 µs..1.2 ms)  [c1.41]
 *     book(id=37) ✗ unwound, thrown here or below  80 µs  [c1.115]   ← the odd one stays apart
 *     … 12 calls: flush ×12
 *
 * First come the best roots, then where exceptions and unfinished calls began, one of each kind,
 * with the way there; then whatever explains most of the time or of the calls, shallow before
 * deep. Where the way to an odd call has no room, a line counts the levels left out.
 */

/** A node, and whether it is shown. */
export interface Branch {
  readonly node: TreeNode;
  readonly depth: number;
  readonly above: Branch | null;
  readonly rank: number;
  /** Odd without an odd child: where an exception began, or the innermost unfinished call. */
  readonly origin: boolean;
  readonly children: readonly Branch[];
  taken: boolean;
  detail: LineDetail;
}

/** Threads alike, with the branches of the one that is shown. */
export interface Grown {
  readonly group: ThreadGroup;
  readonly header: string;
  readonly roots: readonly Branch[];
}

/** None is taken yet. */
export function grow(result: TreeResult, style: CallStyle, detail: LineDetail): Grown[] {
  const severalPids = new Set(result.threads.map((thread) => thread.pid)).size > 1;
  const groups = groupThreads(result, style);
  const shown = groups.map((group) => group.shown);
  const times = shown.flatMap((thread) => thread.roots.map((root) => root.totalNs));
  const among = {
    longestNs: times.reduce((most, time) => Math.max(most, time), 0),
    calls: shown.reduce((sum, thread) => sum + thread.calls, 0),
  };
  return groups.map((group) => {
    const { roots } = group.shown;
    const odd = new Set<TreeNode>();
    for (const root of roots) findOdd(root, style, odd);
    const growth = { odd, detail, among };
    return {
      group,
      header: groupHeader(group, severalPids),
      roots: roots.map((root) => branchOf(root, null, growth)),
    };
  });
}

/** Collects the nodes in or below which something unusual happened. */
function findOdd(node: TreeNode, style: CallStyle, odd: Set<TreeNode>): boolean {
  let isOdd = isOddEnd(node, style);
  for (const child of node.children) if (findOdd(child, style, odd)) isOdd = true;
  if (isOdd) odd.add(node);
  return isOdd;
}

interface Growth {
  readonly odd: ReadonlySet<TreeNode>;
  readonly detail: LineDetail;
  readonly among: RankedAmong;
}

function branchOf(node: TreeNode, above: Branch | null, growth: Growth): Branch {
  const { call, times, totalNs } = node;
  const isOdd = growth.odd.has(node);
  const depth = above === null ? 0 : above.depth + 1;
  const children: Branch[] = [];
  const branch: Branch = {
    node,
    depth,
    above,
    origin: isOdd && !node.children.some((child) => growth.odd.has(child)),
    rank: rankOf({ isOdd, function: call.function, depth, times, totalNs }, growth.among),
    children,
    taken: false,
    detail: growth.detail,
  };
  for (const child of node.children) children.push(branchOf(child, branch, growth));
  return branch;
}

/** What stands before a line of this depth. */
export function indent(depth: number): string {
  return '  '.repeat(depth + 1);
}

/** Marks what fits as taken, best first; true when something had no room. */
export function takeBest(
  grown: readonly Grown[],
  style: CallStyle,
  space: Space,
  shared: SharedArguments,
): boolean {
  const taker = new Taker(style, space, shared);
  const best = grown
    .flatMap((threads) => threads.roots.map((branch) => ({ branch, threads })))
    .toSorted((a, b) => b.branch.rank - a.branch.rank);
  const takeRoots = (from: number, to: number): void => {
    for (const { branch, threads } of best.slice(from, to)) {
      if (!branch.taken && (from === 0 || branch.rank >= worthFirst)) taker.take(threads, [branch]);
    }
  };
  const takeOrigins = (origins: readonly Candidate[]): void => {
    for (const { branch, threads } of origins) {
      const way = untakenWay(branch);
      const most = way.length <= shortWay ? space.left : space.left / 2;
      if (!taker.take(threads, way, most)) taker.takeShort(threads, branch);
    }
  };
  const [first, ...others] = originKinds(grown);
  takeRoots(0, 1);
  if (first) takeOrigins([first]);
  takeRoots(1, rootsFirst);
  takeOrigins(others.slice(0, originsFirst));
  const queue = [...best];
  let failures = 0;
  while (queue.length > 0 && failures < failuresAtMost) {
    const { branch, threads } = takeFirst(queue);
    if (branch.taken || taker.take(threads, [branch]))
      queue.push(...branch.children.map((child) => ({ branch: child, threads })));
    else failures += 1;
  }
  return failures > 0;
}

/** After this many lines without room, the rest hardly has any. */
const failuresAtMost = 12;

/** So many roots are shown before anything below them, as long as their rank is high enough. */
const rootsFirst = 3;
const worthFirst = 3;
/** So many further kinds of origins are shown even when the whole way to them has no room. */
const originsFirst = 2;

/** The way to an origin is shown if it fits; a longer one only if it leaves room for others. */
const shortWay = 3;

interface Candidate {
  readonly branch: Branch;
  readonly threads: Grown;
}

class Taker {
  readonly #style: CallStyle;
  readonly #space: Space;
  readonly #begun = new Set<Grown>();
  readonly #written: Written;

  constructor(style: CallStyle, space: Space, shared: SharedArguments) {
    this.#style = style;
    this.#space = space;
    this.#written = new Written(shared);
  }

  /** Takes all of them if they were read and cost no more than `most` tokens; the very first one at any cost. */
  take(threads: Grown, branches: readonly Branch[], most = Number.POSITIVE_INFINITY): boolean {
    if (!branches.every(({ node }) => node.isRead)) return false;
    const lines = branches.flatMap((branch) => this.#linesOf(branch));
    if (!this.#fits(threads, lines, most)) {
      if (this.#begun.size > 0) return false;
      for (const branch of branches) this.#shortenFirst(threads, branch);
    }
    this.#begun.add(threads);
    for (const branch of branches) {
      branch.taken = true;
      this.#written.add(branch.node);
    }
    return true;
  }

  /** Takes it, without its arguments if need be. */
  takeShort(threads: Grown, branch: Branch): boolean {
    if (this.take(threads, [branch])) return true;
    const { detail } = branch;
    branch.detail = 'short';
    if (this.take(threads, [branch])) return true;
    branch.detail = detail;
    return false;
  }

  #shortenFirst(threads: Grown, branch: Branch): void {
    const line = nodeLine(branch.node, this.#style, this.#written, branch.detail);
    if (!this.#fits(threads, [line], Number.POSITIVE_INFINITY)) branch.detail = 'short';
  }

  #fits(threads: Grown, lines: readonly string[], most: number): boolean {
    const before = this.#space.left;
    const isNew = !this.#begun.has(threads);
    const text = [...lines, ...(isNew ? [threads.header, longTally] : [])].join('\n');
    const cost = costOf(text, isNew ? [text, threadTwin(threads.group)] : text);
    if (!this.#space.take(cost)) return false;
    if (before - this.#space.left <= most) return true;
    this.#space.refund(cost);
    return false;
  }

  /** Its line, and room for the one that says what is left out below or above it. */
  #linesOf(branch: Branch): string[] {
    const line = nodeLine(branch.node, this.#style, this.#written, branch.detail);
    const hasMore = branch.children.length > 0 || branch.node.omitted > 0;
    const isApart = branch.above !== null && !branch.above.taken;
    return [
      `${indent(Math.min(branch.depth, 12))}${line}`,
      ...(hasMore || isApart ? [longTally] : []),
    ];
  }
}

const longTally = `${indent(6)}… 9,999 calls: some::function::name ×999`;

/** Of each function and ending the origin that stands for most calls, most first. */
function originKinds(grown: readonly Grown[]): Candidate[] {
  const kinds = new Map<string, Candidate>();
  for (const threads of grown) {
    for (const branch of originsIn(threads.roots)) {
      const { call, times } = branch.node;
      const kind = `${call.end} ${call.function}`;
      const known = kinds.get(kind);
      if (!known || times > known.branch.node.times) kinds.set(kind, { branch, threads });
    }
  }
  return [...kinds.values()].toSorted((a, b) => b.branch.node.times - a.branch.node.times);
}

function originsIn(branches: readonly Branch[]): Branch[] {
  return branches.flatMap((branch) => (branch.origin ? [branch] : originsIn(branch.children)));
}

/** The branch and its callers that are not taken yet, outermost first. */
function untakenWay(branch: Branch): Branch[] {
  const way: Branch[] = [];
  for (let at: Branch | null = branch; at && !at.taken; at = at.above) way.unshift(at);
  return way;
}

/** Removes the best; the earlier of equals. */
function takeFirst(queue: Candidate[]): Candidate {
  let best = 0;
  for (let at = 1; at < queue.length; at += 1) {
    if ((queue[at]?.branch.rank ?? 0) > (queue[best]?.branch.rank ?? 0)) best = at;
  }
  const [found] = queue.splice(best, 1);
  if (!found) throw new RangeError('takeFirst needs a candidate');
  return found;
}

/** Whether something below it is shown. */
export function hasTaken(branch: Branch): boolean {
  return branch.children.some((child) => child.taken || hasTaken(child));
}
