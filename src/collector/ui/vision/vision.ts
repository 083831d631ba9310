import { StrobeError } from '../../../model/errors.ts';
import type { UiElement, UiOrder, UiTree } from '../../../model/ui/element.ts';
import type { ShownWindow } from '../../../model/ui/shownWindow.ts';
import type { Mark } from '../annotate.ts';
import type { ElementIds } from '../elementIds.ts';
import { partOf, type Picture } from '../picture.ts';
import { unknownElement } from '../reading.ts';
import type { Screen } from '../screen.ts';
import { ModelDoor } from './modelDoor.ts';
import { CLOSE, Motor } from './motor.ts';
import { Ocr } from './ocr.ts';
import {
  elementOf,
  onDisplay,
  SeenElements,
  type GuessedThing,
  type Surface,
  type Thing,
} from './seenElements.ts';

/** Toolkits publish what a program paints itself as one of these. */
const painted: ReadonlySet<string> = new Set(['drawing area', 'canvas']);

/** Where a window's published elements are in its picture; `windows`: all that are shown. */
export type Published = (window: ShownWindow, windows: readonly ShownWindow[]) => readonly Mark[];

type PointerOrder = Exclude<UiOrder, { action: 'type' | 'key' | 'select' }>;

/** What is seen in the pictures of windows and what no toolkit publishes; reads it, and uses it by the pointer. */
export class Vision {
  readonly #screen: () => Promise<Screen>;
  readonly #ids: ElementIds;
  readonly #elements: SeenElements;
  readonly #motor = new Motor();
  /** Of the last tree, by id. */
  readonly #things = new Map<string, Thing>();
  /** Of the last tree, by id. */
  readonly #guessed = new Map<string, GuessedThing>();
  readonly #guesses = new Set<string>();
  readonly #door: ModelDoor;
  #isAlone = false;
  /** How the pictures of the last tree were looked at. */
  #sight: string | null = null;

  /** `command`: the setting vision.command. */
  constructor(screen: () => Promise<Screen>, ids: ElementIds, command: readonly string[]) {
    this.#door = new ModelDoor(command, new Ocr(process.env['PATH'] ?? ''));
    this.#screen = screen;
    this.#ids = ids;
    this.#elements = new SeenElements(ids);
  }

  /** The tree with what is seen in windows that publish nothing else, and on surfaces in others. */
  async added(tree: UiTree, published: Published): Promise<UiTree> {
    this.#forget();
    this.#isAlone = false;
    if (!tree.windows.some((window) => isBlank(window) || surfacesIn(window).length > 0))
      return tree;
    const shown = await (await this.#screen()).windows();
    const windows: UiElement[] = [];
    for (const window of tree.windows) windows.push(await this.#window(window, shown, published));
    return { ...tree, windows, sight: this.#sight };
  }

  #forget(): void {
    this.#things.clear();
    this.#guessed.clear();
    this.#sight = null;
  }

  /** The windows of a program that publishes nothing; null: nothing is seen in them. */
  async alone(): Promise<UiTree | null> {
    this.#forget();
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
    this.#isAlone = this.ids.length > 0;
    return this.#isAlone
      ? { toolkit, windows, widgets: 0, unread: 0, readMs: 0, sight: this.#sight }
      : null;
  }

  /** The last tree is of a program that publishes nothing. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** Of what is seen. */
  get ids(): readonly string[] {
    return [...this.#things.keys(), ...this.#guessed.keys()];
  }

  holds(id: string): boolean {
    return this.#things.has(id) || this.#guessed.has(id);
  }

  /** Ids of all that was ever guessed: a guess that differs from the one before proves no effect. */
  get guesses(): ReadonlySet<string> {
    return this.#guesses;
  }

  marks(window: ShownWindow): Mark[] {
    const mine = [...this.#things.values(), ...this.#guessed.values()].filter(
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

  async #point(order: PointerOrder, thing: Thing | GuessedThing): Promise<void> {
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
        const seen = this.#things.get(thing.id);
        if (seen === undefined) throw onlyGuessed(thing.id, this.#guessed.get(thing.id)?.by);
        const look = async (): Promise<Thing | null> => this.#again(seen);
        return await this.#motor.move(seen, shareOf(order.value), { input, look });
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

  #called(id: string): Thing | GuessedThing {
    const thing = this.#things.get(id) ?? this.#guessed.get(id);
    if (thing !== undefined) return thing;
    throw unknownElement(id, this.ids);
  }

  /** As it looks now; what is guessed stays as it was. */
  async #again({ id, surface }: Thing): Promise<Thing | null> {
    const { things } = this.#elements.on(surface, await this.#pictureOf(surface), []);
    const found = things.find((thing) => thing.id === id) ?? null;
    if (found !== null) this.#things.set(id, found);
    return found;
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
    const marks = published(window, shown);
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
    const picture = await this.#pictureOf(surface);
    const { guesses, said } = await this.#door.find(surface.key, picture);
    const { things, guessed } = this.#elements.on(surface, picture, guesses);
    this.#sight = said;
    for (const thing of things) this.#things.set(thing.id, thing);
    for (const thing of guessed) {
      this.#guessed.set(thing.id, thing);
      this.#guesses.add(thing.id);
    }
    return [
      ...things.map((thing) => elementOf(thing)),
      ...guessed.map((thing) => elementOf(thing, [`by=${thing.by}`])),
    ];
  }

  async #pictureOf({ window, part }: Surface): Promise<Picture> {
    const picture = await (await this.#screen()).picture(window.id);
    return part === null ? picture : partOf(picture, part);
  }
}

function onlyGuessed(id: string, by = 'vision.command'): StrobeError {
  return new StrobeError(
    'NOT_ACTIONABLE',
    `${id} is known by ${by} alone: it takes click, drag and scroll.`,
    'Drag it: debug_ui {"action":"drag","id":"…","down":-20}.',
  );
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
