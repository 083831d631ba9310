import type { UiElement } from '../../../model/ui/element.ts';
import type { ElementIds } from '../elementIds.ts';
import type { Picture } from '../picture.ts';
import { seenIn, type Seen } from './seen.ts';

/** A thing whose middle moved no further than this, in pixels, is the same. */
const SAME_PLACE = 10;

interface Place {
  readonly key: string;
  readonly role: string;
  readonly x: number;
  readonly y: number;
}

/** Elements by what their picture looks like; the same place keeps its id. */
export class SeenElements {
  readonly #ids: ElementIds;
  /** By the id of their window. */
  readonly #places = new Map<string, Place[]>();

  constructor(ids: ElementIds) {
    this.#ids = ids;
  }

  /** What is seen in the picture of a window, as its children. */
  in(window: string, picture: Picture): UiElement[] {
    return seenIn(picture).map((seen) => {
      const { key } = this.#placeOf(window, seen);
      return {
        id: this.#ids.of(key, key, seen.role, ''),
        role: seen.role,
        name: '',
        marks: ['source=vision', `confidence=${seen.confidence.toFixed(2)}`],
        value: { now: Number(seen.value.toFixed(2)), low: 0, high: 1 },
        text: null,
        children: [],
      };
    });
  }

  #placeOf(window: string, { role, x, y, width, height }: Seen): Place {
    const places = this.#places.get(window) ?? [];
    this.#places.set(window, places);
    const middle = { x: x + width / 2, y: y + height / 2 };
    const known = places.find(
      (place) =>
        place.role === role && Math.hypot(place.x - middle.x, place.y - middle.y) <= SAME_PLACE,
    );
    if (known !== undefined) return known;
    const place = { key: `seen ${window} ${role} ${middle.x},${middle.y}`, role, ...middle };
    places.push(place);
    return place;
  }
}
