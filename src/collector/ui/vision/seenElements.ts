import type { UiElement } from '../../../model/ui/element.ts';
import type { ShownWindow } from '../../../model/ui/shownWindow.ts';
import { middleOf, type Box, type Place } from '../box.ts';
import type { ElementIds } from '../elementIds.ts';
import type { Picture } from '../picture.ts';
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

/** Something that is seen on a surface; its place in pixels of the window. */
export interface Thing extends Seen {
  readonly id: string;
  readonly surface: Surface;
}

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

  /** What is seen on a surface, whose picture this is. */
  on(surface: Surface, picture: Picture): Thing[] {
    const { x: left = 0, y: top = 0 } = surface.part ?? {};
    return seenIn(picture).map((seen) => {
      const { key } = this.#placeOf(surface.key, seen);
      const id = this.#ids.of(key, key, seen.role, '');
      return { ...seen, x: seen.x + left, y: seen.y + top, id, surface };
    });
  }

  #placeOf(surface: string, seen: Seen): Known {
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

/** Where a thing is on the display: its middle, or a place in its window. */
export function onDisplay(thing: Thing, { x, y }: Place = middleOf(thing)): Place {
  const { window } = thing.surface;
  return { x: window.x + x, y: window.y + y };
}

/** As an answer shows it: its value is the share of its range. */
export function elementOf({ id, role, value, confidence }: Thing): UiElement {
  return {
    id,
    role,
    name: '',
    marks: ['source=vision', `confidence=${confidence.toFixed(2)}`],
    value: { now: Number(value.toFixed(2)), low: 0, high: 1 },
    text: null,
    children: [],
  };
}
