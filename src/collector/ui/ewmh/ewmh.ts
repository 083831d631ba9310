import { monotonicMs } from '../../../base/clock.ts';
import { pause } from '../../../base/deadline.ts';
import { unlessClosed, type Display } from '../display.ts';

const MOST_CLIENTS = 200;
/** The sender of a request is a pager, not a program: it is always followed. */
const PAGER = 2;
const LIMIT_MS = 1000;
const TURN_MS = 2;
const DELETE = 1;
const KEEP = 0;

/** Speaks to the window manager of a display as EWMH 1.5 says. */
export class Ewmh {
  readonly #display: Display;
  /** A window of ours that is never shown: the window manager answers at it. */
  readonly #own: number;

  #shown = 0;

  private constructor(display: Display) {
    const { client, root } = display;
    this.#display = display;
    this.#own = client.AllocID();
    client.CreateWindow(this.#own, root, 0, 0, 1, 1);
  }

  /** Null: the display has none. */
  static async of(display: Display): Promise<Ewmh | null> {
    const own = new Ewmh(display);
    const [shown = 0] = await own.#longs(display.root, '_NET_SUPPORTING_WM_CHECK', KEEP);
    own.#shown = shown;
    return shown === 0 ? null : own;
  }

  /** A window of its own, by which programs see that it is there. */
  get ownWindow(): number {
    return this.#shown;
  }

  /** The windows of programs, also iconified ones. */
  async windows(): Promise<readonly number[]> {
    return await this.#longs(this.#display.root, '_NET_CLIENT_LIST', KEEP);
  }

  /** The window of a program in each frame; a frame is a child of the root. */
  async framed(): Promise<ReadonlyMap<number, number>> {
    const windows = await this.windows();
    const pairs = await Promise.all(
      windows.map(async (window) => unlessClosed(this.#frameOf(window))),
    );
    return new Map(pairs.filter((pair) => pair !== null));
  }

  async #frameOf(window: number): Promise<readonly [number, number]> {
    const { parent } = await this.#display.ask<{ readonly parent: number }>((answer) =>
      this.#display.client.QueryTree(window, answer),
    );
    return [parent, window];
  }

  /**
   * Brings a window, also an iconified one, to the front and gives it the keyboard, where it takes that. False: the window
   * manager does not answer.
   */
  async activate(window: number): Promise<boolean> {
    await this.#send(window, '_NET_ACTIVE_WINDOW', [PAGER, 0, 0]);
    if (!(await this.#follows())) return false;
    const isActive = async (): Promise<boolean> =>
      (await this.#longs(this.#display.root, '_NET_ACTIVE_WINDOW', KEEP))[0] === window;
    await untilTrue(isActive);
    return true;
  }

  /** It takes requests one after the other: it has followed those before the one that it answers. */
  async #follows(): Promise<boolean> {
    await this.#send(this.#own, '_NET_REQUEST_FRAME_EXTENTS', []);
    return await untilTrue(
      async () => (await this.#longs(this.#own, '_NET_FRAME_EXTENTS', DELETE)).length > 0,
    );
  }

  async #send(window: number, name: string, data: readonly number[]): Promise<void> {
    this.#display.client.SendClientMessage(
      this.#display.root,
      window,
      await this.#atom(name),
      32,
      data,
    );
  }

  async #longs(window: number, name: string, after: 0 | 1): Promise<number[]> {
    const atom = await this.#atom(name);
    const { data } = await this.#display.ask<{ readonly data: Buffer }>((answer) =>
      this.#display.client.GetProperty(after, window, atom, 0, 0, MOST_CLIENTS, answer),
    );
    return longsOf(data);
  }

  async #atom(name: string): Promise<number> {
    return await this.#display.ask<number>((answer) =>
      this.#display.client.InternAtom(false, name, answer),
    );
  }
}

/** False when that takes too long. */
async function untilTrue(isTrue: () => Promise<boolean>): Promise<boolean> {
  const began = monotonicMs();
  while (monotonicMs() - began < LIMIT_MS) {
    if (await isTrue()) return true;
    await pause(TURN_MS);
  }
  return false;
}

export function longsOf(property: Buffer): number[] {
  return Array.from({ length: Math.floor(property.length / 4) }, (_, index) =>
    property.readUInt32LE(index * 4),
  );
}
