import type { DequePlace, Shape } from '../../../../model/values/shape.ts';
import type { TypeView } from '../types/typeView.ts';
import type { Printer } from './printer.ts';

/** libstdc++'s std::deque: buffers of 512 bytes, or of one element that is larger. */
export const deques: Printer = {
  names: /^deque</,
  shape(view) {
    const first = iterator(view, '_M_start');
    const end = iterator(view, '_M_finish');
    const [element] = view.arguments();
    if (!first || !end || !element) return null;
    const unit = view.building.bytesOf(element);
    if (unit === 0) return null;
    const shape: Extract<Shape, { kind: 'deque' }> = {
      kind: 'deque',
      name: view.name,
      bytes: view.bytes,
      first,
      end,
      bufferBytes: unit < 512 ? Math.floor(512 / unit) * unit : unit,
      element: null,
    };
    view.behind(element, (found) => (shape.element = found));
    return shape;
  },
};

function iterator(view: TypeView, name: string): DequePlace | null {
  const field = view.field(name);
  const item = view.wordIn(field, '_M_cur');
  const buffer = view.wordIn(field, '_M_first');
  const entry = view.wordIn(field, '_M_node');
  return item === null || buffer === null || entry === null ? null : { item, buffer, entry };
}
