import type { ScalarType } from './scalarType.ts';

/** The bits of a value of a type as an unsigned number, from what a person writes; or a clause that says why not. */
export function scalarBits(
  type: ScalarType,
  given: number | string | boolean,
): bigint | { readonly why: string } {
  const text = String(given).trim();
  switch (type.kind) {
    case 'bool':
      return /^(?:true|1)$/.test(text) ? 1n : /^(?:false|0)$/.test(text) ? 0n : noValue(type, text);
    case 'float':
      return floatBits(type, text);
    case 'pointer':
      return wholeBits({ ...type, bytes: 8, signed: false }, text);
    case 'enum': {
      const member = type.members.find(([, name]) => name === text || text.endsWith(`::${name}`));
      return wholeBits(type, member?.[0] ?? text);
    }
    case 'char': {
      const code = /^\D$/u.test(text) ? text.codePointAt(0) : undefined;
      return wholeBits(type, code === undefined ? text : String(code));
    }
    case 'int':
      return wholeBits(type, text);
  }
}

interface Whole {
  readonly name: string;
  readonly bytes: number;
  readonly signed: boolean;
}

function wholeBits(type: Whole, text: string): bigint | { readonly why: string } {
  const [, sign, digits] = /^(-?)(0x[0-9a-f]+|\d+)$/i.exec(text) ?? [];
  if (digits === undefined) return noValue(type, text);
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  const bits = type.bytes * 8;
  const [least, most] = type.signed
    ? [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n]
    : [0n, (1n << BigInt(bits)) - 1n];
  return value < least || value > most
    ? { why: `${type.name} holds ${least} to ${most}, not ${text}` }
    : BigInt.asUintN(bits, value);
}

function floatBits(
  type: Extract<ScalarType, { kind: 'float' }>,
  text: string,
): bigint | { readonly why: string } {
  const value = text === '' ? NaN : Number(text);
  if (Number.isNaN(value) && text !== 'NaN') return noValue(type, text);
  const view = new DataView(new ArrayBuffer(8));
  if (type.bytes === 4) view.setFloat32(0, value, true);
  else view.setFloat64(0, value, true);
  return type.bytes === 4 ? BigInt(view.getUint32(0, true)) : view.getBigUint64(0, true);
}

function noValue({ name }: { readonly name: string }, text: string): { readonly why: string } {
  return { why: `"${text}" is no value of ${name}` };
}
