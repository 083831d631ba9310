import { monotonicMs } from '../../../base/clock.ts';
import { StrobeError } from '../../../model/errors.ts';
import { parseCallId } from '../../../model/ids.ts';
import type { TreeQuery, TreeResult } from '../../../model/query.ts';
import type { Block } from '../block.ts';
import { planFilter, type CallPlan } from '../filter/callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from '../filter/callMatcher.ts';
import { ContextBuilder } from './contextBuilder.ts';
import { ContextForest, type ForestRoots } from './contextForest.ts';
import { foldForest } from './foldedTree.ts';
import type { SessionTables } from '../sessionTables.ts';
import { callsBelow } from '../filter/subtree.ts';
import { functionTest } from '../filter/textFilter.ts';

type ThreadTree = TreeResult['threads'][number];

/** What becomes a root. */
type Roots =
  | { readonly kind: 'all' }
  | { readonly kind: 'call'; readonly thread: number; readonly ordinal: number }
  | { readonly kind: 'functions'; readonly functions: Uint8Array };

/**
 * The call tree (model/query.ts). A call that the filter takes hangs below its nearest ancestor
 * that the filter takes. Inside a snapshot.
 */
export function queryTree(tables: SessionTables, query: TreeQuery): TreeResult {
  const deadline = monotonicMs() + query.deadlineMs;
  const until = Math.min(query.until, Number.MAX_SAFE_INTEGER);
  const plan = planFilter(query.filter, tables, until);
  const roots = readRoots(query.root, tables);
  const matcher = new CallMatcher(tables, plan, until);
  const builder = new ContextBuilder();
  const threads: ThreadTree[] = [];
  let nodesLeft = Math.max(1, query.maxNodes);
  let complete = true;
  for (const [key, all] of tables.blocks.byThread) {
    if (roots.kind === 'call' && roots.thread !== key) continue;
    if (plan.threads && !plan.threads.has(key)) continue;
    const blocks = blocksInRange(all, { tables, plan, roots, until });
    const forest = new ContextForest(
      query.maxDepth,
      blocks[0]?.first ?? 0,
      rootsOf(roots),
      builder,
    );
    const isWhole = collect(forest, {
      ...{ tables, blocks, plan, matcher, roots, until, deadline },
      withChild: query.selfTime,
      // What lies above chosen roots takes levels, too.
      deepest: roots.kind === 'all' ? Math.max(1, query.maxDepth) - 1 : Infinity,
    });
    if (!isWhole) complete = false;
    if (forest.calls > 0) {
      const folded = foldForest(forest, tables, {
        maxNodes: nodesLeft,
        selfTime: query.selfTime,
        until,
      });
      nodesLeft = Math.max(1, nodesLeft - folded.nodes);
      const { tid, name, pid } = tables.thread(key);
      threads.push({
        thread: key,
        tid,
        name,
        pid,
        calls: forest.calls,
        roots: folded.roots,
        omitted: folded.omitted,
      });
    }
    if (!isWhole) break;
  }
  return { threads, calls: threads.reduce((sum, thread) => sum + thread.calls, 0), complete };
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
  if (!tables.blocks.find(call.thread, call.ordinal)) {
    throw new StrobeError(
      'BAD_PARAMETER',
      `There is no call ${root}.`,
      'Ids come from the answers.',
    );
  }
  return { kind: 'call', ...call };
}
