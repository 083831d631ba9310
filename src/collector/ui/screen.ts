import type { Composite, TestInput, WindowAttributes } from 'x11';
import type { ShownWindow } from '../../model/ui/shownWindow.ts';
import { Display, unlessClosed } from './display.ts';
import type { StageAddress } from './stage.ts';
import { ScreenInput } from './screenInput.ts';
import type { Picture } from './picture.ts';
import { longsOf, Ewmh } from './ewmh/ewmh.ts';

/** Of GetImage and GetWindowAttributes. */
const Z_PIXMAP = 2;
const VIEWABLE = 2;
const DRAWN = 1;
const stateAtoms = [
  ['_NET_WM_STATE_MODAL', 'modal'],
  ['_NET_WM_STATE_FULLSCREEN', 'fullscreen'],
  ['_NET_WM_STATE_MAXIMIZED_VERT', 'maximised'],
  ['_NET_WM_STATE_HIDDEN', 'iconified'],
] as const;
const REVERT_TO_PARENT = 2;
const ALL_PLANES = 0xffffffff;
const MOST_TITLE_LONGS = 256;
const MOST_WINDOWS = 200;
/** So deep windows are in one another. */
const MOST_UP = 20;

/**
 * The display of a stage. A window is drawn into a pixmap of its own from the first connection on: it is seen whole
 * also while others cover it, and while its program is stopped.
 */
export class Screen {
  readonly #display: Display;
  readonly #composite: Composite;
  #manager: Ewmh | null;
  #input: Promise<ScreenInput> | null = null;
  /** What is drawn for a window: the frame that a window manager put it in. */
  #frames: ReadonlyMap<number, number> = new Map();

  private constructor(display: Display, composite: Composite, manager: Ewmh | null) {
    this.#display = display;
    this.#composite = composite;
    this.#manager = manager;
  }

  /** Throws NO_STAGE when the display does not answer. */
  static async open(address: StageAddress, onClosed: () => void): Promise<Screen> {
    const display = await Display.open(address, onClosed);
    const { client, root } = display;
    const composite = await display.ask<Composite>((answer) => client.require('composite', answer));
    await display.ask((answer) => composite.QueryVersion(0, 4, answer));
    composite.RedirectSubwindows(root, composite.Redirect.Automatic);
    return new Screen(display, composite, await Ewmh.of(display));
  }

