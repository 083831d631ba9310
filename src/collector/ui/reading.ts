import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { nearest } from '../../base/nearest.ts';
import { StrobeError } from '../../model/errors.ts';
import { elementLine } from '../../model/ui/elementLine.ts';
import type { UiElement, UiTree } from '../../model/ui/element.ts';
import type { Accessibility, Application } from './atspi/accessibility.ts';
import type { Widget } from './atspi/widget.ts';
import { readWidgets } from './atspi/widgetTree.ts';
import type { ElementIds } from './elementIds.ts';
import { elementsOf } from './elements.ts';

const TURN_MS = 50;

/** What the windows of a program show at one moment. */
export interface Reading {
  readonly tree: UiTree;
  /** By id. */
  readonly widgets: ReadonlyMap<string, Widget>;
  readonly windows: readonly Widget[];
  /** By the name of the program on the bus. */
  readonly toolkits: ReadonlyMap<string, string>;
}

export interface ReadingOptions {
  /** What the display says of each window, by its title. */
  readonly windowStates: () => Promise<ReadonlyMap<string, readonly string[]>>;
  /** As `readWidgets`. */
  readonly isWhole: boolean;
}

/** Waits up to `patienceMs` for a window. Throws NO_WINDOW. */
export async function readProgram(
  door: Accessibility,
  ids: ElementIds,
  options: ReadingOptions,
  patienceMs: number,
): Promise<Reading> {
  const until = monotonicMs() + patienceMs;
  for (;;) {
    const reading = await readOnce(door, ids, options).catch((error: unknown) => {
      // A program that begins is busy in the thread of its windows.
      if (monotonicMs() < until && error instanceof StrobeError && error.code === 'TIMED_OUT')
        return null;
      throw error;
    });
    if (reading !== null) return reading;
    if (monotonicMs() >= until) throw noElements();
    await pause(TURN_MS);
  }
}

/** Null while there is no window. */
async function readOnce(
  door: Accessibility,
  ids: ElementIds,
  { windowStates, isWhole }: ReadingOptions,
): Promise<Reading | null> {
  const began = monotonicMs();
  const applications = await door.applications();
  const [states, ...read] = await Promise.all([
    windowStates(),
    ...applications.map(async (one) => readWidgets(door, one, isWhole)),
  ]);
  // What ends while it is read leaves only a part of itself.
  for (const application of applications) await door.ping(application).catch(whereItEnded);
  const windows = read.flatMap((one) => one.windows).map((window) => withStates(window, states));
  if (windows.length === 0) return null;
  const elements = elementsOf(windows, ids);
  return {
    tree: {
      toolkit: applications.map(nameOf).join(', '),
      windows: elements.windows,
      widgets: elements.count,
      unread: read.reduce((sum, { unread }) => sum + unread, 0),
      readMs: Math.round(monotonicMs() - began),
      sight: null,
    },
    widgets: elements.widgets,
    windows,
    toolkits: new Map(applications.map(({ bus, toolkit }) => [bus, toolkit])),
  };
}

/** What toolkits say to the display alone: Qt that a window is modal, all that it is fullscreen. */
function withStates(window: Widget, states: ReadonlyMap<string, readonly string[]>): Widget {
  return { ...window, states: new Set([...window.states, ...(states.get(window.name) ?? [])]) };
}

/** The widget of an id that can be acted on. Throws UNKNOWN_ELEMENT, NOT_ACTIONABLE. */
export function widgetCalled({ tree, widgets }: Reading, id: string): Widget {
  const widget = widgets.get(id);
  if (widget === undefined) throw unknownElement(id, widgets.keys());
  if (!widget.states.has('sensitive') && !widget.states.has('enabled'))
    throw new StrobeError(
      'NOT_ACTIONABLE',
      `${id} is disabled: the program does not take it now.`,
      `Do what enables it, then wait: debug_channel {"action":"run","steps":[{"wait":{"on":"ui","id":"${id}","isNot":"disabled"}}]}.`,
    );
  const modal = tree.windows.find(({ marks }) => marks.includes('modal'));
  if (modal !== undefined && !holds(modal, id))
    throw new StrobeError(
      'NOT_ACTIONABLE',
      `${elementLine(modal)} is in front and takes all input.`,
      `Close it first: debug_ui {"action":"tree","root":"${modal.id}"} shows its buttons.`,
    );
  return widget;
}

/** The error for an id that none of those that are shown is. */
export function unknownElement(id: string, shown: Iterable<string>): StrobeError {
  const close = nearest(id, [...shown], 3);
  return new StrobeError(
    'UNKNOWN_ELEMENT',
    `No element shown is called ${JSON.stringify(id)}.${close.length > 0 ? ` Did you mean ${close.join(', ')}?` : ''}`,
    'debug_ui {"action":"tree"} lists them.',
  );
}

function holds(element: UiElement, id: string): boolean {
  return element.id === id || element.children.some((child) => holds(child, id));
}

/** The widgets that a widget is in, from its window down to itself. */
export function pathTo({ windows }: Reading, widget: Widget): Widget[] {
  const below = (among: readonly Widget[]): Widget[] => {
    for (const one of among) {
      if (one === widget) return [one];
      const path = below(one.children);
      if (path.length > 0) return [one, ...path];
    }
    return [];
  };
  return below(windows);
}

const inPopups: ReadonlySet<string> = new Set(['menu', 'popup menu', 'combo box']);

/** Whether the last of a path is in a menu, or opens one. */
export function isOfPopup(path: readonly Widget[]): boolean {
  const [top] = path;
  return path.some(({ role }) => inPopups.has(role)) || (top?.role === 'window' && top.name === '');
}

/** Everything in a widget, itself first. */
export function within(widget: Widget): Widget[] {
  return [widget, ...widget.children.flatMap(within)];
}

function whereItEnded(error: unknown): never {
  if (error instanceof StrobeError) throw error;
  throw new StrobeError(
    'NO_WINDOW',
    'The program, or a part of it, ended while its windows were read.',
    'debug_session {"action":"status"} says whether it runs; then try again.',
  );
}

function nameOf({ toolkit, version }: Application): string {
  return `${toolkit} ${version}`.trim();
}

function noElements(): StrobeError {
  return new StrobeError(
    'NO_WINDOW',
    'The program publishes no elements: it has no window yet, or its toolkit has no accessibility.',
    'debug_ui {"action":"screenshot"} shows what there is; programs of Tk, SDL and games have only pictures.',
  );
}
