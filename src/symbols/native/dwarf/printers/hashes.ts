import type { LinksShape, Shape } from '../../../../model/values/shape.ts';
import type { TypeView } from '../types/typeView.ts';
import type { Printer } from './printer.ts';
import { elementOf } from './trees.ts';

/** libstdc++'s _Hashtable: all nodes in one list; a node is a pointer and the value. */
function unordered(view: TypeView, holds: 'list' | 'map'): LinksShape | null {
  const first = view.wordIn(view.field('_M_before_begin'), '_M_nxt');
  const count = view.word('_M_element_count');
  const [key, value] = view.arguments();
  if (first === null || count === null || !key) return null;
  const align = Math.max(
    view.building.alignmentOf(key),
    holds === 'map' && value ? view.building.alignmentOf(value) : 1,
  );
  const shape: LinksShape = {
    kind: 'links',
    name: view.name,
    bytes: view.bytes,
    holds,
    first,
    count,
    next: [0],
    place: Math.max(8, align),
    element: null,
  };
  elementOf(view, shape, key, holds === 'map' ? value : undefined);
  return shape;
}

export const unorderedMaps: Printer = {
  names: /^unordered_(?:multi)?map</,
  shape: (view) => unordered(view, 'map'),
};

export const unorderedSets: Printer = {
  names: /^unordered_(?:multi)?set</,
  shape: (view) => unordered(view, 'list'),
};

/** std's HashMap and HashSet stand for hashbrown's. */
export const rustHashTables: Printer = {
  names: /^Hash(?:Map|Set)</,
  shape(view) {
    const inner = view.field('map') ?? view.field('base');
    if (!inner) return hashTable(view);
    const shape = view.inner(inner.type);
    return { kind: 'inside', name: view.name, bytes: view.bytes, offset: inner.offset, shape };
  },
};

/** hashbrown's RawTable; its element is a pair of key and value, `()` for sets. */
export const hashTables: Printer = {
  names: /^RawTable</,
  shape: (view) => hashTable(view),
};

function hashTable(view: TypeView): Shape | null {
  const control = view.word('pointer');
  const mask = view.word('bucket_mask');
  const count = view.word('items');
  const table = view.name.startsWith('RawTable') ? view.type : view.field('table')?.type;
  const element = table && elementType(view, table);
  if (control === null || mask === null || count === null || !element) return null;
  const isSet = view.building.types.nameOf(element, 0).endsWith(', ())');
  const shape: Extract<Shape, { kind: 'table' }> = {
    kind: 'table',
    name: view.name,
    bytes: view.bytes,
    holds: isSet ? 'list' : 'map',
    control,
    mask,
    count,
    element: null,
  };
  // Of a set's pair the second part takes no space.
  const kept = isSet ? view.at(element).field('__0')?.type : undefined;
  view.behind(kept ?? element, (found) => (shape.element = found));
  return shape;
}

function elementType(view: TypeView, table: TypeView['type']): TypeView['type'] | null {
  return view.at(table).argument('T');
}
