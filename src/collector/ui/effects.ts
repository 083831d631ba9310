import { monotonicMs } from '../../base/clock.ts';
import {
  changeLine,
  changes,
  linesById,
  withoutFocus,
  type UiChange,
} from '../../model/ui/elementLine.ts';
import type { UiDone, UiMeans, UiOrder } from '../../model/ui/element.ts';
import type { Widget } from './atspi/widget.ts';
import { isOfPopup, pathTo, within, type Reading } from './reading.ts';
import { placesOf, viewOf, type Outcome, type Rest, type View } from './rest.ts';
import type { Writings } from './writings.ts';

/** Two readings, before and after something was done. */
export interface Seen {
  readonly before: Reading;
  readonly after: Reading;
  readonly rest: Rest;
  /** Ids of what proves nothing. */
  readonly ignored: ReadonlySet<string>;
}

/** What an action answers. `beganMs`: when it began, by monotonicMs. */
export function answered(
  order: UiOrder,
  { before, after, rest }: Omit<Seen, 'ignored'>,
  how: Outcome & { readonly means: UiMeans; readonly beganMs: number },
): UiDone {
  const lines = linesById(after.tree);
  const told = (change: UiChange): string =>
    `${changeLine(change)}${change.was !== null && rest.isRestless(change.id) ? '  (changes by itself)' : ''}`;
  return {
    done: how.done,
    means: how.means,
    element: order.id === null ? null : (lines.get(order.id) ?? null),
    delta: [
      ...changes(before.tree, after.tree).map(told),
      ...how.places
        .filter(isWriting)
        .map((place) => `= ${lines.get(place.slice(1)) ?? ''}  written again`),
    ],
    isClosed: after.tree.windows.length === 0,
    settledMs: Math.round(monotonicMs() - how.beganMs),
  };
}

/** Whether what was ordered is seen to have happened. */
export function outcome(order: UiOrder, seen: Seen): Outcome {
  switch (order.action) {
    case 'setValue':
      return readBack(hasValue(seen.after.widgets.get(order.id), order.value));
    case 'select':
      return readBack(hasChosen(seen.after.widgets.get(order.id), order.item));
    case 'scroll':
      return positionsOf(seen.before, order.id) === positionsOf(seen.after, order.id)
        ? readBack(false)
        : seen.rest.seenAt([scrollPlace(order.id)]);
    case 'type':
      return typed(order, seen);
    case 'click':
    case 'drag':
    case 'key':
      return effect(order, seen);
  }
}

function readBack(isSo: boolean): Outcome {
  return { done: isSo ? 'confirmed' : 'noEffect', places: [] };
}

function effect(order: UiOrder, seen: Seen): Outcome {
  const { before, after, rest, ignored } = seen;
  if (after.tree.windows.length === 0) return readBack(true);
  if (isMarked(order.id, seen)) return readBack(true);
  const changed = changes(before.tree, after.tree).filter(
    ({ id, now, was }) =>
      !ignored.has(id) &&
      (now === null
        ? order.action !== 'click' || !isOnlyClosed(before, id, order.id)
        : was === null || withoutFocus(now) !== withoutFocus(was)),
  );
  return rest.seenAt(placesOf(changed, before.tree, after.tree));
}

/** Whether the element itself has another state: it is checked now. */
function isMarked(id: string | null, { before, after, rest }: Seen): boolean {
  if (id === null || rest.isRestless(id)) return false;
  const [was, now] = [before, after].map(({ tree }) => linesById(tree).get(id));
  const [old, widget] = [before, after].map(({ widgets }) => widgets.get(id));
  return (
    was !== undefined &&
    now !== undefined &&
    old !== undefined &&
    withoutFocus(was) !== withoutFocus(now) &&
    old.name === widget?.name &&
    old.text === widget?.text &&
    old.value?.now === widget?.value?.now
  );
}

/** A click beside an open menu closes that, and may do nothing else. */
function isOnlyClosed(before: Reading, gone: string, clicked: string): boolean {
  const isInMenu = (id: string): boolean => {
    const widget = before.widgets.get(id);
    return widget !== undefined && isOfPopup(pathTo(before, widget));
  };
  return isInMenu(gone) && !isInMenu(clicked);
}

