import { escaped } from '../../../base/visible.ts';
import type { TreeNode, TreeResult } from '../../../model/questions/treeResult.ts';
import { costOf, Space, type Rendered } from '../answers/budget.ts';
import {
  repeatedLines,
  sharedLines,
  valueNotes,
  type CallStyle,
  type ValueNote,
} from '../text/callText.ts';
import { RepeatedValues } from '../text/repeatedValues.ts';
import { SharedArguments } from '../text/sharedArguments.ts';
import { tally, whyNoCalls, type Emptiness } from '../views/emptiness.ts';
import { chosen, nextLines, type NextStep } from '../answers/nextSteps.ts';
import { counted } from '../text/groupedNumber.ts';
import { unread } from '../text/legends.ts';
import { callStyle, sceneLines, sceneTwin, type Scene } from '../answers/scene.ts';
import { grow, hasTaken, indent, takeBest, type Branch, type Grown } from './treeLayout.ts';
import { ChangedValues } from './changedValues.ts';
import { nodeLine, Written } from './treeLines.ts';
import { callsIn, treeSteps } from './treeSteps.ts';
import { threadTwin } from './treeThreads.ts';

/** Below this what calls have in common stays with them. */
const roomForLegends = 600;
/** Below this the spread of times is left out. */
const roomForRanges = 1200;

/** The call tree as indented text, folded until it fits. */
export function renderTree(
  scene: Scene,
  result: TreeResult,
  extra: { readonly emptiness: Emptiness | null },
  room: number,
): Rendered {
  const { root } = scene.request;
  const style = {
    ...callStyle(scene, namesOf(result)),
    ...(typeof root === 'string' ? { asked: root } : {}),
  };
  const empty = result.calls === 0 && extra.emptiness ? whyNoCalls(scene, extra.emptiness) : null;
  const grown = grow(result, style, room < roomForRanges ? 'plain' : 'full');
  const shared = room < roomForLegends ? SharedArguments.of([]) : sharedBy(grown);
  const stepsNow = (): readonly NextStep[] =>
    chosen(empty ? empty.steps : treeSteps(scene, grown, style), room, scene);
  const notes = limitNotes(result);
  const before = [
    ...sceneLines(scene),
    ...notes.map((note) => `! ${escaped(note)}`),
    ...(empty ? empty.lines : [headline(scene, result)]),
  ];
  const twin = (tree: string, steps: readonly NextStep[], hasMore: boolean): object =>
    twinOf(scene, result, grown, {
      steps,
      room,
      notes: [...notes, ...(empty?.lines ?? [])],
      tree,
      hasMore,
    });

  const possible = [...sharedLines(shared, style), ...notesOn(grown, () => true)];
  const space = new Space(room);
  space.spend(
    costOf(
      [...before, ...possible, ...nextLines(stepsNow())].join('\n'),
      twin(possible.join('\n'), stepsNow(), true),
    ),
  );
  const leftOut = takeBest(grown, style, space, shared);
  const lines = write(grown, style, shared);
  const folded = lines.some((line) => line.trimStart().startsWith('…'));
  lines.push(...notesOn(grown));
  const steps = stepsNow();
  return {
    text: [...before, ...lines, ...nextLines(steps)].join('\n'),
    structured: twin(lines.join('\n'), steps, folded),
    leftOut,
  };
}

/** The lines of a tree alone, as many as there is space for; `leftOut`: some had none. */
export function treeLines(
  result: TreeResult,
  style: CallStyle,
  space: Space,
): { readonly lines: readonly string[]; readonly leftOut: boolean } {
  const grown = grow(result, style, 'plain');
  const shared = SharedArguments.of([]);
  const leftOut = takeBest(grown, style, space, shared);
  const lines = write(grown, style, shared);
  lines.push(...notesOn(grown));
  return { lines, leftOut };
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
      .map(({ group }) => threadTwin(group)),
  };
}

/** What the time limit left out. */
function limitNotes({ complete, uncompared }: TreeResult): readonly string[] {
  if (complete) return [];
  const values =
    uncompared === 0
      ? ''
      : ` The values of ${counted(uncompared, 'line')} were not compared: =? may differ among their calls.`;
  return [
    `The time limit ended the search: the tree is not complete.${values} Narrow it with timeFrom, timeTo or root.`,
  ];
}

function headline({ session }: Scene, result: TreeResult): string {
  const hits = result.threads.reduce((sum, thread) => sum + (thread.hits ?? 0), 0);
  const inside = hits > 0 ? ` and ${counted(hits, 'hit')} inside them` : '';
  const calls = `${result.complete ? '' : 'at least '}${counted(result.calls - hits, 'call')}${inside}`;
  const signs = unread(session, ['siblings', 'receiver']).join(', ');
  return `${calls} in ${counted(result.threads.length, 'thread')}${signs === '' ? '' : `; ${signs}`}:`;
}

