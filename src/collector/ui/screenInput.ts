import type { TestInput } from 'x11';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import type { UiDirection } from '../../model/ui/element.ts';
import type { Place } from './box.ts';
import type { Display } from './display.ts';

const KEY_PRESS = 2;
const KEY_RELEASE = 3;
const BUTTON_PRESS = 4;
const BUTTON_RELEASE = 5;
const MOTION = 6;
const LEFT = 1;
/** Buttons that a wheel presses. */
const wheels: Readonly<Record<UiDirection, number>> = { up: 4, down: 5, left: 6, right: 7 };
/** Presses that follow sooner, and nearer, may be a double click: toolkits take 200 to 500 ms, and 5 to 10 pixels. */
const APART_MS = 550;
const APART_PIXELS = 16;
const DRAG_STEPS = 10;
const DRAG_MS = 8;
const FIRST_KEY = 8;
const KEYS = 248;
/** A program reads a changed keyboard when it hears of the change. */
const MAPPING_MS = 30;
/** Symbols beyond Latin 1 are numbered so. */
const UNICODE = 0x1000000;
const LATIN = 0x100;

const named: Readonly<Record<string, number>> = {
  return: 0xff0d,
  enter: 0xff0d,
  tab: 0xff09,
  escape: 0xff1b,
  backspace: 0xff08,
  delete: 0xffff,
  home: 0xff50,
  left: 0xff51,
  up: 0xff52,
  right: 0xff53,
  down: 0xff54,
  pageup: 0xff55,
  pagedown: 0xff56,
  end: 0xff57,
  space: 0x20,
  ctrl: 0xffe3,
  shift: 0xffe1,
  alt: 0xffe9,
  super: 0xffeb,
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`f${index + 1}`, 0xffbe + index]),
  ),
};

interface Key {
  readonly code: number;
  readonly isShifted: boolean;
}

/** A pointer and a keyboard of the display, as if a person used them. */
export class ScreenInput {
  readonly #display: Display;
  readonly #test: TestInput;
  #keys: Map<number, Key> | null = null;
  /** Keys that mean nothing: each is given to a symbol that no key has. */
  #spares: number[] = [];
  #perKey = 1;
  #lastPress: { readonly at: Place; readonly ms: number } | null = null;

  constructor(display: Display, test: TestInput) {
    this.#display = display;
    this.#test = test;
  }

  async click(at: Place, count = 1): Promise<void> {
    await this.#apart(at);
    this.#move(at);
    for (let each = 0; each < count; each++) {
      this.#test.FakeInput(BUTTON_PRESS, LEFT, 0, this.#display.root, 0, 0);
      this.#test.FakeInput(BUTTON_RELEASE, LEFT, 0, this.#display.root, 0, 0);
    }
    await this.#done();
  }

  /** Turns the wheel over a place. */
  async scroll(at: Place, direction: UiDirection, amount: number): Promise<void> {
    this.#move(at);
    const wheel = wheels[direction];
    for (let each = 0; each < amount; each++) {
      this.#test.FakeInput(BUTTON_PRESS, wheel, 0, this.#display.root, 0, 0);
      this.#test.FakeInput(BUTTON_RELEASE, wheel, 0, this.#display.root, 0, 0);
    }
    await this.#done();
  }

  /** Moves the pointer with its button held: in steps, as toolkits begin a drag only after some way. */
  async drag(from: Place, to: Place): Promise<void> {
    await this.#apart(from);
    this.#move(from);
    this.#test.FakeInput(BUTTON_PRESS, LEFT, 0, this.#display.root, 0, 0);
    for (let step = 1; step <= DRAG_STEPS; step++) {
      const part = step / DRAG_STEPS;
      this.#move({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
      await this.#done();
      await pause(DRAG_MS);
    }
    this.#test.FakeInput(BUTTON_RELEASE, LEFT, 0, this.#display.root, 0, 0);
    await this.#done();
  }

