import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import type { UiMeans, UiOrder } from '../../model/ui/element.ts';
import type { Accessibility, Described, Reference } from './atspi/accessibility.ts';
import type { Widget } from './atspi/widget.ts';
import type { Pointing } from './pointing.ts';
import { widgetCalled, within, type Reading } from './reading.ts';
import type { Place } from './box.ts';
import type { ScreenInput } from './screenInput.ts';

/** Does something in one way; null: the widget does not take it so. */
export type Way = () => Promise<UiMeans | null>;

const MOST_STEPS = 200;
const LATE_MS = 1500;
/** Java names its items late, and those of a box that was not opened yet often not at all. */
const LATE_NAMES_MS = 300;
const TURN_MS = 20;
const MOST_ITEMS = 500;
const MOST_NAMED = 20;

/** The ways in which something is done, the best first. A later one is tried where it is seen that the one before did nothing. */
export class Actions {
  readonly #door: Accessibility;
  readonly #input: ScreenInput;
  readonly #pointing: Pointing;
  /** Reads again what is shown. */
  readonly #read: () => Promise<Reading>;

  constructor(
    door: Accessibility,
    input: ScreenInput,
    pointing: Pointing,
    read: () => Promise<Reading>,
  ) {
    this.#door = door;
    this.#input = input;
    this.#pointing = pointing;
    this.#read = read;
  }

