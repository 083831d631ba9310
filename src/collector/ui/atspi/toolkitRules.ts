import type { Widget } from './widget.ts';

/** GTK 4 calls a widget without a name after its class. */
const className = /^(?:Gtk|Gdk|Adw)[A-Z]\w*$/;
const unnamed: ReadonlySet<string> = new Set(['list item', 'table row', 'tree item', 'table cell']);

/** The name of a widget as a person reads it. */
export function plainName(toolkit: string, name: string): string {
  if (toolkit !== 'GTK') return name;
  if (className.test(name)) return '';
  // It joins the captions of a button and of the label in it.
  const half = name.slice(0, (name.length - 1) / 2);
  return name === `${half} ${half}` ? half : name;
}

/** GTK 4 says of widgets below its windows only that they are visible. */
export function plainStates(toolkit: string, states: ReadonlySet<string>): ReadonlySet<string> {
  return toolkit === 'GTK' && states.has('visible') ? new Set([...states, 'showing']) : states;
}

/** GTK 4 knows places in its windows alone; asked for those on the display it prints warnings. */
export function isPlacedInWindow(toolkit: string): boolean {
  return toolkit === 'GTK';
}

/** Qt calls the widgets that are windows fillers. */
export function asWindow(widget: Widget): Widget {
  return widget.role === 'filler' ? { ...widget, role: 'window' } : widget;
}

/** Rows of GTK have no names: what they show is a label in them. */
export function nameRows(widget: Widget): void {
  for (const child of widget.children) nameRows(child);
  if (widget.name === '' && unnamed.has(widget.role)) widget.name = labelIn(widget) ?? '';
}

function labelIn({ children }: Widget): string | null {
  for (const child of children) {
    const name = child.role === 'label' && child.name !== '' ? child.name : labelIn(child);
    if (name !== null) return name;
  }
  return null;
}
