import type { Shape } from '../../../model/shape.ts';
import type { Printer } from './printer.ts';

/** libstdc++'s std::deque: buffers of 512 bytes, or of one element that is larger. */
export const deques: Printer = {
  names: /^deque</,
  shape(view) {
    const start = view.field('_M_start');
    const finish = view.field('_M_finish');
    const [element] = view.arguments();
    const first = view.wordIn(start, '_M_cur');
    const firstBuffer = view.wordIn(start, '_M_node');
    const end = view.wordIn(finish, '_M_cur');
    const endBuffer = view.wordIn(finish, '_M_node');
    if (first === null || firstBuffer === null || end === null || endBuffer === null || !element)
      return null;
    const unit = view.building.bytesOf(element);
    if (unit === 0) return null;
    const shape: Extract<Shape, { kind: 'deque' }> = {
      kind: 'deque',
      name: view.name,
      bytes: view.bytes,
      first,
      firstBuffer,
      end,
      endBuffer,
      bufferBytes: unit < 512 ? Math.floor(512 / unit) * unit : unit,
      element: null,
    };
    view.behind(element, (found) => (shape.element = found));
    return shape;
  },
};
