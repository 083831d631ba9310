import { monotonicMs } from '../../../base/clock.ts';
import { parseCallId } from '../../../model/ids.ts';
import type { TreeQuery, TreeResult } from '../../../model/questions/treeResult.ts';
import type { Block } from '../block.ts';
import { planFilter, unknownCall, type CallPlan } from '../filter/callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from '../filter/callMatcher.ts';
import { ContextBuilder } from './contextBuilder.ts';
import { ContextForest, type ForestRoots } from './contextForest.ts';
import { foldForest } from './foldedTree.ts';
import type { SessionTables } from '../sessionTables.ts';
import { callsBelow } from '../filter/subtree.ts';
import { functionTest } from '../filter/textFilter.ts';

/** What of the time for collecting calls folding them may take behind it. */
const FOLDING_SHARE = 0.25;

type ThreadTree = TreeResult['threads'][number];

/** What becomes a root. */
type Roots =
  | { readonly kind: 'all' }
  | { readonly kind: 'call'; readonly thread: number; readonly ordinal: number }
  | { readonly kind: 'functions'; readonly functions: Uint8Array };

/** A question about trees, made ready for one session. */
interface Asked {
  readonly tables: SessionTables;
  readonly plan: CallPlan;
  readonly roots: Roots;
  readonly matcher: CallMatcher;
  readonly builder: ContextBuilder;
  readonly until: number;
  readonly deadline: number;
  /** When folding what was collected until then ends. */
  readonly foldedBy: number;
  readonly maxDepth: number;
  readonly maxRead: number;
  readonly selfTime: boolean;
}

/**
 * The call tree (model/query.ts). A call that the filter takes hangs below its nearest ancestor
 * that the filter takes. Inside a snapshot.
 */
export function queryTree(tables: SessionTables, query: TreeQuery): TreeResult {
  const known = tables.trees.find(tables.version, query);
  if (known) return known;
  const result = foldTree(tables, query);
  if (result.complete) tables.trees.remember(query, result);
  return result;
}

function foldTree(tables: SessionTables, query: TreeQuery): TreeResult {
  const asked = readyFor(tables, query);
  const { plan, roots } = asked;
  const threads: ThreadTree[] = [];
  let nodesLeft = Math.max(1, query.maxNodes);
  let complete = true;
  let uncompared = 0;
  for (const [key, blocks] of tables.blocks.byThread) {
    if (roots.kind === 'call' && roots.thread !== key) continue;
    if (plan.threads && !plan.threads.has(key)) continue;
    // A thread's first block is always looked at; of threads there may be any number.
    if (threads.length > 0 && monotonicMs() > asked.deadline) {
      complete = false;
      break;
    }
    const folded = foldThread(asked, key, blocks, nodesLeft);
    const { tree, isWhole } = folded;
    uncompared += folded.uncompared;
    if (tree) {
      nodesLeft = Math.max(1, nodesLeft - linesOf(tree));
      threads.push(tree);
    }
    if (isWhole) continue;
    complete = false;
    break;
  }
  const calls = threads.reduce((sum, thread) => sum + thread.calls, 0);
  return { threads, calls, complete, uncompared };
}

function readyFor(tables: SessionTables, query: TreeQuery): Asked {
  const { filter, root, maxDepth, maxRead, selfTime, deadlineMs } = query;
  const deadline = monotonicMs() + deadlineMs;
  const foldedBy = deadline + Math.max(0, deadlineMs) * FOLDING_SHARE;
  const until = Math.min(query.until, Number.MAX_SAFE_INTEGER);
  const plan = planFilter(filter, tables, until);
  const roots = readRoots(root, tables);
  const matcher = new CallMatcher(tables, plan, until);
  const builder = new ContextBuilder();
  const limits = { until, deadline, foldedBy, maxDepth, maxRead, selfTime };
  return { tables, plan, roots, matcher, builder, ...limits };
}

interface Folded {
  /** Null: it has no calls. */
  readonly tree: ThreadTree | null;
  /** False: the deadline ended it. */
  readonly isWhole: boolean;
  /** Lines whose values were not compared then. */
  readonly uncompared: number;
}

