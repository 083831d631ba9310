import type { SoughtBytes } from '../../model/debug/memorySearch.ts';
import { StrobeError } from '../../model/errors.ts';
import { scalarBits } from '../../model/values/scalarBits.ts';
import type { ScalarType } from '../../model/values/scalarType.ts';

const sizes = { char: 1, short: 2, int: 4, long: 8, float: 4, double: 8 } as const;

/** The bytes of a value as memory has it. Throws BAD_EXPRESSION. */
export function soughtBytes(
  value: number | string,
  type: 'text' | 'hex' | keyof typeof sizes = usualType(value),
): SoughtBytes {
  if (type === 'text') return { bytes: Buffer.from(String(value)), alignment: 1 };
  if (type === 'hex') {
    const digits = String(value).replaceAll(/^0x|\s/g, '');
    if (!/^(?:[0-9a-f]{2})+$/i.test(digits))
      throw new StrobeError(
        'BAD_EXPRESSION',
        'Bytes are written in pairs of digits: "de ad be ef".',
      );
    return { bytes: Buffer.from(digits, 'hex'), alignment: 1 };
  }
  const bytes = sizes[type];
  const isFloat = type === 'float' || type === 'double';
  const isSigned = String(value).trim().startsWith('-');
  const scalar: ScalarType = isFloat
    ? { kind: 'float', name: type, bytes }
    : { kind: 'int', name: type, bytes, signed: isSigned };
  const bits = scalarBits(scalar, value);
  if (typeof bits !== 'bigint') throw new StrobeError('BAD_EXPRESSION', `${bits.why}.`);
  const word = Buffer.alloc(8);
  word.writeBigUInt64LE(bits);
  return { bytes: word.subarray(0, bytes), alignment: bytes };
}

function usualType(value: number | string): 'text' | 'int' | 'long' | 'double' {
  if (typeof value === 'string') return 'text';
  if (!Number.isSafeInteger(value)) return 'double';
  return value >= -(2 ** 31) && value < 2 ** 32 ? 'int' : 'long';
}
