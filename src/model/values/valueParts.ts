import type { Value } from '../questions/query.ts';

/** The values that a value is made of, or leads to; of a map each key and its value. */
export function partsOf(value: Value): readonly Value[] {
  switch (value.kind) {
    case 'pointer':
      return value.target ? [value.target] : [];
    case 'variant':
      return value.value ? [value.value] : [];
    case 'object':
      return value.object.fields.map((field) => field.value);
    case 'list':
      return value.items;
    case 'map':
      return value.entries.flatMap((entry) => [entry.key, entry.value]);
    default:
      return [];
  }
}

/** Elements of a list or map that are not among its parts. */
export function elementsLeft(value: Value): number {
  if (value.kind === 'list') return value.total - value.items.length;
  return value.kind === 'map' ? value.total - value.entries.length : 0;
}