  /** Windows that are shown, the topmost first. */
  async windows(): Promise<ShownWindow[]> {
    const [topmost, framed] = await Promise.all([
      this.#topmost(),
      this.#manager?.framed() ?? new Map<number, number>(),
    ]);
    this.#frames = new Map([...framed].map(([frame, window]) => [window, frame]));
    const windows = await Promise.all(
      topmost.map(async (id) => unlessClosed(this.#window(framed.get(id) ?? id))),
    );
    return windows.filter((window) => window !== null);
  }

  /** Frames, and windows without one. */
  async #topmost(): Promise<number[]> {
    const { children } = await this.#display.ask<{ readonly children: readonly number[] }>(
      (answer) => this.#display.client.QueryTree(this.#display.root, answer),
    );
    const ofPrograms = children.filter((id) => id !== this.#manager?.ownWindow);
    return ofPrograms.slice(-MOST_WINDOWS).toReversed();
  }

  /** What each window is, by its title: "modal", "fullscreen", "maximised", "iconified". */
  async states(): Promise<ReadonlyMap<string, readonly string[]>> {
    const windows = (await this.#manager?.windows()) ?? (await this.#topmost());
    const pairs = await Promise.all(
      windows.map(async (id) => unlessClosed(Promise.all([this.#title(id), this.#statesOf(id)]))),
    );
    const byTitle = new Map<string, readonly string[]>();
    for (const [title, states] of pairs.filter((pair) => pair !== null))
      byTitle.set(title, [...(byTitle.get(title) ?? []), ...states]);
    return byTitle;
  }

  async #statesOf(window: number): Promise<readonly string[]> {
    const atoms = longsOf(await this.#property(window, '_NET_WM_STATE'));
    const names = await Promise.all(
      stateAtoms.map(async ([name, state]) =>
        atoms.includes(await this.#atom(name)) ? [state] : [],
      ),
    );
    return names.flat();
  }

  /** Null: it is not shown. */
  async #window(id: number): Promise<ShownWindow | null> {
    const client = this.#display.client;
    const [attributes, size, place, title, pid] = await Promise.all([
      this.#display.ask<WindowAttributes>((answer) => client.GetWindowAttributes(id, answer)),
      this.#display.ask<{ readonly width: number; readonly height: number }>((answer) =>
        client.GetGeometry(id, answer),
      ),
      this.#display.ask<{ readonly destX: number; readonly destY: number }>((answer) =>
        client.TranslateCoordinates(id, this.#display.root, 0, 0, answer),
      ),
      this.#title(id),
      this.#property(id, '_NET_WM_PID'),
    ]);
    const { mapState, klass, overrideRedirect } = attributes;
    if (mapState !== VIEWABLE || klass !== DRAWN) return null;
    return {
      id,
      title,
      isPopup: overrideRedirect !== 0,
      pid: pid.length >= 4 ? pid.readUInt32LE(0) : null,
      x: place.destX,
      y: place.destY,
      width: size.width,
      height: size.height,
    };
  }

  async #title(window: number): Promise<string> {
    const title = await this.#property(window, '_NET_WM_NAME');
    if (title.length > 0) return title.toString('utf8');
    return (await this.#property(window, 'WM_NAME')).toString('latin1');
  }

  async #property(window: number, name: string): Promise<Buffer> {
    const atom = await this.#atom(name);
    const { data } = await this.#display.ask<{ readonly data: Buffer }>((answer) =>
      this.#display.client.GetProperty(0, window, atom, 0, 0, MOST_TITLE_LONGS, answer),
    );
    return data;
  }

  async #atom(name: string): Promise<number> {
    return await this.#display.ask<number>((answer) =>
      this.#display.client.InternAtom(false, name, answer),
    );
  }

  /** One window of those last listed, or with null the whole display. */
  async picture(window: number | null): Promise<Picture> {
    const client = this.#display.client;
    const pixmap = window === null ? null : client.AllocID();
    if (window !== null && pixmap !== null)
      this.#composite.NameWindowPixmap(this.#frames.get(window) ?? window, pixmap);
    const drawable = pixmap ?? this.#display.root;
    try {
      const { width, height } = await this.#display.ask<{
        readonly width: number;
        readonly height: number;
      }>((answer) => client.GetGeometry(drawable, answer));
      const { data } = await this.#display.ask<{ readonly data: Buffer }>((answer) =>
        client.GetImage(Z_PIXMAP, drawable, 0, 0, width, height, ALL_PLANES, answer),
      );
      return { width, height, pixels: data };
    } finally {
      if (pixmap !== null) client.FreePixmap(pixmap);
    }
  }

  /** Gives a window the keyboard, and puts it above the others. */
  async focus(window: number): Promise<void> {
    if ((await this.#manager?.activate(window)) === true) return;
    this.#manager = null; // It ended: windows are without frames.
    this.#display.client.RaiseWindow(window);
    // Java has the keyboard in a window of its own, and is not active without it.
    if (!(await this.#hasKeyboard(window)))
      this.#display.client.SetInputFocus(window, REVERT_TO_PARENT);
  }

  /** Shows an iconified window again. */
  async restore(title: string): Promise<void> {
    for (const window of (await this.#manager?.windows()) ?? [])
      if ((await this.#title(window)) === title) await this.focus(window);
  }

  /** Gives the topmost window the keyboard. */
  async front(): Promise<void> {
    const window = (await this.windows()).find(({ isPopup }) => !isPopup);
    if (window !== undefined) await this.focus(window.id);
  }

  /** Whether the keyboard is a window's, or of one in it. */
  async #hasKeyboard(window: number): Promise<boolean> {
    const client = this.#display.client;
    let { focus: at } = await this.#display.ask<{ readonly focus: number }>((answer) =>
      client.GetInputFocus(answer),
    );
    for (let up = 0; at !== window && at !== this.#display.root && up < MOST_UP; up++) {
      const below = at;
      // None and PointerRoot are no windows.
      if (below <= 1) return false;
      ({ parent: at } = await this.#display.ask<{ readonly parent: number }>((answer) =>
        client.QueryTree(below, answer),
      ));
    }
    return at === window;
  }

  /** Pointer and keyboard. */
  async input(): Promise<ScreenInput> {
    this.#input ??= this.#display
      .ask<TestInput>((answer) => this.#display.client.require('xtest', answer))
      .then((test) => new ScreenInput(this.#display, test));
    return await this.#input;
  }
}
