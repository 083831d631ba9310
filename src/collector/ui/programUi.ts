import { monotonicMs } from '../../base/clock.ts';
import { nearest } from '../../base/nearest.ts';
import { pause } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import { changedLines, elementLine, linesById } from '../../model/ui/elementLine.ts';
import type { UiDone, UiElement, UiOrder, UiTree } from '../../model/ui/element.ts';
import { Accessibility, type Application } from './atspi/accessibility.ts';
import { readWidgets, type Widget } from './atspi/widgetTree.ts';
import { ElementIds } from './elementIds.ts';
import { elementsOf } from './elements.ts';
import type { Screen } from './screen.ts';
import type { StageAddress } from './stage.ts';

/** No event for this long counts as quiet. */
const QUIET_MS = 50;
const MOST_MS = 2000;
/** Buttons of GTK 4 and Qt do their work a moment after they were pressed. */
const LATE_MS = 400;
const TURN_MS = 20;
const FIRST_WINDOW_MS = 5000;

interface Reading {
  readonly tree: UiTree;
  readonly widgets: ReadonlyMap<string, Widget>;
  readonly toolkits: ReadonlyMap<string, string>;
}

/** The widgets of a program: reads them, and acts on them as a person would. */
export class ProgramUi {
  readonly #stage: StageAddress;
  readonly #screen: () => Promise<Screen>;
  readonly #ids = new ElementIds();
  #door: Promise<Accessibility> | null = null;
  #lastEventMs = 0;
  #hasShown = false;

  constructor(stage: StageAddress, screen: () => Promise<Screen>) {
    this.#stage = stage;
    this.#screen = screen;
  }

  async tree(): Promise<UiTree> {
    return (await this.#read()).tree;
  }

  async act(order: UiOrder): Promise<UiDone> {
    const door = await this.#open();
    const before = await this.#read();
    const widget = order.id === null ? null : widgetOf(before, order.id);
    const began = monotonicMs();
    await door.watchObjects(true);
    try {
      const means = await this.#perform(door, before, widget, order);
      await this.#settle(widget);
      let after = await this.#read();
      let delta = changedLines(before.tree, after.tree);
      while (!isEffect(delta) && monotonicMs() - began < LATE_MS) {
        await pause(TURN_MS);
        after = await this.#read();
        delta = changedLines(before.tree, after.tree);
      }
      return {
        done: outcome(order, after, delta),
        means,
        element: order.id === null ? null : (linesById(after.tree).get(order.id) ?? null),
        delta,
        settledMs: Math.round(monotonicMs() - began),
      };
    } finally {
      await door.watchObjects(false).catch(() => undefined);
    }
  }

  async #open(): Promise<Accessibility> {
    this.#door ??= Accessibility.open(this.#stage.bus, () => (this.#lastEventMs = monotonicMs()));
    this.#door.catch(() => (this.#door = null));
    return await this.#door;
  }

  /** A program that was just started gets a moment for its first window. */
  async #read(): Promise<Reading> {
    const until = this.#hasShown ? 0 : monotonicMs() + FIRST_WINDOW_MS;
    for (;;) {
      const reading = await this.#readOnce();
      this.#hasShown ||= reading !== null;
      if (reading !== null) return reading;
      if (monotonicMs() >= until) throw noElements();
      await pause(QUIET_MS);
    }
  }

  /** Null while there is no window. */
  async #readOnce(): Promise<Reading | null> {
    const began = monotonicMs();
    const door = await this.#open();
    const applications = await door.applications();
    const windows = await Promise.all(applications.map(async (one) => readWidgets(door, one)));
    const all = windows.flat();
    if (all.length === 0) return null;
    const { windows: shown, widgets, count } = elementsOf(all, this.#ids);
    return {
      tree: {
        toolkit: applications.map(nameOf).join(', '),
        windows: shown,
        widgets: count,
        readMs: Math.round(monotonicMs() - began),
      },
      widgets,
      toolkits: new Map(applications.map(({ bus, toolkit }) => [bus, toolkit])),
    };
  }

  async #perform(
    door: Accessibility,
    reading: Reading,
    widget: Widget | null,
    order: UiOrder,
  ): Promise<UiDone['means']> {
    if (order.action === 'setValue' && widget !== null) return await set(door, widget, order);
    const screen = await this.#screen();
    const input = await screen.input();
    if (order.action === 'click' && widget !== null) {
      const at = await this.#centre(reading, widget);
      if (at === null) {
        await door.act(widget.reference);
        return 'accessibility';
      }
      await input.click(at.x, at.y, order.count);
      return 'pointer';
    }
    if (widget === null) await this.#front(reading);
    else {
      const at = await this.#centre(reading, widget);
      if (at === null) await door.focus(widget.reference);
      else await input.click(at.x, at.y, 1);
    }
    if (order.action === 'type') await input.type(order.text);
    if (order.action === 'key') await input.press(order.key);
    return 'keyboard';
  }

  /** Where the middle of a widget is on the display; its window gets the keyboard. Null: it has no place there. */
  async #centre(reading: Reading, widget: Widget): Promise<{ x: number; y: number } | null> {
    if (widget.extents === null || widget.extents.width <= 0) return null;
    const window = await this.#front(reading, widget);
    if (window === null) return null;
    const door = await this.#open();
    // GTK 4 knows places in its window alone.
    const isOfScreen = reading.toolkits.get(widget.reference.bus) !== 'GTK';
    const { x, y, width, height } = await door.extents(widget.reference, isOfScreen);
    const at = {
      x: x + width / 2 + (isOfScreen ? 0 : window.x),
      y: y + height / 2 + (isOfScreen ? 0 : window.y),
    };
    const isInside =
      at.x >= window.x &&
      at.y >= window.y &&
      at.x < window.x + window.width &&
      at.y < window.y + window.height;
    return isInside || widget.role.endsWith('menu item') ? at : null;
  }

  async #front(
    reading: Reading,
    widget?: Widget,
  ): Promise<{ x: number; y: number; width: number; height: number } | null> {
    const screen = await this.#screen();
    const windows = (await screen.windows()).filter(({ isPopup }) => !isPopup);
    const title = widget === undefined ? null : titleOf(reading, widget);
    const window = windows.find((one) => one.title === title) ?? windows[0];
    if (window === undefined) return null;
    screen.focus(window.id);
    return window;
  }

  /** Waits until the program has come round twice and says nothing more for a moment. */
  async #settle(widget: Widget | null): Promise<void> {
    const door = await this.#open();
    if (widget !== null)
      for (const _ of [1, 2]) await door.ping(widget.reference).catch(() => undefined);
    const began = monotonicMs();
    while (monotonicMs() - began < MOST_MS) {
      const quiet = monotonicMs() - Math.max(this.#lastEventMs, began);
      if (quiet >= QUIET_MS) return;
      await pause(QUIET_MS - quiet);
    }
  }
}

