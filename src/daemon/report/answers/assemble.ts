import { costOf, Space, tokensOf, type Cost, type Rendered } from './budget.ts';

/** One thing of a list, in both forms. */
export interface Item {
  readonly text: string;
  readonly twin: unknown;
  /** What else the item adds to the structured form, for counting only. */
  readonly adds?: unknown;
  /** A form with less detail, for the one item that must be shown however little room there is. */
  readonly smaller?: { readonly text: string; readonly twin: unknown };
}

/** What is around a list of items; both are asked again once it is known which items are shown. */
export interface Surroundings {
  readonly before: (shown: Shown) => readonly string[];
  readonly after: (shown: Shown) => readonly string[];
  readonly structured: (twins: readonly unknown[], shown: Shown) => object;
  /** Which end of the list stays when not everything fits. */
  readonly keep: 'first' | 'last';
}

/** How many of the items are in the answer. */
export interface Shown {
  readonly count: number;
  readonly of: number;
}

/**
 * Puts as many items as fit between what surrounds them, in their order; at least one, so that
 * a cursor always moves.
 */
export function assemble(
  room: number,
  items: readonly Item[],
  around: Surroundings,
): Rendered & { readonly shown: number } {
  const space = new Space(room);
  const nothing = { count: 0, of: items.length };
  space.spend(
    costOf(
      [...around.before(nothing), ...around.after(nothing)].join('\n'),
      around.structured([], nothing),
    ),
  );
  const taken: Item[] = [];
  const inOrder = around.keep === 'first' ? items : items.toReversed();
  for (const item of inOrder) {
    if (space.take(itemCost(item))) {
      taken.push(item);
      continue;
    }
    if (taken.length === 0) taken.push(item.smaller ?? item);
    break;
  }
  const answer = build(items, taken, around);
  const fitting = taken.slice(0, countWithout(taken, tokensOf(answer) - room));
  return fitting.length === taken.length ? answer : build(items, fitting, around);
}

/** `taken`: those that matter most first. */
function build(
  items: readonly Item[],
  taken: readonly Item[],
  around: Surroundings,
): Rendered & { readonly shown: number } {
  const shown = { count: taken.length, of: items.length };
  const inOrder = around.keep === 'first' ? taken : taken.toReversed();
  return {
    text: [
      ...around.before(shown),
      ...inOrder.map((item) => item.text),
      ...around.after(shown),
    ].join('\n'),
    structured: around.structured(
      inOrder.map((item) => item.twin),
      shown,
    ),
    leftOut: taken.length < items.length,
    shown: taken.length,
  };
}

/** How many stay, at least one: what surrounds them may say more about them than about none. */
function countWithout(taken: readonly Item[], tooMuch: number): number {
  let count = taken.length;
  for (let left = tooMuch; left > 0 && count > 1; count--) {
    const last = taken[count - 1];
    const { text, structured } = last ? itemCost(last) : nothingCosts;
    left -= Math.min(text, structured);
  }
  return count;
}

const nothingCosts: Cost = { text: 0, structured: 0 };

/** A page may be put together twice. */
const costs = new WeakMap<Item, Cost>();

function itemCost(item: Item): Cost {
  const known = costs.get(item);
  if (known) return known;
  const cost = costOf(item.text, item.adds === undefined ? item.twin : [item.twin, item.adds]);
  costs.set(item, cost);
  return cost;
}
