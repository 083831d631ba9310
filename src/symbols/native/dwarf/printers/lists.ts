import type { LinksShape, PointerShape } from '../../../../model/values/shape.ts';
import type { TypeView } from '../types/typeView.ts';
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

/** Rust's LinkedList; the order of a node's fields is the compiler's. */
export const linkedLists: Printer = {
  names: /^LinkedList</,
  shape(view) {
    const head = view.field('head');
    const some = head && view.at(head.type).variant('Some');
    const pointer = some && view.at(some.type).field('pointer');
    const node = pointer && view.pointee(pointer.type);
    const next = node && view.at(node).field('next');
    const element = node && view.at(node).field('element');
    const count = view.word('len');
    if (!head || !some || !pointer || !next || !element || count === null) return null;
    const shape: LinksShape = {
      kind: 'links',
      name: view.name,
      bytes: view.bytes,
      holds: 'list',
      count,
      element: null,
      first: head.offset + some.offset + pointer.offset,
      next: [next.offset],
      place: element.offset,
    };
    view.behind(element.type, (found) => (shape.element = found));
    return shape;
  },
};

/** std::span of a length that its type tells: the address of the first element alone. */
export const fixedSpans: Printer = {
  names: /^span<.*, \d{1,9}(?:UL)?>$/,
  shape(view) {
    const [element] = view.arguments();
    const at = view.word('_M_ptr') ?? view.word('__data') ?? view.word('__data_');
    const count = Number(/(\d+)(?:UL)?>$/.exec(view.name)?.[1]);
    const { building, name, bytes } = view;
    const unit = element ? building.bytesOf(element) : 0;
    if (at === null || !element || unit === 0 || bytes !== 8) return null;
    const shape: PointerShape = {
      kind: 'pointer',
      name,
      bytes,
      at,
      skip: 0,
      isFree: true,
      target: null,
    };
    view.elements(element, (found) => {
      const array = { kind: 'array', name, bytes: unit * count, element: found, count } as const;
      shape.target = building.add(array);
    });
    return shape;
  },
};
