import { StrobeError } from '../../../model/errors.ts';
import type { UiMeans, UiOrder } from '../../../model/ui/element.ts';
import type { Widget } from '../atspi/widget.ts';
import { pathTo, widgetCalled, within, type Reading } from '../reading.ts';
import type { Box, Place } from '../box.ts';
import type { Fields } from './devtoolsPipe.ts';
import { cornerOf } from './pageFrames.ts';
import { keyEvents, typedEvents } from './pageKeys.ts';
import { inDialog, isOfDialog } from './pageDialogs.ts';
import type { Pages } from './pages.ts';

const STEP_PX = 100;
const DRAG_STEPS = 10;
const wheels = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;

/** Functions that run in the page: `this` is the element. */
const inPage = {
  covering: `function (x, y) {
    const top = this.getRootNode().elementFromPoint(x, y);
    if (top === null || top === this || this.contains(top) || top.contains(this)) return '';
    if ([...(this.labels ?? [])].some((label) => label.contains(top))) return '';
    return top.tagName.toLowerCase() + (top.id === '' ? '' : '#' + top.id);
  }`,
  setValue: `function (value) {
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(this), 'value') ?? {};
    if (set === undefined) return false;
    set.call(this, value);
    for (const kind of ['input', 'change']) this.dispatchEvent(new Event(kind, { bubbles: true }));
    return true;
  }`,
  selectText: `function () {
    this.focus();
    if (this.select !== undefined) this.select();
    else this.ownerDocument.getSelection().selectAllChildren(this);
  }`,
  choose: `function (item) {
    const number = /^#(\\d+)$/.exec(item);
    const at = number ? Number(number[1]) : [...this.options].findIndex((one) => one.label === item);
    if (this.options[at] === undefined) return [...this.options].map((one) => one.label).join(', ');
    this.selectedIndex = at;
    for (const kind of ['input', 'change']) this.dispatchEvent(new Event(kind, { bubbles: true }));
    return null;
  }`,
  isSelect: `function () { return this.tagName === 'SELECT'; }`,
} as const;

/** What a person does with a page. */
export class PageActions {
  readonly #pages: Pages;

  constructor(pages: Pages) {
    this.#pages = pages;
  }

  /** Throws NOT_ACTIONABLE, UNKNOWN_ELEMENT. */
  async carryOut(reading: Reading, order: UiOrder): Promise<UiMeans> {
    const widget = order.id === null ? null : widgetCalled(reading, order.id);
    const front = reading.windows.find(isOfDialog) ?? reading.windows[0];
    const session = (widget ?? front)?.reference.bus ?? '';
    const dialog = this.#pages.dialogOf(session);
    if (dialog !== null) {
      const { answer, means } = inDialog(dialog, widget, order);
      if (answer !== null) await this.#pages.answerDialog(session, answer);
      return means;
    }
    switch (order.action) {
      case 'click':
        await this.#click(reading, widgetCalled(reading, order.id), order.count);
        return 'pointer';
      case 'type':
        if (widget !== null) await this.#pages.ask('DOM.focus', nodeOf(widget), session);
        for (const { method, params } of typedEvents(order.text))
          await this.#send(method, params, session);
        return 'keyboard';
      case 'key':
        if (widget !== null) await this.#pages.ask('DOM.focus', nodeOf(widget), session);
        for (const event of keyEvents(order.key))
          await this.#send('Input.dispatchKeyEvent', event, session);
        return 'keyboard';
      case 'scroll': {
        const at = await this.#place(widgetCalled(reading, order.id));
        const [right, down] = wheels[order.direction].map((sign) => sign * STEP_PX * order.amount);
        const wheel = { type: 'mouseWheel', ...at, deltaX: right, deltaY: down };
        await this.#pages.ask('Input.dispatchMouseEvent', wheel, session);
        return 'pointer';
      }
      case 'drag': {
        const from = await this.#place(widgetCalled(reading, order.id));
        const { to } = order;
        const end =
          typeof to === 'string'
            ? await this.#place(widgetCalled(reading, to))
            : { x: from.x + to.right, y: from.y + to.down };
        await this.#drag(session, from, end);
        return 'pointer';
      }
      case 'setValue':
        return await this.#setValue(widgetCalled(reading, order.id), String(order.value));
      case 'select':
        return await this.#select(reading, widgetCalled(reading, order.id), order.item);
    }
  }

