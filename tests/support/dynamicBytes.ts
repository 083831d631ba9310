import { immediateTag, itemTag } from '../../src/model/values/dynamicValue.ts';

/** What tests say of a value that describes itself. */
export type Dynamic =
  | null
  | undefined
  | boolean
  | number
  | bigint
  | string
  | readonly Dynamic[]
  | { readonly bytes: readonly number[] }
  | { readonly map: readonly (readonly [Dynamic, Dynamic])[] }
  | { readonly set: readonly Dynamic[] }
  | { readonly tuple: readonly Dynamic[] }
  | { readonly exception: number; readonly of: Dynamic }
  | { readonly other: number }
  | { readonly name: number }
  | { readonly tag: keyof typeof itemTag; readonly rest?: readonly number[] }
  | {
      readonly object: number;
      readonly fields: readonly (readonly [Dynamic, Dynamic])[];
      readonly as?: 'object' | 'enumeration';
    }
  | {
      readonly subclass: number;
      readonly of: Dynamic;
      readonly fields?: readonly (readonly [Dynamic, Dynamic])[];
    };

/** Values as a tracer captures them, one after the other. */
export function dynamicBytes(...values: readonly Dynamic[]): Buffer {
  return Buffer.concat(values.map(captured));
}

function captured(value: Dynamic): Buffer {
  const header = Buffer.alloc(8);
  const immediate = immediateOf(value);
  if (immediate !== null) {
    const [tag, number = 0] = immediate;
    header.writeUInt32LE(((number << 8) | (tag << 3)) >>> 0, 4);
    return header;
  }
  const bytes = Buffer.from(item(value));
  header.writeUInt32LE(bytes.length, 0);
  return Buffer.concat([header, bytes, Buffer.alloc(-bytes.length & 7)]);
}

function immediateOf(value: Dynamic): readonly [number, number?] | null {
  if (value === null) return [immediateTag.none];
  if (value === undefined) return [immediateTag.undefined];
  if (typeof value === 'boolean') return [value ? immediateTag.true : immediateTag.false];
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1 << 23)
    return [immediateTag.integer, value];
  if (value === '') return [immediateTag.emptyText];
  return isList(value) && value.length === 0 ? [immediateTag.emptyList] : null;
}

function isList(value: Dynamic): value is readonly Dynamic[] {
  return Array.isArray(value);
}

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...leb(Math.floor(value / 128))];
}

function container(tag: number, inside: readonly number[]): number[] {
  return [tag, inside.length & 255, inside.length >> 8, ...inside];
}

const identity = [1, 2, 3, 4, 5, 6];

function pairs(fields: readonly (readonly [Dynamic, Dynamic])[]): number[] {
  return fields.flatMap(([key, value]) => [...item(key), ...item(value)]);
}

/** One item of the format (model/values/dynamicValue). */
export function item(value: Dynamic): number[] {
  switch (typeof value) {
    case 'undefined':
      return [itemTag.undefined];
    case 'boolean':
      return [value ? itemTag.true : itemTag.false];
    case 'number':
      return numberItem(value);
    case 'bigint':
      return bigItem(value);
    case 'string':
      return textItem(value);
    default:
      return value === null
        ? [itemTag.none]
        : isList(value)
          ? listItem(itemTag.list, value)
          : other(value);
  }
}

type Other = Exclude<
  Dynamic,
  null | undefined | boolean | number | bigint | string | readonly Dynamic[]
>;

function other(value: Other): number[] {
  if ('bytes' in value) {
    const { length } = value.bytes;
    return [itemTag.bytes, ...leb(length), ...leb(length), ...value.bytes];
  }
  if ('map' in value)
    return container(itemTag.map, [...leb(value.map.length), ...pairs(value.map)]);
  if ('set' in value) return listItem(itemTag.set, value.set);
  if ('tuple' in value) return listItem(itemTag.tuple, value.tuple);
  if ('exception' in value)
    return container(itemTag.exception, [...leb(value.exception), ...item(value.of)]);
  if ('other' in value) return [itemTag.other, ...leb(value.other), ...identity];
  if ('name' in value) return [itemTag.name, ...leb(value.name)];
  if ('tag' in value) return [itemTag[value.tag], ...(value.rest ?? [])];
  if ('subclass' in value)
    return container(itemTag.subclass, [
      ...leb(value.subclass),
      ...item(value.of),
      ...pairs(value.fields ?? []),
    ]);
  const tag = itemTag[value.as ?? 'object'];
  return container(tag, [...leb(value.object), ...identity, ...pairs(value.fields)]);
}

function listItem(tag: number, items: readonly Dynamic[]): number[] {
  return container(tag, [...leb(items.length), ...items.flatMap(item)]);
}

function numberItem(value: number): number[] {
  const bytes = Buffer.alloc(8);
  if (!Number.isSafeInteger(value)) {
    bytes.writeDoubleLE(value);
    return [itemTag.float, ...bytes];
  }
  bytes.writeBigInt64LE(BigInt(value));
  return [itemTag.i64, ...bytes];
}

function bigItem(value: bigint): number[] {
  const digits: number[] = [];
  for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 30n)
    digits.push(Number(rest & 0x3fff_ffffn));
  const words = Uint32Array.from(digits);
  const count = leb(digits.length);
  return [itemTag.integer, value < 0n ? 1 : 0, ...count, ...count, ...new Uint8Array(words.buffer)];
}

function textItem(text: string): number[] {
  const isLatin = Buffer.from(text, 'latin1').toString('latin1') === text;
  const units = leb(text.length);
  return [
    isLatin ? itemTag.text1 : itemTag.text2,
    ...units,
    ...units,
    ...Buffer.from(text, isLatin ? 'latin1' : 'utf16le'),
  ];
}
