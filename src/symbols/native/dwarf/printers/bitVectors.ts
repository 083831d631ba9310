import type { Printer } from './printer.ts';

/** libstdc++'s std::vector<bool>. */
export const bits: Printer = {
  names: /^vector<bool/,
  shape(view) {
    const start = view.field('_M_start');
    const finish = view.field('_M_finish');
    const pointer = view.wordIn(start, '_M_p');
    const end = view.wordIn(finish, '_M_p');
    const endBits = view.wordIn(finish, '_M_offset');
    if (pointer === null || end === null || endBits === null) return null;
    return { kind: 'bits', name: view.name, bytes: view.bytes, pointer, end, endBits };
  },
};