function foldThread(asked: Asked, key: number, all: readonly Block[], maxNodes: number): Folded {
  const { tables, plan, roots, matcher, builder, until, deadline, foldedBy } = asked;
  const { maxDepth, maxRead, selfTime } = asked;
  const blocks = blocksInRange(all, { tables, plan, roots, until });
  const forest = new ContextForest(maxDepth, blocks[0]?.first ?? 0, rootsOf(roots), builder);
  const isCollected = collect(forest, {
    tables,
    blocks,
    plan,
    matcher,
    roots,
    until,
    deadline,
    withChild: selfTime,
    // What lies above chosen roots takes levels, too.
    deepest: roots.kind === 'all' ? Math.max(1, maxDepth) - 1 : Infinity,
  });
  if (forest.calls === 0) return { tree: null, isWhole: isCollected, uncompared: 0 };
  const folding = { maxNodes, maxRead, selfTime, until, deadline: foldedBy };
  const folded = foldForest(forest, tables, folding);
  const { tid, name, pid } = tables.thread(key);
  const { roots: lines, omitted, uncompared } = folded;
  const hits = forest.callsOf((fn) => tables.fn(fn).probe !== undefined);
  const sums = { calls: forest.calls, ...(hits > 0 ? { hits } : {}) };
  const tree = { thread: key, tid, name, pid, ...sums, roots: lines, omitted };
  return { tree, isWhole: isCollected && folded.isWhole, uncompared };
}

function linesOf({ roots }: Pick<ThreadTree, 'roots'>): number {
  return roots.reduce((sum, { children }) => sum + 1 + linesOf({ roots: children }), 0);
}

interface Collection {
  readonly tables: SessionTables;
  readonly blocks: readonly Block[];
  readonly plan: CallPlan;
  readonly matcher: CallMatcher;
  readonly roots: Roots;
  readonly until: number;
  readonly deadline: number;
  readonly withChild: boolean;
  readonly deepest: number;
}

/** Fills the forest with one thread's calls; false when the deadline ended it. */
function collect(forest: ContextForest, from: Collection): boolean {
  const { plan, matcher, roots, until, deadline, withChild } = from;
  const { ordinal } = rootsOf(roots);
  for (const [i, block] of from.blocks.entries()) {
    if (i > 0 && monotonicMs() > deadline) return false;
    const first = firstRowFrom(block, plan.timeFrom);
    const last = firstRowAfter(block, plan.timeTo);
    const taken = takenRows(matcher, block, first, last);
    const rows = firstRowAfter(block, until);
    const rootRow = Math.max(-1, ordinal - block.first);
    forest.add(block, { taken, rows, rootRow, until, withChild, deepest: from.deepest });
    from.tables.blocks.passed(block);
  }
  return true;
}

function rootsOf(roots: Roots): ForestRoots {
  return {
    functions: roots.kind === 'functions' ? roots.functions : null,
    ordinal: roots.kind === 'call' ? roots.ordinal : -1,
  };
}

/** 1 for the rows of [first, last) that pass; null: all of the block. */
function takenRows(
  matcher: CallMatcher,
  block: Block,
  first: number,
  last: number,
): Uint8Array | null {
  const mayMatch = first < last && matcher.mayMatch(block);
  if (mayMatch && matcher.takesAll && first === 0 && last === block.calls) return null;
  const taken = new Uint8Array(block.calls);
  if (!mayMatch) return taken;
  if (matcher.takesAll) return taken.fill(1, first, last);
  matcher.each(block, first, last, (row) => {
    taken[row] = 1;
    return true;
  });
  return taken;
}

/** The blocks that hold calls of the tree. */
function blocksInRange(
  all: readonly Block[],
  { tables, plan, roots, until }: Pick<Collection, 'tables' | 'plan' | 'roots' | 'until'>,
): Block[] {
  let from = 0;
  let to = Number.POSITIVE_INFINITY;
  if (roots.kind === 'call') {
    from = roots.ordinal;
    ({ to } = callsBelow(tables.blocks, roots, { directly: false, until }));
  }
  return all.filter((block) => {
    if (block.startNs > plan.timeTo || block.first >= to) return false;
    if (block.first + block.calls <= from) return false;
    // Nothing before the range is shown, so nothing in it can hang below that.
    return block.lastNs >= plan.timeFrom || roots.kind === 'call';
  });
}

function readRoots(root: string | null, tables: SessionTables): Roots {
  if (root === null) return { kind: 'all' };
  const call = parseCallId(root);
  if (!call) {
    return { kind: 'functions', functions: tables.functionsThat(functionTest({ pattern: root })) };
  }
  if (!tables.blocks.find(call.thread, call.ordinal)) throw unknownCall(root);
  return { kind: 'call', ...call };
}
