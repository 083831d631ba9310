import type { Shape } from '../../../../model/values/shape.ts';
import type { Field } from '../types/containerTypes.ts';
import type { TypeView } from '../types/typeView.ts';
import type { Printer } from './printer.ts';

function inside(view: TypeView, field: Field | null, unit?: string): Shape | null {
  if (!field) return null;
  const { name, bytes } = view;
  const shape = view.inner(field.type);
  const named = unit === undefined ? {} : { unit };
  return { kind: 'inside', name, bytes, offset: field.offset, shape, ...named };
}

const units: Readonly<Record<string, string>> = {
  '1, 1': 's',
  '1, 1000': 'ms',
  '1, 1000000': 'µs',
  '1, 1000000000': 'ns',
  '60, 1': 'min',
  '3600, 1': 'h',
  '86400, 1': 'd',
};

/** std::chrono::duration and time_point, as numbers with their unit. */
export const durations: Printer = {
  names: /^(?:duration|time_point)</,
  shape(view) {
    const field = view.field('__r') ?? view.field('__d_') ?? view.field('__rep_');
    const ratio = /ratio<(\d+)L?, ?(\d+)L?>/.exec(view.name);
    if (!ratio) return inside(view, field);
    const [, count = '', part = ''] = ratio;
    return inside(view, field, units[`${count}, ${part}`] ?? `× ${count}/${part} s`);
  },
};

/** Types with a field that is all there is to say, by that field's name. */
const fields: readonly (readonly [RegExp, string])[] = [
  [/^(?:atomic<|__atomic_base<|atomic_)/, '_M_i'],
  [/^atomic</, '_M_p'],
  [/^atomic/, '__a_value'],
  [/^array</, '__elems_'],
  [/^path$/, '__pn_'],
  [/^reference_wrapper</, '__f_'],
  [/^(?:atomic|__atomic_float)</, '_M_fp'],
  [/^array</, '_M_elems'],
  [/^(?:Mutex|RwLock)</, 'data'],
  [/^Atomic(?:[UI](?:8|16|32|64|128|size)|Bool|Ptr<.*)$/, 'v'],
  [/^RefCell</, 'value'],
  [/^path$/, '_M_pathname'],
  [/^complex</, '_M_value'],
  [/^reference_wrapper</, '_M_data'],
  [/^BinaryHeap</, 'data'],
  [/^(?:queue|stack|priority_queue)</, 'c'],
];

export const named: Printer = {
  names:
    /^(?:_*atomic|array<|Mutex<|RwLock<|Atomic|RefCell<|path$|complex<|reference_wrapper<|BinaryHeap<|queue<|stack<|priority_queue<)/,
  shape(view) {
    if (view.name === 'AtomicBool') {
      const type = { kind: 'bool', name: 'bool', bytes: 1 } as const;
      return { kind: 'scalar', bytes: 1, type };
    }
    for (const [names, field] of fields) {
      const found = names.test(view.name) ? view.field(field) : null;
      if (found) return inside(view, found);
    }
    return null;
  },
};

/** Rust's wrappers of one field. */
export const wrappers: Printer = {
  names:
    /^(?:Nanoseconds$|NonZero\w*Inner$|(?:Cell|UnsafeCell|NonNull|Unique|ManuallyDrop|Wrapping|Saturating|Pin|NonZero|OnceCell|SyncUnsafeCell)<)/,
  shape(view) {
    const filled = view.members().filter(({ type }) => view.building.bytesOf(type) > 0);
    const [only] = filled;
    if (!only || filled.length > 1 || only.offset === null) return null;
    return inside(view, { offset: only.offset, type: only.type });
  },
};

/** What Rust keeps room for: only the program knows whether there is a value. */
export const rooms: Printer = {
  names: /^MaybeUninit</,
  shape({ name, bytes }) {
    return { kind: 'opaque', name, bytes, reason: 'it may not be initialised' };
  },
};
