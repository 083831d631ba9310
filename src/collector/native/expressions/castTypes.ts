import type { CompiledIn } from './passedValues.ts';
import type { FoundVariable } from '../../../model/functions/foundVariable.ts';
import type { ScalarType } from '../../../model/values/scalarType.ts';
import type { Shape } from '../../../model/values/shape.ts';
import { builtinType } from '../../../model/values/builtinType.ts';
import { CannotCompile, type Pointed } from './fieldPlace.ts';
import { isScalar } from './operandKind.ts';

/** A number type by its name, as C or Rust spells it. */
export function numberType(name: string): ScalarType {
  const type = builtinType(name);
  if (type && isScalar(type)) return type;
  throw new CannotCompile(`"${name}" is no type of a number that is known everywhere`);
}

/** What a cast to `type` with `stars` leads to; null: nothing is known of it (`void*`). */
export function castTarget(
  type: string,
  stars: number,
  fn: CompiledIn | null,
  variables: Iterable<FoundVariable>,
): Pointed | null {
  if (type === 'void' && stars === 1) return null;
  const base = type === 'void' ? addressShape : builtinShape(type);
  const found = base ? { shapes: [base], shape: 0 } : namedRecord(type, fn, variables);
  if (!found)
    throw new CannotCompile(
      `the type "${type}" is not known here: known are numbers, and the structures that the arguments and variables are made of`,
    );
  let { shapes, shape } = found;
  for (let level = type === 'void' ? 2 : 1; level < stars; level++) {
    const target = shape;
    const name = `${type}${'*'.repeat(level)}`;
    shapes = [...shapes, { kind: 'pointer', bytes: 8, name, at: 0, skip: 0, target }];
    shape = shapes.length - 1;
  }
  return { shapes, shape, skip: 0 };
}

const addressShape: Shape = {
  kind: 'scalar',
  bytes: 8,
  type: { kind: 'pointer', name: 'void*' },
};

function builtinShape(name: string): Shape | null {
  const type = builtinType(name);
  if (!type || !isScalar(type)) return null;
  return { kind: 'scalar', bytes: 'bytes' in type ? type.bytes : 8, type };
}

function namedRecord(
  name: string,
  fn: CompiledIn | null,
  variables: Iterable<FoundVariable>,
): { readonly shapes: readonly Shape[]; readonly shape: number } | null {
  const types = [
    ...(fn?.parameters ?? []).map((one) => one.type),
    ...(fn ? [fn.returns] : []),
    ...[...variables].map((one) => one.type),
  ];
  for (const type of types) {
    if (type.kind !== 'tree') continue;
    const shape = type.shapes.findIndex((one) => one.kind === 'record' && isNamed(one.name, name));
    if (shape >= 0) return { shapes: type.shapes, shape };
  }
  return null;
}

function isNamed(whole: string, name: string): boolean {
  return whole === name || whole.endsWith(`::${name}`);
}
