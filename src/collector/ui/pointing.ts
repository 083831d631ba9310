import { pause } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ShownWindow } from '../../model/ui/shownWindow.ts';
import type { Accessibility } from './atspi/accessibility.ts';
import type { Widget } from './atspi/widget.ts';
import type { Mark } from './annotate.ts';
import { middleOf, type Box, type Place } from './box.ts';
import { isPlacedInWindow } from './atspi/toolkitRules.ts';
import { isOfPopup, pathTo, type Reading } from './reading.ts';
import type { Screen } from './screen.ts';

/** What shows only a part of what is in it. */
const clipping: ReadonlySet<string> = new Set([
  'viewport',
  'scroll pane',
  'list',
  'list box',
  'table',
  'tree',
  'tree table',
]);
const MOST_TURNS = 60;
const TURN_MS = 15;
/** As often as a list may be where it was after the wheel was turned, until it counts as being at its end. */
const MOST_STILL = 10;

/** Where widgets are on the display. The window of one that is pointed at comes to the front, and it is scrolled into view. */
export class Pointing {
  readonly #door: Accessibility;
  readonly #screen: Screen;

  constructor(door: Accessibility, screen: Screen) {
    this.#door = door;
    this.#screen = screen;
  }

  /** The middle of what is seen of a widget. Null: it has no place on the display. Throws NOT_ACTIONABLE where a menu covers it. */
  async centre(reading: Reading, widget: Widget): Promise<Place | null> {
    if (widget.extents?.width === 0) return null;
    const path = pathTo(reading, widget);
    const windows = await this.#screen.windows();
    const window = windowOf(windows, path);
    if (window === null) return null;
    if (!window.isPopup) await this.#screen.focus(window.id);
    const isOfWindow = isPlacedInWindow(toolkitOf(reading, widget));
    const seen = await this.#scrolledIn(path, window, isOfWindow);
    if (seen === null) return null;
    const at = middleOf(seen);
    const covering = windows.find((one) => one.isPopup && one !== window && isIn(at, one));
    if (covering !== undefined && !isOfPopup(path))
      throw new StrobeError(
        'NOT_ACTIONABLE',
        `A menu or tool tip of ${covering.width}x${covering.height} pixels covers the element.`,
        'Close it: debug_ui {"action":"key","key":"Escape"}.',
      );
    return at;
  }

  /** Gives the topmost window the keyboard. */
  async front(): Promise<void> {
    await this.#screen.front();
  }

  /** What is seen of the last of a path; the wheel is turned over what hides it. Null where that does not help. */
  async #scrolledIn(
    path: readonly Widget[],
    window: ShownWindow,
    isOfWindow: boolean,
  ): Promise<Box | null> {
    const frames = framesOf(path).map(async (one) => this.#box(one, window, isOfWindow));
    const frame = seenThrough(await Promise.all(frames), window);
    const input = await this.#screen.input();
    let before: Box | null = null;
    let still = 0;
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const box = await this.#box(path.at(-1), window, isOfWindow);
      const seen = common(frame, box);
      const isSeen = seen.width > 0 && seen.height > 0;
      const isWhole = isSeen && seen.height >= Math.min(box.height, frame.height);
      still = before !== null && before.x === box.x && before.y === box.y ? still + 1 : 0;
      // What has just been moved may not be at its place yet.
      if (isWhole && (turn === 0 || still > 0)) return seen;
      if (frame === window || box.width <= 0 || still > MOST_STILL) return isSeen ? seen : null;
      before = box;
      if (!isWhole) await input.scroll(middleOf(frame), towards(box, frame), 1);
      await pause(TURN_MS);
    }
    return null;
  }

  /** In pixels of the display. */
  async #box(widget: Widget | undefined, window: ShownWindow, isOfWindow: boolean): Promise<Box> {
    if (widget?.interfaces.has('Component') !== true) return nowhere;
    const extents = await this.#door.extents(widget.reference, !isOfWindow);
    return onDisplay(extents, window, isOfWindow);
  }
}

/** What is seen of each element of one of the windows that are shown, in pixels of it. */
export function marksOf(
  reading: Reading,
  window: ShownWindow,
  windows: readonly ShownWindow[],
): Mark[] {
  const ids = new Map([...reading.widgets].map(([id, widget]) => [widget, id]));
  const marks: Mark[] = [];
  /** `frame`: what of the window its frames leave to be seen; null: all of it. */
  const visit = (widget: Widget, frame: Box | null): void => {
    const { extents } = widget;
    const isOfWindow = isPlacedInWindow(toolkitOf(reading, widget));
    const box = extents === null ? nowhere : onDisplay(extents, window, isOfWindow);
    const { x, y, width, height } = common(box, frame ?? window);
    const id = ids.get(widget);
    if (id !== undefined && width > 0 && height > 0)
      marks.push({ id, box: { x: x - window.x, y: y - window.y, width, height } });
    const isFrame = clipping.has(widget.role) && box.width > 0;
    const inner = isFrame ? common(box, frame ?? window) : frame;
    for (const child of widget.children) visit(child, inner);
  };
  for (const top of reading.windows)
    if (windowOf(windows, [top])?.id === window.id)
      for (const child of top.children) visit(child, null);
  return marks;
}

const nowhere: Box = { x: 0, y: 0, width: 0, height: 0 };

function toolkitOf({ toolkits }: Reading, { reference }: Widget): string {
  return toolkits.get(reference.bus) ?? '';
}

function onDisplay(extents: Box, window: Box, isOfWindow: boolean): Box {
  if (!isOfWindow) return extents;
  return { ...extents, x: extents.x + window.x, y: extents.y + window.y };
}

/** What the last of a path is in and that shows only a part of it. */
function framesOf(path: readonly Widget[]): Widget[] {
  return path.slice(0, -1).filter(({ role }) => clipping.has(role));
}

/** What is seen through frames; the window itself where none hides a part of it. */
function seenThrough(frames: readonly Box[], window: ShownWindow): Box {
  return frames.filter(({ width }) => width > 0).reduce<Box>(common, window);
}

/** The window that the last of a path is in: by its title, else the topmost. */
function windowOf(windows: readonly ShownWindow[], [top]: readonly Widget[]): ShownWindow | null {
  const framed = windows.filter(({ isPopup }) => !isPopup);
  return framed.find(({ title }) => title === top?.name) ?? framed[0] ?? windows[0] ?? null;
}

function common(one: Box, other: Box): Box {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return { x, y, width, height };
}

function towards(box: Box, frame: Box): 'up' | 'down' | 'left' | 'right' {
  if (box.y < frame.y) return 'up';
  if (box.y + box.height > frame.y + frame.height) return 'down';
  return box.x < frame.x ? 'left' : 'right';
}

function isIn({ x, y }: Place, box: Box): boolean {
  return x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height;
}
