import type { ScalarType } from '../../../model/values/scalarType.ts';
import type { Holding, Parameter, ValueType } from '../../../model/values/valueType.ts';
import { CannotCompile, type Pointed } from './fieldPlace.ts';

/** How a value on the engine's stack is to be understood. */
export type Meaning =
  /** `type`: of an enumeration or a character, which are compared with text. */
  | { readonly kind: 'signed' | 'unsigned'; readonly type?: ScalarType }
  | { readonly kind: 'float'; readonly bytes: number }
  /** `to`: what lies there, where that is known. */
  | { readonly kind: 'address'; readonly to: Pointed | null }
  /** Of text: the address of it, or of the object that holds it. */
  | { readonly kind: 'text'; readonly held: Holding | null };

const HELD = 0x8000_0000;

/** What to take of a scalar. */
export function readingOf(
  type: ValueType,
  parameter: Parameter | null,
): { readonly bytes: number; readonly signed: boolean; readonly meaning: Meaning } {
  const unsigned = { bytes: 8, signed: false };
  switch (type.kind) {
    case 'int':
    case 'char':
    case 'enum': {
      const { bytes, signed } = type;
      if (bytes > 8) break;
      // Smaller unsigned numbers fit a signed word.
      const kind = signed || bytes < 8 ? 'signed' : 'unsigned';
      return { bytes, signed, meaning: type.kind === 'int' ? { kind } : { kind, type } };
    }
    case 'bool':
      return { ...unsigned, bytes: type.bytes, meaning: { kind: 'signed' } };
    case 'float':
      if (type.bytes > 8) break;
      return { ...unsigned, bytes: type.bytes, meaning: { kind: 'float', bytes: type.bytes } };
    case 'pointer':
      return { ...unsigned, meaning: { kind: 'address', to: null } };
    case 'cstring':
      if (type.held?.inWords || type.filled) break;
      return { ...unsigned, meaning: { kind: 'text', held: type.held ?? null } };
    case 'tree': {
      const { shapes, root } = type;
      const shape = shapes[root];
      if (shape?.kind !== 'pointer') break;
      const { target, skip } = shape;
      const to = target === null ? null : { shapes, shape: target, skip };
      return { ...unsigned, meaning: { kind: 'address', to } };
    }
    case 'list':
    case 'opaque':
    case 'unknown':
    case 'void':
    case 'dynamic':
      break;
  }
  throw new CannotCompile(`${parameter?.name ?? 'the field'} is of a kind that is not compared`);
}

/** The number that a text names: of an enumerator, or of a character. */
export function numberNamed(text: string, type: ScalarType | undefined): bigint {
  if (type?.kind === 'enum') {
    const found = type.members.find(([, name]) => name === text);
    if (found) return BigInt(found[0]);
    const names = type.members.slice(0, 12).map(([, name]) => name);
    throw new CannotCompile(`${type.name} has no "${text}": it has ${names.join(', ')}`);
  }
  if (type?.kind !== 'char') throw new CannotCompile('a number is compared with a text');
  if (!/^[\0-\x7f]$/.test(text))
    throw new CannotCompile(`"${text}" is not one character of ASCII, and is compared with one`);
  return BigInt(text.charCodeAt(0));
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
