import type { ScalarType } from '../../model/scalarType.ts';
import type { Holding, Parameter, ValueType } from '../../model/valueType.ts';
import { CannotCompile } from './fieldPlace.ts';

/** How a value on the engine's stack is to be understood. */
export type Meaning =
  | { readonly kind: 'signed' | 'unsigned' | 'float' }
  | { readonly kind: 'address'; readonly of: Parameter | null }
  /** Of text: the address of it, or of the object that holds it. */
  | { readonly kind: 'text'; readonly held: Holding | null };

const HELD = 0x8000_0000;

/** What to take of a scalar; smaller unsigned numbers fit a signed word. */
export function readingOf(
  type: ValueType,
  parameter: Parameter | null,
): { readonly bytes: number; readonly meaning: Meaning } {
  switch (type.kind) {
    case 'int':
    case 'char':
    case 'enum':
      if (type.bytes > 8) break;
      return {
        bytes: type.bytes,
        meaning: { kind: type.signed || type.bytes < 8 ? 'signed' : 'unsigned' },
      };
    case 'bool':
      return { bytes: type.bytes, meaning: { kind: 'signed' } };
    case 'float':
      if (type.bytes > 8) break;
      return { bytes: type.bytes, meaning: { kind: 'float' } };
    case 'pointer':
      return { bytes: 8, meaning: { kind: 'address', of: parameter } };
    case 'cstring':
      if (type.held?.inWords) break;
      return { bytes: 8, meaning: { kind: 'text', held: type.held ?? null } };
    case 'tree':
      if (type.shapes[type.root]?.kind !== 'pointer') break;
      return { bytes: 8, meaning: { kind: 'address', of: parameter } };
    case 'list':
    case 'opaque':
    case 'unknown':
    case 'void':
      break;
  }
  throw new CannotCompile(`${parameter?.name ?? 'the field'} is of a kind that is not compared`);
}

export function whereOf(held: Holding | null): number {
  if (!held) return 0;
  if (held.byEnd) throw new CannotCompile('this kind of text is not compared');
  return (HELD | held.pointer | (held.length << 12)) >>> 0;
}

export function isScalar(type: ValueType): type is ScalarType {
  const { kind } = type;
  if (kind === 'int' || kind === 'char' || kind === 'enum' || kind === 'float')
    return type.bytes <= 8;
  return kind === 'bool' || kind === 'pointer';
}

/** The engine's key of a double: ordered as the numbers are. */
export function keyOf(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value === 0 ? 0 : value);
  const size = view.getBigUint64(0) & ~(1n << 63n);
  return value < 0 ? -size : size;
}
