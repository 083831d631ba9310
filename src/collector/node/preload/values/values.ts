import { stringFlags } from '../../../../model/eventColumns.ts';
import { immediateTag, itemTag } from '../../../../model/values/dynamicValue.ts';
import { room32, settlement } from '../addon.ts';
import {
  arrayKind,
  descriptorOf,
  isArray,
  isDate,
  isMap,
  isNativeError,
  isPromise,
  isProxy,
  isRegExp,
  isSet,
  isTypedArray,
  isUint8Array,
  itemsHeld,
  keysOf,
  mapEntries,
  mapSize,
  nextEntry,
  nextValue,
  setSize,
  setValues,
  sourceText,
  symbolText,
} from '../intrinsics.ts';
import { errorMessage, errorName, isSentError } from './errorTexts.ts';
import { identityOf } from './identities.ts';
import { dateText, regExpText, urlOf } from './ownTexts.ts';
import { className, functionName, nameNumber, typeNumber } from '../names.ts';
import { privateFieldsOf } from './privateFields.ts';
import {
  at,
  beginBytes,
  bytesLeft,
  closeItem,
  endBytes,
  hasNoRoom,
  hasRoom,
  openItem,
  putByte,
  putHalf,
  putLength,
  putTag,
  putText,
} from './valueBytes.ts';

/** Words of one record. */
export const mostWords = 256;
/** As native/python/values.c: the most bytes for everything below a value's own elements. */
const USUAL_LEVELS = 3;
const DEEP_BYTES = 320;
const MOST_LEVELS = 32;
const MOST_UNITS = 512;
const DEEP_UNITS = 128;
const MOST_ITEMS = 64;
const DEEP_ITEMS = 16;
const SMALL = 1 << 23;
const FEWEST_WORDS = 3;
const WIDE = 2 ** 32;

/** Words that the record has so far. */
export let used = 0;
let depth = 0;
let levels = USUAL_LEVELS;
/** Where nothing goes any more that lies deep in a value. */
let deepEnd = 0;
const path: unknown[] = [];
const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

/** `levelsWanted`: containers in containers that are looked into; 0: as usual. */
export function beginValues(levelsWanted: number): void {
  used = 0;
  depth = levelsWanted;
}

function immediate(tag: number, number: number): void {
  room32[used * 2] = 0;
  room32[used * 2 + 1] = (tag << 3) | (number << 8);
  used++;
}

/** A word that is no value. */
export function putPlainWord(low: number, high: number): void {
  room32[used * 2] = low;
  room32[used * 2 + 1] = high;
  used++;
}

export function putUnset(): void {
  immediate(immediateTag.unset, 0);
}

/** What a getter would give: it does not run. */
export function putGetter(): void {
  if (used + 2 > mostWords) return putCut();
  putPlainWord(1, 0);
  putPlainWord(itemTag.getter, 0);
}

export function putValue(value: unknown): void {
  switch (typeof value) {
    case 'number':
      if (
        value > -SMALL &&
        value < SMALL &&
        (value | 0) === value &&
        (value !== 0 || 1 / value > 0)
      )
        immediate(immediateTag.integer, value);
      else putNumber(value);
      return;
    case 'undefined':
      immediate(immediateTag.undefined, 0);
      return;
    case 'boolean':
      immediate(value ? immediateTag.true : immediateTag.false, 0);
      return;
    default:
      if (value === null) immediate(immediateTag.none, 0);
      else if (value === '') immediate(immediateTag.emptyText, 0);
      else putWithin(value, mostWords);
  }
}

/** Nine bytes, of which the first is a tag. */
function putNine(tag: number, low: number, high: number): void {
  const word = used * 2;
  room32[word] = 9;
  room32[word + 1] = 0;
  room32[word + 2] = tag | (low << 8);
  room32[word + 3] = (low >>> 24) | (high << 8);
  room32[word + 4] = high >>> 24;
  room32[word + 5] = 0;
  used += 3;
}

function putNumber(value: number): void {
  if (used + FEWEST_WORDS > mostWords) return putCut();
  if (Number.isSafeInteger(value) && !Object.is(value, -0))
    putNine(itemTag.i64, value >>> 0, Math.floor(value / WIDE));
  else {
    float[0] = value;
    putNine(itemTag.float, halves[0] ?? 0, halves[1] ?? 0);
  }
}

function putCut(): void {
  if (used >= mostWords) return;
  room32[used * 2] = 0;
  room32[used * 2 + 1] = stringFlags.truncated;
  used++;
}

/** Limits a value to this many words. */
export function putWithin(value: unknown, words: number): void {
  if (mostWords - used < FEWEST_WORDS) return putCut();
  const begin = (used + 1) * 8;
  const last = Math.min(mostWords, used + Math.max(words, FEWEST_WORDS));
  const end = last * 8 - 8;
  beginBytes(begin, end);
  levels = depth === 0 ? USUAL_LEVELS : depth;
  deepEnd = depth === 0 ? begin + DEEP_BYTES : end;
  put(value, 0);
  const bytes = endBytes() - begin;
  room32[used * 2] = bytes;
  room32[used * 2 + 1] = hasNoRoom() ? stringFlags.truncated : 0;
  used += 1 + Math.ceil(bytes / 8);
}

