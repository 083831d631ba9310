import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import type { UiDone, UiOrder, UiTree } from '../../model/ui/element.ts';
import type { ShownWindow } from '../../model/ui/shownWindow.ts';
import { Accessibility } from './atspi/accessibility.ts';
import { Actions, numberOfItem, type Way } from './actions.ts';
import { answered, outcome, viewFor, writingPlaces } from './effects.ts';
import { ElementIds } from './elementIds.ts';
import { marksOf, Pointing } from './pointing.ts';
import { pathTo, readProgram, unknownElement, type Reading } from './reading.ts';
import { Rest, viewOf, type Outcome } from './rest.ts';
import type { Screen } from './screen.ts';
import type { Marks, ShownUi } from './shownUi.ts';
import type { Picture } from './picture.ts';
import type { StageAddress } from './stage.ts';
import { Vision, type Published } from './vision/vision.ts';
import { pictureOf } from './windows.ts';
import { Writings } from './writings.ts';

/** No event for this long counts as quiet. */
const QUIET_MS = 50;
const MOST_MS = 2000;
/** Buttons of GTK 4 and Qt do their work a moment after they were pressed. */
const LATE_MS = 1000;
const TURN_MS = 20;
const FIRST_WINDOW_MS = 5000;

/** A display and a bus end with their program. */
const ended: ReadonlySet<string> = new Set(['NO_WINDOW', 'NO_STAGE']);

const none: ReadonlySet<string> = new Set();

type Judge = (after: Reading) => Promise<Outcome>;

/** The widgets of a program: reads them, and acts on them as a person would. */
export class ProgramUi implements ShownUi {
  readonly #stage: StageAddress;
  readonly #screen: () => Promise<Screen>;
  readonly #ids = new ElementIds();
  readonly #vision: Vision;
  readonly #writings = new Writings();
  readonly #rest = new Rest();
  #door: Promise<Accessibility> | null = null;
  #lastEventMs = 0;
  #last: Reading | null = null;
  #lastReadMs = 0;

  constructor(
    stage: StageAddress,
    screen: () => Promise<Screen>,
    visionCommand: readonly string[],
  ) {
    this.#stage = stage;
    this.#screen = screen;
    this.#vision = new Vision(screen, this.#ids, visionCommand);
  }

