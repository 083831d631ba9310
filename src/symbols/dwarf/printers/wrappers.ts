import type { Shape } from '../../../model/shape.ts';
import type { Field } from '../containers.ts';
import type { TypeView } from '../typeView.ts';
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
    const field = view.field('__r');
    const ratio = /ratio<(\d+), ?(\d+)>/.exec(view.name);
    return inside(view, field, ratio ? units[`${ratio[1]}, ${ratio[2]}`] : undefined);
  },
};

/** What an exception of libstdc++ says, and std::filesystem::path. */
export const texts: Printer = {
  names: /^(?:__cow_string|path)$/,
  shape(view) {
    if (view.name === 'path') return inside(view, view.field('_M_pathname'));
    const pointer = view.word('_M_p');
    if (pointer === null) return null;
    return { kind: 'text', name: view.name, bytes: view.bytes, pointer, length: null };
  },
};

/** Types with a field that is all there is to say, by that field's name. */
const fields: readonly (readonly [RegExp, string])[] = [
  [/^(?:atomic<|__atomic_base<|atomic_)/, '_M_i'],
  [/^atomic</, '_M_p'],
  [/^__atomic_float</, '_M_fp'],
  [/^array</, '_M_elems'],
  [/^(?:Mutex|RwLock)</, 'data'],
  [/^Atomic(?:[UI](?:8|16|32|64|128|size)|Bool|Ptr<.*)$/, 'v'],
  [/^RefCell</, 'value'],
];

export const named: Printer = {
  names: /^(?:_*atomic|array<|Mutex<|RwLock<|Atomic|RefCell<)/,
  shape(view) {
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
    /^(?:Nanoseconds$|(?:Cell|UnsafeCell|NonNull|Unique|ManuallyDrop|MaybeUninit|Wrapping|Saturating|Pin|NonZero|OnceCell|SyncUnsafeCell)<)/,
  shape(view) {
    const filled = view.members().filter(({ type }) => view.building.bytesOf(type) > 0);
    const [only] = filled;
    if (!only || filled.length > 1 || only.offset === null) return null;
    return inside(view, { offset: only.offset, type: only.type });
  },
};
