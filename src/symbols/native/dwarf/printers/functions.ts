import type {
  ByCodeShape,
  PointerShape,
  Shape,
  ShapeField,
} from '../../../../model/values/shape.ts';
import { functorsOf, type Functor } from '../types/functors.ts';
import type { TypeView } from '../types/typeView.ts';
import type { Printer } from './printer.ts';

/** Empty, or with these addresses of functions. */
export function filled(
  view: TypeView,
  at: number,
  fields: readonly { readonly name: string; readonly offset: number }[],
): Shape {
  const code = codeOf(view);
  return orEmpty(
    view,
    at,
    recordOf(
      view,
      fields.map((field) => ({ ...field, shape: code })),
    ),
  );
}

function codeOf({ building, name }: TypeView): number {
  return building.add({ kind: 'scalar', bytes: 8, type: { kind: 'pointer', name, code: true } });
}

function recordOf({ building, name, bytes }: TypeView, fields: readonly ShapeField[]): number {
  return building.add({ kind: 'record', name, bytes, left: 0, fields });
}

function orEmpty({ name, bytes }: TypeView, at: number, shape: number): Shape {
  return {
    kind: 'choice',
    name,
    bytes,
    at,
    size: 8,
    options: [{ low: '0', high: '0', name: 'empty', offset: 0, shape: null }],
    otherwise: { low: '0', high: '0', name: '', offset: 0, shape },
  };
}

/**
 * std::function of libstdc++: what calls the stored object, and that object, where what calls it is known; else its first word, which
 * a pointer to a function is.
 */
export const functions: Printer = {
  names: /^function</,
  shape(view) {
    const manager = view.word('_M_manager');
    const invoker = view.word('_M_invoker');
    const stored = view.field('_M_functor');
    if (manager === null || invoker === null || !stored) return null;
    const shape = codeOf(view);
    const calls = { name: 'calls', offset: invoker, shape };
    const plain = recordOf(view, [calls, { name: 'stored', offset: stored.offset, shape }]);
    const known = functorsOf(view.building.types, view.name);
    if (known === null) return orEmpty(view, manager, plain);
    const options = known.functors.map((functor) => holding(view, functor, calls, stored.offset));
    const { name, bytes, building } = view;
    const whole: ByCodeShape = {
      kind: 'byCode',
      name,
      bytes,
      at: invoker,
      build: known.build,
      options,
      otherwise: plain,
    };
    return orEmpty(view, manager, building.add(whole));
  },
};

/** It holds this. What it holds belongs to it, so it is no level of depth. */
function holding(
  view: TypeView,
  { type, invoker, isInside }: Functor,
  calls: ShapeField,
  offset: number,
): ByCodeShape['options'][number] {
  const { building, level, name } = view;
  const option: ByCodeShape['options'][number] = { address: invoker, shape: null };
  building.behind(type, level - 1, (found) => {
    const pointer: PointerShape = {
      kind: 'pointer',
      name,
      bytes: 8,
      at: 0,
      skip: 0,
      isFree: true,
      target: found,
    };
    const stored = { name: 'stored', offset, shape: isInside ? found : building.add(pointer) };
    option.shape = recordOf(view, building.isEmpty(found) ? [calls] : [calls, stored]);
  });
  return option;
}

/** std::any of libstdc++: what manages the object, whose name has the object's type. */
export const anything: Printer = {
  names: /^any$/,
  shape(view) {
    const manager = view.word('_M_manager');
    if (manager === null || !view.field('_M_storage')) return null;
    return filled(view, manager, [{ name: 'type', offset: manager }]);
  },
};
