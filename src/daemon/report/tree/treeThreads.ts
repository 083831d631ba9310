import type { TreeNode, TreeResult } from '../../../model/questions/treeResult.ts';
import { livedUntil, type CallStyle } from '../text/callText.ts';
import { escaped } from '../../../base/visible.ts';
import { counted, grouped } from '../text/groupedNumber.ts';

/** The calls of one thread. */
export type Thread = TreeResult['threads'][number];

/** Threads that did the same; one of them is shown for all. */
export interface ThreadGroup {
  readonly shown: Thread;
  /** With the shown one, in the order they began. */
  readonly alike: readonly Thread[];
}

/** Levels that are compared. */
const compared = 4;

/**
 * Groups threads that called the same functions from the same functions, threw in the same
 * functions and are stuck in the same one. Of each group the thread with most calls is shown.
 */
export function groupThreads(result: TreeResult, style: CallStyle): ThreadGroup[] {
  const byShape = new Map<string, Thread[]>();
  for (const thread of result.threads) {
    const shape = shapeOf(thread, style);
    byShape.set(shape, [...(byShape.get(shape) ?? []), thread]);
  }
  return [...byShape.values()].map((alike) => ({
    alike,
    shown: alike.reduce((most, thread) => (thread.calls > most.calls ? thread : most)),
  }));
}

function shapeOf(thread: Thread, style: CallStyle): string {
  const paths = new Set<string>();
  const visit = (node: TreeNode, above: string, depth: number): void => {
    const path = `${above}/${node.call.fn} ${node.call.function}`;
    if (depth < compared) paths.add(path);
    if (isOddEnd(node, style)) paths.add(`${node.call.end} ${node.call.function}`);
    for (const child of node.children) visit(child, path, depth + 1);
  };
  for (const root of thread.roots) visit(root, `${thread.pid}`, 0);
  return [...paths].toSorted().join('\n');
}

/** A call that runs for less is on its way, not stuck. */
const stuckNs = 1e9;

/** Whether the call ended in an unusual way, or seems not to end. */
export function isOddEnd({ call }: TreeNode, style: CallStyle): boolean {
  if (call.end !== 'open') return call.end === 'unwound' || call.end === 'jumped';
  return livedUntil(call, style) !== null || style.now - call.time >= stuckNs;
}

const named = 4;

function callsText({ calls, hits = 0 }: Thread): string {
  return counted(calls - hits, 'call');
}

/** `thread worker-1 (4713): 46 calls`; `3 threads alike: a (1), b (2), c (3): 99 calls; a shown: 33 calls`. */
export function groupHeader({ shown, alike }: ThreadGroup, withPid: boolean): string {
  const pid = withPid ? ` pid ${shown.pid}` : '';
  if (alike.length === 1) return `thread ${threadName(shown)}${pid}: ${callsText(shown)}`;
  const names = alike.slice(0, named).map(threadName);
  if (alike.length > named) names.push(`… ${grouped(alike.length - named)} more`);
  const calls = alike.reduce((sum, thread) => sum + thread.calls, 0);
  return `${grouped(alike.length)} threads alike${pid}: ${names.join(', ')}: ${counted(calls, 'call')}; shown is ${escaped(shown.name)}: ${callsText(shown)}`;
}

function threadName(thread: Thread): string {
  return `${escaped(thread.name)} (${thread.tid})`;
}

/** A thread in the structured form. */
export function threadTwin({ shown, alike }: ThreadGroup): object {
  return {
    threadId: shown.tid,
    name: shown.name,
    pid: shown.pid,
    calls: shown.calls,
    ...(alike.length > 1 ? { alike: alike.length } : {}),
  };
}
