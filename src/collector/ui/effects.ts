import { monotonicMs } from '../../base/clock.ts';
import { changeLine, changes, linesById, type UiChange } from '../../model/ui/elementLine.ts';
import type { UiDone, UiMeans, UiOrder } from '../../model/ui/element.ts';
import type { Widget } from './atspi/widget.ts';
import { isOfPopup, pathTo, within, type Reading } from './reading.ts';
import type { Writings } from './writings.ts';

type Done = UiDone['done'];

/** Two readings: what changes between them by itself tells of no effect. */
export interface Seen {
  readonly before: Reading;
  readonly after: Reading;
  /** Ids of what changes while nothing is done: a clock. */
  readonly restless: ReadonlySet<string>;
}

/** What an action answers. `again`: ids of what was written again as it was; `beganMs`: when it began, by monotonicMs. */
export function answered(
  order: UiOrder,
  { before, after, again }: Pick<Seen, 'before' | 'after'> & { readonly again: readonly string[] },
  how: { readonly done: Done; readonly means: UiMeans; readonly beganMs: number },
): UiDone {
  const lines = linesById(after.tree);
  return {
    done: how.done,
    means: how.means,
    element: order.id === null ? null : (lines.get(order.id) ?? null),
    delta: [
      ...changes(before.tree, after.tree).map(changeLine),
      ...again.map((id) => `= ${lines.get(id) ?? id}  written again`),
    ],
    isClosed: after.tree.windows.length === 0,
    settledMs: Math.round(monotonicMs() - how.beganMs),
  };
}

/** Whether what was ordered is seen to have happened. */
export function outcome(order: UiOrder, seen: Seen): Done {
  switch (order.action) {
    case 'setValue':
      return hasValue(seen.after.widgets.get(order.id), order.value) ? 'confirmed' : 'noEffect';
    case 'select':
      return hasChosen(seen.after.widgets.get(order.id), order.item) ? 'confirmed' : 'noEffect';
    case 'scroll':
      return positionsOf(seen.before, order.id) === positionsOf(seen.after, order.id)
        ? 'noEffect'
        : 'confirmed';
    case 'type':
      return typed(order, seen);
    case 'click':
      return effectOf(seen).some(({ id, now }) => now !== null || !isOnlyClosed(seen, id, order.id))
        ? 'confirmed'
        : 'sent';
    case 'drag':
    case 'key':
      return effectOf(seen).length > 0 ? 'confirmed' : 'sent';
  }
}

/** A click beside an open menu closes that, and may do nothing else. */
function isOnlyClosed({ before }: Seen, gone: string, clicked: string): boolean {
  const isInMenu = (id: string): boolean => {
    const widget = before.widgets.get(id);
    return widget !== undefined && isOfPopup(pathTo(before, widget));
  };
  return isInMenu(gone) && !isInMenu(clicked);
}

/** What changed, without where the keyboard is and what never rests. */
export function effectOf({ before, after, restless }: Seen): UiChange[] {
  return changes(before.tree, after.tree).filter(
    ({ id, now, was }) =>
      !restless.has(id) && (now === null || was === null || bare(now) !== bare(was)),
  );
}

function bare(line: string): string {
  return line.replaceAll(/ (focused|active)\b/g, '');
}

/** Ids of what a click or a key made the program write, which reads as before. What is clicked says itself that it was. */
export function writtenAgain(order: UiOrder, seen: Seen, writings: Writings): string[] {
  if (order.action !== 'click' && order.action !== 'key') return [];
  return [...seen.after.widgets]
    .filter(([id, widget]) => id !== order.id && !seen.restless.has(id) && writings.holds(widget))
    .map(([id]) => id);
}

/** Keys that leave a field make its text tell nothing; else it holds what was typed. */
function typed({ id, text }: Extract<UiOrder, { action: 'type' }>, seen: Seen): Done {
  const [before, after] = [seen.before, seen.after].map(({ widgets }) =>
    id === null ? undefined : widgets.get(id),
  );
  const now = after?.text ?? null;
  if (now === null || /[\n\t]/.test(text)) return effectOf(seen).length > 0 ? 'confirmed' : 'sent';
  if (now === before?.text) return 'noEffect';
  return now.includes(text) ? 'confirmed' : 'sent';
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
  if (widget.role === 'combo box' && (widget.name === item || widget.text === item)) return true;
  return within(widget).some(
    ({ name, states }) => name === item && (states.has('selected') || states.has('checked')),
  );
}

/** Where the things in a widget and the scroll bars of all windows are. Swing makes its rows again for each reading. */
function positionsOf({ widgets, windows }: Reading, id: string): string {
  const widget = widgets.get(id);
  const moved = widget === undefined ? [] : within(widget).slice(1);
  const bars = windows.flatMap(within).filter(({ role }) => role === 'scroll bar');
  return JSON.stringify([
    ...moved.map(({ name, text, extents }) => [name, text, extents?.x, extents?.y]),
    ...bars.flatMap(within).map(({ value }) => value?.now),
  ]);
}
