import type { LinksShape } from '../../../../model/values/shape.ts';
import type { TypeReference } from '../types/types.ts';
import type { TypeView } from '../types/typeView.ts';
import type { Printer } from './printer.ts';

/** libstdc++'s _Rb_tree_node_base: colour, parent, left, right; the value behind it. */
const node = { left: 16, right: 24, value: 32 } as const;

function tree(view: TypeView, holds: 'list' | 'map'): LinksShape | null {
  const header = view.field('_M_header');
  const root = view.wordIn(header, '_M_parent');
  const count = view.word('_M_node_count');
  const [key, value] = view.arguments();
  if (root === null || count === null || !key) return null;
  const shape: LinksShape = {
    kind: 'links',
    name: view.name,
    bytes: view.bytes,
    holds,
    first: root,
    count,
    next: [node.left, node.right],
    place: node.value,
    element: null,
  };
  elementOf(view, shape, key, holds === 'map' ? value : undefined);
  return shape;
}

/** Sets the shape of a node's element, when nodes are to be followed. */
export function elementOf(
  view: TypeView,
  shape: LinksShape,
  key: TypeReference,
  value: TypeReference | undefined,
): void {
  view.behind(key, (found) => {
    shape.element = value ? view.pair(key, value, view.level + 1) : found;
  });
}

export const maps: Printer = {
  names: /^(?:multi)?map</,
  shape: (view) => tree(view, 'map'),
};

export const sets: Printer = {
  names: /^(?:multi)?set</,
  shape: (view) => tree(view, 'list'),
};
