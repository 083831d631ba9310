import type { CallView, TreeNode, TreeResult } from '../../model/query.ts';
import { Space, type Rendered } from './budget.ts';
import { callPlace, callText, type CallStyle } from './calls.ts';
import { escaped } from './clip.ts';
import { tally, whyNoCalls, type Emptiness } from './emptiness.ts';
import { callText as stepText, chosen, nextLines, type NextStep } from './nextSteps.ts';
import { counted, grouped } from './numbers.ts';
import { callStyle, query, sceneLines, sceneTwin, type Scene } from './scene.ts';
import { duration, stamp } from './times.ts';

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

type Thread = TreeResult['threads'][number];

interface Branch {
  readonly node: TreeNode;
  readonly depth: number;
  readonly rank: number;
  /** Odd without an odd child: where an exception began, or the innermost unfinished call. */
  readonly origin: boolean;
  /** Without indentation. */
  readonly line: string;
  readonly children: readonly Branch[];
  taken: boolean;
}

interface Grown {
  readonly thread: Thread;
  readonly header: string;
  readonly roots: readonly Branch[];
}

/** The call tree as indented text, folded until it fits. */
export function renderTree(
  scene: Scene,
  result: TreeResult,
  extra: { readonly emptiness: Emptiness | null },
  room: number,
): Rendered {
  const style = callStyle(scene, namesOf(result));
  const empty = result.calls === 0 && extra.emptiness ? whyNoCalls(scene, extra.emptiness) : null;
  const steps = chosen(empty ? empty.steps : treeSteps(scene, result), room);
  const notes = result.complete ? [] : ['The time limit ended the search: the tree is not complete. Narrow it with timeFrom, timeTo or root.'];
  const grown = grow(result, style);
  const before = [...sceneLines(scene), ...notes.map((note) => `! ${note}`), ...(empty ? empty.lines : [headline(result)])];
  const unfold = stepText(query(scene, { view: 'tree', root: '<call id>' }, ''));

  const space = new Space(room);
  space.spend([...before, `… = not shown. Unfold: ${unfold}`, ...nextLines(steps)].join('\n'));
  space.spend('', twinOf(scene, result, grown, { steps, room, notes: [...notes, ...(empty?.lines ?? [])], tree: unfold, hasMore: true }));
  const leftOut = takeBest(grown, space);
  const lines = write(grown, style);
  const folded = lines.some((line) => line.trimStart().startsWith('…'));
  const tree = [...lines, ...(folded ? [`… = not shown. Unfold: ${unfold}`] : [])].join('\n');
  return {
    text: [...before, ...(tree === '' ? [] : [tree]), ...nextLines(steps)].join('\n'),
    structured: twinOf(scene, result, grown, { steps, room, notes: [...notes, ...(empty?.lines ?? [])], tree, hasMore: folded }),
    leftOut,
  };
}

function twinOf(
  scene: Scene,
  result: TreeResult,
  grown: readonly Grown[],
  rest: { steps: readonly NextStep[]; notes: readonly string[]; room: number; tree: string; hasMore: boolean },
): object {
  return {
    view: 'tree',
    ...sceneTwin(
      scene,
      {
        pids: [...new Set(result.threads.map((thread) => thread.pid))],
        total: result.calls,
        totalIsExact: result.complete,
        hasMore: rest.hasMore,
        cursor: null,
      },
      rest,
    ),
    tree: rest.tree,
    threads: grown.filter(({ roots }) => roots.some((root) => root.taken || hasTaken(root))).map(({ thread }) => threadTwin(thread)),
  };
}

function headline(result: TreeResult): string {
  const calls = `${result.complete ? '' : 'at least '}${counted(result.calls, 'call')}`;
  return `${calls} in ${counted(result.threads.length, 'thread')}; ×n = n alike siblings:`;
}