  /** Waits where the next press would make a double click of two single ones: many knobs are reset by that. */
  async #apart(at: Place): Promise<void> {
    const last = this.#lastPress;
    const isNear = last !== null && Math.hypot(at.x - last.at.x, at.y - last.at.y) < APART_PIXELS;
    if (isNear) await pause(Math.max(0, last.ms + APART_MS - monotonicMs()));
    this.#lastPress = { at, ms: monotonicMs() };
  }

  #move({ x, y }: Place): void {
    this.#test.FakeInput(MOTION, 0, 0, this.#display.root, Math.round(x), Math.round(y));
  }

  async type(text: string): Promise<void> {
    const shift = await this.#key(named['shift'] ?? 0);
    for (const letter of text) {
      const key = await this.#key(symbolOf(letter));
      if (key.isShifted) this.#press(shift.code, true);
      this.#press(key.code, true);
      this.#press(key.code, false);
      if (key.isShifted) this.#press(shift.code, false);
    }
    await this.#done();
  }

  /** A key with the keys held meanwhile: "ctrl+shift+s", "Return". Throws BAD_PARAMETER. */
  async press(combination: string): Promise<void> {
    const names = combination.length === 1 ? [combination] : combination.split('+');
    const keys: Key[] = [];
    for (const name of names) {
      const symbol = named[name.toLowerCase()] ?? (name.length === 1 ? symbolOf(name) : null);
      if (symbol === null)
        throw new StrobeError(
          'BAD_PARAMETER',
          `No key is called ${JSON.stringify(name)}.`,
          `Use a letter, or one of: ${Object.keys(named).join(', ')}; together: "ctrl+s".`,
        );
      keys.push(await this.#key(symbol));
    }
    for (const { code } of keys) this.#press(code, true);
    for (const { code } of keys.toReversed()) this.#press(code, false);
    await this.#done();
  }

  #press(code: number, isDown: boolean): void {
    this.#test.FakeInput(isDown ? KEY_PRESS : KEY_RELEASE, code, 0, this.#display.root, 0, 0);
  }

  async #key(symbol: number): Promise<Key> {
    this.#keys ??= await this.#readKeys();
    const known = this.#keys.get(symbol);
    if (known !== undefined) return known;
    const code = this.#spares.shift();
    if (code === undefined)
      throw new StrobeError(
        'BAD_PARAMETER',
        'The text has more foreign letters than there are keys.',
        'Use setValue.',
      );
    const symbols = Array.from({ length: this.#perKey }, () => symbol);
    this.#display.client.ChangeKeyboardMapping(code, this.#perKey, symbols);
    await this.#done();
    await pause(MAPPING_MS);
    const lent = { code, isShifted: false };
    this.#keys.set(symbol, lent);
    return lent;
  }

  async #readKeys(): Promise<Map<number, Key>> {
    const rows = await this.#display.ask<readonly (readonly number[])[]>((answer) =>
      this.#display.client.GetKeyboardMapping(FIRST_KEY, KEYS, answer),
    );
    this.#perKey = rows[0]?.length ?? 1;
    const keys = new Map<number, Key>();
    for (const [index, symbols] of rows.entries()) {
      const code = FIRST_KEY + index;
      if (symbols.every((symbol) => symbol === 0)) this.#spares.push(code);
      for (const [level, symbol] of symbols.slice(0, 2).entries())
        if (symbol !== 0 && !keys.has(symbol)) keys.set(symbol, { code, isShifted: level === 1 });
    }
    return keys;
  }

  /** The display has taken all that was sent. */
  async #done(): Promise<void> {
    await this.#display.ask((answer) => this.#display.client.GetInputFocus(answer));
  }
}

function symbolOf(letter: string): number {
  if (letter === '\n') return named['return'] ?? 0;
  if (letter === '\t') return named['tab'] ?? 0;
  const point = letter.codePointAt(0) ?? 0;
  return point < LATIN ? point : UNICODE + point;
}
