import type { Widget } from '../atspi/widget.ts';
import { fieldsOf, listOf, textOf, type Fields } from './devtoolsPipe.ts';
import { withoutSecrets } from './withoutSecrets.ts';

/** Names of roles of pages that windows have by other names. */
const roles: Readonly<Record<string, string>> = {
  RootWebArea: 'page',
  checkbox: 'check box',
  radio: 'radio button',
  textbox: 'text',
  searchbox: 'text',
  combobox: 'combo box',
  listbox: 'list box',
  option: 'list item',
  listitem: 'list item',
  spinbutton: 'spin button',
  progressbar: 'progress bar',
  menuitem: 'menu item',
  menubar: 'menu bar',
  tab: 'page tab',
  tablist: 'page tab list',
  tabpanel: 'panel',
  row: 'table row',
  cell: 'table cell',
  gridcell: 'table cell',
  columnheader: 'table column header',
  treeitem: 'tree item',
  alertdialog: 'dialog',
  StaticText: 'label',
  LabelText: 'section',
  MenuListPopup: 'panel',
  generic: 'panel',
  none: 'panel',
  group: 'grouping',
  image: 'image',
  img: 'image',
};
const leftOut: ReadonlySet<string> = new Set(['InlineTextBox', 'ListMarker', 'LineBreak']);
/** What is called by the text in it, where it holds nothing else. */
const textual: ReadonlySet<string> = new Set(['paragraph', 'list item', 'table cell', 'status']);

/** What a page shows, of the answer about its accessibility tree. Null: it is empty. */
export function pageWidget(session: string, nodes: readonly Fields[]): Widget | null {
  const byId = new Map(nodes.map((node) => [textOf(node['nodeId']), node]));
  const widgetsOf = (node: Fields): Widget[] => {
    const role = textOf(fieldsOf(node['role'])['value']);
    if (leftOut.has(role)) return [];
    const ids = Array.isArray(node['childIds']) ? node['childIds'] : [];
    const children = ids.flatMap((id) => {
      const child = byId.get(textOf(id));
      return child === undefined ? [] : widgetsOf(child);
    });
    return node['ignored'] === true ? children : [widgetOf(session, node, children)];
  };
  const [root] = nodes;
  return root === undefined ? null : (widgetsOf(root)[0] ?? null);
}

function widgetOf(session: string, node: Fields, children: Widget[]): Widget {
  const given = textOf(fieldsOf(node['role'])['value']);
  const role = roles[given] ?? given.toLowerCase();
  const properties = new Map(
    listOf(node['properties']).map(({ name, value }) => [textOf(name), fieldsOf(value)['value']]),
  );
  const name = textOf(fieldsOf(node['name'])['value']);
  const value = textOf(fieldsOf(node['value'])['value']);
  const high = properties.get('valuemax');
  const isNumber = ['slider', 'spin button', 'progress bar', 'meter'].includes(role);
  const isEdited = properties.has('editable') && (role === 'text' || role === 'combo box');
  return {
    reference: { bus: session, path: textOf(node['backendDOMNodeId']) },
    role,
    name: name === '' && textual.has(role) ? namesOf(children) : name,
    states: statesOf(properties),
    interfaces: new Set(['Component', ...(isEdited ? ['EditableText'] : [])]),
    // What is in a field is its text, or the bullets of a password.
    children: isEdited && role === 'text' ? [] : children,
    value: isNumber
      ? {
          now: Number(value),
          low: Number(properties.get('valuemin') ?? 0),
          high: Number(high ?? 0),
        }
      : null,
    text: textShown(role, value, properties, isEdited),
    extents: null,
  };
}

/** What is in a field for passwords is not read: bullets stand for it. */
function textShown(
  role: string,
  value: string,
  properties: ReadonlyMap<string, unknown>,
  isEdited: boolean,
): string | null {
  if (role === 'page') return withoutSecrets(textOf(properties.get('url')));
  if (isEdited) return /^•+$/u.test(value) ? '' : value;
  return value === '' ? null : value;
}

function namesOf(children: readonly Widget[]): string {
  return children.every(({ role }) => role === 'label')
    ? children.map(({ name }) => name).join('')
    : '';
}

const flags = ['focused', 'selected', 'expanded', 'modal', 'busy'];

function statesOf(properties: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const isSo = (name: string): boolean => properties.get(name) === true;
  const isOn = (name: string): boolean => properties.get(name) === 'true';
  return new Set([
    'showing',
    ...(isSo('disabled') ? [] : ['sensitive']),
    ...flags.filter(isSo),
    ...(isOn('checked') ? ['checked'] : []),
    ...(isOn('pressed') ? ['pressed'] : []),
  ]);
}