function grow(result: TreeResult, style: CallStyle): Grown[] {
  const longest = Math.max(1, ...result.threads.flatMap((thread) => thread.roots.map((root) => root.totalNs)));
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

function indent(depth: number): string {
  return '  '.repeat(depth + 1);
}

function foldedText(node: TreeNode, style: CallStyle): string {
  const one = callText({ ...node.call, durationNs: null }, style, node.varying).replace(/ {2}[^ ]+ [^ ]+ so far$/, '');
  const range = node.minNs === null || node.maxNs === null ? '' : ` (${duration(node.minNs)}..${duration(node.maxNs)})`;
  return `${one} ×${grouped(node.times)}  total ${duration(node.totalNs)}${range}`;
}

/** Where an exception began and where it ended, as far as traced frames can tell. */
function marks(node: TreeNode): string {
  const below = node.children.some((child) => child.call.end === 'unwound');
  if (node.call.end === 'unwound') return below ? '' : ', thrown here or below';
  return below && node.call.end === 'returned' ? '  ✓ caught here' : '';
}

/** Marks what fits as taken, best first, and stops where the next does not fit: true then. */
function takeBest(grown: readonly Grown[], space: Space): boolean {
  const queue: Candidate[] = grown.flatMap((thread) => thread.roots.map((branch) => ({ branch, thread })));
  const origins = grown.flatMap((thread) => originsIn(thread.roots).map((branch) => ({ branch, thread })));
  const begun = new Set<Grown>();
  const take = ({ branch, thread }: Candidate): boolean => {
    const lines = [`${indent(Math.min(branch.depth, 12))}${branch.line}`];
    // Room for the line that says what is left out below or above it.
    if (branch.children.length > 0 || branch.node.omitted > 0 || branch.origin) lines.push(longTally);
    if (!begun.has(thread)) lines.push(thread.header, longTally);
    const text = lines.join('\n');
    if (!space.take(text, begun.has(thread) ? text : [text, threadTwin(thread.thread)]) && begun.size > 0) return false;
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

function write(grown: readonly Grown[], style: CallStyle): string[] {
  const lines: string[] = [];
  const unseen: Thread[] = [];
  for (const { thread, header, roots } of grown) {
    if (!roots.some((root) => root.taken || hasTaken(root))) {
      unseen.push(thread);
      continue;
    }
    lines.push(header);
    writeAll(roots, thread.omitted, 0, style, lines);
  }
  const calls = unseen.reduce((sum, thread) => sum + thread.calls, 0);
  if (calls > 0) lines.push(`… ${counted(calls, 'call')} in ${counted(unseen.length, 'other thread')}`);
  return lines;
}

function threadTwin(thread: Thread): object {
  return { threadId: thread.tid, name: thread.name, pid: thread.pid, calls: thread.calls };
}

function writeAll(branches: readonly Branch[], omitted: number, depth: number, style: CallStyle, lines: string[]): void {
  const missing: Branch[] = [];
  for (const branch of branches) {
    if (branch.taken) {
      lines.push(`${indent(depth)}${branch.line}`);
      writeAll(branch.children, branch.node.omitted, depth + 1, style, lines);
    } else if (hasTaken(branch)) {
      writeSkipped(branch, depth, style, lines);
    } else missing.push(branch);
  }
  const calls = omitted + missing.reduce((sum, branch) => sum + callsIn(branch.node), 0);
  if (calls === 0) return;
  const names = new Map<string, number>();
  for (const { node } of missing) {
    const name = style.shortName(node.call.function);
    names.set(name, (names.get(name) ?? 0) + node.times);
  }
  lines.push(notShown(depth, calls, tally(names)));
}

/** The callers that had no room as one line, then what is taken below them. */
function writeSkipped(from: Branch, depth: number, style: CallStyle, lines: string[]): void {
  let last = from;
  let levels = 1;
  for (;;) {
    const inner: Branch | undefined = last.children.find((child) => child.taken || hasTaken(child));
    if (!inner || inner.taken) break;
    last = inner;
    levels += 1;
  }
  const names = levels === 1 ? '' : `, ${style.shortName(from.node.call.function)} to ${style.shortName(last.node.call.function)}`;
  lines.push(`${indent(depth)}… ${counted(levels, 'level')}${levels === 1 ? `, ${style.shortName(from.node.call.function)}` : names} [${from.node.call.id}]`);
  const taken = last.children.filter((child) => child.taken || hasTaken(child));
  writeAll(taken, callsIn(from.node) - levels - taken.reduce((sum, child) => sum + callsIn(child.node), 0), depth + 1, style, lines);
}

function hasTaken(branch: Branch): boolean {
  return branch.children.some((child) => child.taken || hasTaken(child));
}

function notShown(depth: number, calls: number, which: string): string {
  return `${indent(depth)}… ${counted(calls, 'call')}${which === '' ? ' below' : `: ${which}`}`;
}

function callsIn(node: TreeNode): number {
  return node.times + node.omitted + node.children.reduce((sum, child) => sum + callsIn(child), 0);
}

function namesOf(result: TreeResult): Set<string> {
  const names = new Set<string>();
  const visit = (node: TreeNode): void => {
    names.add(node.call.function);
    node.children.forEach(visit);
  };
  for (const thread of result.threads) thread.roots.forEach(visit);
  return names;
}

function treeSteps(scene: Scene, result: TreeResult): NextStep[] {
  const odd: CallView[] = [];
  let longest: TreeNode | null = null;
  const visit = (node: TreeNode): void => {
    const inner = node.children.some((child) => child.call.end === node.call.end);
    if ((node.call.end === 'unwound' || node.call.end === 'open') && !inner) odd.push(node.call);
    if (node.omitted > 0 && node.totalNs > (longest?.totalNs ?? -1)) longest = node;
    node.children.forEach(visit);
  };
  for (const thread of result.threads) thread.roots.forEach(visit);
  const steps: NextStep[] = [];
  const [call] = odd;
  if (call) {
    steps.push(
      call.end === 'open'
        ? query(scene, { view: 'events', function: { equals: call.function } }, 'earlier calls of the function that has not returned')
        : query(scene, { view: 'events', timeFrom: Math.max(0, call.time - 1e6), timeTo: call.time + (call.durationNs ?? 0) + 1e6 }, `everything around the exception at ${stamp(call.time)}`),
    );
  }
  const deep: TreeNode | null = longest;
  if (deep !== null) steps.push(unfoldStep(scene, deep));
  steps.push(query(scene, { view: 'stats' }, 'counts and times per function'), query(scene, { view: 'output' }, 'what it wrote'));
  return steps;
}

function unfoldStep(scene: Scene, node: TreeNode): NextStep {
  return query(scene, { view: 'tree', root: node.call.id }, `the ${counted(node.omitted, 'call')} below ${node.call.id}`);
}
