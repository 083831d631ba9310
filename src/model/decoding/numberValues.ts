import { extendedFloat } from '../values/extendedFloat.ts';
import type { Value } from '../questions/query.ts';
import type { Shape } from '../values/shape.ts';
import { decodeScalar } from './scalars.ts';

type NumberShape = Extract<Shape, { kind: 'scalar' | 'extended' | 'integer128' | 'complex' }>;

/** Of all its bytes. */
export function decodeNumber(shape: NumberShape, bytes: Buffer): Value {
  switch (shape.kind) {
    case 'scalar':
      return decodeScalar(shape.type, bytes, 0);
    case 'extended':
      return { kind: 'float', value: extendedFloat(bytes) };
    case 'integer128': {
      const raw = unsigned(bytes, 0, 16);
      return { kind: 'int', text: String(shape.signed ? BigInt.asIntN(128, raw) : raw) };
    }
    case 'complex': {
      const half = shape.bytes / 2;
      const values = [0, half].map((at) => real(bytes.subarray(at, at + half)));
      const fields = ['re', 'im'].map((name, i) => ({
        name,
        value: values[i] ?? { kind: 'void' },
      }));
      return { kind: 'object', object: { fields, left: 0 } };
    }
  }
}

function real(bytes: Buffer): Value {
  switch (bytes.length) {
    case 4:
      return { kind: 'float', value: bytes.readFloatLE(0), bytes: 4 };
    case 8:
      return { kind: 'float', value: bytes.readDoubleLE(0) };
    default:
      return { kind: 'float', value: extendedFloat(bytes) };
  }
}

/** A number without sign in `size` bytes. */
export function unsigned(bytes: Buffer, at: number, size: number): bigint {
  let value = 0n;
  for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i] ?? 0);
  return value;
}
