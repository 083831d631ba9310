import type { CallView, TreeNode, TreeResult } from '../../model/query.ts';
import { Space, type Rendered } from './budget.ts';
import type { CallStyle } from './calls.ts';
import { tally, whyNoCalls, type Emptiness } from './emptiness.ts';
import { callText as stepText, chosen, nextLines, type NextStep } from './nextSteps.ts';
import { counted } from './numbers.ts';
import { callStyle, query, sceneLines, sceneTwin, type Scene } from './scene.ts';
import { stamp } from './times.ts';
import {
  grow,
  hasTaken,
  indent,
  takeBest,
  threadTwin,
  type Branch,
  type Grown,
  type Thread,
} from './treeLayout.ts';

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
  const notes = result.complete
    ? []
    : [
        'The time limit ended the search: the tree is not complete. Narrow it with timeFrom, timeTo or root.',
      ];
  const grown = grow(result, style);
  const before = [
    ...sceneLines(scene),
    ...notes.map((note) => `! ${note}`),
    ...(empty ? empty.lines : [headline(result)]),
  ];
  const unfold = stepText(query(scene, { view: 'tree', root: '<call id>' }, ''));

  const space = new Space(room);
  space.spend([...before, `… = not shown. Unfold: ${unfold}`, ...nextLines(steps)].join('\n'));
  space.spend(
    '',
    twinOf(scene, result, grown, {
      steps,
      room,
      notes: [...notes, ...(empty?.lines ?? [])],
      tree: unfold,
      hasMore: true,
    }),
  );
  const leftOut = takeBest(grown, space);
  const lines = write(grown, style);
  const folded = lines.some((line) => line.trimStart().startsWith('…'));
  const tree = [...lines, ...(folded ? [`… = not shown. Unfold: ${unfold}`] : [])].join('\n');
  return {
    text: [...before, ...(tree === '' ? [] : [tree]), ...nextLines(steps)].join('\n'),
    structured: twinOf(scene, result, grown, {
      steps,
      room,
      notes: [...notes, ...(empty?.lines ?? [])],
      tree,
      hasMore: folded,
    }),
    leftOut,
  };
}

function twinOf(
  scene: Scene,
  result: TreeResult,
  grown: readonly Grown[],
  rest: {
    steps: readonly NextStep[];
    notes: readonly string[];
    room: number;
    tree: string;
    hasMore: boolean;
  },
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
    threads: grown
      .filter(({ roots }) => roots.some((root) => root.taken || hasTaken(root)))
      .map(({ thread }) => threadTwin(thread)),
  };
}

function headline(result: TreeResult): string {
  const calls = `${result.complete ? '' : 'at least '}${counted(result.calls, 'call')}`;
  return `${calls} in ${counted(result.threads.length, 'thread')}; ×n = n alike siblings:`;
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
  if (calls > 0)
    lines.push(`… ${counted(calls, 'call')} in ${counted(unseen.length, 'other thread')}`);
  return lines;
}

function writeAll(
  branches: readonly Branch[],
  omitted: number,
  depth: number,
  style: CallStyle,
  lines: string[],
): void {
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
  const names =
    levels === 1
      ? ''
      : `, ${style.shortName(from.node.call.function)} to ${style.shortName(last.node.call.function)}`;
  lines.push(
    `${indent(depth)}… ${counted(levels, 'level')}${levels === 1 ? `, ${style.shortName(from.node.call.function)}` : names} [${from.node.call.id}]`,
  );
  const taken = last.children.filter((child) => child.taken || hasTaken(child));
  writeAll(
    taken,
    callsIn(from.node) - levels - taken.reduce((sum, child) => sum + callsIn(child.node), 0),
    depth + 1,
    style,
    lines,
  );
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
        ? query(
            scene,
            { view: 'events', function: { equals: call.function } },
            'earlier calls of the function that has not returned',
          )
        : query(
            scene,
            {
              view: 'events',
              timeFrom: Math.max(0, call.time - 1e6),
              timeTo: call.time + (call.durationNs ?? 0) + 1e6,
            },
            `everything around the exception at ${stamp(call.time)}`,
          ),
    );
  }
  const deep: TreeNode | null = longest;
  if (deep !== null) steps.push(unfoldStep(scene, deep));
  steps.push(
    query(scene, { view: 'stats' }, 'counts and times per function'),
    query(scene, { view: 'output' }, 'what it wrote'),
  );
  return steps;
}

function unfoldStep(scene: Scene, node: TreeNode): NextStep {
  return query(
    scene,
    { view: 'tree', root: node.call.id },
    `the ${counted(node.omitted, 'call')} below ${node.call.id}`,
  );
}
