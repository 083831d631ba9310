import { monotonicMs } from '../../base/clock.ts';
import { StrobeError } from '../../model/errors.ts';
import { parseCallId } from '../../model/ids.ts';
import type { TreeQuery, TreeResult } from '../../model/query.ts';
import type { Block } from './blocks.ts';
import { planFilter, type CallPlan } from './callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from './callMatcher.ts';
import { CallForest } from './callForest.ts';
import { foldForest } from './foldedTree.ts';
import type { SessionTables } from './sessionTables.ts';
import { callsBelow } from './subtree.ts';
import { functionTest } from './textFilter.ts';

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
  const threads: ThreadTree[] = [];
  let nodesLeft = Math.max(1, query.maxNodes);
  let complete = true;
  for (const [key, blocks] of tables.blocks.byThread) {
    if (roots.kind === 'call' && roots.thread !== key) continue;
    if (plan.threads && !plan.threads.has(key)) continue;
    const forest = new CallForest(query.maxDepth);
    const isWhole = collect(forest, { tables, blocks, plan, matcher, roots, until, deadline });
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
}

/** Fills the forest with one thread's calls; false when the deadline ended it. */
function collect(forest: CallForest, from: Collection): boolean {
  const { plan, matcher, roots, until, deadline } = from;
  const rootFunctions = roots.kind === 'functions' ? roots.functions : null;
  const rootOrdinal = roots.kind === 'call' ? roots.ordinal : -1;
  let any = false;
  const { from: fromOrdinal, to: toOrdinal } = ordinalsOf(from);
  for (const block of from.blocks) {
    if (block.startNs > plan.timeTo || block.first >= toOrdinal) break;
    if (block.first + block.calls <= fromOrdinal) continue;
    // Nothing before the range is shown, so nothing in it can hang below that.
    if (block.lastNs < plan.timeFrom && roots.kind !== 'call') continue;
    if (any && monotonicMs() > deadline) return false;
    any = true;
    const first = firstRowFrom(block, plan.timeFrom);
    const last = firstRowAfter(block, plan.timeTo);
    const taken = new Uint8Array(block.calls);
    if (first < last && matcher.mayMatch(block)) {
      if (matcher.takesAll) taken.fill(1, first, last);
      else {
        matcher.each(block, first, last, (row) => {
          taken[row] = 1;
          return true;
        });
      }
    }
    forest.add(block, { taken, rootFunctions, rootOrdinal, until });
    from.tables.blocks.passed(block);
  }
  return true;
}

/** The calls that can be in the tree. */
function ordinalsOf({ tables, roots, until }: Collection): { from: number; to: number } {
  if (roots.kind !== 'call') return { from: 0, to: Number.POSITIVE_INFINITY };
  const { to } = callsBelow(tables.blocks, roots, { directly: false, until });
  return { from: roots.ordinal, to };
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
