import type { Value } from '../../../model/questions/query.ts';
import type { PointerShape, Shape } from '../../../model/values/shape.ts';
import type { ValueType } from '../../../model/values/valueType.ts';

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

/** `orders[0].price` as `orders.0.price`. */
export function dotted(name: string): string {
  return name.replaceAll(/\[(\d+)\]/g, '.$1');
}

function keyText(key: Value): string | null {
  if (key.kind === 'enum') return key.name;
  return 'text' in key ? key.text : null;
}

/** Whether values of the type may have something at the path. `isWhole`: and have it whenever it is there. */
export function hasPath(type: ValueType, path: readonly string[], isWhole = true): boolean {
  if (type.kind === 'dynamic') return true;
  if (type.kind === 'list') return path.length === 1 && /^\d+$/.test(path[0] ?? '');
  if (type.kind !== 'tree') return false;
  const levels = (isWhole ? type.whole : undefined) ?? Infinity;
  return hasInside(type.shapes, { index: type.root, levels, nested: 0 }, path);
}

const mostNested = 64;

/** Where in a type; `levels`: pointers that may still be followed. */
interface PathPlace {
  readonly index: number | null;
  readonly levels: number;
  readonly nested: number;
}

function hasInside(
  shapes: readonly Shape[],
  { index, levels, nested }: PathPlace,
  path: readonly string[],
): boolean {
  const shape = index === null ? undefined : shapes[index];
  const [first, ...rest] = path;
  if (!shape || nested > mostNested || levels < 0) return false;
  if (first === undefined) return true;
  const inside = (next: number | null, left: readonly string[], step = 0): boolean =>
    hasInside(shapes, { index: next, levels: levels - step, nested: nested + 1 }, left);
  const element = (next: number | null): number =>
    next !== null && shapes[next]?.kind === 'scalar' ? 0 : 1;
  switch (shape.kind) {
    case 'record':
      if (first === 'class' && shape.vtable !== undefined) return rest.length === 0;
      return shape.fields.some((field) => field.name === first && inside(field.shape, rest));
    case 'inside':
      return inside(shape.shape, path);
    case 'pointer':
      return isBehind(shape, path, levels, (target) => inside(target, path, shape.isFree ? 0 : 1));
    case 'choice':
      return [...shape.options, shape.otherwise].some(
        (option) => option !== null && inside(option.shape, path),
      );
    case 'byCode':
      return [...shape.options.map((option) => option.shape), shape.otherwise].some((option) =>
        inside(option, path),
      );
    case 'interface':
      return shape.options.some((option) => inside(option.shape, path));
    case 'groups':
      return inside(shape.value, rest);
    case 'array':
      return /^\d+$/.test(first) && inside(shape.element, rest);
    case 'sequence':
    case 'ring':
    case 'deque':
    case 'blocks':
      return /^\d+$/.test(first) && inside(shape.element, rest, element(shape.element));
    case 'bits':
      return rest.length === 0 && /^\d+$/.test(first);
    case 'links':
    case 'table':
      if (shape.holds === 'list') return /^\d+$/.test(first) && inside(shape.element, rest, 1);
      return (
        inside(shape.element, ['second', ...rest], 1) || (shape.element !== null && levels > 0)
      );
    case 'btree':
      return inside(shape.holds === 'list' ? shape.key : shape.value, rest, 1);
    default:
      return false;
  }
}

/** Whether what a pointer leads to may have something at the path. */
function isBehind(
  { target, dynamic, isFree }: PointerShape,
  [first, ...rest]: readonly string[],
  levels: number,
  has: (target: number | null) => boolean,
): boolean {
  const options = dynamic?.options ?? [];
  const isClass = first === 'class' && rest.length === 0 && (isFree === true || levels > 0);
  return (
    (isClass && options.length > 0) || [target, ...options.map(({ shape }) => shape)].some(has)
  );
}
