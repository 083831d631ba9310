import type { CallView } from '../../../model/questions/query.ts';
import type { TreeNode } from '../../../model/questions/treeResult.ts';
import { livedUntil, type CallStyle } from '../text/callText.ts';
import type { NextStep } from '../answers/nextSteps.ts';
import { grouped } from '../text/groupedNumber.ts';
import { outputStep, query, statsStep, type Scene } from '../answers/scene.ts';
import type { Branch, Grown } from './treeLayout.ts';

/**
 * What to ask after a tree, best first: the story of a value that met an exception, what came
 * before a call that does not end, one example of the line below which most is not shown.
 */
export function treeSteps(scene: Scene, grown: readonly Grown[], style: CallStyle): NextStep[] {
  const branches: Branch[] = [];
  const visit = (branch: Branch): void => {
    branches.push(branch);
    branch.children.forEach(visit);
  };
  for (const { roots } of grown) roots.forEach(visit);
  const steps: NextStep[] = [];
  const origins = branches.filter((branch) => branch.origin);
  const stuck = origins.find(({ node }) => node.call.end === 'open');
  const thrown = mostCalls(origins.filter(({ node }) => node.call.end === 'unwound'));
  if (thrown) steps.push(exceptionStep(scene, thrown));
  if (stuck && stuck.depth > 0) {
    steps.push(
      query(
        scene,
        { view: 'events', function: { equals: stuck.node.call.function } },
        `earlier calls of the function that ${livedUntil(stuck.node.call, style) === null ? 'has not returned' : 'never returned'}`,
      ),
    );
  }
  const hiding = mostHidden(branches);
  if (hiding) {
    const { call, times } = hiding.node;
    const why =
      times > 1 ? `one of these ${grouped(times)} calls, with all below it` : 'all below this call';
    steps.push(query(scene, { view: 'tree', root: call.id }, why));
  }
  steps.push(...statsStep(scene), ...outputStep(scene));
  return steps;
}

function mostCalls(branches: readonly Branch[]): Branch | null {
  return branches.reduce<Branch | null>(
    (most, branch) => (branch.node.times > (most?.node.times ?? 0) ? branch : most),
    null,
  );
}

function exceptionStep(scene: Scene, { node, above }: Branch): NextStep {
  return (
    storyStep(scene, node.call) ??
    query(
      scene,
      { view: 'tree', root: above?.node.call.id ?? node.call.id },
      'where the exception went, and what followed',
    )
  );
}

/** Every call about the same thing as one that threw; null when its arguments name nothing. */
export function storyStep(scene: Scene, call: CallView): NextStep | null {
  const named = tellingArgument(call);
  return (
    named &&
    query(
      scene,
      { view: 'events', argument: [{ name: named.name, equals: named.text }] },
      `every call about one that threw (${call.id})`,
    )
  );
}

/** A text that names what the call was about: other calls have it too. */
function tellingArgument(call: CallView): { readonly name: string; readonly text: string } | null {
  for (const { name, value } of call.arguments) {
    if (value.kind !== 'string' || value.truncated) continue;
    if (/^[\x20-\x7e]{3,60}$/.test(value.text)) return { name, text: value.text };
  }
  return null;
}

/** The shown branch below which most calls are not shown. */
function mostHidden(branches: readonly Branch[]): Branch | null {
  let most: Branch | null = null;
  let calls = 0;
  for (const branch of branches) {
    if (!branch.taken) continue;
    const hidden =
      branch.node.omitted +
      branch.children.reduce((sum, child) => sum + (child.taken ? 0 : callsIn(child.node)), 0);
    if (hidden > calls) {
      most = branch;
      calls = hidden;
    }
  }
  return most;
}

/** The calls that a node and what is below it stand for. */
export function callsIn(node: TreeNode): number {
  return node.times + node.omitted + node.children.reduce((sum, child) => sum + callsIn(child), 0);
}