function nameOf({ toolkit, version }: Application): string {
  return `${toolkit} ${version}`.trim();
}

/** The title of the window that a widget is in. */
function titleOf({ widgets }: Reading, wanted: Widget): string | null {
  const isIn = (widget: Widget): boolean => widget === wanted || widget.children.some(isIn);
  for (const widget of widgets.values())
    if (['frame', 'window', 'dialog', 'alert'].includes(widget.role) && isIn(widget))
      return widget.name;
  return null;
}

async function set(
  door: Accessibility,
  { reference, interfaces, role }: Widget,
  { value, id }: Extract<UiOrder, { action: 'setValue' }>,
): Promise<UiDone['means']> {
  if (interfaces.has('Value')) await door.setValue(reference, Number(value));
  else if (interfaces.has('EditableText')) await door.setText(reference, String(value));
  else
    throw new StrobeError(
      'NOT_ACTIONABLE',
      `${id} is a ${role}: it has no value and no text that can be set.`,
      `Click it: debug_ui {"action":"click","id":"${id}"}.`,
    );
  return 'accessibility';
}

function holds(element: UiElement, id: string): boolean {
  return element.id === id || element.children.some((child) => holds(child, id));
}

function widgetOf({ tree, widgets }: Reading, id: string): Widget {
  const widget = widgets.get(id);
  if (widget === undefined) {
    const close = nearest(id, [...widgets.keys()], 3);
    throw new StrobeError(
      'UNKNOWN_ELEMENT',
      `No element shown is called ${JSON.stringify(id)}.${close.length > 0 ? ` Did you mean ${close.join(', ')}?` : ''}`,
      'debug_ui {"action":"tree"} lists them.',
    );
  }
  if (!widget.states.has('sensitive') && !widget.states.has('enabled'))
    throw new StrobeError('NOT_ACTIONABLE', `${id} is disabled: the program does not take it now.`);
  const modal = tree.windows.find(({ marks }) => marks.includes('modal'));
  if (modal !== undefined && !holds(modal, id))
    throw new StrobeError(
      'NOT_ACTIONABLE',
      `${elementLine(modal)} is in front and takes all input.`,
      `Close it first: debug_ui {"action":"tree","root":"${modal.id}"} shows its buttons.`,
    );
  return widget;
}

function noElements(): StrobeError {
  return new StrobeError(
    'NO_WINDOW',
    'The program publishes no elements: it has no window yet, or its toolkit has no accessibility.',
    'debug_ui {"action":"screenshot"} shows what there is; programs of Tk, SDL and games have only pictures.',
  );
}

/** Whether more changed than where the keyboard is. */
function isEffect(delta: readonly string[]): boolean {
  return delta.some((line) => {
    const [now, was] = line.slice(2).split('  was ');
    return was === undefined || without(now ?? '') !== without(was);
  });
}

function without(line: string): string {
  return line.replaceAll(/ (focused|active)\b/g, '');
}

function outcome(order: UiOrder, after: Reading, delta: readonly string[]): UiDone['done'] {
  if (order.action !== 'setValue') return isEffect(delta) ? 'confirmed' : 'sent';
  const widget = after.widgets.get(order.id);
  const isThere =
    widget?.value === null || widget === undefined
      ? widget?.text === String(order.value)
      : Math.abs(widget.value.now - Number(order.value)) < 1e-6;
  return isThere ? 'confirmed' : 'noEffect';
}
