import type { Printer } from './printer.ts';

/** The fields that say where an iterator stands, of libstdc++ and LLVM's library. */
const places = [
  '_M_node',
  '_M_cur',
  '_M_current',
  '__ptr_',
  '__i_',
  '__i',
  '__node_',
  '__it_',
] as const;

/**
 * Iterators, as the address of where they stand. It is not followed: nothing tells the end of a
 * container, where there is no element, from its elements, and the links of a node lead through all of it.
 */
export const iterators: Printer = {
  names:
    /^(?:_List|_Rb_tree|_Node|_Fwd_list|_Deque|_Local)_(?:const_)?iterator<|^__(?:normal_iterator|wrap_iter|(?:bounded_iter|(?:list|tree|hash|map|hash_map|forward_list|deque)_(?:const_)?iterator))</,
  shape(view) {
    for (const place of places) {
      const offset = view.word(place);
      if (offset === null) continue;
      const { name, bytes, building } = view;
      const type = { kind: 'pointer', name } as const;
      const shape = building.add({ kind: 'scalar', bytes: 8, type });
      return { kind: 'inside', name, bytes, offset, shape };
    }
    return null;
  },
};
