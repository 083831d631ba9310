import type { Shape } from '../../../model/shape.ts';
import type { TypeView } from '../typeView.ts';
import type { Printer } from './printer.ts';

/** Empty, or with these fields. */
export function filled(
  { building, name, bytes }: TypeView,
  at: number,
  fields: readonly { readonly name: string; readonly offset: number }[],
): Shape {
  const code = building.add({
    ...{ kind: 'scalar', bytes: 8 },
    type: { kind: 'pointer', name, code: true },
  });
  const shape = building.add({
    ...{ kind: 'record', name, bytes, left: 0 },
    fields: fields.map((field) => ({ ...field, shape: code })),
  });
  return {
    ...{ kind: 'choice', name, bytes, at, size: 8 },
    options: [{ low: '0', high: '0', name: 'empty', offset: 0, shape: null }],
    otherwise: { low: '0', high: '0', name: '', offset: 0, shape },
  };
}

/** std::function of libstdc++: what calls the stored object, whose first word a pointer to a function is. */
export const functions: Printer = {
  names: /^function</,
  shape(view) {
    const manager = view.word('_M_manager');
    const invoker = view.word('_M_invoker');
    const stored = view.field('_M_functor');
    if (manager === null || invoker === null || !stored) return null;
    return filled(view, manager, [
      { name: 'calls', offset: invoker },
      { name: 'stored', offset: stored.offset },
    ]);
  },
};

/** std::any of libstdc++: what manages the object, whose name has the object's type. */
export const anything: Printer = {
  names: /^any$/,
  shape(view) {
    const manager = view.word('_M_manager');
    if (manager === null || !view.field('_M_storage')) return null;
    return filled(view, manager, [{ name: 'type', offset: manager }]);
  },
};
