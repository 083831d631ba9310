import type { Value } from '../questions/query.ts';
import type { ScalarType } from '../values/scalarType.ts';
import { durationText } from './moments.ts';

/** A scalar of the type whose lowest byte is bytes[at]; all its bytes must be there. */
export function decodeScalar(type: ScalarType, bytes: Buffer, at: number): Value {
  switch (type.kind) {
    case 'int': {
      const text = integerText(bytes, at, type.bytes, type.signed);
      return type.name === 'time.Duration'
        ? { kind: 'int', text, words: durationText(BigInt(text)) }
        : { kind: 'int', text };
    }
    case 'char':
      return {
        kind: 'char',
        code: Number(integerText(bytes, at, type.bytes, type.signed)),
        bytes: type.bytes,
      };
    case 'bool':
      return { kind: 'bool', value: (bytes[at] ?? 0) !== 0 };
    case 'float':
      return type.bytes === 4
        ? { kind: 'float', value: bytes.readFloatLE(at), bytes: 4 }
        : { kind: 'float', value: bytes.readDoubleLE(at) };
    case 'enum': {
      const text = integerText(bytes, at, type.bytes, type.signed);
      const member = type.members.find(([value]) => value === text);
      const name = member?.[1] ?? (type.isOne ? null : flagNames(type.members, text));
      return { kind: 'enum', name, text, type: type.name };
    }
    case 'pointer': {
      const address = bytes.readBigUInt64LE(at);
      const isCode = type.code === true && address !== 0n;
      return {
        kind: 'pointer',
        address: hexadecimal(address),
        isNull: address === 0n,
        ...wordOfNull(address, type.name),
        ...(isCode ? { code: true } : {}),
      };
    }
  }
}

/** How types of Go that may be nil begin; pointers of Rust begin in a similar way. */
const isOfGo = /^(?:\*(?!const |mut )|map\[|(?:<-)?chan |func\()/;

/** What a pointer of that type is called, where it is null and not `nullptr`. */
export function wordOfNull(address: bigint, type: string): { readonly word?: 'nil' } {
  return address === 0n && isOfGo.test(type) ? { word: 'nil' } : {};
}

/** `READ|WRITE` when the members are single bits and make up the value; else null. */
function flagNames(members: readonly (readonly [string, string])[], text: string): string | null {
  const isBit = (value: bigint): boolean => value > 0n && (value & (value - 1n)) === 0n;
  const values = members.map(([number]) => BigInt(number)).filter((value) => value !== 0n);
  const bits = values.filter(isBit);
  const top = bits.reduce((most, bit) => (bit > most ? bit : most), 0n);
  // A number between the bits is one of a row; one above them is their sum.
  if (values.some((value) => !isBit(value) && value < top)) return null;
  const names: string[] = [];
  let rest = BigInt(text);
  for (const [number, name] of members) {
    const bit = BigInt(number);
    if (!isBit(bit) || (rest & bit) === 0n) continue;
    names.push(name);
    rest &= ~bit;
  }
  return rest === 0n && names.length > 1 ? names.join('|') : null;
}

/** Exact decimal text of the low `size` bytes of a word. */
export function integerText(bytes: Buffer, at: number, size: number, signed: boolean): string {
  switch (size) {
    case 1:
      return String(signed ? bytes.readInt8(at) : bytes.readUInt8(at));
    case 2:
      return String(signed ? bytes.readInt16LE(at) : bytes.readUInt16LE(at));
    case 4:
      return String(signed ? bytes.readInt32LE(at) : bytes.readUInt32LE(at));
    default:
      return String(signed ? bytes.readBigInt64LE(at) : bytes.readBigUInt64LE(at));
  }
}

export function hexadecimal(value: bigint): string {
  return `0x${value.toString(16)}`;
}
