import type { Shape } from '../../../../model/values/shape.ts';
import type { Field } from '../types/containerTypes.ts';
import type { TypeReference } from '../types/types.ts';
import type { TypeView } from '../types/typeView.ts';
import type { Printer } from './printer.ts';

/** BTreeMap, and BTreeSet, which stands for a map to nothing. */
export const btrees: Printer = {
  names: /^BTree(?:Map|Set)</,
  shape(view) {
    if (view.name.startsWith('BTreeSet')) {
      const map = view.field('map');
      return (
        map && {
          kind: 'inside',
          name: view.name,
          bytes: view.bytes,
          offset: map.offset,
          shape: view.inner(map.type),
        }
      );
    }
    const root = view.field('root');
    const count = view.word('length');
    const [key, value] = view.arguments();
    const node = root && nodeReference(view, root);
    if (!node || count === null || !key || !value) return null;
    const leaf = view.at(node.leaf);
    const keys = leaf.field('keys');
    const values = leaf.field('vals');
    const filled = leaf.field('len');
    if (!keys || !values || !filled) return null;
    const isSet = view.building.bytesOf(value) === 0;
    const shape: Extract<Shape, { kind: 'btree' }> = {
      kind: 'btree',
      name: view.name,
      bytes: view.bytes,
      holds: isSet ? 'list' : 'map',
      root: root.offset + node.pointer,
      height: root.offset + node.height,
      count,
      nodeBytes: leaf.bytes,
      filled: filled.offset,
      keys: keys.offset,
      values: values.offset,
      edges: leaf.bytes,
      key: null,
      value: null,
    };
    view.behind(key, (found) => (shape.key = found));
    if (!isSet) view.behind(value, (found) => (shape.value = found));
    return shape;
  },
};

/** An Option of a NodeRef: address of a leaf and the height above the leaves. */
function nodeReference(
  view: TypeView,
  root: Field,
): { readonly pointer: number; readonly height: number; readonly leaf: TypeReference } | null {
  const some = view.at(root.type).variant('Some');
  const pointer = some && view.at(some.type).field('pointer');
  const height = some && view.at(some.type).field('height');
  const leaf = pointer && view.pointee(pointer.type);
  if (!some || !pointer || !height || !leaf) return null;
  return {
    pointer: some.offset + pointer.offset,
    height: some.offset + height.offset,
    leaf,
  };
}
