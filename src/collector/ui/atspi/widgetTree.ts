import type {
  Accessibility,
  Application,
  CachedObject,
  Described,
  Extents,
  Reference,
} from './accessibility.ts';

/** A widget as its program tells it. */
export interface Widget extends Described {
  readonly reference: Reference;
  readonly children: Widget[];
  value: { readonly now: number; readonly low: number; readonly high: number } | null;
  text: string | null;
  /** Of its window, in pixels; null where it has no place. */
  extents: Extents | null;
}

const MOST_WIDGETS = 2000;
const MOST_CHILDREN = 200;

/** The windows of a program with all that is shown in them. */
export async function readWidgets(
  door: Accessibility,
  application: Application,
): Promise<Widget[]> {
  const tops = await door.children(application);
  const windows = (await fromCache(door, application, tops)) ?? (await walked(door, tops));
  const shown: Widget[] = [];
  const collect = (widget: Widget): void => {
    if (!isShown(widget)) return;
    shown.push(widget);
    for (const child of widget.children) collect(child);
  };
  for (const window of windows) collect(window);
  await Promise.all(shown.map(async (widget) => addDetails(door, widget)));
  return windows;
}

/** GTK 4 says of widgets below its windows only that they are visible. */
export function isShown({ states, role }: Widget): boolean {
  return states.has('showing') || (states.has('visible') && role !== 'menu item');
}

/** Null where the program does not tell all of them at once. */
async function fromCache(
  door: Accessibility,
  application: Application,
  tops: readonly Reference[],
): Promise<Widget[] | null> {
  const objects = await door.everything(application);
  if (objects === null) return null;
  const widgets = new Map(objects.map((object) => [keyOf(object.reference), widgetOf(object)]));
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
  const isWhole = objects.every(
    (object) =>
      object.childCount <= (widgets.get(keyOf(object.reference))?.children.length ?? 0) ||
      object.reference.path === application.path ||
      object.states.has('manages-descendants') ||
      !(object.states.has('showing') || object.states.has('visible')),
  );
  const windows = tops.flatMap((top) => widgets.get(keyOf(top)) ?? []);
  return isWhole && windows.length === tops.length ? windows : null;
}

function widgetOf(object: CachedObject | (Described & { readonly reference: Reference })): Widget {
  const { reference, role, name, states, interfaces } = object;
  return {
    reference,
    role,
    name,
    states,
    interfaces,
    children: [],
    value: null,
    text: null,
    extents: null,
  };
}

async function walked(door: Accessibility, tops: readonly Reference[]): Promise<Widget[]> {
  let count = 0;
  async function visit(reference: Reference): Promise<Widget | null> {
    if (++count > MOST_WIDGETS) return null;
    const [description, children] = await Promise.all([
      door.describe(reference),
      door.children(reference).catch(() => []),
    ]);
    const widget = widgetOf({ reference, ...description });
    widget.children.push(...(await visitAll(children.slice(0, MOST_CHILDREN))));
    return widget;
  }
  async function visitAll(references: readonly Reference[]): Promise<Widget[]> {
    const visited = await Promise.all(references.map(async (one) => visit(one).catch(() => null)));
    return visited.filter((widget) => widget !== null);
  }
  return await visitAll(tops);
}

/** Roles whose text is their name, or of no use. */
const withoutText: ReadonlySet<string> = new Set(['label', 'button', 'password text']);

async function addDetails(door: Accessibility, widget: Widget): Promise<void> {
  const { reference, interfaces, role } = widget;
  const quiet = async <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null);
  await Promise.all([
    (async () => {
      if (!interfaces.has('Value') || role === 'button' || role === 'label') return;
      const value = await quiet(door.value(reference));
      if (value !== null && value.high !== value.low) widget.value = value;
    })(),
    (async () => {
      if (interfaces.has('Text') && !withoutText.has(role))
        widget.text = await quiet(door.text(reference));
    })(),
    (async () => {
      if (interfaces.has('Component')) widget.extents = await quiet(door.extents(reference, false));
    })(),
  ]);
}

function keyOf({ bus, path }: Reference): string {
  return `${bus}${path}`;
}
