import type { Value } from '../../../model/query.ts';
import type { Shape } from '../../../model/shape.ts';
import type { ValueType } from '../../../model/valueType.ts';

/**
 * What a filter's `order.items.0.price` means in the value of `order`: a field of an object, of what a
 * pointer leads to, of the one variant there is; the key of a map; the index in a list. Null when
 * there is none.
 */
export function valueAt(value: Value, path: readonly string[]): Value | null {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  switch (value.kind) {
    case 'pointer':
      return value.target ? valueAt(value.target, path) : null;
    case 'variant':
      return value.value && valueAt(value.value, path);
    case 'object': {
      const found = value.object.fields.find(({ name }) => name === first);
      return found ? valueAt(found.value, rest) : null;
    }
    case 'list': {
      const item = value.items[Number(first)];
      return item ? valueAt(item, rest) : null;
    }
    case 'map': {
      const entry = value.entries.find(({ key }) => keyText(key) === first);
      return entry ? valueAt(entry.value, rest) : null;
    }
    default:
      return null;
  }
}

function keyText(key: Value): string | null {
  if (key.kind === 'enum') return key.name;
  return 'text' in key ? key.text : null;
}

/** Whether values of the type may have something at the path. */
export function hasPath(type: ValueType, path: readonly string[]): boolean {
  if (type.kind === 'list') return path.length === 1 && /^\d+$/.test(path[0] ?? '');
  return type.kind === 'tree' && hasInside(type.shapes, type.root, path, 0);
}

const mostNested = 64;

function hasInside(
  shapes: readonly Shape[],
  index: number | null,
  path: readonly string[],
  depth: number,
): boolean {
  const shape = index === null ? undefined : shapes[index];
  const [first, ...rest] = path;
  if (!shape || depth > mostNested) return false;
  if (first === undefined) return true;
  const inside = (next: number | null, left: readonly string[]): boolean =>
    hasInside(shapes, next, left, depth + 1);
  switch (shape.kind) {
    case 'record':
      if (first === 'class' && shape.vtable !== undefined) return rest.length === 0;
      return shape.fields.some((field) => field.name === first && inside(field.shape, rest));
    case 'inside':
      return inside(shape.shape, path);
    case 'pointer':
      if (inside(shape.target, path)) return true;
      return (shape.dynamic?.options ?? []).some(
        (option) => (first === 'class' && rest.length === 0) || inside(option.shape, path),
      );
    case 'choice':
      return [...shape.options, shape.otherwise].some(
        (option) => option !== null && inside(option.shape, path),
      );
    case 'array':
    case 'sequence':
    case 'ring':
    case 'deque':
    case 'blocks':
      return /^\d+$/.test(first) && inside(shape.element, rest);
    case 'bits':
      return rest.length === 0 && /^\d+$/.test(first);
    case 'links':
    case 'table':
      if (shape.holds === 'list') return /^\d+$/.test(first) && inside(shape.element, rest);
      return inside(shape.element, ['second', ...rest]) || shape.element !== null;
    case 'btree':
      return inside(shape.holds === 'list' ? shape.key : shape.value, rest);
    default:
      return false;
  }
}
