import type { ShapeField } from '../../../../model/values/shape.ts';
import type { TypeView } from '../types/typeView.ts';
import type { Printer } from './printer.ts';

type Told = readonly [name: string, field: string, bits?: NonNullable<ShapeField['bits']>];

/** What glibc's locks hold that means something to who waits for one (nptl, struct_mutex.h). */
const kinds: readonly (readonly [RegExp, readonly Told[]])[] = [
  [
    /mutex_s$|^(?!shared)\w*mutex$/,
    [
      ['locked', '__lock'],
      ['owner', '__owner'],
    ],
  ],
  [
    /rwlock|^shared/,
    [
      ['readers', '__readers', { from: 3, count: 29 }],
      ['writer', '__cur_writer'],
    ],
  ],
  [/cond/, [['waiters', '__wrefs', { from: 3, count: 29 }]]],
];

function told(view: TypeView, [name, field, bits]: Told): ShapeField[] {
  const found = view.field(field);
  if (!found) return [];
  return [{ name, offset: found.offset, shape: view.inner(found.type), ...(bits ? { bits } : {}) }];
}

/** Locks and conditions, of C++ by those of C inside them; `owner`: a tid. */
export const locks: Printer = {
  names:
    /^(?:(?:recursive_)?(?:timed_)?mutex|shared_(?:timed_)?mutex|condition_variable|__pthread_(?:mutex|cond|rwlock_arch_t)(?:_s)?)$/,
  shape(view) {
    const [, wanted] = kinds.find(([names]) => names.test(view.name)) ?? [];
    const fields = (wanted ?? []).flatMap((one) => told(view, one));
    if (fields.length === 0) return null;
    return { kind: 'record', name: view.name, bytes: view.bytes, fields, left: 0 };
  },
};

/** glibc's union around each of them, which has no name of its own. */
export const lockUnions: Printer = {
  names: /^$/,
  shape(view) {
    const [data, ...others] = view.isUnion ? view.members() : [];
    const isGlibc = others.some(({ name }) => name === '__size') && data?.name === '__data';
    if (!isGlibc) return null;
    const shape = view.inner(data.type);
    return { kind: 'inside', name: view.name, bytes: view.bytes, offset: 0, shape };
  },
};