/** What is to be said of the values that are shown. */
function notesOn(grown: readonly Grown[], isShown = (branch: Branch) => branch.taken): string[] {
  const any = (branch: Branch, note: ValueNote): boolean =>
    (isShown(branch) && note.applies(branch.node.call)) ||
    branch.children.some((child) => any(child, note));
  return valueNotes
    .filter((note) => grown.some(({ roots }) => roots.some((root) => any(root, note))))
    .map(({ text }) => text);
}

/** What all calls have in common. */
function sharedBy(grown: readonly Grown[]): SharedArguments {
  return SharedArguments.of(nodesOf(grown, ({ node }) => node.isRead));
}

function nodesOf(grown: readonly Grown[], isMeant: (branch: Branch) => boolean): TreeNode[] {
  const nodes: TreeNode[] = [];
  const visit = (branch: Branch): void => {
    if (isMeant(branch)) nodes.push(branch.node);
    branch.children.forEach(visit);
  };
  for (const { roots } of grown) roots.forEach(visit);
  return nodes;
}

interface Page {
  readonly style: CallStyle;
  readonly written: Written;
  readonly lines: string[];
}

function write(grown: readonly Grown[], plain: CallStyle, shared: SharedArguments): string[] {
  const written = nodesOf(grown, (branch) => branch.taken).map(({ call }) => shared.without(call));
  const style = { ...plain, repeated: new RepeatedValues(written, shared.values) };
  const legend = sharedLines(shared, style);
  const lines: string[] = [];
  const page = { style, written: new Written(shared), lines };
  let calls = 0;
  let threads = 0;
  for (const { group, header, roots } of grown) {
    if (!roots.some((root) => root.taken || hasTaken(root))) {
      threads += group.alike.length;
      calls += group.alike.reduce((sum, thread) => sum + thread.calls, 0);
      continue;
    }
    lines.push(header);
    writeAll(roots, group.shown.omitted, 0, page);
  }
  if (calls > 0) lines.push(`… ${counted(calls, 'call')} in ${counted(threads, 'other thread')}`);
  return [...legend, ...repeatedLines(style), ...lines];
}

function writeAll(branches: readonly Branch[], omitted: number, depth: number, page: Page): void {
  const missing: Branch[] = [];
  const values = new ChangedValues(page.style);
  for (const branch of branches) {
    if (branch.taken) {
      const line = nodeLine(values.of(branch.node), page.style, page.written, branch.detail);
      page.lines.push(`${indent(depth)}${line}`);
      page.written.add(branch.node);
      writeAll(branch.children, branch.node.omitted, depth + 1, page);
    } else if (hasTaken(branch)) {
      writeSkipped(branch, depth, page);
    } else missing.push(branch);
  }
  const calls = omitted + missing.reduce((sum, branch) => sum + callsIn(branch.node), 0);
  if (calls > 0) page.lines.push(notShown(depth, calls, missing, page.style));
}

/** The callers that had no room as one line, then what is taken below them. */
function writeSkipped(from: Branch, depth: number, page: Page): void {
  const { shortName } = page.style;
  let last = from;
  let levels = 1;
  for (;;) {
    const inner: Branch | undefined = last.children.find((child) => child.taken || hasTaken(child));
    if (!inner || inner.taken) break;
    last = inner;
    levels += 1;
  }
  const to = levels === 1 ? '' : ` to ${shortName(last.node.call.function)}`;
  page.lines.push(
    `${indent(depth)}… ${counted(levels, 'level')}, ${shortName(from.node.call.function)}${to} [${from.node.call.id}]`,
  );
  const taken = last.children.filter((child) => child.taken || hasTaken(child));
  writeAll(taken, 0, depth + 1, page);
  const shown = taken.reduce((sum, child) => sum + callsIn(child.node), 0);
  const calls = callsIn(from.node) - levels - shown;
  const missing = last.children.filter((child) => !taken.includes(child));
  if (calls > 0) page.lines.push(notShown(depth + 1, calls, missing, page.style));
}

/** `… 12 calls: flush ×10, poll ×2`. */
function notShown(
  depth: number,
  calls: number,
  missing: readonly Branch[],
  style: CallStyle,
): string {
  const names = new Map<string, number>();
  for (const { node } of missing) {
    const name = style.shortName(node.call.function);
    names.set(name, (names.get(name) ?? 0) + node.times);
  }
  const which = tally(names);
  const areLines = missing.length > 0 && missing.every(({ node }) => node.call.probe?.line);
  return `${indent(depth)}… ${counted(calls, areLines ? 'line' : 'call')}${which === '' ? ' below' : `: ${which}`}`;
}

function namesOf(result: TreeResult): Set<string> {
  const names = new Set<string>();
  const visit = (node: TreeResult['threads'][number]['roots'][number]): void => {
    names.add(node.call.function);
    node.children.forEach(visit);
  };
  for (const thread of result.threads) thread.roots.forEach(visit);
  return names;
}