/** Where a click or a key made the program write what reads as before. What is clicked says itself that it was. */
export function writingPlaces(
  order: UiOrder,
  { before, after }: Pick<Seen, 'before' | 'after'>,
  writings: Writings,
): string[] {
  if (order.action !== 'click' && order.action !== 'key') return [];
  const isAgain = (id: string, widget: Widget): boolean =>
    id !== order.id && before.widgets.has(id) && writings.holds(widget) && !writings.goesOn(widget);
  return [...after.widgets].filter(([id, widget]) => isAgain(id, widget)).map(([id]) => `=${id}`);
}

function isWriting(place: string): boolean {
  return place.startsWith('=');
}

function scrollPlace(id: string): string {
  return `${id} scrolled`;
}

/** What is seen, with what an order changes and which elements go on writing. */
export function viewFor(order: UiOrder, reading: Reading, writings?: Writings): View {
  const view = viewOf(reading.tree);
  if (order.action === 'scroll') view.set(scrollPlace(order.id), positionsOf(reading, order.id));
  for (const [id, widget] of writings === undefined ? [] : reading.widgets)
    view.set(`=${id}`, String(writings?.goesOn(widget)));
  return view;
}

/** Keys that leave a field make its text tell nothing; else it holds what was typed. */
function typed(order: Extract<UiOrder, { action: 'type' }>, seen: Seen): Outcome {
  const { id, text } = order;
  const [before, after] = [seen.before, seen.after].map(({ widgets }) =>
    id === null ? undefined : widgets.get(id),
  );
  const now = after?.text ?? null;
  if (id === null || now === null || /[\n\t]/.test(text)) return effect(order, seen);
  if (now === before?.text) return readBack(false);
  if (!now.includes(text)) return { done: 'sent', places: [] };
  return isInserted(text, before?.text ?? '', now) ? readBack(true) : seen.rest.seenAt([id]);
}

function isInserted(text: string, before: string, now: string): boolean {
  if (now === text) return true;
  for (let at = now.indexOf(text); at >= 0; at = now.indexOf(text, at + 1))
    if (now.slice(0, at) + now.slice(at + text.length) === before) return true;
  return false;
}

/** Numbers as numbers, texts as texts. */
export function hasValue(widget: Widget | undefined, wanted: string | number): boolean {
  if (widget === undefined) return false;
  if (widget.value === null) return widget.text === String(wanted);
  return Math.abs(widget.value.now - Number(wanted)) < 1e-6;
}

/** Whether a box or a list shows that an item of it is chosen. */
export function hasChosen(widget: Widget | undefined, item: string): boolean {
  if (widget === undefined) return false;
  if (widget.role === 'combo box') {
    if (widget.name === item || widget.text === item) return true;
    // Where it shows another of its items, Qt's list may still mark one that the program refused.
    const others = new Set(
      within(widget)
        .slice(1)
        .map(({ name }) => name),
    );
    const shown = [widget.name, widget.text ?? ''].filter((text) => text !== '');
    if (shown.some((text) => others.has(text))) return false;
  }
  return within(widget).some(
    ({ name, states }) => name === item && (states.has('selected') || states.has('checked')),
  );
}

/** Where the things in a widget and the scroll bars beside it are. Swing makes its rows again for each reading. */
function positionsOf(reading: Reading, id: string): string {
  const widget = reading.widgets.get(id);
  if (widget === undefined) return '';
  const barsIn = (one: Widget): Widget[] => within(one).filter(({ role }) => role === 'scroll bar');
  const bars = pathTo(reading, widget)
    .toReversed()
    .map(barsIn)
    .find(({ length }) => length > 0);
  return JSON.stringify([
    ...within(widget)
      .slice(1)
      .map(({ name, text, extents }) => [name, text, extents?.x, extents?.y]),
    ...(bars ?? []).flatMap(within).map(({ value }) => value?.now),
  ]);
}
