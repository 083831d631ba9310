import { canTellSecret, secretIn } from '../../model/values/redaction.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import { secretClause } from '../../model/watches/readsSecret.ts';
import type { Shape, ShapeField } from '../../model/values/shape.ts';
import type { ValueType } from '../../model/values/valueType.ts';
import type { CaptureRules } from './captureRules.ts';

type Tree = Extract<ValueType, { kind: 'tree' }>;

/** Arrays in arrays that the engine walks (native/engine/walk.c MOST_NESTED); deeper ones are not read at all. */
const MOST_NESTED_ARRAYS = 3;

interface Cleaned {
  readonly type: Tree;
  readonly secret: string | null;
}

/** By the names that tell a secret: functions share types, and so what is made of them. */
const keptClean = new WeakMap<readonly string[], WeakMap<Tree, Cleaned>>();

/**
 * The type without what looks like a secret: such a field's bytes are wiped in the copy, and what it leads to is not read.
 * Where its place is not fixed (unions, variants, virtual bases, bits beside others) the whole structure is not read. Also
 * the word, when the value itself is such a structure.
 */
export function withoutSecrets(
  type: Tree,
  { secretNames }: Pick<CaptureRules, 'secretNames'>,
): Cleaned {
  const kept = keptClean.get(secretNames) ?? new WeakMap<Tree, Cleaned>();
  keptClean.set(secretNames, kept);
  const known = kept.get(type);
  if (known) return known;
  const hidden = new HiddenShapes(type.shapes, secretNames);
  const clean = { type: { ...type, shapes: hidden.shapes }, secret: hidden.wordOf(type.root) };
  kept.set(type, clean);
  return clean;
}

/** The word of a secret in the value's own bytes, or null. */
export function secretWithin(
  type: Tree,
  { secretNames }: Pick<CaptureRules, 'secretNames'>,
): string | null {
  return new HiddenShapes(type.shapes, secretNames).within(type.root);
}

class HiddenShapes {
  readonly #shapes: readonly Shape[];
  readonly #secretNames: readonly string[];
  /** Of shapes that are not read at all. */
  readonly #words = new Map<number, string | null>();

  constructor(shapes: readonly Shape[], secretNames: readonly string[]) {
    this.#shapes = shapes;
    this.#secretNames = secretNames;
  }

  /** The word because of which a shape is not read at all. */
  wordOf(index: number): string | null {
    const shape = this.#shapes[index];
    const known = this.#words.get(index);
    if (known !== undefined || !shape) return known ?? null;
    this.#words.set(index, null);
    const found = this.#wordIn(shape);
    this.#words.set(index, found);
    return found;
  }

  get shapes(): Shape[] {
    const added: Shape[] = [];
    const shapes = this.#shapes.map((shape, index): Shape => {
      const word = this.wordOf(index);
      if (word !== null) return secretShape('name' in shape ? shape.name : '?', shape.bytes, word);
      if (shape.kind !== 'record') return shape;
      const fields = shape.fields.map((field) => {
        const own = this.#fieldWord(field);
        if (own === null) return field;
        const { bytes = 0 } = this.#shapes[field.shape] ?? {};
        added.push(secretShape(field.name, bytes, own));
        return { ...field, shape: this.#shapes.length + added.length - 1 };
      });
      return { ...shape, fields };
    });
    return [...shapes, ...added];
  }

  /** The word in a field's own name. */
  #fieldWord({ name, shape: index }: ShapeField): string | null {
    const shape = this.#shapes[index];
    return shape && tells(shape) ? secretIn(name, this.#secretNames) : null;
  }

  #wordIn(shape: Shape): string | null {
    switch (shape.kind) {
      case 'record':
        return this.#wordInRecord(shape);
      case 'inside':
        return this.wordOf(shape.shape);
      case 'array':
        return this.wordOf(shape.element) ?? this.#wordTooDeep(shape.element, 1);
      case 'choice':
        return this.#anyWithin([
          ...shape.options.map((option) => option.shape),
          shape.otherwise?.shape ?? null,
        ]);
      case 'byCode':
        return this.#anyWithin(shape.options.map((option) => option.shape));
      default:
        return null;
    }
  }

  /** Null where each secret of it has bytes of its own at a fixed place. */
  #wordInRecord({ fields, isUnion }: Extract<Shape, { kind: 'record' }>): string | null {
    for (const field of fields) {
      const isFixed = isUnion !== true && !field.bits && !field.virtual;
      const word = isFixed ? null : (this.#fieldWord(field) ?? this.within(field.shape));
      if (word !== null) return word;
    }
    return null;
  }

  #anyWithin(indexes: readonly (number | null)[]): string | null {
    for (const index of indexes) {
      const word = index === null ? null : this.within(index);
      if (word !== null) return word;
    }
    return null;
  }

  /** The word of any secret in the shape's own bytes. */
  within(index: number, level = 0): string | null {
    const shape = this.#shapes[index];
    const whole = this.wordOf(index);
    if (whole !== null || !shape || level > mostLevels) return whole;
    switch (shape.kind) {
      case 'record':
        for (const field of shape.fields) {
          const word = this.#fieldWord(field) ?? this.within(field.shape, level + 1);
          if (word !== null) return word;
        }
        return null;
      case 'inside':
        return this.within(shape.shape, level + 1);
      case 'array':
        return this.within(shape.element, level + 1);
      default:
        return null;
    }
  }

  /** The word of a secret in more arrays than are walked. */
  #wordTooDeep(index: number, arrays: number, level = 0): string | null {
    const shape = this.#shapes[index];
    if (!shape || level > mostLevels) return null;
    if (arrays > MOST_NESTED_ARRAYS) return this.within(index);
    if (shape.kind === 'array') return this.#wordTooDeep(shape.element, arrays + 1, level + 1);
    if (shape.kind === 'inside') return this.#wordTooDeep(shape.shape, arrays, level + 1);
    if (shape.kind !== 'record') return null;
    for (const field of shape.fields) {
      const word = this.#wordTooDeep(field.shape, arrays, level + 1);
      if (word !== null) return word;
    }
    return null;
  }
}

/** A structure cannot contain itself; damaged debug information may say so. */
const mostLevels = 64;

function secretShape(name: string, bytes: number, word: string): Shape {
  return { kind: 'secret', name, bytes, word };
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
