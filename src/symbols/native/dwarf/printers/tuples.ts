import { findField, type Field } from '../types/containerTypes.ts';
import { attribute, tag } from '../constants.ts';
import { Entry } from '../entry.ts';
import type { TypeReference } from '../types/types.ts';
import type { TypeView } from '../types/typeView.ts';
import type { Printer } from './printer.ts';

const mostElements = 32;

/**
 * std::tuple: each base of libstdc++'s chain holds one element, the last one first; in libc++ one member has them all as bases. Elements without
 * bytes have no field.
 */
export const tuples: Printer = {
  names: /^tuple</,
  shape(view) {
    const heads = headsOf(view);
    if (heads.size === 0) return null;
    const inOrder = [...heads].toSorted(([a], [b]) => a - b);
    const fields = inOrder.map(([index, { offset, type }]) => ({
      name: String(index),
      offset,
      shape: view.inner(type),
    }));
    return {
      kind: 'record',
      name: view.name,
      bytes: view.bytes,
      fields,
      left: 0,
    };
  },
};

/** A tuple's elements by their numbers. */
export function headsOf(view: TypeView): ReadonlyMap<number, Field> {
  const heads = new Map<number, Field>();
  collect(view, view.field('__base_') ?? { offset: 0, type: view.type }, heads, 0);
  return heads;
}

function collect(view: TypeView, at: Field, heads: Map<number, Field>, depth: number): void {
  if (depth > mostElements) return;
  const { types } = view.building;
  const bases: { readonly name: string; readonly offset: number; readonly type: TypeReference }[] =
    [];
  const entry = types.info.read(at.type.unit, at.type.offset, new Entry());
  types.children(at.type.unit, entry, (child) => {
    if (child.tag !== tag.inheritance) return;
    const type = types.plain(types.info.follow(at.type.unit, child, attribute.type));
    if (!type) return;
    const offset = at.offset + child.value(attribute.memberLocation);
    bases.push({ name: '', offset, type });
  });
  for (const base of bases) {
    const own = types.info.read(base.type.unit, base.type.offset, new Entry());
    const name = types.info.text(base.type.unit, own, attribute.name);
    const index = /^(?:_Head_base|__tuple_leaf)<(\d+)/.exec(name)?.[1];
    if (index === undefined) collect(view, base, heads, depth + 1);
    else {
      const head =
        findField(types, base.type, '_M_head_impl', 0, true) ??
        findField(types, base.type, '__value_', 0, true);
      if (head) heads.set(Number(index), { offset: base.offset + head.offset, type: head.type });
    }
  }
}
