import { StrobeError } from '../../../model/errors.ts';
import type { Widget } from './widget.ts';
import { asWindow, isPlacedInWindow, nameRows, plainName, plainStates } from './toolkitRules.ts';
import type {
  Accessibility,
  Application,
  CachedObject,
  Described,
  Reference,
} from './accessibility.ts';

const MOST_WIDGETS = 2000;
const MOST_CHILDREN = 200;

/** Throws TIMED_OUT where the program stops answering: a part would read as the whole. `isWhole`: also rows that lists scroll out of sight; else no more is known of those than that they are there. */
export async function readWidgets(
  door: Accessibility,
  application: Application,
  isWhole: boolean,
): Promise<{ readonly windows: Widget[]; readonly unread: number }> {
  const tops = await door.children(application);
  const walk: Walk = { door, application, isWhole, unread: 0 };
  const read = (await fromCache(walk, tops)) ?? (await walked(walk, tops, ''));
  const windows = read.map(asWindow);
  const shown: Widget[] = [];
  const collect = (widget: Widget): void => {
    if (!isShown(widget)) return;
    shown.push(widget);
    for (const child of widget.children) collect(child);
  };
  for (const window of windows) {
    nameRows(window);
    collect(window);
  }
  await Promise.all(shown.map(async (widget) => addDetails(walk, widget)));
  return { windows, unread: walk.unread };
}

export function isShown({ states }: Described): boolean {
  return states.has('showing');
}

interface Walk {
  readonly door: Accessibility;
  readonly application: Application;
  readonly isWhole: boolean;
  /** Widgets beyond a limit. */
  unread: number;
}

/** Null for what is gone by now. Throws TIMED_OUT. */
async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  return await work.catch((error: unknown) => {
    if (error instanceof StrobeError) throw error;
    return null;
  });
}

/** Null where the program does not tell all of them at once. */
async function fromCache(walk: Walk, tops: readonly Reference[]): Promise<Widget[] | null> {
  const { door, application } = walk;
  const objects = await door.everything(application);
  if (objects === null) return null;
  const { toolkit } = application;
  const widgets = new Map(
    objects.map((object) => [keyOf(object.reference), widgetOf(object, toolkit)]),
  );
  const ordered = objects.toSorted((a, b) => a.index - b.index);
  for (const object of ordered) {
    const widget = widgets.get(keyOf(object.reference));
    if (object.children === null) {
      const parent = widgets.get(keyOf(object.parent));
      if (widget !== undefined && parent !== undefined && parent !== widget)
        parent.children.push(widget);
    } else
      for (const child of object.children) {
        const found = widgets.get(keyOf(child));
        if (found !== undefined) widget?.children.push(found);
      }
  }
  const windows = tops.flatMap((top) => widgets.get(keyOf(top)) ?? []);
  if (windows.length !== tops.length) return null;
  const gaps = objects.filter(
    ({ role, reference: { path }, states }) =>
      plainStates(toolkit, states).has('showing') && !trees.has(role) && path !== application.path,
  );
  await Promise.all(
    gaps.map(async ({ reference, role, childCount }) => {
      const widget = widgets.get(keyOf(reference));
      if (widget === undefined) return;
      // Lists and menus of GTK 3 do not count what is in them; the items of menus are all told.
      const isCounted = childCount >= 0 || role === 'menu';
      if (isCounted && childCount <= widget.children.length) return;
      const children = await walked(walk, await door.children(reference), role);
      widget.children.splice(0, Infinity, ...children);
    }),
  );
  return windows;
}

/** Their rows are made when they are asked for. */
const trees: ReadonlySet<string> = new Set(['table', 'tree', 'tree table']);

function widgetOf(
  object: CachedObject | (Described & { readonly reference: Reference }),
  toolkit: string,
): Widget {
  const { reference, role, name, states, interfaces } = object;
  return {
    reference,
    role,
    name: plainName(toolkit, name),
    states: plainStates(toolkit, states),
    interfaces,
    children: [],
    value: null,
    text: null,
    extents: null,
  };
}

/** What shows a part of its rows. */
const lists: ReadonlySet<string> = new Set([...trees, 'list', 'list box']);

/** `parent`: the role of what they are in. */
async function walked(walk: Walk, tops: readonly Reference[], parent: string): Promise<Widget[]> {
  const { door, isWhole } = walk;
  const { toolkit } = walk.application;
  let count = 0;
  async function visit(reference: Reference, within: string): Promise<Widget | null> {
    if (++count > MOST_WIDGETS) {
      walk.unread++;
      return null;
    }
    if (!isWhole && lists.has(within)) {
      const states = await door.states(reference);
      if (isOutOfSight(plainStates(toolkit, states)))
        return widgetOf({ reference, role: '', name: '', states, interfaces: new Set() }, toolkit);
    }
    const [description, children] = await Promise.all([
      door.describe(reference),
      unlessGone(door.children(reference)),
    ]);
    const widget = widgetOf({ reference, ...description }, toolkit);
    const read = (children ?? []).slice(0, MOST_CHILDREN);
    walk.unread += (children ?? []).length - read.length;
    widget.children.push(...(await visitAll(read, widget.role)));
    return widget;
  }
  async function visitAll(references: readonly Reference[], within: string): Promise<Widget[]> {
    const visited = await Promise.all(
      references.map(async (one) => unlessGone(visit(one, within))),
    );
    return visited.filter((widget) => widget !== null);
  }
  return await visitAll(tops, parent);
}

/** What is chosen is shown wherever it is. */
function isOutOfSight(states: ReadonlySet<string>): boolean {
  return !['showing', 'selected', 'checked'].some((state) => states.has(state));
}

/** Roles whose text is their name, or of no use. */
const withoutText: ReadonlySet<string> = new Set(['label', 'button', 'password text']);

async function addDetails({ door, application: { toolkit } }: Walk, widget: Widget): Promise<void> {
  const { reference, interfaces, role } = widget;
  await Promise.all([
    (async () => {
      if (!interfaces.has('Value') || role === 'button' || role === 'label') return;
      const value = await unlessGone(door.value(reference));
      if (value !== null && value.high !== value.low) widget.value = value;
    })(),
    (async () => {
      if (interfaces.has('Text') && !withoutText.has(role))
        widget.text = await unlessGone(door.text(reference));
    })(),
    (async () => {
      if (!interfaces.has('Component')) return;
      widget.extents = await unlessGone(door.extents(reference, !isPlacedInWindow(toolkit)));
    })(),
  ]);
}

function keyOf({ bus, path }: Reference): string {
  return `${bus}${path}`;
}