  async tree(): Promise<UiTree> {
    return (await this.#look()).tree;
  }

  async windows(): Promise<readonly ShownWindow[]> {
    return await (await this.#screen()).windows();
  }

  async picture(window: ShownWindow, windows: readonly ShownWindow[]): Promise<Picture> {
    return await pictureOf(await this.#screen(), windows, window);
  }

  async marks(window: ShownWindow, windows: readonly ShownWindow[]): Promise<Marks> {
    const { reading, ageMs } = await this.#lookOrLast();
    const marks = [...marksOf(reading, window, windows), ...this.#vision.marks(window)];
    return { marks, ageMs };
  }

  /** What a program that does not answer showed when it did. */
  async #lookOrLast(): Promise<{ readonly reading: Reading; readonly ageMs: number | null }> {
    try {
      return { reading: await this.#look(), ageMs: null };
    } catch (error) {
      const isSilent = error instanceof StrobeError && error.code === 'TIMED_OUT';
      if (!isSilent || this.#last === null) throw error;
      return { reading: this.#last, ageMs: Math.round(monotonicMs() - this.#lastReadMs) };
    }
  }

  async act(order: UiOrder): Promise<UiDone> {
    const { id } = order;
    if (!this.#isKnown(id)) await this.#look();
    if (this.#vision.isAlone || (id !== null && this.#vision.holds(id)))
      return await this.#actOnSeen(order);
    if (!this.#isKnown(id))
      throw unknownElement(String(id), [...this.#widgetIds(), ...this.#vision.ids]);
    const door = await this.#open();
    const [previous, rest] = [this.#last, this.#rest];
    const before = await this.#restored(id, await this.#read());
    if (previous !== null) rest.idle(viewFor(order, previous), viewFor(order, before));
    const screen = await this.#screen();
    const pointing = new Pointing(door, screen);
    // What is chosen may be out of sight.
    const isWhole = order.action === 'select';
    const actions = new Actions(door, await screen.input(), pointing, async () =>
      this.#read(isWhole),
    );
    const read = async (): Promise<Reading> => this.#readLeft(isWhole);
    const ways = actions.ways(before, order);
    const beganMs = monotonicMs();
    await door.watchObjects(true, before.toolkits.values());
    this.#writings.begin();
    try {
      const judged = async (after: Reading): Promise<Outcome> => {
        const chosen = await chosenByNumber(door, order, after);
        if (chosen !== null) return { done: chosen, places: [] };
        const seen = outcome(order, { before, after, rest, ignored: none });
        if (seen.done !== 'sent') return seen;
        return rest.seenAt(writingPlaces(order, { before, after }, this.#writings));
      };
      const { means, after } = await this.#tryAll(ways, judged, read);
      const last = await rest.watch(await judged(after), after, {
        read,
        view: (reading) => viewFor(order, reading, this.#writings),
      });
      const proven = await judged(after);
      return answered(order, { before, after: last, rest }, { ...proven, means, beganMs });
    } catch (error) {
      throw error instanceof StrobeError ? error : gone(error);
    } finally {
      rest.acted();
      await door.watchObjects(false, before.toolkits.values()).catch(() => undefined);
    }
  }

  /** An iconified window is shown again before anything is done in it: that is no effect of what is done. */
  async #restored(id: string | null, reading: Reading): Promise<Reading> {
    const widget = id === null ? undefined : reading.widgets.get(id);
    const [window] = widget === undefined ? [] : pathTo(reading, widget);
    if (window?.states.has('iconified') !== true) return reading;
    await (await this.#screen()).restore(window.name);
    await this.#comesRound();
    return await this.#read();
  }

  /** Whether an element was shown when its window was last looked at; null: whether one was looked at. */
  #isKnown(id: string | null): boolean {
    if (id === null) return this.#last !== null || this.#vision.isAlone;
    return this.#vision.holds(id) || this.#widgetIds().includes(id);
  }

  #widgetIds(): readonly string[] {
    return [...(this.#last?.widgets.keys() ?? [])];
  }

  /** What is only seen has no voice of its own: its picture says what came of it. */
  async #actOnSeen(order: UiOrder): Promise<UiDone> {
    const before = await this.#look();
    const beganMs = monotonicMs();
    await this.#vision.use(order);
    await pause(QUIET_MS);
    const after = await this.#look();
    const rest = this.#rest;
    const judged = (): Outcome => {
      const clicked: UiOrder = { action: 'click', id: order.id ?? '', count: 1 };
      const seen = { before, after, rest, ignored: this.#vision.guesses };
      const changed = outcome(clicked, seen);
      if (order.action !== 'setValue') return changed;
      if (this.#vision.hasValue(order.id, order.value)) return { done: 'confirmed', places: [] };
      return { done: changed.done === 'sent' ? 'noEffect' : 'sent', places: [] };
    };
    const last = await rest.watch(judged(), after, {
      read: async () => this.#look(),
      view: ({ tree }) => viewOf(tree),
    });
    const means = order.id === null ? 'keyboard' : 'pointer';
    return answered(order, { before, after: last, rest }, { ...judged(), means, beganMs });
  }

  /** One way after the other, until the effect is seen. */
  async #tryAll(
    ways: readonly Way[],
    judged: Judge,
    read: () => Promise<Reading>,
  ): Promise<{ readonly means: UiDone['means']; readonly after: Reading }> {
    let means: UiDone['means'] = 'accessibility';
    let after: Reading | null = null;
    for (const way of ways) {
      const tried = await way();
      if (tried === null) continue;
      means = tried;
      after = await this.#settled(judged, read);
      if ((await judged(after)).done === 'confirmed') break;
    }
    return { means, after: after ?? (await read()) };
  }

  /** What is shown once the effect is surely seen, or is late. */
  async #settled(judged: Judge, read: () => Promise<Reading>): Promise<Reading> {
    await this.#comesRound();
    this.#writings.done();
    const began = monotonicMs();
    await this.#quiet();
    let after = await read();
    while (!this.#rest.isSure(await judged(after)) && monotonicMs() - began < LATE_MS) {
      await pause(TURN_MS);
      after = await read();
    }
    return after;
  }

  /** What an action left: nothing where it closed the last window, or ended the program and with it the bus. */
  async #readLeft(isWhole: boolean): Promise<Reading> {
    try {
      return await this.#read(isWhole);
    } catch (error) {
      if (error instanceof StrobeError && !ended.has(error.code)) throw error;
      const tree = { toolkit: '', windows: [], widgets: 0, unread: 0, readMs: 0, sight: null };
      return { tree, widgets: new Map(), windows: [], toolkits: new Map() };
    }
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
    return await Accessibility.open(this.#stage.bus, (signal) => {
      this.#lastEventMs = monotonicMs();
      this.#writings.hear(signal);
    });
  }

  /** What is published, with what is seen in pictures. */
  async #look(): Promise<Reading> {
    try {
      const reading = await this.#read();
      const published: Published = (window, windows) => marksOf(reading, window, windows);
      return { ...reading, tree: await this.#vision.added(reading.tree, published) };
    } catch (error) {
      const isNone = error instanceof StrobeError && error.code === 'NO_WINDOW';
      const tree = isNone ? await this.#vision.alone() : null;
      if (tree === null) throw error;
      return { tree, widgets: new Map(), windows: [], toolkits: new Map() };
    }
  }

  /** A program that was just started gets a moment for its first window. */
  async #read(isWhole = false): Promise<Reading> {
    const isFirst = this.#last === null && !this.#vision.isAlone;
    const patienceMs = isFirst ? FIRST_WINDOW_MS : 0;
    const screen = await this.#screen();
    const options = { windowStates: async () => screen.states(), isWhole };
    this.#last = await readProgram(await this.#open(), this.#ids, options, patienceMs);
    this.#lastReadMs = monotonicMs();
    return this.#last;
  }

  /** Waits until the program has come round twice: it took what was sent before. */
  async #comesRound(): Promise<void> {
    const door = await this.#open();
    for (const _ of [1, 2])
      for (const { reference } of this.#last?.windows ?? [])
        await door.ping(reference).catch(() => undefined);
  }

  /** Waits until the program says nothing more for a moment. */
  async #quiet(): Promise<void> {
    const began = monotonicMs();
    while (monotonicMs() - began < MOST_MS) {
      const quiet = monotonicMs() - Math.max(this.#lastEventMs, began);
      if (quiet >= QUIET_MS) return;
      await pause(QUIET_MS - quiet);
    }
  }
}

/** The bus says that an element, or the program with it, is no longer there. */
function gone(error: unknown): StrobeError {
  return new StrobeError(
    'NO_WINDOW',
    `The element, or its program, ended while it was used: ${error instanceof Error ? error.message : String(error)}.`,
    'debug_session {"action":"status"} says whether the program runs, debug_ui {"action":"tree"} what it shows.',
  );
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
