import type { UiElement } from '../../../model/ui/element.ts';
import type { ShownWindow } from '../../../model/ui/shownWindow.ts';
import { middleOf, type Box, type Place } from '../box.ts';
import type { ElementIds } from '../elementIds.ts';
import type { Picture } from '../picture.ts';
import type { Guess } from './guess.ts';
import { seenIn, type Seen } from './seen.ts';

/** A thing whose middle moved no further than this, in pixels, is the same. */
const SAME_PLACE = 10;

/** What a program paints itself: a window, or a part of it in pixels of the window. */
export interface Surface {
  /** Of the element that publishes it. */
  readonly key: string;
  readonly window: ShownWindow;
  readonly part: Box | null;
}

interface Placed {
  readonly id: string;
  readonly name: string;
  readonly surface: Surface;
}

/** Something that is seen on a surface; its place in pixels of the window. */
export interface Thing extends Seen, Placed {}

/** Something that the user's program found there. */
export type GuessedThing = Guess & Placed;

interface Known extends Place {
  readonly key: string;
  readonly role: string;
}

/** Gives what is seen its ids: the same place keeps its own. */
export class SeenElements {
  readonly #ids: ElementIds;
  /** By the key of their surface. */
  readonly #places = new Map<string, Known[]>();

  constructor(ids: ElementIds) {
    this.#ids = ids;
  }

  /** What is seen on a surface, whose picture this is; guesses at the same places name it. */
  on(
    surface: Surface,
    picture: Picture,
    guesses: readonly Guess[],
  ): { readonly things: readonly Thing[]; readonly guessed: readonly GuessedThing[] } {
    const seen = seenIn(picture);
    const named = seen.map((one) => ({
      ...one,
      name: (guesses.find((guess) => isSame(one, guess)) ?? captionOf(one, guesses))?.name ?? '',
    }));
    const others = guesses.filter((guess) => !seen.some((one) => isSame(one, guess)));
    return {
      things: named.map((one) => this.#placed(surface, one)),
      guessed: others.map((guess) => this.#placed(surface, guess)),
    };
  }

  #placed<T extends Box & { readonly role: string; readonly name: string }>(
    surface: Surface,
    found: T,
  ): T & Placed {
    const { x: left = 0, y: top = 0 } = surface.part ?? {};
    const { key } = this.#placeOf(surface.key, found);
    const id = this.#ids.of(key, key, found.role, found.name);
    return { ...found, x: found.x + left, y: found.y + top, id, surface };
  }

  #placeOf(surface: string, seen: Box & { readonly role: string }): Known {
    const { role } = seen;
    const places = this.#places.get(surface) ?? [];
    this.#places.set(surface, places);
    const middle = middleOf(seen);
    const known = places.find(
      (place) =>
        place.role === role && Math.hypot(place.x - middle.x, place.y - middle.y) <= SAME_PLACE,
    );
    if (known !== undefined) return known;
    const place = { key: `seen ${surface} ${role} ${middle.x},${middle.y}`, role, ...middle };
    places.push(place);
    return place;
  }
}

/** The nearest text below a thing, or above it, that is no further than half of its height. */
function captionOf(thing: Box, guesses: readonly Guess[]): Guess | undefined {
  const { x } = middleOf(thing);
  const away = ({ y, height }: Box): number =>
    y >= thing.y + thing.height / 2 ? y - thing.y - thing.height : thing.y - y - height;
  return guesses
    .filter(({ role }) => role === 'label')
    .filter((text) => text.x <= x && x <= text.x + text.width)
    .filter((text) => away(text) >= -2 && away(text) <= thing.height / 2)
    .toSorted((one, other) => away(one) - away(other) || other.y - one.y)[0];
}

/** Whether the middle of each is in the other. */
function isSame(one: Box, other: Box): boolean {
  return isIn(middleOf(one), other) && isIn(middleOf(other), one);
}

function isIn({ x, y }: Place, box: Box): boolean {
  return x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height;
}

/** Where a thing is on the display: its middle, or a place in its window. */
export function onDisplay(
  thing: Box & Pick<Placed, 'surface'>,
  { x, y }: Place = middleOf(thing),
): Place {
  const { window } = thing.surface;
  return { x: window.x + x, y: window.y + y };
}

/** As an answer shows it: its value is the share of its range. `by`: who found it. */
export function elementOf(
  { id, role, name, value, confidence }: Thing | GuessedThing,
  by: readonly string[] = [],
): UiElement {
  return {
    id,
    role,
    name,
    marks: ['source=vision', ...by, `confidence=${confidence.toFixed(2)}`],
    value: value === null ? null : { now: Number(value.toFixed(2)), low: 0, high: 1 },
    text: null,
    children: [],
  };
}
