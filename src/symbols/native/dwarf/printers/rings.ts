import type { Shape } from '../../../../model/values/shape.ts';
import type { Printer } from './printer.ts';

/** Rust's VecDeque. */
export const rings: Printer = {
  names: /^VecDeque</,
  shape(view) {
    const element = view.argument('T');
    const buffer = view.field('buf');
    const pointer = view.wordIn(buffer, 'pointer');
    const capacity = capacityOf(view.wordIn(buffer, '__0'), view.wordIn(buffer, 'cap'));
    const head = view.word('head');
    const count = view.word('len');
    if (!element || pointer === null || capacity === null || head === null || count === null)
      return null;
    const shape: Extract<Shape, { kind: 'ring' }> = {
      kind: 'ring',
      name: view.name,
      bytes: view.bytes,
      pointer,
      head,
      count,
      capacity,
      element: null,
    };
    view.elements(element, (found) => (shape.element = found));
    return shape;
  },
};

/** Since 1.76 a structure of one field. */
function capacityOf(inner: number | null, plain: number | null): number | null {
  return plain ?? inner;
}
