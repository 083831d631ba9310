import type { LinksShape } from '../../../model/shape.ts';
import type { TypeView } from '../typeView.ts';
import type { Printer } from './printer.ts';

function list(
  view: TypeView,
  first: number | null,
  count: number | null,
  place: number,
): LinksShape | null {
  const [element] = view.arguments();
  if (first === null || !element) return null;
  const align = view.building.alignmentOf(element);
  const shape: LinksShape = {
    kind: 'links',
    name: view.name,
    bytes: view.bytes,
    holds: 'list',
    first,
    count,
    next: [0],
    place: Math.ceil(place / align) * align,
    element: null,
  };
  view.behind(element, (found) => (shape.element = found));
  return shape;
}

/** std::list: a ring of nodes (next, previous, value) through the object itself. */
export const lists: Printer = {
  names: /^list</,
  shape: (view) => list(view, view.word('_M_next'), view.word('_M_size'), 16),
};

export const forwardLists: Printer = {
  names: /^forward_list</,
  shape: (view) => list(view, view.wordIn(view.field('_M_head'), '_M_next'), null, 8),
};
