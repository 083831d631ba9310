import type { WatchType } from '../watches/watch.ts';

/** A type by its name in C or Rust, an address's too; null: none that is known everywhere. */
export function builtinType(name: string): WatchType | null {
  if (/^(?:const )?char ?\*$/.test(name)) return { kind: 'cstring', name };
  if (name.endsWith('*')) return { kind: 'pointer', name };
  if (name === 'bool' || name === '_Bool') return { kind: 'bool', name, bytes: 1 };
  if (name === 'char') return { kind: 'char', name, bytes: 1, signed: true };
  if (name === 'float') return { kind: 'float', name, bytes: 4 };
  if (name === 'double') return { kind: 'float', name, bytes: 8 };
  const fixed = /^(u?)int(8|16|32|64)(?:_t)?$/.exec(name) ?? /^([iu])(8|16|32|64)$/.exec(name);
  if (fixed) return { kind: 'int', name, bytes: Number(fixed[2]) / 8, signed: fixed[1] !== 'u' };
  const words = name.split(' ');
  const isUnsigned = words.includes('unsigned') || name === 'size_t';
  const rest = words.filter((word) => word !== 'unsigned' && word !== 'signed' && word !== 'int');
  const bytes = integerBytes.get(rest.join(' '));
  return bytes === undefined ? null : { kind: 'int', name, bytes, signed: !isUnsigned };
}

const integerBytes: ReadonlyMap<string, number> = new Map([
  ['', 4],
  ['char', 1],
  ['short', 2],
  ['long', 8],
  ['long long', 8],
  ['size_t', 8],
  ['ssize_t', 8],
]);