/** Each value has its share of the room. */
export function putShared(value: unknown, left: number): void {
  if (typeof value === 'object' && value !== null)
    putWithin(value, Math.floor((mostWords - used) / left));
  else putValue(value);
}

function put(value: unknown, level: number): void {
  switch (typeof value) {
    case 'number':
      return putNumberItem(value);
    case 'string':
      return putText(value, level === 0 ? MOST_UNITS : DEEP_UNITS);
    case 'undefined':
      return putTag(itemTag.undefined);
    case 'boolean':
      return putTag(value ? itemTag.true : itemTag.false);
    case 'bigint':
      return putBigInteger(value);
    case 'symbol':
      return putNamed(itemTag.symbol, symbolText(value as symbol & object) ?? '');
    case 'function':
      return isProxy(value) ? putTag(itemTag.proxy) : putFunction(value);
    default:
      if (value === null) putTag(itemTag.none);
      else putObject(value as object, level);
  }
}

function putNumberItem(value: number): void {
  if (!hasRoom(9)) return;
  if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
    putByte(itemTag.i32);
    putHalf(value);
  } else if (Number.isSafeInteger(value) && value !== 0) {
    putByte(itemTag.i64);
    putHalf(value >>> 0);
    putHalf(Math.floor(value / WIDE));
  } else {
    float[0] = value;
    putByte(itemTag.float);
    putHalf(halves[0] ?? 0);
    putHalf(halves[1] ?? 0);
  }
}

const DIGITS = 64;
const DIGIT_BITS = 30n;
const DIGIT = (1n << DIGIT_BITS) - 1n;

function putBigInteger(value: bigint): void {
  let left = value < 0n ? -value : value;
  const digits: number[] = [];
  for (; left > 0n && digits.length <= DIGITS; left >>= DIGIT_BITS)
    digits.push(Number(left & DIGIT));
  if (left > 0n || !hasRoom(8 + digits.length * 4)) return putTag(itemTag.cut);
  putByte(itemTag.integer);
  putByte(value < 0n ? 1 : 0);
  putLength(digits.length);
  putLength(digits.length);
  for (const digit of digits) putHalf(digit);
}

function putNamed(kind: number, name: string): void {
  if (!hasRoom(2)) return;
  putByte(kind);
  putText(name, DEEP_UNITS);
}

const CLASS = /^class\b/;

function putFunction(value: object): void {
  const isClass = CLASS.test(sourceText(value as () => unknown));
  putNamed(isClass ? itemTag.type : itemTag.function, functionName(value) || '(anonymous)');
}

function putIdentity(value: object): void {
  const known = identityOf(value);
  putHalf(known >>> 0);
  const high = Math.floor(known / WIDE);
  putByte(high);
  putByte(high >>> 8);
}

function putObject(value: object, level: number): void {
  if (isProxy(value)) return putTag(itemTag.proxy);
  if (level >= MOST_LEVELS || (level > 1 && at > deepEnd)) return putTag(itemTag.cut);
  for (let i = 0; i < level; i++)
    if (path[i] === value) {
      if (!hasRoom(2)) return;
      putByte(itemTag.cycle);
      putByte(level - i);
      return;
    }
  path[level] = value;
  putContents(value, level);
  path[level] = null;
}

function putContents(value: object, level: number): void {
  if (isArray(value)) putList(value, level);
  else if (isMap(value)) putMap(value, level);
  else if (isSet(value)) putSet(value, level);
  else if (isDate(value)) putHeld(value, dateText(value));
  else if (isRegExp(value)) putHeld(value, regExpText(value));
  else if (isNativeError(value)) putError(value, level);
  else if (isUint8Array(value)) putBytes(value, level);
  else if (isTypedArray(value)) putTypedArray(value, level);
  else if (isPromise(value)) putPromise(value, level);
  else {
    const name = className(value);
    const url = name === 'URL' ? urlOf(value) : null;
    if (url !== null) putHeld(value, url);
    else if (name.endsWith('Error') && isSentError(value)) putError(value, level);
    else putFields(value, level);
  }
}

/** `Promise{fulfilled=3}`; one that is pending, or of which nothing is known, has no member. */
function putPromise(value: object, level: number): void {
  const settled = settlement(value);
  if (settled === null) return putOther(value, 'Promise');
  if (settled.word === 'pending') return putOther(value, 'Promise pending');
  const begin = openItem(itemTag.object);
  if (begin === 0) return;
  putLength(typeNumber('Promise'));
  putIdentity(value);
  putName(settled.word);
  put(settled.value, level + 1);
  closeItem(begin);
}

function mostItems(level: number): number {
  return level > 0 ? DEEP_ITEMS : MOST_ITEMS;
}

