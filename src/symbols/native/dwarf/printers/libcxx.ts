import type {
  ByCodeShape,
  LinksShape,
  PointerShape,
  Shape,
  ShapeOption,
} from '../../../../model/values/shape.ts';
import { buildMark } from '../../elf/buildMark.ts';
import type { Field } from '../types/containerTypes.ts';
import { mostFunctors } from '../types/functors.ts';
import { derivedFrom } from '../types/hierarchy.ts';
import type { TypeView } from '../types/typeView.ts';
import type { TypeReference } from '../types/types.ts';
import type { Printer } from './printer.ts';
import { filled } from './functions.ts';
import { elementOf } from './trees.ts';

/** Bytes of a node before its value: of a tree (__tree_node_base), a hash table, a list. */
const nodes = { tree: 25, hash: 16, list: 16, forward: 8 } as const;
const shortest = 23;

const units: Readonly<Record<string, 1 | 2 | 4>> = {
  char: 1,
  char8_t: 1,
  char16_t: 2,
  wchar_t: 4,
  char32_t: 4,
};

/** LLVM's std::string: an odd first byte tells that its text lies elsewhere, an even one is twice its length. */
const strings: Printer = {
  names: /^basic_string<(?:char(?:8|16|32)?(?:_t)?|wchar_t),/,
  shape(view) {
    const { name, bytes, building } = view;
    const long = view.field('__l');
    const pointer = view.wordIn(long, '__data_');
    const length = view.wordIn(long, '__size_');
    const character = name.slice(name.indexOf('<') + 1, name.indexOf(','));
    const unit = units[character];
    if (pointer === null || length === null || bytes !== shortest + 1 || !unit) return null;
    const type = { kind: 'char', name: character, bytes: unit, signed: true } as const;
    const element = building.add({ kind: 'scalar', bytes: unit, type });
    const most = Math.floor(shortest / unit);
    const options = Array.from({ length: most }, (_unused, count): ShapeOption => {
      const whole = { bytes: count * unit, name, element, count } as const;
      const shape = building.add({ kind: 'array', ...whole, isWhole: true });
      const size = String(count * 2);
      return { low: size, high: size, name: '', offset: unit, shape };
    });
    const wide = unit === 1 ? {} : { unit };
    const shape = building.add({ kind: 'text', name, bytes, pointer, length, ...wide });
    const otherwise = { low: '0', high: '0', name: '', offset: 0, shape };
    return { kind: 'choice', name, bytes, at: 0, size: 1, options, otherwise };
  },
};

function linked(
  view: TypeView,
  holds: 'list' | 'map',
  node: number,
  places: Pick<LinksShape, 'count' | 'next'> & { readonly first: number | null },
): LinksShape | null {
  const [key, value] = view.arguments();
  const { first, count, next } = places;
  if (first === null || !key) return null;
  const mapped = holds === 'map' ? value : undefined;
  const aligned = [key, ...(mapped ? [mapped] : [])].map((one) => view.building.alignmentOf(one));
  const align = Math.max(...aligned);
  const { name, bytes } = view;
  const place = Math.ceil(node / align) * align;
  const shape: LinksShape = {
    kind: 'links',
    name,
    bytes,
    holds,
    first,
    count,
    next,
    place,
    element: null,
  };
  elementOf(view, shape, key, mapped);
  return shape;
}

const trees: Printer = {
  names: /^(?:multi)?(?:map|set)</,
  shape(view) {
    const first = view.wordIn(view.field('__pair1_'), '__left_');
    const count = view.wordIn(view.field('__pair3_'), '__value_');
    const holds = /^(?:multi)?map</.test(view.name) ? 'map' : 'list';
    return count === null ? null : linked(view, holds, nodes.tree, { first, count, next: [0, 8] });
  },
};

const hashTables: Printer = {
  names: /^unordered_(?:multi)?(?:map|set)</,
  shape(view) {
    const first = view.wordIn(view.field('__p1_'), '__next_');
    const count = view.wordIn(view.field('__p2_'), '__value_');
    const holds = /map</.test(view.name.replace(/<.*/, '<')) ? 'map' : 'list';
    return count === null ? null : linked(view, holds, nodes.hash, { first, count, next: [0] });
  },
};

const lists: Printer = {
  names: /^(?:forward_)?list</,
  shape(view) {
    if (view.name.startsWith('forward')) {
      const first = view.wordIn(view.field('__before_begin_'), '__next_');
      return linked(view, 'list', nodes.forward, { first, count: null, next: [0] });
    }
    const first = view.wordIn(view.field('__end_'), '__next_');
    const count = view.wordIn(view.field('__size_alloc_'), '__value_');
    return count === null ? null : linked(view, 'list', nodes.list, { first, count, next: [8] });
  },
};

const deques: Printer = {
  names: /^deque</,
  shape(view) {
    const places = view.field('__map_');
    const blocks = view.wordIn(places, '__begin_');
    const end = view.wordIn(places, '__end_');
    const start = view.word('__start_');
    const count = view.wordIn(view.field('__size_'), '__value_');
    const [element] = view.arguments();
    const unit = element ? view.building.bytesOf(element) : 0;
    if (blocks === null || end === null || start === null || count === null) return null;
    if (!element || unit === 0) return null;
    const perBlock = unit < 256 ? Math.floor(4096 / unit) : 16;
    const { name, bytes } = view;
    const shape: Extract<Shape, { kind: 'blocks' }> = {
      kind: 'blocks',
      name,
      bytes,
      blocks,
      end,
      start,
      count,
      perBlock,
      element: null,
    };
    view.elements(element, (found) => (shape.element = found));
    return shape;
  },
};

