import type { Composite, TestInput, WindowAttributes, XClient } from 'x11';
import type { ShownWindow } from '../../model/ui/shownWindow.ts';
import { asked, openDisplay } from './display.ts';
import type { StageAddress } from './stage.ts';
import { ScreenInput } from './screenInput.ts';
import type { Picture } from './picture.ts';

/** Of GetImage and GetWindowAttributes. */
const Z_PIXMAP = 2;
const VIEWABLE = 2;
const DRAWN = 1;
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
  readonly #client: XClient;
  readonly #root: number;
  readonly #composite: Composite;
  #input: Promise<ScreenInput> | null = null;

  private constructor(client: XClient, root: number, composite: Composite) {
    this.#client = client;
    this.#root = root;
    this.#composite = composite;
  }

  /** Throws NO_STAGE when the display does not answer. */
  static async open(address: StageAddress, onClosed: () => void): Promise<Screen> {
    const { client, root } = await openDisplay(address, onClosed);
    const composite = await asked<Composite>((answer) => client.require('composite', answer));
    await asked((answer) => composite.QueryVersion(0, 4, answer));
    composite.RedirectSubwindows(root, composite.Redirect.Automatic);
    return new Screen(client, root, composite);
  }

  /** Windows that are shown, the topmost first. */
  async windows(): Promise<ShownWindow[]> {
    const { children } = await asked<{ readonly children: readonly number[] }>((answer) =>
      this.#client.QueryTree(this.#root, answer),
    );
    const topmost = children.slice(-MOST_WINDOWS).toReversed();
    const windows = await Promise.all(topmost.map(async (id) => this.#window(id)));
    return windows.filter((window) => window !== null);
  }

  async #window(id: number): Promise<ShownWindow | null> {
    try {
      const client = this.#client;
      const [attributes, size, place, title, pid, states, modal] = await Promise.all([
        asked<WindowAttributes>((answer) => client.GetWindowAttributes(id, answer)),
        asked<{ readonly width: number; readonly height: number }>((answer) =>
          client.GetGeometry(id, answer),
        ),
        asked<{ readonly destX: number; readonly destY: number }>((answer) =>
          client.TranslateCoordinates(id, this.#root, 0, 0, answer),
        ),
        this.#title(id),
        this.#property(id, '_NET_WM_PID'),
        this.#property(id, '_NET_WM_STATE'),
        this.#atom('_NET_WM_STATE_MODAL'),
      ]);
      const { mapState, klass, overrideRedirect } = attributes;
      if (mapState !== VIEWABLE || klass !== DRAWN) return null;
      return {
        id,
        title,
        isPopup: overrideRedirect !== 0,
        isModal: longsOf(states).includes(modal),
        pid: pid.length >= 4 ? pid.readUInt32LE(0) : null,
        x: place.destX,
        y: place.destY,
        width: size.width,
        height: size.height,
      };
    } catch {
      return null; // It was closed meanwhile.
    }
  }

  async #title(window: number): Promise<string> {
    const title = await this.#property(window, '_NET_WM_NAME');
    if (title.length > 0) return title.toString('utf8');
    return (await this.#property(window, 'WM_NAME')).toString('latin1');
  }

  async #property(window: number, name: string): Promise<Buffer> {
    const atom = await this.#atom(name);
    const { data } = await asked<{ readonly data: Buffer }>((answer) =>
      this.#client.GetProperty(0, window, atom, 0, 0, MOST_TITLE_LONGS, answer),
    );
    return data;
  }

  async #atom(name: string): Promise<number> {
    return await asked<number>((answer) => this.#client.InternAtom(false, name, answer));
  }

  /** One window, or with null the whole display. */
  async picture(window: number | null): Promise<Picture> {
    const client = this.#client;
    const pixmap = window === null ? null : client.AllocID();
    if (window !== null && pixmap !== null) this.#composite.NameWindowPixmap(window, pixmap);
    const drawable = pixmap ?? this.#root;
    try {
      const { width, height } = await asked<{ readonly width: number; readonly height: number }>(
        (answer) => client.GetGeometry(drawable, answer),
      );
      const { data } = await asked<{ readonly data: Buffer }>((answer) =>
        client.GetImage(Z_PIXMAP, drawable, 0, 0, width, height, ALL_PLANES, answer),
      );
      return { width, height, pixels: data };
    } finally {
      if (pixmap !== null) client.FreePixmap(pixmap);
    }
  }

  /** Gives a window the keyboard, and puts it above the others. */
  async focus(window: number): Promise<void> {
    this.#client.RaiseWindow(window);
    // Java has the keyboard in a window of its own, and is not active without it.
    if (!(await this.#hasKeyboard(window))) this.#client.SetInputFocus(window, REVERT_TO_PARENT);
  }

  /** Gives the topmost window the keyboard. */
  async front(): Promise<void> {
    const window = (await this.windows()).find(({ isPopup }) => !isPopup);
    if (window !== undefined) await this.focus(window.id);
  }

  /** Whether the keyboard is a window's, or of one in it. */
  async #hasKeyboard(window: number): Promise<boolean> {
    const client = this.#client;
    let { focus: at } = await asked<{ readonly focus: number }>((answer) =>
      client.GetInputFocus(answer),
    );
    for (let up = 0; at !== window && at !== this.#root && up < MOST_UP; up++) {
      const below = at;
      // None and PointerRoot are no windows.
      if (below <= 1) return false;
      ({ parent: at } = await asked<{ readonly parent: number }>((answer) =>
        client.QueryTree(below, answer),
      ));
    }
    return at === window;
  }

  /** Pointer and keyboard. */
  async input(): Promise<ScreenInput> {
    this.#input ??= asked<TestInput>((answer) => this.#client.require('xtest', answer)).then(
      (test) => new ScreenInput(this.#client, test, this.#root),
    );
    return await this.#input;
  }
}

function longsOf(property: Buffer): number[] {
  return Array.from({ length: Math.floor(property.length / 4) }, (_, index) =>
    property.readUInt32LE(index * 4),
  );
}
