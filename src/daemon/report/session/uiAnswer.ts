import { escaped } from '../../../base/visible.ts';
import { describeExit } from '../../../model/endings/exitText.ts';
import type { SessionView } from '../../../model/session.ts';
import type { WindowPicture } from '../../../model/ui/shownWindow.ts';
import type { UiDone, UiElement, UiTree } from '../../../model/ui/element.ts';
import { elementLine } from '../../../model/ui/elementLine.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { DebugUiInput } from '../../../protocol/tools/debugUi.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { duration } from '../text/timeText.ts';
import { callText, nextLines, type NextStep } from '../answers/nextSteps.ts';

/** Answer of debug_ui screenshot. */
export function renderScreenshot({
  view,
  picture,
  path,
  isShown,
}: {
  readonly view: SessionView;
  readonly picture: WindowPicture;
  readonly path: string;
  readonly isShown: boolean;
}): ToolAnswer {
  const { window, width, height, others, small, omitted, idsAgeMs } = picture;
  const lines = [
    `window ${JSON.stringify(window.title)} ${width}x${height} at ${window.x},${window.y}: ${path}`,
    ...(idsAgeMs === null
      ? []
      : [`! The program does not answer: the ids are those of ${duration(idsAgeMs * 1e6)} ago.`]),
    ...(omitted.length > 0 ? [`no room for the ids: ${omitted.join(', ')}`] : []),
    ...(others.length > 0
      ? [`other windows: ${others.map((title) => JSON.stringify(title)).join(', ')}`]
      : []),
  ];
  return {
    text: lines.map((line) => escaped(line)).join('\n'),
    structured: {
      action: 'screenshot',
      sessionId: view.id,
      window: window.title,
      width,
      height,
      path,
      otherWindows: others,
      omitted,
      ...(idsAgeMs === null ? {} : { idsAgeMs }),
      nextSteps: [],
    },
    ...(isShown
      ? { image: { mimeType: 'image/png', data: Buffer.from(small).toString('base64') } }
      : {}),
  };
}

/** How many of many alike children of an element are shown. */
const levels: readonly number[] = [60, 12, 3, 1];
/** Beyond these the rest is left out, when even one child of each is too much. */
const mostLines: readonly number[] = [2000, 2000, 2000, 60];

/** Answer of debug_ui tree. */
export function renderElements(
  {
    view,
    tree,
    root,
  }: { readonly view: SessionView; readonly tree: UiTree; readonly root?: string | undefined },
  budget: number,
): ToolAnswer {
  const shown = root === undefined ? tree.windows : [elementCalled(tree.windows, root)];
  const count = shown.reduce((sum, element) => sum + countOf(element), 0);
  return richest(budget, levels, (most) => {
    const all = shown.flatMap((element) => linesOf(element, 0, most));
    const limit = mostLines[levels.indexOf(most)] ?? 60;
    const omitted = all.length - limit;
    const lines = [
      ...all.slice(0, limit),
      ...(omitted > 0 ? [`… ${omitted} more lines: give "root", or a larger "budget"`] : []),
    ].map((line) => escaped(line));
    const head = `${tree.toolkit} · read in ${tree.readMs} ms · ${count} elements of ${tree.widgets} widgets`;
    const seen = tree.sight === null ? [] : [escaped(`painted: ${tree.sight}`)];
    const unread =
      tree.unread === 0
        ? []
        : [`${tree.unread} more are not read: 200 of a list, 2,000 of a program are`];
    return {
      text: [head, ...unread, ...seen, ...lines].join('\n'),
      structured: {
        action: 'tree',
        sessionId: view.id,
        toolkit: tree.toolkit,
        sight: tree.sight,
        elements: lines,
        shown: count,
        widgets: tree.widgets,
        unread: tree.unread,
        nextSteps: [],
      },
    };
  });
}