function putList(value: readonly unknown[], level: number): void {
  const begin = openItem(itemTag.list);
  if (begin === 0) return;
  const { length } = value;
  putLength(length);
  if (level < levels) {
    const most = Math.min(length, mostItems(level));
    for (let i = 0; i < most && !hasNoRoom(); i++) putProperty(value, String(i), level + 1);
  }
  closeItem(begin);
}

/** What an own property holds; a getter does not run. */
function putProperty(of: object, key: string, level: number): void {
  const found = descriptorOf(of, key);
  if (found === undefined) putTag(itemTag.unset);
  else if (found.get || found.set) putTag(itemTag.getter);
  else put(found.value, level);
}

function putMap(value: ReadonlyMap<unknown, unknown>, level: number): void {
  const begin = openItem(itemTag.map);
  if (begin === 0) return;
  putLength(mapSize(value));
  if (level < levels) {
    const entries = mapEntries(value as Map<unknown, unknown>);
    for (let i = 0; i < mostItems(level) && !hasNoRoom(); i++) {
      const next = nextEntry(entries);
      if (next.done) break;
      put(next.value[0], level + 1);
      put(next.value[1], level + 1);
    }
  }
  closeItem(begin);
}

function putSet(value: ReadonlySet<unknown>, level: number): void {
  const begin = openItem(itemTag.set);
  if (begin === 0) return;
  putLength(setSize(value));
  if (level < levels) {
    const entries = setValues(value as Set<unknown>);
    for (let i = 0; i < mostItems(level) && !hasNoRoom(); i++) {
      const next = nextValue(entries);
      if (next.done) break;
      put(next.value, level + 1);
    }
  }
  closeItem(begin);
}

/** An object whose contents are a text. */
function putHeld(value: object, what: string): void {
  const type = typeNumber(className(value));
  const begin = openItem(itemTag.subclass);
  if (begin === 0) return;
  putLength(type);
  putText(what, DEEP_UNITS);
  closeItem(begin);
}

function putError(value: Error, level: number): void {
  const type = typeNumber(errorName(value));
  const keys = level < levels ? keysOf(value) : [];
  const cause = descriptorOf(value, 'cause');
  const isBare = keys.length === 0 && cause === undefined;
  const begin = openItem(isBare ? itemTag.exception : itemTag.subclass);
  if (begin === 0) return;
  putLength(type);
  putText(errorMessage(value), level === 0 ? MOST_UNITS : DEEP_UNITS);
  if (level < levels) {
    if (cause !== undefined) putField(value, 'cause', level);
    putMembers(value, keys, level);
  }
  closeItem(begin);
}

function putBytes(value: Uint8Array, level: number): void {
  const length = itemsHeld(value);
  const most = Math.min(length, level > 0 ? DEEP_UNITS : MOST_UNITS, Math.max(0, bytesLeft() - 16));
  if (!hasRoom(16)) return;
  putByte(itemTag.bytes);
  putLength(length);
  putLength(most);
  for (let i = 0; i < most; i++) putByte(value[i] ?? 0);
}

function putTypedArray(value: object, level: number): void {
  const type = typeNumber(arrayKind(value) ?? 'TypedArray');
  const outer = openItem(itemTag.subclass);
  if (outer === 0) return;
  putLength(type);
  const begin = openItem(itemTag.list);
  if (begin > 0) {
    const length = itemsHeld(value);
    putLength(length);
    const most = Math.min(length, mostItems(level));
    for (let i = 0; i < most && !hasNoRoom(); i++) put((value as ArrayLike<unknown>)[i], level + 1);
    closeItem(begin);
  }
  closeItem(outer);
}

function putOther(value: object, name: string): void {
  const type = typeNumber(name);
  if (!hasRoom(16)) return;
  putByte(itemTag.other);
  putLength(type);
  putIdentity(value);
}

function putFields(value: object, level: number): void {
  const type = typeNumber(className(value));
  const keys = level < levels ? keysOf(value) : [];
  const begin = openItem(itemTag.object);
  if (begin === 0) return;
  putLength(type);
  putIdentity(value);
  putMembers(value, keys, level);
  if (level < levels) putPrivateFields(value, keys.length, level);
  closeItem(begin);
}

/** They count with the properties, of which there are so many. */
function putPrivateFields(value: object, properties: number, level: number): void {
  let left = mostItems(level) - properties;
  for (const { names, values } of privateFieldsOf(value))
    for (let i = 0; i < names.length && left > 0 && !hasNoRoom(); i++, left--) {
      putName(names[i] ?? '');
      put(values[i], level + 1);
    }
}

function putMembers(value: object, keys: readonly string[], level: number): void {
  const most = Math.min(keys.length, mostItems(level));
  for (let i = 0; i < most && !hasNoRoom(); i++) putField(value, keys[i] ?? '', level);
}

function putField(value: object, key: string, level: number): void {
  putName(key);
  putProperty(value, key, level + 1);
}

function putName(name: string): void {
  const number = nameNumber(name);
  if (number > 0 && hasRoom(8)) {
    putByte(itemTag.name);
    putLength(number);
  } else putText(name, DEEP_UNITS);
}