/** What holds the object that is called; its class says the object's type. */
const functions: Printer = {
  names: /^function</,
  shape(view) {
    const inner = view.field('__f_');
    const held = inner && view.at(inner.type).field('__f_');
    const target = held && view.pointee(held.type);
    if (!inner || !held || !target) return null;
    const { name, bytes, building, level } = view;
    const at = inner.offset + held.offset;
    const isFree = true;
    const shape: PointerShape = { kind: 'pointer', name, bytes, at, skip: 0, isFree, target: null };
    building.behind(target, level - 1, (found) => (shape.target = holder(view, target, found)));
    return shape;
  },
};

/** What an object holds that is told by its vtable; `base`: the shape where it is not. */
function holder(view: TypeView, target: TypeReference, base: number): number {
  const { building, level, name } = view;
  const { types } = building;
  const build = buildMark(types.info.elf);
  const plain = types.plain(target);
  const derived = build && plain ? derivedFrom(types, plain, mostFunctors) : [];
  if (build === null || derived.length === 0) return base;
  const views = derived.map(({ type, vtable }) => ({ own: view.at(type), vtable }));
  const bytes = Math.max(...views.map(({ own }) => own.bytes));
  const options = views.map(({ own, vtable }): ByCodeShape['options'][number] => {
    const option: ByCodeShape['options'][number] = { address: vtable, shape: null };
    const stored = own.field('__value_') ?? own.field('__func_');
    const type = own.arguments()[0] ?? null;
    const isIt = stored && type && isSame(types.plain(stored.type), types.plain(type));
    building.behind(type, level - 1, (found) => {
      const fields = isIt ? [{ name: 'stored', offset: stored.offset, shape: found }] : [];
      option.shape = building.add({
        kind: 'record',
        name: '',
        bytes: own.bytes,
        fields,
        left: 0,
        vtable: 0,
      });
    });
    return option;
  });
  return building.add({ kind: 'byCode', name, bytes, at: 0, build, options, otherwise: base });
}

function isSame(one: TypeReference | null, other: TypeReference | null): boolean {
  return one !== null && one.unit === other?.unit && one.offset === other.offset;
}

const complexes: Printer = {
  names: /^complex</,
  shape(view) {
    const parts = ['re', 'im'].flatMap((name) => {
      const field = view.field(`__${name}_`);
      return field ? [{ name, offset: field.offset, shape: view.inner(field.type) }] : [];
    });
    const { name, bytes } = view;
    return parts.length < 2 ? null : { kind: 'record', name, bytes, fields: parts, left: 0 };
  },
};

const anything: Printer = {
  names: /^any$/,
  shape(view) {
    const handler = view.word('__h');
    return handler === null || !view.field('__s')
      ? null
      : filled(view, handler, [{ name: 'type', offset: handler }]);
  },
};

const flags: Printer = {
  names: /^vector<bool/,
  shape(view) {
    const pointer = view.word('__begin_');
    const count = view.word('__size_');
    if (pointer === null || count === null) return null;
    const { name, bytes } = view;
    return { kind: 'bits', name, bytes, pointer, count };
  },
};

function choice(
  view: TypeView,
  at: Field | null,
  options: ShapeOption[],
  rest: ShapeOption,
): Shape | null {
  if (!at) return null;
  const { name, bytes, building } = view;
  const size = building.bytesOf(at.type);
  return { kind: 'choice', name, bytes, at: at.offset, size, options, otherwise: rest };
}

const optionals: Printer = {
  names: /^optional</,
  shape(view) {
    const held = view.field('__val_');
    const none = { low: '0', high: '0', name: 'none', offset: 0, shape: null };
    if (!held) return null;
    const some = { ...none, name: '', offset: held.offset, shape: view.inner(held.type) };
    return choice(view, view.field('__engaged_'), [none], some);
  },
};

const variants: Printer = {
  names: /^variant</,
  shape(view) {
    const { types } = view.building;
    const options = view.arguments().map((type, i): ShapeOption => {
      const name = types.nameOf(type, 0).replace(/<.*$/, '');
      return { low: String(i), high: String(i), name, offset: 0, shape: view.inner(type) };
    });
    const none = { low: '0', high: '0', name: 'valueless', offset: 0, shape: null };
    return choice(view, view.field('__index'), options, none);
  },
};

const owners: Printer = {
  names: /^(?:unique|shared|weak)_ptr</,
  shape(view) {
    const { name, bytes } = view;
    const [target] = view.arguments();
    const isUnique = name.startsWith('unique');
    const at = isUnique ? view.wordIn(view.field('__ptr_'), '__value_') : view.word('__ptr_');
    const control = view.word('__cntrl_');
    if (at === null || !target) return null;
    const counts = { owners: 8, weak: 16, bytes: 8, plus: 1 } as const;
    const shape: PointerShape = {
      kind: 'pointer',
      name,
      bytes,
      at,
      skip: 0,
      target: null,
      ...(control === null ? {} : { counts: { at: control, ...counts } }),
    };
    // Of a weak one the object may be gone.
    if (!/^weak|<void/.test(name)) view.object(shape, target);
    return shape;
  },
};

/** LLVM's standard library, of versions 14 to 19. */
export const libcxx: readonly Printer[] = [
  strings,
  trees,
  hashTables,
  lists,
  deques,
  flags,
  optionals,
  variants,
  owners,
  functions,
  anything,
  complexes,
];
