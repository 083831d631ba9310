import type { PointerShape } from '../../../../model/values/shape.ts';
import type { TypeView } from '../types/typeView.ts';
import type { Printer } from './printer.ts';
import { headsOf } from './tuples.ts';

function pointer(view: TypeView, at: number): PointerShape {
  const { name, bytes } = view;
  return { kind: 'pointer', name, bytes, at, skip: 0, target: null };
}

/** Where the first element lies of a tuple, which may lie in a structure. */
function firstInTuple(view: TypeView): number | null {
  if (view.name.startsWith('tuple<')) return headsOf(view).get(0)?.offset ?? null;
  const inner = view.field('_M_t');
  const found = inner && firstInTuple(view.at(inner.type));
  return inner && found !== null ? inner.offset + found : null;
}

/** std::unique_ptr: the pointer lies in a tuple beside a deleter. */
export const unique: Printer = {
  names: /^unique_ptr</,
  shape(view) {
    const [target] = view.arguments();
    const outer = view.field('_M_t');
    const at = outer && firstInTuple(view.at(outer.type));
    if (!outer || at === null || !target) return null;
    const shape = pointer(view, outer.offset + at);
    if (!view.name.startsWith('unique_ptr<void')) view.object(shape, target);
    return shape;
  },
};

/** std::shared_ptr and std::weak_ptr: the counts lie behind a pointer of their own. */
export const counted: Printer = {
  names: /^(?:shared|weak)_ptr</,
  shape(view) {
    const [target] = view.arguments();
    const at = view.word('_M_ptr');
    const control = view.word('_M_pi');
    if (at === null || control === null || !target) return null;
    const shape: PointerShape = {
      ...pointer(view, at),
      // libstdc++'s _Sp_counted_base: a vtable, then two counts of four bytes.
      counts: { at: control, owners: 8, weak: 12, bytes: 4 },
    };
    // Of a weak one the object may be gone.
    if (view.name.startsWith('shared')) view.object(shape, target);
    return shape;
  },
};

/** Rc and Arc: the counts lie before the value. */
export const rustCounted: Printer = {
  names: /^(?:Rc|Arc|Weak)</,
  shape(view) {
    const inner = view.field('pointer');
    const target = inner && view.pointee(inner.type);
    const [value] = view.arguments();
    if (!inner || !target || !value) return null;
    const { building } = view;
    const strong = view.building.types.plain(target);
    if (!strong) return null;
    const skip = Math.max(16, building.alignmentOf(value));
    const shape: PointerShape = {
      ...pointer(view, inner.offset),
      skip,
      counts: { at: inner.offset, owners: 0, weak: 8, bytes: 8 },
    };
    if (!view.name.startsWith('Weak')) view.behind(value, (found) => (shape.target = found));
    return view.bytes === 8 ? shape : null;
  },
};
