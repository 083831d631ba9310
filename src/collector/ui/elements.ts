import type { UiElement } from '../../model/ui/element.ts';
import type { Widget } from './atspi/widget.ts';
import { isShown } from './atspi/widgetTree.ts';
import type { ElementIds } from './elementIds.ts';

/** Roles that only arrange others: without a name they are not shown. */
const layout: ReadonlySet<string> = new Set([
  'filler',
  'panel',
  'section',
  'grouping',
  'viewport',
  'scroll pane',
  'layered pane',
  'redundant object',
  'unknown',
  'separator',
  'split pane',
  'page tab list',
  'status bar',
  'root pane',
  'extended',
  'invalid',
  'glass pane',
  'static',
]);
/** Roles whose labels only repeat their name. */
const labelled: ReadonlySet<string> = new Set([
  'button',
  'toggle button',
  'check box',
  'radio button',
]);
const pictures: ReadonlySet<string> = new Set(['image', 'icon']);
/** States that an answer shows. */
const told = [
  'checked',
  'selected',
  'expanded',
  'focused',
  'modal',
  'fullscreen',
  'maximised',
  'iconified',
  'active',
] as const;

export interface Elements {
  readonly windows: readonly UiElement[];
  readonly widgets: ReadonlyMap<string, Widget>;
  readonly count: number;
}

/** What of the widgets a person sees, with ids. */
export function elementsOf(windows: readonly Widget[], ids: ElementIds): Elements {
  const live = new Set<string>();
  const note = (widget: Widget): void => {
    live.add(keyOf(widget));
    for (const child of widget.children) note(child);
  };
  for (const window of windows) note(window);
  ids.begin(live);
  const widgets = new Map<string, Widget>();
  const visit = (widget: Widget, place: string, parent: Widget | null): readonly UiElement[] => {
    if (!isShown(widget) || widget.role === 'scroll bar') return [];
    const isLeftOut = repeats(widget, parent);
    const id = isLeftOut ? null : ids.of(keyOf(widget), place, widget.role, widget.name);
    if (id !== null) widgets.set(id, widget);
    const children = numbered(widget.children).flatMap(({ child, ordinal }) =>
      visit(child, `${place}/${child.role}:${child.name}#${ordinal}`, isLeftOut ? parent : widget),
    );
    return id === null ? children : [{ ...described(widget), id, children }];
  };
  const seen = numbered(windows).flatMap(({ child, ordinal }) =>
    visit(child, `${child.role}:${child.name}#${ordinal}`, null),
  );
  return { windows: seen, widgets, count: live.size };
}

/** Children with their number among those of the same role and name. */
function numbered(children: readonly Widget[]): { child: Widget; ordinal: number }[] {
  const counts = new Map<string, number>();
  return children.map((child) => {
    const kind = `${child.role}:${child.name}`;
    const ordinal = counts.get(kind) ?? 0;
    counts.set(kind, ordinal + 1);
    return { child, ordinal };
  });
}

function repeats({ role, name, text }: Widget, parent: Widget | null): boolean {
  if (layout.has(role)) return name === '' && (text ?? '') === '';
  if (pictures.has(role)) return name === '';
  if (role !== 'label') return false;
  return name === '' || parent?.name === name || labelled.has(parent?.role ?? '');
}

function described(widget: Widget): Omit<UiElement, 'id' | 'children'> {
  const { role, name, states, value, text, interfaces } = widget;
  const isEnabled = states.has('sensitive') || states.has('enabled') || role === 'label';
  const isEdited = interfaces.has('EditableText') && role !== 'spin button';
  return {
    role,
    name,
    marks: [
      ...(isEnabled ? [] : ['disabled']),
      ...told.filter((state) => states.has(state)),
      ...(states.has('pressed') && role === 'toggle button' ? ['pressed'] : []),
    ],
    value,
    text:
      isEdited || (text !== null && text !== '' && text !== name && value === null) ? text : null,
  };
}

function keyOf({ reference }: Widget): string {
  return `${reference.bus}${reference.path}`;
}