function linesOf(element: UiElement, depth: number, most: number): string[] {
  const { children } = element;
  const left = children.length - most;
  const room = '  '.repeat(depth + 1);
  return [
    `${'  '.repeat(depth)}${elementLine(element)}`,
    ...children.slice(0, most).flatMap((child) => linesOf(child, depth + 1, most)),
    ...(left > 0
      ? [`${room}… ${left} more: debug_ui {"action":"tree","root":"${element.id}"}`]
      : []),
  ];
}

function countOf({ children }: UiElement): number {
  return children.reduce((sum, child) => sum + countOf(child), 1);
}

function elementCalled(elements: readonly UiElement[], id: string): UiElement {
  const find = (among: readonly UiElement[]): UiElement | null => {
    for (const element of among) {
      const found = element.id === id ? element : find(element.children);
      if (found !== null) return found;
    }
    return null;
  };
  const found = find(elements);
  if (found === null)
    throw new StrobeError('UNKNOWN_ELEMENT', `No element shown is called ${JSON.stringify(id)}.`);
  return found;
}

const without: Readonly<Record<string, string>> = {
  setValue: 'the element does not have the value',
  select: 'the item is not selected',
  type: 'the text is as before',
  scroll: 'nothing moved: it is at its end, or does not scroll',
};

function doneText(action: string, done: UiDone['done']): string {
  if (done === 'confirmed') return done;
  if (done === 'sent') return 'sent; nothing that is shown tells of an effect';
  return `no effect: ${without[action] ?? 'nothing changed'}`;
}

/** What the program did while something was done in its window. */
export interface Meanwhile {
  readonly output: readonly string[];
  readonly moreOutput: number;
  readonly calls: readonly { readonly function: string; readonly count: number }[];
  readonly moreFunctions: number;
}

function meanwhileLines({ output, moreOutput, calls, moreFunctions }: Meanwhile): string[] {
  const called = calls.map((one) => `${one.function} ×${one.count}`).join(', ');
  return [
    ...output.map((line) => `wrote: ${line}`),
    ...(moreOutput > 0 ? [`… ${moreOutput} more lines of output`] : []),
    ...(called === ''
      ? []
      : [`called: ${called}${moreFunctions > 0 ? `, … ${moreFunctions} more functions` : ''}`]),
  ];
}

function closedText(view: SessionView): string {
  return view.state.kind === 'ended'
    ? `the program ended: ${describeExit(view.state.exit)}`
    : 'no window is left; the program runs on';
}

/** Answer of debug_ui for each action. */
export function renderActed(
  {
    view,
    order,
    acted,
    from,
    meanwhile,
  }: {
    readonly view: SessionView;
    readonly meanwhile: Meanwhile;
    readonly order: DebugUiInput;
    readonly acted: UiDone;
    /** Session time before it. */
    readonly from: number;
  },
  budget: number,
): ToolAnswer {
  const { done, means, element, isClosed, settledMs } = acted;
  const delta = isClosed ? [closedText(view), ...acted.delta] : acted.delta;
  const on = 'id' in order && order.id !== undefined ? ` ${order.id}` : '';
  // Calls in one another say what an action led to: the request, the functions that took it, their queries.
  const viewName = meanwhile.calls.length > 0 ? 'tree' : 'events';
  const next: NextStep = {
    tool: 'debug_query',
    arguments: { view: viewName, timeFrom: from },
    why: 'everything since',
  };
  return richest(budget, [200, 50, 15, 5], (most) => {
    const lines = [
      `${order.action}${on} by ${means}: ${doneText(order.action, done)} · ${settledMs} ms`,
      ...(delta.length === 0 && element !== null ? [element] : []),
      ...delta.slice(0, most),
      ...(delta.length > most ? [`… ${delta.length - most} more changes`] : []),
      ...meanwhileLines(meanwhile),
      ...nextLines([next]),
    ];
    return {
      text: lines.map((line) => escaped(line)).join('\n'),
      structured: {
        action: order.action,
        sessionId: view.id,
        done,
        means,
        element,
        delta: delta.slice(0, most),
        settledMs,
        meanwhile: { output: meanwhile.output, calls: meanwhile.calls },
        nextSteps: [callText(next)],
      },
    };
  });
}