  /** What is done twice may have two effects: only where a value or a choice is set there is more than one way. */
  ways(reading: Reading, order: UiOrder): readonly Way[] {
    const widget = order.id === null ? null : widgetCalled(reading, order.id);
    switch (order.action) {
      case 'click':
        return [async () => this.#click(reading, widgetCalled(reading, order.id), order.count)];
      case 'type':
      case 'key':
        return [async () => this.#press(reading, widget, order)];
      case 'scroll':
        return [async () => this.#scroll(reading, order)];
      case 'drag':
        return [async () => this.#drag(reading, order)];
      case 'setValue':
        return this.#setting(reading, widgetCalled(reading, order.id), order);
      case 'select':
        return this.#selecting(reading, widgetCalled(reading, order.id), order);
    }
  }

  async #click(reading: Reading, widget: Widget, count: number): Promise<UiMeans> {
    const at = await this.#pointing.centre(reading, widget);
    if (at === null) {
      if (!widget.interfaces.has('Action')) throw outOfSight(widget);
      await this.#door.act(widget.reference).catch((error: unknown) => {
        throw error instanceof StrobeError ? error : outOfSight(widget);
      });
      return 'accessibility';
    }
    await this.#input.click(at, count);
    return 'pointer';
  }

  async #press(
    reading: Reading,
    widget: Widget | null,
    order: Extract<UiOrder, { action: 'type' | 'key' }>,
  ): Promise<UiMeans> {
    if (widget === null) await this.#pointing.front();
    else await this.#enter(reading, widget);
    await (order.action === 'type' ? this.#input.type(order.text) : this.#input.press(order.key));
    return 'keyboard';
  }

  /** Gives a widget the keyboard: by a click where that changes nothing. */
  async #enter(reading: Reading, widget: Widget): Promise<void> {
    if (widget.states.has('focused')) return await this.#pointing.front();
    const at = isEdited(widget) ? await this.#pointing.centre(reading, widget) : null;
    if (at === null) {
      await this.#pointing.front();
      await this.#door.focus(widget.reference);
    } else await this.#input.click(at);
    await this.#until(async () => {
      const { states } = await this.#door.describe(widget.reference);
      return states.has('focused');
    });
  }

  /** Waits a moment until something is so; whether it is. */
  async #until(isSo: () => Promise<boolean>, limitMs = LATE_MS): Promise<boolean> {
    const began = monotonicMs();
    for (;;) {
      if (await isSo()) return true;
      if (monotonicMs() - began > limitMs) return false;
      await pause(TURN_MS);
    }
  }

  async #scroll(reading: Reading, order: Extract<UiOrder, { action: 'scroll' }>): Promise<UiMeans> {
    const at = await this.#place(reading, order.id);
    await this.#input.scroll(at, order.direction, order.amount);
    return 'pointer';
  }

  async #drag(reading: Reading, order: Extract<UiOrder, { action: 'drag' }>): Promise<UiMeans> {
    const from = await this.#place(reading, order.id);
    const to =
      typeof order.to === 'string'
        ? await this.#place(reading, order.to)
        : { x: from.x + order.to.right, y: from.y + order.to.down };
    await this.#input.drag(from, to);
    return 'pointer';
  }

  async #place(reading: Reading, id: string): Promise<Place> {
    const widget = widgetCalled(reading, id);
    const at = await this.#pointing.centre(reading, widget);
    if (at === null) throw outOfSight(widget);
    return at;
  }

  #setting(
    reading: Reading,
    widget: Widget,
    { id, value }: Extract<UiOrder, { action: 'setValue' }>,
  ): readonly Way[] {
    const { reference, interfaces, role, states } = widget;
    const hasNumber = widget.value !== null;
    // Qt would set also what a person cannot change.
    const isEditable = states.has('editable') && !states.has('read-only');
    if (!hasNumber && interfaces.has('EditableText') && !isEditable)
      throw new StrobeError(
        'NOT_ACTIONABLE',
        `${id} is a ${role} that is read-only: only the program changes its text.`,
      );
    // Beyond its limits a toolkit takes the nearest value; keys would only pass all others.
    const isPossible = widget.value === null || isIn(widget.value, Number(value));
    const ways: Way[] = [];
    if (hasNumber)
      ways.push(async () => {
        await this.#door.setValue(reference, Number(value));
        return 'accessibility';
      });
    if (interfaces.has('EditableText') && !hasNumber)
      ways.push(async () => {
        await this.#door.setText(reference, String(value));
        return 'accessibility';
      });
    const edited = within(widget).find(isEdited);
    if (edited !== undefined && isPossible)
      ways.push(async () => {
        await this.#enter(reading, edited);
        await this.#input.press('ctrl+a');
        await this.#input.type(`${value}${hasNumber ? '\n' : ''}`);
        return 'keyboard';
      });
    if (hasNumber && isPossible) ways.push(async () => this.#step(reading, id, Number(value)));
    if (ways.length > 0) return ways;
    throw new StrobeError(
      'NOT_ACTIONABLE',
      `${id} is a ${role}: it has no value and no text that can be set.`,
      `Click it: debug_ui {"action":"click","id":"${id}"}.`,
    );
  }

  /** By arrow keys: the first shows how far one goes. */
  async #step(reading: Reading, id: string, wanted: number): Promise<UiMeans | null> {
    const widget = widgetCalled(reading, id);
    const start = widget.value?.now ?? 0;
    const key = wanted > start ? 'up' : 'down';
    await this.#enter(reading, widget);
    await this.#input.press(key);
    let first = start;
    await this.#until(async () => {
      first = (await this.#read()).widgets.get(id)?.value?.now ?? start;
      return first !== start;
    });
    const left = Math.round((wanted - first) / (first - start));
    if (first === start || left < 0 || left > MOST_STEPS) return null;
    for (let step = 0; step < left; step++) await this.#input.press(key);
    return 'keyboard';
  }

  #selecting(
    reading: Reading,
    widget: Widget,
    { id, item }: Extract<UiOrder, { action: 'select' }>,
  ): readonly Way[] {
    const { reference, interfaces, role } = widget;
    let items: Promise<readonly Described[]> | null = null;
    const named = () => (items ??= this.#namedItems(widget.reference, item));
    return [
      async () => {
        if (!interfaces.has('Selection')) return null;
        const index = indexIn(await named(), item);
        if (index === null) return null;
        await this.#door.select(reference, index);
        return 'accessibility';
      },
      async () => {
        if (role !== 'combo box') return null;
        const all = await named();
        const [from, to] = [indexIn(all, widget.name), indexIn(all, item)];
        if (from === null || to === null) return null;
        await this.#click(reading, widget, 1);
        await this.#read();
        for (let at = from; at !== to; at += Math.sign(to - from))
          await this.#input.press(to > from ? 'down' : 'up');
        await this.#input.press('return');
        return 'keyboard';
      },
      async () => {
        if (role === 'combo box') await this.#click(reading, widget, 1);
        let opened = await this.#read();
        let popped: Widget | undefined;
        const isThere = async (): Promise<boolean> => {
          const found = within(opened.widgets.get(id) ?? widget).find(isItem(item));
          popped = found ?? opened.windows.flatMap(within).find(isItem(item));
          if (popped === undefined) opened = await this.#read();
          return popped !== undefined;
        };
        // Java names the items of a box a while after it was opened.
        const isLate = (await named()).every(({ name }) => name === '');
        await this.#until(isThere, isLate ? LATE_MS : 0);
        if (popped === undefined) {
          if (role === 'combo box') await this.#input.press('escape');
          throw noItem(id, item, await named());
        }
        await this.#click(opened, popped, 1);
        return 'pointer';
      },
    ];
  }

  /** Java makes its items again for each look: those that none is named of may not be there yet. */
  async #namedItems(reference: Reference, item: string): Promise<readonly Described[]> {
    let items: readonly Described[] = [];
    await this.#until(async () => {
      items = await this.#itemsOf(reference);
      return numberOfItem(item) !== null || items.some(({ name }) => name !== '');
    }, LATE_NAMES_MS);
    return items;
  }

  /** What can be chosen, shown or not: boxes of GTK 3 hold a menu, those of Qt and Java a list. */
  async #itemsOf(reference: Reference): Promise<readonly Described[]> {
    const children = (await this.#door.children(reference)).slice(0, MOST_ITEMS);
    const items = await Promise.all(children.map(async (one) => this.#item(one)));
    const [child, item] = [children[0], items[0]];
    const isWrapped = children.length === 1 && item !== undefined && !itemRoles.has(item.role);
    return isWrapped && child !== undefined ? await this.#itemsOf(child) : items;
  }

  /** Rows of GTK 3 have no names: what they show is a label in them. */
  async #item(reference: Reference): Promise<Described> {
    const item = await this.#door.describe(reference);
    if (item.name !== '' || item.role !== 'list item') return item;
    const inside = await this.#itemsOf(reference);
    return { ...item, name: inside.find(({ role }) => role === 'label')?.name ?? '' };
  }
}

