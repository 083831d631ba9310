import { canTellSecret, secretIn } from '../../model/values/redaction.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import { secretClause } from '../../model/watches/readsSecret.ts';
import type { Shape } from '../../model/values/shape.ts';
import type { ValueType } from '../../model/values/valueType.ts';
import type { CaptureRules } from './captureRules.ts';

type Tree = Extract<ValueType, { kind: 'tree' }>;

/**
 * The type without what looks like a secret: a structure with such a field is not read at all,
 * because its bytes lie together. Also the word, when the value itself is such a structure.
 */
export function withoutSecrets(
  type: Tree,
  { secretNames }: Pick<CaptureRules, 'secretNames'>,
): { readonly type: Tree; readonly secret: string | null } {
  const words = new Map<number, string | null>();
  const wordOf = (index: number): string | null => {
    const shape = type.shapes[index];
    const known = words.get(index);
    if (known !== undefined || !shape) return known ?? null;
    words.set(index, null);
    const found = secretOf(shape, wordOf, type.shapes, secretNames);
    words.set(index, found);
    return found;
  };
  for (const index of type.shapes.keys()) wordOf(index);
  const secret = words.get(type.root) ?? null;
  const shapes = type.shapes.map((shape, index): Shape => {
    const word = words.get(index);
    return word
      ? { kind: 'secret', name: 'name' in shape ? shape.name : '?', bytes: shape.bytes, word }
      : shape;
  });
  return { type: { ...type, shapes }, secret };
}

/** The word that makes a name in the shape's own bytes look like a secret. */
function secretOf(
  shape: Shape,
  inner: (index: number) => string | null,
  shapes: readonly Shape[],
  secretNames: readonly string[],
): string | null {
  switch (shape.kind) {
    case 'record':
      for (const field of shape.fields) {
        const type = shapes[field.shape];
        const word = type && tells(type) ? secretIn(field.name, secretNames) : null;
        const found = word ?? inner(field.shape);
        if (found) return found;
      }
      return null;
    case 'inside':
      return inner(shape.shape);
    case 'array':
      return inner(shape.element);
    case 'choice':
      for (const option of [...shape.options, ...(shape.otherwise ? [shape.otherwise] : [])]) {
        const found = option.shape === null ? null : inner(option.shape);
        if (found) return found;
      }
      return null;
    case 'byCode':
      for (const option of shape.options) {
        const found = option.shape === null ? null : inner(option.shape);
        if (found) return found;
      }
      return null;
    default:
      return null;
  }
}

/** Neither a truth value nor an address tells a secret. */
function tells(shape: Shape): boolean {
  return shape.kind === 'scalar' ? canTellSecret(shape.type) : shape.kind !== 'pointer';
}

/** The function for expressions, of which none reads a parameter that looks like a secret. */
export function withoutSecretParameters(
  fn: FoundFunction,
  { secretNames }: Pick<CaptureRules, 'secretNames'>,
): FoundFunction {
  const parameters = fn.parameters.map((parameter) => {
    const { name, type } = parameter;
    const word = canTellSecret(type) ? secretIn(name, secretNames) : null;
    if (word === null) return parameter;
    return { ...parameter, place: { kind: 'none', reason: secretClause(name, word) } as const };
  });
  return { ...fn, parameters };
}
