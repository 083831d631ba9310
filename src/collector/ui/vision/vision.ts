import { StrobeError } from '../../../model/errors.ts';
import type { UiElement, UiOrder, UiTree } from '../../../model/ui/element.ts';
import type { ShownWindow } from '../../../model/ui/shownWindow.ts';
import type { Mark } from '../annotated.ts';
import type { ElementIds } from '../elementIds.ts';
import { partOf } from '../picture.ts';
import { unknownElement } from '../reading.ts';
import type { Screen } from '../screen.ts';
import { CLOSE, Motor } from './motor.ts';
import { elementOf, onDisplay, SeenElements, type Surface, type Thing } from './seenElements.ts';

/** Toolkits publish what a program paints itself as one of these. */
const painted: ReadonlySet<string> = new Set(['drawing area', 'canvas']);

/** Where a window's published elements are in its picture. */
export type Published = (window: ShownWindow) => Promise<readonly Mark[]>;

type PointerOrder = Exclude<UiOrder, { action: 'type' | 'key' | 'select' }>;

/** What is seen in the pictures of windows and what no toolkit publishes; reads it, and uses it by the pointer. */
export class Vision {
  readonly #screen: () => Promise<Screen>;
  readonly #ids: ElementIds;
  readonly #elements: SeenElements;
  readonly #motor = new Motor();
  /** Of the last tree, by id. */
  readonly #things = new Map<string, Thing>();
  #isAlone = false;

  constructor(screen: () => Promise<Screen>, ids: ElementIds) {
    this.#screen = screen;
    this.#ids = ids;
    this.#elements = new SeenElements(ids);
  }

  /** The tree with what is seen in windows that publish nothing else, and on surfaces in others. */
  async added(tree: UiTree, published: Published): Promise<UiTree> {
    this.#things.clear();
    this.#isAlone = false;
    if (!tree.windows.some((window) => isBlank(window) || surfacesIn(window).length > 0))
      return tree;
    const shown = await (await this.#screen()).windows();
    const windows: UiElement[] = [];
    for (const window of tree.windows) windows.push(await this.#window(window, shown, published));
    return { ...tree, windows };
  }

  /** The windows of a program that publishes nothing; null: nothing is seen in them. */
  async alone(): Promise<UiTree | null> {
    this.#things.clear();
    const shown = await (await this.#screen()).windows();
    const windows: UiElement[] = [];
    for (const window of shown) {
      const key = `window ${window.id}`;
      const id = this.#ids.of(key, key, 'window', window.title);
      const children = await this.#on({ key, window, part: null });
      const { title: name } = window;
      windows.push({ id, role: 'window', name, marks: [], value: null, text: null, children });
    }
    const toolkit = 'publishes nothing: seen in pictures';
    this.#isAlone = this.#things.size > 0;
    return this.#isAlone ? { toolkit, windows, widgets: 0, readMs: 0 } : null;
  }

  /** The last tree is of a program that publishes nothing. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** Of what is seen. */
  get ids(): readonly string[] {
    return [...this.#things.keys()];
  }

  holds(id: string): boolean {
    return this.#things.has(id);
  }

  marks(window: ShownWindow): Mark[] {
    const mine = [...this.#things.values()].filter(
      ({ surface }) => surface.window.id === window.id,
    );
    return mine.map(({ id, x, y, width, height }) => ({ id, box: { x, y, width, height } }));
  }

  /** Uses something that is seen, or the keyboard. Throws BAD_PARAMETER, NOT_ACTIONABLE, UNKNOWN_ELEMENT. */
  async use(order: UiOrder): Promise<void> {
    const isTyped = order.action === 'type' || order.action === 'key';
    if (isTyped && order.id === null) return await this.#press(order);
    if (isTyped || order.action === 'select')
      throw new StrobeError(
        'NOT_ACTIONABLE',
        `${order.id} is seen in the picture alone: it takes click, drag, scroll and setValue.`,
      );
    await this.#point(order, this.#called(order.id));
  }

  async #point(order: PointerOrder, thing: Thing): Promise<void> {
    const screen = await this.#screen();
    if (!thing.surface.window.isPopup) await screen.focus(thing.surface.window.id);
    const input = await screen.input();
    const at = onDisplay(thing);
    switch (order.action) {
      case 'click':
        return await input.click(at, order.count);
      case 'scroll':
        return await input.scroll(at, order.direction, order.amount);
      case 'drag': {
        const { to } = order;
        const isElement = typeof to === 'string';
        return await input.drag(
          at,
          isElement ? onDisplay(this.#called(to)) : { x: at.x + to.right, y: at.y + to.down },
        );
      }
      case 'setValue': {
        const look = async (): Promise<Thing | null> => this.#again(thing);
        return await this.#motor.move(thing, shareOf(order.value), { input, look });
      }
    }
  }

  async #press(order: Extract<UiOrder, { action: 'type' | 'key' }>): Promise<void> {
    const screen = await this.#screen();
    await screen.front();
    const input = await screen.input();
    await (order.action === 'type' ? input.type(order.text) : input.press(order.key));
  }

  /** Whether a thing that was to have a value has it. */
  hasValue(id: string, value: string | number): boolean {
    const now = this.#things.get(id)?.value;
    return now !== undefined && Math.abs(now - shareOf(value)) <= CLOSE;
  }

  #called(id: string): Thing {
    const thing = this.#things.get(id);
    if (thing !== undefined) return thing;
    throw unknownElement(id, this.ids);
  }

  async #again({ id, surface }: Thing): Promise<Thing | null> {
    await this.#on(surface);
    return this.#things.get(id) ?? null;
  }

  async #window(
    element: UiElement,
    shown: readonly ShownWindow[],
    published: Published,
  ): Promise<UiElement> {
    const window = shown.find(({ title }) => title === element.name);
    if (window === undefined) return element;
    if (isBlank(element)) {
      const seen = await this.#on({ key: element.id, window, part: null });
      return { ...element, children: [...element.children, ...seen] };
    }
    const surfaces = new Set(surfacesIn(element));
    if (surfaces.size === 0) return element;
    const marks = await published(window);
    const filled = async (one: UiElement): Promise<UiElement> => {
      const part = surfaces.has(one.id) && marks.find(({ id }) => id === one.id)?.box;
      const seen = part ? await this.#on({ key: one.id, window, part }) : [];
      const children: UiElement[] = [];
      for (const child of one.children) children.push(await filled(child));
      return { ...one, children: [...children, ...seen] };
    };
    return await filled(element);
  }

  async #on(surface: Surface): Promise<UiElement[]> {
    const picture = await (await this.#screen()).picture(surface.window.id);
    const things = this.#elements.on(
      surface,
      surface.part === null ? picture : partOf(picture, surface.part),
    );
    for (const [id, { surface: known }] of this.#things)
      if (known.key === surface.key) this.#things.delete(id);
    for (const thing of things) this.#things.set(thing.id, thing);
    return things.map(elementOf);
  }
}

function shareOf(value: string | number): number {
  const share = Number(value);
  if (value !== '' && share >= 0 && share <= 1) return share;
  throw new StrobeError(
    'BAD_PARAMETER',
    `${JSON.stringify(value)} is no value of what is seen in a picture: it is a share of the range, 0 to 1.`,
  );
}

function isBlank({ children }: UiElement): boolean {
  return children.every((child) => painted.has(child.role) && isBlank(child));
}

function surfacesIn({ id, role, children }: UiElement): string[] {
  return [...(painted.has(role) ? [id] : []), ...children.flatMap(surfacesIn)];
}