/** "#2" is the third item: some toolkits publish no names of them. */
export function numberOfItem(item: string): number | null {
  const number = /^#(\d+)$/.exec(item)?.[1];
  return number === undefined ? null : Number(number);
}

function indexIn(items: readonly Described[], item: string): number | null {
  const index = numberOfItem(item) ?? items.findIndex(({ name }) => name === item);
  return index < 0 ? null : index;
}

function noItem(id: string, item: string, items: readonly Described[]): StrobeError {
  const named = items.filter(({ name, role }) => name !== '' && itemRoles.has(role));
  const names = named.map(({ name }) => name).slice(0, MOST_NAMED);
  return new StrobeError(
    'UNKNOWN_ELEMENT',
    `${id} has no item ${JSON.stringify(item)}.${names.length > 0 ? ` It has: ${names.join(', ')}.` : ' None that its program shows has a name.'}`,
    names.length > 0 ? 'Use one of them.' : 'By its number, from 0: {"item": "#2"}.',
  );
}

const itemRoles: ReadonlySet<string> = new Set([
  'menu item',
  'check menu item',
  'radio menu item',
  'list item',
  'table cell',
  'tree item',
  'page tab',
  'radio button',
  'label',
]);

function isItem(item: string): (widget: Widget) => boolean {
  return ({ name, role }) => name === item && itemRoles.has(role);
}

function isIn({ low, high }: NonNullable<Widget['value']>, value: number): boolean {
  return value >= low && value <= high;
}

function isEdited({ interfaces, role }: Widget): boolean {
  return interfaces.has('EditableText') || role === 'text' || role === 'entry';
}

function outOfSight({ role, name }: Widget): StrobeError {
  return new StrobeError(
    'NOT_ACTIONABLE',
    `The ${role} ${JSON.stringify(name)} has no place in its window now.`,
    'Scroll or open what it is in: debug_ui {"action":"scroll","id":"…","direction":"down"}.',
  );
}
