import type { TreeNode } from '../../../model/questions/treeResult.ts';

/**
 * A line of source often has several places, one after the other in each visit: among siblings the place that ran most often
 * stands for it, where the first of them did.
 */
export function mergedLines(siblings: readonly TreeNode[]): TreeNode[] {
  const most = new Map<string, TreeNode>();
  for (const node of siblings) {
    const key = lineOf(node);
    const known = key === null ? undefined : most.get(key);
    if (key !== null && (!known || node.times > known.times)) most.set(key, node);
  }
  if (most.size === 0) return [...siblings];
  return siblings.flatMap((node) => {
    const key = lineOf(node);
    if (key === null) return [node];
    const shown = most.get(key);
    most.delete(key);
    return shown ? [shown] : [];
  });
}

function lineOf({ call: { probe, file, line } }: TreeNode): string | null {
  return probe?.line ? `${probe.line.of} ${file}:${line}` : null;
}
