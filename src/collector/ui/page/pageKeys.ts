import { StrobeError } from '../../../model/errors.ts';
import type { Fields } from './devtoolsPipe.ts';

/** Keys by the names that windows take, with their names on a page and their numbers. */
const named: Readonly<Record<string, readonly [key: string, number: number, text?: string]>> = {
  return: ['Enter', 13, '\r'],
  enter: ['Enter', 13, '\r'],
  tab: ['Tab', 9],
  escape: ['Escape', 27],
  backspace: ['Backspace', 8],
  delete: ['Delete', 46],
  home: ['Home', 36],
  end: ['End', 35],
  left: ['ArrowLeft', 37],
  up: ['ArrowUp', 38],
  right: ['ArrowRight', 39],
  down: ['ArrowDown', 40],
  pageup: ['PageUp', 33],
  pagedown: ['PageDown', 34],
  space: [' ', 32, ' '],
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `f${index + 1}`,
      [`F${index + 1}`, 112 + index] as const,
    ]),
  ),
};
const held: Readonly<Record<string, number>> = { alt: 1, ctrl: 2, super: 4, shift: 8 };
/** What the browser, not the page, makes of keys. */
const commands: Readonly<Record<string, string>> = { a: 'selectAll', z: 'undo', y: 'redo' };

/** "ctrl+a" as events of a page: pressed, then released. Throws BAD_PARAMETER. */
export function keyEvents(combination: string): readonly Fields[] {
  const names = combination.length === 1 ? [combination] : combination.split('+');
  const name = names.at(-1) ?? '';
  const modifiers = names
    .slice(0, -1)
    .reduce((sum, one) => sum | (held[one.toLowerCase()] ?? 0), 0);
  const letter = name.length === 1 ? name : null;
  const [key, number, text] =
    named[name.toLowerCase()] ??
    (letter === null ? unknown(name) : [letter, letter.toUpperCase().charCodeAt(0), letter]);
  const command = (modifiers & 2) === 0 ? undefined : commands[name.toLowerCase()];
  const common = { key, windowsVirtualKeyCode: number, modifiers };
  const isText = text !== undefined && (modifiers & ~8) === 0;
  return [
    {
      ...common,
      type: isText ? 'keyDown' : 'rawKeyDown',
      ...(isText ? { text } : {}),
      ...(command === undefined ? {} : { commands: [command] }),
    },
    { ...common, type: 'keyUp' },
  ];
}

/** A text as keys, and what no key has as it is. */
export function typedEvents(
  text: string,
): readonly { readonly method: string; readonly params: Fields }[] {
  return Array.from(text).flatMap((letter) => {
    const name = letter === '\n' ? 'Return' : letter === '\t' ? 'Tab' : letter;
    if (!/^[ -~]+$/.test(name)) return [{ method: 'Input.insertText', params: { text: letter } }];
    return keyEvents(name).map((params) => ({ method: 'Input.dispatchKeyEvent', params }));
  });
}

function unknown(name: string): never {
  throw new StrobeError(
    'BAD_PARAMETER',
    `No key is called ${JSON.stringify(name)}.`,
    `Use a letter, or one of: ${Object.keys(named).join(', ')}; together: "ctrl+a".`,
  );
}
