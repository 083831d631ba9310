import { types } from 'node:util';

/** What the program may replace, as it was before the program ran. */
type Getter<T, R> = (of: T) => R;

const { call } = Function.prototype;

/** A method as a function of its object. */
function uncurried<T, A extends unknown[], R>(
  method: (this: T, ...args: A) => R,
): (of: T, ...args: A) => R {
  return call.bind(method) as (of: T, ...args: A) => R;
}

function getter<T extends object, R>(prototype: object, name: string | symbol): Getter<T, R> {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  if (!get) throw new Error(`no getter ${String(name)}`);
  return uncurried(get as (this: T) => R);
}

const typedArray: object = Object.getPrototypeOf(Uint8Array.prototype) as object;
export const descriptorOf = Object.getOwnPropertyDescriptor;
export const keysOf = Object.keys;
export const prototypeOf = Object.getPrototypeOf as (of: object) => object | null;
export const isArray = Array.isArray;
export const parseJson = JSON.parse as (text: string) => unknown;
export const toJson = JSON.stringify;
export const { isProxy, isMap, isSet, isDate, isRegExp, isNativeError, isTypedArray } = types;
export const { isUint8Array, isPromise, isBoxedPrimitive } = types;
export const sourceText = uncurried(Function.prototype.toString);
export const charCode = uncurried(String.prototype.charCodeAt);
export const dateTime = uncurried(Date.prototype.getTime);
export const isoDate = uncurried(Date.prototype.toISOString);
export const mapSize = getter<ReadonlyMap<unknown, unknown>, number>(Map.prototype, 'size');
export const setSize = getter<ReadonlySet<unknown>, number>(Set.prototype, 'size');
export const mapEntries = uncurried<Map<unknown, unknown>, [], MapIterator<[unknown, unknown]>>(
  Map.prototype.entries,
);
export const setValues = uncurried<Set<unknown>, [], SetIterator<unknown>>(Set.prototype.values);
export const mapGet = uncurried<Map<unknown, unknown>, [unknown], unknown>(Map.prototype.get);
export const mapHas = uncurried<Map<unknown, unknown>, [unknown], boolean>(Map.prototype.has);
export const setHas = uncurried<Set<unknown>, [unknown], boolean>(Set.prototype.has);
export const nextEntry = uncurried<
  MapIterator<[unknown, unknown]>,
  [],
  IteratorResult<[unknown, unknown], undefined>
>(new Map<unknown, unknown>().entries().next);
export const nextValue = uncurried<SetIterator<unknown>, [], IteratorResult<unknown, undefined>>(
  new Set<unknown>().values().next,
);
export const itemsHeld = getter<object, number>(typedArray, 'length');
export const arrayKind = getter<object, string | undefined>(typedArray, Symbol.toStringTag);
export const symbolText = getter<symbol & object, string | undefined>(
  Symbol.prototype,
  'description',
);
export const regExpSource = getter<RegExp, string>(RegExp.prototype, 'source');
export const urlText = getter<URL, string>(URL.prototype, 'href');

const letters = [
  ['d', 'hasIndices'],
  ['g', 'global'],
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['u', 'unicode'],
  ['y', 'sticky'],
] as const;
const flagGetters = letters.map(
  ([letter, name]) => [letter, getter<RegExp, boolean>(RegExp.prototype, name)] as const,
);

export function regExpFlags(of: RegExp): string {
  let flags = '';
  for (const [letter, has] of flagGetters) if (has(of)) flags += letter;
  return flags;
}
