import type { TreeNode, TreeResult } from '../../model/query.ts';
import type { Space } from './budget.ts';
import { callPlace, callText, endText, type CallStyle } from './calls.ts';
import { escaped } from './clip.ts';
import { counted, grouped } from './numbers.ts';
import { duration } from './times.ts';

/*
 * The tree is laid out before it is written. Nodes are taken best first, parents before
 * children, as long as they fit; what is left out below a node becomes one line there:
 *
 *   settle(batch=7) = 3  4.1 ms  src/settle.cpp:88  [c1.40]
 *     book(id=1..36) ×37 = true  total 3.0 ms (12 µs..1.2 ms)  [c1.41]
 *     book(id=37) ✗ unwound, thrown here  80 µs  [c1.115]      ← the odd one is never folded away
 *     … 12 calls not shown: flush ×12
 *
 * Best: where an exception or an unfinished call began, then the way there, then shallow, then
 * long. A taken node whose callers had no room hangs below a line that counts them.
 */

/** The calls of one thread. */
export type Thread = TreeResult['threads'][number];

/** A node with its line, and whether it is shown. */
export interface Branch {
  readonly node: TreeNode;
  readonly depth: number;
  readonly rank: number;
  /** Odd without an odd child: where an exception began, or the innermost unfinished call. */
  readonly origin: boolean;
  /** Without indentation. */
  line: string;
  /** The same call without its arguments. */
  readonly shortLine: string;
  readonly children: readonly Branch[];
  taken: boolean;
}

/** A thread with its lines. */
export interface Grown {
  readonly thread: Thread;
  readonly header: string;
  readonly roots: readonly Branch[];
}

/** Makes every line; none is taken yet. */
export function grow(result: TreeResult, style: CallStyle): Grown[] {
  const longest = Math.max(
    1,
    ...result.threads.flatMap((thread) => thread.roots.map((root) => root.totalNs)),
  );
  const placed = new Set<string>();
  return result.threads.map((thread) => ({
    thread,
    header: `thread ${escaped(thread.name)} (${thread.tid})${severalPids(result) ? ` pid ${thread.pid}` : ''}: ${counted(thread.calls, 'call')}`,
    roots: thread.roots.map((root) => branchOf(root, 0, { style, placed, longest })),
  }));
}

function severalPids(result: TreeResult): boolean {
  return new Set(result.threads.map((thread) => thread.pid)).size > 1;
}

interface Growth {
  readonly style: CallStyle;
  /** Functions whose place has been written. */
  readonly placed: Set<string>;
  readonly longest: number;
}

function branchOf(node: TreeNode, depth: number, growth: Growth): Branch {
  const { call } = node;
  const where = growth.placed.has(call.function) ? '' : callPlace(call, growth.style);
  growth.placed.add(call.function);
  const children: Branch[] = [];
  const odd = isOdd(node);
  const branch: Branch = {
    node,
    depth,
    origin: odd && !node.children.some(isOdd),
    rank: (odd ? 1000 : 0) - depth * 10 + 9 * Math.min(1, node.totalNs / growth.longest),
    line: nodeLine(node, where, growth.style),
    shortLine: `${growth.style.shortName(call.function)}(${counted(call.arguments.length, 'argument')})${endText(call, growth.style)}${marks(node)}  [${call.id}]`,
    children,
    taken: false,
  };
  for (const child of node.children) children.push(branchOf(child, depth + 1, growth));
  return branch;
}

/** Whether something unusual happened in it or below. */
function isOdd(node: TreeNode): boolean {
  const { end } = node.call;
  return end === 'unwound' || end === 'jumped' || end === 'open' || node.children.some(isOdd);
}

function nodeLine(node: TreeNode, where: string, style: CallStyle): string {
  const { call } = node;
  const text = node.times > 1 ? foldedText(node, style) : callText(call, style);
  return `${text}${marks(node)}${where === '' ? '' : `  ${where}`}  [${call.id}]`;
}

/** What stands before a line of this depth. */
export function indent(depth: number): string {
  return '  '.repeat(depth + 1);
}

function foldedText(node: TreeNode, style: CallStyle): string {
  const one = callText({ ...node.call, durationNs: null }, style, node.varying).replace(
    / {2}[^ ]+ [^ ]+ so far$/,
    '',
  );
  const range =
    node.minNs === null || node.maxNs === null
      ? ''
      : ` (${duration(node.minNs)}..${duration(node.maxNs)})`;
  return `${one} ×${grouped(node.times)}  total ${duration(node.totalNs)}${range}`;
}

/** Where an exception began and where it ended, as far as traced frames can tell. */
function marks(node: TreeNode): string {
  const below = node.children.some((child) => child.call.end === 'unwound');
  if (node.call.end === 'unwound') return below ? '' : ', thrown here or below';
  return below && node.call.end === 'returned' ? '  ✓ caught here' : '';
}

/** Marks what fits as taken, best first, and stops where the next does not fit: true then. */
export function takeBest(grown: readonly Grown[], space: Space): boolean {
  const queue: Candidate[] = grown.flatMap((thread) =>
    thread.roots.map((branch) => ({ branch, thread })),
  );
  const origins = grown.flatMap((thread) =>
    originsIn(thread.roots).map((branch) => ({ branch, thread })),
  );
  const begun = new Set<Grown>();
  const take = ({ branch, thread }: Candidate): boolean => {
    const lines = [`${indent(Math.min(branch.depth, 12))}${branch.line}`];
    // Room for the line that says what is left out below or above it.
    if (branch.children.length > 0 || branch.node.omitted > 0 || branch.origin)
      lines.push(longTally);
    if (!begun.has(thread)) lines.push(thread.header, longTally);
    const text = lines.join('\n');
    const twin = begun.has(thread) ? text : [text, threadTwin(thread.thread)];
    if (!space.take(text, twin)) {
      if (begun.size > 0) return false;
      branch.line = branch.shortLine;
    }
    begun.add(thread);
    branch.taken = true;
    return true;
  };
  for (const origin of origins.slice(0, originsFirst)) if (!take(origin)) return true;
  while (queue.length > 0) {
    const next = takeFirst(queue);
    if (!next.branch.taken && !take(next)) return true;
    queue.push(...next.branch.children.map((branch) => ({ branch, thread: next.thread })));
  }
  return false;
}

/** So many origins are shown even when the way to them has no room. */
const originsFirst = 3;

const longTally = `${indent(6)}… 9,999 calls: some::function::name ×999`;

function originsIn(branches: readonly Branch[]): Branch[] {
  return branches.flatMap((branch) => (branch.origin ? [branch] : originsIn(branch.children)));
}

type Candidate = { readonly branch: Branch; readonly thread: Grown };

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

/** A thread in the structured form. */
export function threadTwin(thread: Thread): object {
  return { threadId: thread.tid, name: thread.name, pid: thread.pid, calls: thread.calls };
}
