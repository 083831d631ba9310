import type { SequenceShape } from '../../../../model/values/shape.ts';
import { goKind } from '../types/goTypes.ts';
import type { TypeView } from '../types/typeView.ts';
import type { TypeReference } from '../types/types.ts';
import type { Printer } from './printer.ts';

/** Shown as Go writes it. */
export const goTimes: Printer = {
  names: /^time\.Time$/,
  shape(view) {
    const [wall, ext] = [view.word('wall'), view.word('ext')];
    if (view.goKind !== goKind.struct || wall === null || ext === null) return null;
    return { kind: 'moment', name: view.name, bytes: view.bytes, wall, ext };
  },
};

/** Contexts of Go's library that hold another one. */
export const goContextNames = /^context\.(?:valueCtx|cancelCtx|timerCtx)$/;

/** What a context says of itself, before the one that it was made of; its lock, timer and children are left out. */
export const goContexts: Printer = {
  names: goContextNames,
  shape(view) {
    const members = withEmbedded(view);
    const fields = ['key', 'val', 'deadline', 'err', 'cause', 'Context'].flatMap((name) => {
      const member = members.find((one) => one.name === name);
      if (!member) return [];
      const { type, offset } = held(view, member);
      return [{ name, offset, shape: view.inner(type) }];
    });
    if (fields.at(-1)?.name !== 'Context' || fields.length < 2) return null;
    return { kind: 'record', name: view.name, bytes: view.bytes, fields, left: 0 };
  },
};

interface Place {
  readonly name: string;
  readonly type: TypeReference;
  readonly offset: number;
}

function withEmbedded(view: TypeView): readonly Place[] {
  return placesOf(view).flatMap((one) => (one.name === 'cancelCtx' ? inside(view, one) : [one]));
}

/** The content of a sync/atomic.Value, in which contexts keep errors since Go 1.25; of anything else itself. */
function held(view: TypeView, place: Place): Place {
  return inside(view, place).find(({ name }) => name === 'v') ?? place;
}

function inside(view: TypeView, { type, offset }: Place): readonly Place[] {
  const plain = view.building.types.plain(type);
  const places = plain ? placesOf(view.at(plain)) : [];
  return places.map((one) => ({ ...one, offset: offset + one.offset }));
}

function placesOf(view: TypeView): readonly Place[] {
  return view
    .members()
    .flatMap(({ name, type, offset }) => (offset === null ? [] : [{ name, type, offset }]));
}

/** A declared type has its package's name: `main.Title`. */
const declared = String.raw`[\w./-]+\.\w+$`;

/** Go's strings: an address and a length, no NUL at the end. */
export const goStrings: Printer = {
  names: new RegExp(`^string$|^${declared}`),
  shape(view) {
    const pointer = view.goKind === goKind.string ? view.word('str') : null;
    const length = view.word('len');
    if (pointer === null || length === null) return null;
    return { kind: 'text', name: view.name, bytes: view.bytes, pointer, length };
  },
};

/** A test of Go's own framework: its name. */
export const goTests: Printer = {
  names: /^testing\.[TBF]$/,
  shape(view) {
    const common = view.goKind === goKind.struct ? view.field('common') : null;
    const name = common && view.at(common.type).field('name');
    const text = name && view.at(name.type);
    const [pointer, length] = [text?.word('str'), text?.word('len')];
    if (!common || !name || pointer == null || length == null) return null;
    const at = common.offset + name.offset;
    const { bytes } = view;
    return { kind: 'text', name: view.name, bytes, pointer: at + pointer, length: at + length };
  },
};

/** Go's slices: an address, a length, and how much there is room for. */
export const goSlices: Printer = {
  names: new RegExp(String.raw`^\[\]|^${declared}`),
  shape(view) {
    const array = view.goKind === goKind.slice ? view.field('array') : null;
    const length = view.word('len');
    const element = array && view.pointee(array.type);
    const unit = element ? view.building.bytesOf(element) : 0;
    if (!array || length === null || !element || unit === 0) return null;
    const { name, bytes } = view;
    const shape: SequenceShape = {
      kind: 'sequence',
      name,
      bytes,
      pointer: array.offset,
      length,
      byEnd: false,
      unit,
      element: null,
    };
    view.elements(element, (found) => (shape.element = found));
    return shape;
  },
};
