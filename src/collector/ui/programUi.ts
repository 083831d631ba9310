import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { changes } from '../../model/ui/elementLine.ts';
import type { UiDone, UiElement, UiOrder, UiTree } from '../../model/ui/element.ts';
import type { ShownWindow } from '../../model/ui/shownWindow.ts';
import { Accessibility } from './atspi/accessibility.ts';
import { Actions, numberOfItem, type Way } from './actions.ts';
import type { Mark } from './annotated.ts';
import { answered, outcome } from './effects.ts';
import { ElementIds } from './elementIds.ts';
import { Pointing } from './pointing.ts';
import { readProgram, type Reading } from './reading.ts';
import type { Screen } from './screen.ts';
import type { ShownUi } from './shownUi.ts';
import type { Picture } from './picture.ts';
import type { StageAddress } from './stage.ts';
import { SeenElements } from './vision/seenElements.ts';
import { pictureOf } from './windows.ts';

/** No event for this long counts as quiet. */
const QUIET_MS = 50;
const MOST_MS = 2000;
/** Buttons of GTK 4 and Qt do their work a moment after they were pressed. */
const LATE_MS = 1000;
const TURN_MS = 20;
const FIRST_WINDOW_MS = 5000;

type Judge = (after: Reading) => Promise<UiDone['done']>;

/** The widgets of a program: reads them, and acts on them as a person would. */
export class ProgramUi implements ShownUi {
  readonly #stage: StageAddress;
  readonly #screen: () => Promise<Screen>;
  readonly #ids = new ElementIds();
  readonly #seen = new SeenElements(this.#ids);
  #door: Promise<Accessibility> | null = null;
  #lastEventMs = 0;
  #last: Reading | null = null;

  constructor(stage: StageAddress, screen: () => Promise<Screen>) {
    this.#stage = stage;
    this.#screen = screen;
  }

  async tree(): Promise<UiTree> {
    const { tree } = await this.#read();
    return { ...tree, windows: await this.#withSeen(tree.windows) };
  }

  /** Windows that publish nothing but surfaces to draw on have what is seen in their pictures. */
  async #withSeen(elements: readonly UiElement[]): Promise<UiElement[]> {
    if (!elements.some((element) => isBlank(element))) return [...elements];
    const windows = await this.windows();
    return await Promise.all(
      elements.map(async (element) => {
        const shown = windows.find(({ title }) => title === element.name);
        if (!isBlank(element) || shown === undefined) return element;
        const picture = await (await this.#screen()).picture(shown.id);
        return {
          ...element,
          children: [...element.children, ...this.#seen.in(element.id, picture)],
        };
      }),
    );
  }

  async windows(): Promise<readonly ShownWindow[]> {
    return await (await this.#screen()).windows();
  }

  async picture(window: ShownWindow, windows: readonly ShownWindow[]): Promise<Picture> {
    return await pictureOf(await this.#screen(), windows, window);
  }

  async marks(window: ShownWindow): Promise<Mark[]> {
    const reading = await this.#read();
    const pointing = new Pointing(await this.#open(), await this.#screen());
    return await pointing.marks(reading, window);
  }

  async act(order: UiOrder): Promise<UiDone> {
    const door = await this.#open();
    const last = this.#last;
    const before = await this.#read();
    const restless = new Set(last === null ? [] : idsChanged(last, before));
    const screen = await this.#screen();
    const pointing = new Pointing(door, screen);
    const read = async (): Promise<Reading> => this.#read();
    const actions = new Actions(door, await screen.input(), pointing, read);
    const ways = actions.ways(before, order);
    const began = monotonicMs();
    await door.watchObjects(true);
    try {
      const judged = async (after: Reading) =>
        (await chosenByNumber(door, order, after)) ?? outcome(order, { before, after, restless });
      const { means, after } = await this.#tryAll(ways, judged);
      const done = await judged(after);
      return answered(order, { before, after }, { done, means, beganMs: began });
    } finally {
      await door.watchObjects(false).catch(() => undefined);
    }
  }

  /** One way after the other, until the effect is seen. */
  async #tryAll(
    ways: readonly Way[],
    judged: Judge,
  ): Promise<{ readonly means: UiDone['means']; readonly after: Reading }> {
    let means: UiDone['means'] = 'accessibility';
    let after: Reading | null = null;
    for (const way of ways) {
      const tried = await way();
      if (tried === null) continue;
      means = tried;
      after = await this.#settled(judged);
      if ((await judged(after)) === 'confirmed') break;
    }
    return { means, after: after ?? (await this.#read()) };
  }

  /** What is shown once the effect is seen, or is late. */
  async #settled(judged: Judge): Promise<Reading> {
    const began = monotonicMs();
    await this.#quiet();
    let after = await this.#read();
    while ((await judged(after)) !== 'confirmed' && monotonicMs() - began < LATE_MS) {
      await pause(TURN_MS);
      after = await this.#read();
    }
    return after;
  }

  async #open(): Promise<Accessibility> {
    this.#door ??= this.#opened();
    this.#door.catch(() => (this.#door = null));
    return await this.#door;
  }

  /** Programs of Qt join the accessibility bus when it begins, not when they begin. */
  async #opened(): Promise<Accessibility> {
    const screen = await this.#screen();
    const until = monotonicMs() + FIRST_WINDOW_MS;
    while ((await screen.windows()).length === 0 && monotonicMs() < until) await pause(TURN_MS);
    return await Accessibility.open(this.#stage.bus, () => (this.#lastEventMs = monotonicMs()));
  }

  /** A program that was just started gets a moment for its first window. */
  async #read(): Promise<Reading> {
    const patienceMs = this.#last === null ? FIRST_WINDOW_MS : 0;
    const modals = async (): Promise<ReadonlySet<string>> => this.#modals();
    this.#last = await readProgram(await this.#open(), this.#ids, modals, patienceMs);
    return this.#last;
  }

  async #modals(): Promise<ReadonlySet<string>> {
    const windows = await (await this.#screen()).windows();
    return new Set(windows.filter(({ isModal }) => isModal).map(({ title }) => title));
  }

  /** Waits until the program has come round twice and says nothing more for a moment. */
  async #quiet(): Promise<void> {
    const door = await this.#open();
    for (const _ of [1, 2])
      for (const { reference } of this.#last?.windows ?? [])
        await door.ping(reference).catch(() => undefined);
    const began = monotonicMs();
    while (monotonicMs() - began < MOST_MS) {
      const quiet = monotonicMs() - Math.max(this.#lastEventMs, began);
      if (quiet >= QUIET_MS) return;
      await pause(QUIET_MS - quiet);
    }
  }
}

/** Toolkits publish what a program paints itself as one of these. */
const drawn: ReadonlySet<string> = new Set(['drawing area', 'canvas']);

function isBlank({ children }: UiElement): boolean {
  return children.every((child) => drawn.has(child.role) && isBlank(child));
}

/** The program says itself whether an item that is chosen by its number is. Null: another order. */
async function chosenByNumber(
  door: Accessibility,
  order: UiOrder,
  { widgets }: Reading,
): Promise<UiDone['done'] | null> {
  const index = order.action === 'select' ? numberOfItem(order.item) : null;
  const widget = order.id === null ? undefined : widgets.get(order.id);
  if (index === null || widget?.interfaces.has('Selection') !== true) return null;
  return (await door.isSelected(widget.reference, index)) ? 'confirmed' : 'noEffect';
}

function idsChanged(before: Reading, after: Reading): string[] {
  return changes(before.tree, after.tree).map(({ id }) => id);
}
