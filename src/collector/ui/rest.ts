import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import type { UiDone, UiElement, UiTree } from '../../model/ui/element.ts';
import { elementLine, withoutFocus, type UiChange } from '../../model/ui/elementLine.ts';

/** A clock with seconds changes within this time. */
const REST_MS = 1200;
const WATCHES = 3;
/** A place that changed by itself so often proves nothing for a time. */
const RESTLESS = 2;
const FORGET_MS = 10_000;
/** What changes within this time after an action may be a late effect of it. */
const AFTER_MS = 3000;

/** What is seen at each place: the line of an element (`ID`), and what an element (`ID/`) or the program (`/`) contains. */
export type View = ReadonlyMap<string, string>;

/** What an action is seen to have done. `places`: where that is seen; none: the element itself says so. */
export interface Outcome {
  readonly done: UiDone['done'];
  readonly places: readonly string[];
}

export function viewOf({ windows }: UiTree): Map<string, string> {
  const view = new Map([['/', listed(windows)]]);
  const visit = (element: UiElement): void => {
    view.set(element.id, withoutFocus(elementLine(element)));
    view.set(`${element.id}/`, listed(element.children));
    for (const child of element.children) visit(child);
  };
  for (const window of windows) visit(window);
  return view;
}

function listed(elements: readonly UiElement[]): string {
  return elements.map(({ id }) => id).join();
}

/** Where changes are seen in both trees: an element that comes or goes changes what contains it. */
export function placesOf(changed: readonly UiChange[], before: UiTree, after: UiTree): string[] {
  const [old, now] = [parentsIn(before), parentsIn(after)];
  const stays = (id: string): boolean => id === '' || (old.has(id) && now.has(id));
  const places = changed.map(({ id }) => {
    if (stays(id)) return id;
    const parent = (now.has(id) ? now : old).get(id) ?? '';
    return stays(parent) ? `${parent}/` : null;
  });
  return [...new Set(places.filter((place) => place !== null))];
}

/** The id of what contains each element; '' for a window. */
function parentsIn({ windows }: UiTree): Map<string, string> {
  const parents = new Map<string, string>();
  const visit = (parent: string, elements: readonly UiElement[]): void => {
    for (const { id, children } of elements) {
      parents.set(id, parent);
      visit(id, children);
    }
  };
  visit('', windows);
  return parents;
}

/**
 * Which places change by themselves. A change soon after an input is its effect only where nothing changes otherwise:
 * each place that tells of an effect is watched once, for longer than a clock with seconds rests.
 */
export class Rest {
  readonly #moves = new Map<string, { readonly count: number; readonly lastMs: number }>();
  readonly #calm = new Set<string>();
  #lastActedMs = -Infinity;

  /** An action was answered. */
  acted(): void {
    this.#lastActedMs = monotonicMs();
  }

  /** Compares what was seen at the end of one question and at the beginning of the next. */
  idle(before: View, after: View): void {
    const isLate = monotonicMs() - this.#lastActedMs < AFTER_MS;
    this.#compare(before, after, isLate ? 1 : RESTLESS);
  }

  #compare(before: View, after: View, moves: number): void {
    for (const [place, was] of before)
      if ((after.get(place) ?? was) !== was) {
        const count = this.#movesOf(place) + moves;
        this.#moves.set(place, { count, lastMs: monotonicMs() });
        this.#calm.delete(place);
      }
  }

  #movesOf(place: string): number {
    const { count, lastMs } = this.#moves.get(place) ?? { count: 0, lastMs: 0 };
    return monotonicMs() - lastMs < FORGET_MS ? count : 0;
  }

  isRestless(place: string): boolean {
    return this.#movesOf(place) >= RESTLESS;
  }

  /** What a change at some places says. */
  seenAt(places: readonly string[]): Outcome {
    const resting = places.filter((place) => !this.isRestless(place));
    return { done: resting.length > 0 ? 'confirmed' : 'sent', places: resting };
  }

  /** Whether it is known already that an effect was seen. */
  isSure({ done, places }: Outcome): boolean {
    return (
      done === 'confirmed' && (places.length === 0 || places.some((place) => this.#calm.has(place)))
    );
  }

  /** Watches where an effect seems to be seen, unless that is sure. Returns the last reading. */
  async watch<Read>(
    seems: Outcome,
    first: Read,
    { read, view }: { read: () => Promise<Read>; view: (one: Read) => View },
  ): Promise<Read> {
    if (seems.done !== 'confirmed' || this.isSure(seems)) return first;
    let last = first;
    for (let turn = 0; turn < WATCHES; turn++) {
      const before = view(last);
      await pause(REST_MS / WATCHES);
      last = await read();
      this.#compare(before, view(last), RESTLESS);
    }
    for (const place of seems.places) if (!this.isRestless(place)) this.#calm.add(place);
    return last;
  }
}