  async #click(reading: Reading, widget: Widget, count: number): Promise<void> {
    const at = await this.#place(widget);
    const covering = await this.#covering(reading, widget, at);
    if (covering !== '')
      throw new StrobeError(
        'NOT_ACTIONABLE',
        `${covering} covers the ${widget.role} ${JSON.stringify(widget.name)}.`,
        'Close or scroll what is above it: debug_ui {"action":"tree"} shows it.',
      );
    const { bus } = widget.reference;
    await this.#mouse(bus, 'mouseMoved', at, 0);
    for (let each = 1; each <= count; each++) {
      await this.#mouse(bus, 'mousePressed', at, each);
      await this.#mouse(bus, 'mouseReleased', at, each);
    }
  }

  /** What is above an element, in its frame or in those around it. */
  async #covering(reading: Reading, widget: Widget, { x, y }: Place): Promise<string> {
    const { bus } = widget.reference;
    let corner: Place = { x: 0, y: 0 };
    for (const one of pathTo(reading, widget)) {
      const isAround = one.role === 'iframe' && one.reference.bus === bus;
      if (one !== widget && !isAround) continue;
      const node = Number(one.reference.path);
      const [right, down] = [x - corner.x, y - corner.y];
      const covering = await this.#pages.onNode(bus, node, inPage.covering, right, down);
      if (typeof covering === 'string' && covering !== '') return covering;
      if (isAround) corner = await cornerOf(this.#pages, one);
    }
    return '';
  }

  async #mouse(session: string, type: string, at: Place, clickCount: number): Promise<void> {
    const button = clickCount === 0 ? 'none' : 'left';
    await this.#send('Input.dispatchMouseEvent', { type, ...at, button, clickCount }, session);
  }

  /** What is sent to a page, unless a part of it has opened a dialog. */
  async #send(method: string, params: Fields, session: string): Promise<void> {
    if (this.#pages.dialogOf(session) === null) await this.#pages.ask(method, params, session);
  }

  async #drag(session: string, from: Place, to: Place): Promise<void> {
    await this.#mouse(session, 'mouseMoved', from, 0);
    await this.#mouse(session, 'mousePressed', from, 1);
    for (let step = 1; step <= DRAG_STEPS; step++) {
      const part = step / DRAG_STEPS;
      const at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      const move = { type: 'mouseMoved', ...at, button: 'left', buttons: 1 };
      await this.#send('Input.dispatchMouseEvent', move, session);
    }
    await this.#mouse(session, 'mouseReleased', to, 1);
  }

  /** The middle of an element, which is scrolled into view. */
  async #place(widget: Widget): Promise<Place> {
    const { bus } = widget.reference;
    try {
      await this.#pages.ask('DOM.scrollIntoViewIfNeeded', nodeOf(widget), bus);
      const box = await boxOf(this.#pages, widget);
      if (box !== null) return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    } catch {
      // It has no layout.
    }
    throw new StrobeError(
      'NOT_ACTIONABLE',
      `The ${widget.role} ${JSON.stringify(widget.name)} has no place in its page now.`,
      'Open what it is in; debug_ui {"action":"tree"} shows the page.',
    );
  }

  async #setValue(widget: Widget, value: string): Promise<UiMeans> {
    const { bus, path } = widget.reference;
    if (widget.value === null && widget.interfaces.has('EditableText')) {
      await this.#pages.onNode(bus, Number(path), inPage.selectText);
      if (value !== '') await this.#pages.ask('Input.insertText', { text: value }, bus);
      else
        for (const event of keyEvents('Delete'))
          await this.#send('Input.dispatchKeyEvent', event, bus);
      return 'keyboard';
    }
    if ((await this.#pages.onNode(bus, Number(path), inPage.setValue, value)) === true)
      return 'script';
    throw new StrobeError(
      'NOT_ACTIONABLE',
      `The ${widget.role} ${JSON.stringify(widget.name)} has no value and no text that can be set.`,
      'Click it instead.',
    );
  }

  async #select(reading: Reading, widget: Widget, item: string): Promise<UiMeans> {
    const { bus, path } = widget.reference;
    if ((await this.#pages.onNode(bus, Number(path), inPage.isSelect)) === true) {
      const names = await this.#pages.onNode(bus, Number(path), inPage.choose, item);
      if (typeof names !== 'string') return 'script';
      throw noItem(item, names);
    }
    const items = within(widget).slice(1);
    const chosen = items.find(({ name }) => name === item);
    if (chosen === undefined) throw noItem(item, items.map(({ name }) => name).join(', '));
    await this.#click(reading, chosen, 1);
    return 'pointer';
  }
}

function noItem(item: string, names: string): StrobeError {
  return new StrobeError(
    'UNKNOWN_ELEMENT',
    `It has no item ${JSON.stringify(item)}. It has: ${names.slice(0, 400)}.`,
    'Use one of them, or a number from 0: {"item": "#2"}.',
  );
}

function nodeOf({ reference }: Widget): { readonly backendNodeId: number } {
  return { backendNodeId: Number(reference.path) };
}

/** In pixels of what is seen of the page; null: it has no place. */
export async function boxOf(pages: Pages, widget: Widget): Promise<Box | null> {
  const { quads } = await pages.ask('DOM.getContentQuads', nodeOf(widget), widget.reference.bus);
  const quad: unknown = Array.isArray(quads) ? quads[0] : null;
  const corners = Array.isArray(quad) ? quad.map(Number) : [];
  if (corners.length < 8) return null;
  const [across, along] = [0, 1].map((odd) => corners.filter((_, index) => index % 2 === odd));
  const [x, y] = [Math.min(...(across ?? [])), Math.min(...(along ?? []))];
  return { x, y, width: Math.max(...(across ?? [])) - x, height: Math.max(...(along ?? [])) - y };
}
