import type { Binary, ObjectValue, Value } from '../../../model/questions/query.ts';
import {
  bracketed,
  circularWords,
  redactedWords,
  restWords,
} from '../../../model/values/valueWords.ts';
import { escaped } from '../../../base/visible.ts';
import { binaryJson, binaryText, manyBytes, textIn } from './bytesText.ts';
import { clipped } from '../answers/clip.ts';
import { shortType } from './nameText.ts';
import { counted } from './groupedNumber.ts';
import { oneMember } from './unionMember.ts';
import type { RepeatedValues } from './repeatedValues.ts';

/** Characters of a string value that are shown; `verbose` answers show more, and less of what lies far. */
export const stringShown = { usual: 60, verbose: 1024, far: 24 } as const;

/** Elements of a list that are shown. */
const listShown = { usual: 8, verbose: 100, far: 2 } as const;

/** Fields of an object that are shown. */
const fieldsShown = { usual: 12, verbose: 64, far: 3 } as const;

/** Less than is usual; levels: below them of objects, lists and maps only how many they hold, where that is known. */
export interface ValueLimits {
  readonly levels: number;
  readonly fields: number;
  readonly elements: number;
  readonly characters: number;
}

export interface ValueStyle {
  readonly verbose: boolean;
  /** What is not known is written as its reason, not as its type. */
  readonly reasons?: boolean;
  /** Of what lies deeper than what is captured whole the beginning alone. */
  readonly isFar?: boolean;
  /** Without addresses. */
  readonly isPlain?: boolean;
  readonly limits?: ValueLimits;
  /** Values that the answer shows several times; absent: each is written out. */
  readonly repeated?: RepeatedValues;
  /** Names of functions by their addresses. */
  readonly codeNames?: ReadonlyMap<string, string>;
}

/** One value as a programmer would write it. `void` gives an empty text. */
export function valueText(value: Value, style: ValueStyle): string {
  const whole = (): string => wholeText(value, style);
  const { repeated } = style;
  return repeated ? repeated.text(value, whole, (object) => objectText(object, style)) : whole();
}

function wholeText(value: Value, style: ValueStyle): string {
  switch (value.kind) {
    case 'int':
      return value.words ?? withUnit(value.text, value.unit);
    case 'float':
      return withUnit(floatText(value.value, value.bytes === 4), value.unit);
    case 'bool':
      return String(value.value);
    case 'char':
      return charText(value.code, value.bytes);
    case 'enum':
      return value.name ?? `${value.type}(${value.text})`;
    case 'pointer':
      return pointerText(value, style);
    case 'object':
      return objectText(value.object, style);
    case 'null':
      return value.word ?? 'nullptr';
    case 'word':
      return value.text;
    case 'string':
      if (value.binary) return binaryText(value.binary, style.verbose);
      return stringText(value.text, value.truncated, style);
    case 'list': {
      const bytes = manyBytes(value);
      return bytes ? bytesText(bytes, style) : listText(value, styleInside(value, style));
    }
    case 'map':
      return mapText(value, styleInside(value, style));
    case 'variant':
      return variantText(value, style);
    case 'circular':
      return circularWords(value.address);
    case 'unreadable':
      return `${shortType(value.address)}(unreadable)`;
    case 'void':
      return '';
    case 'notCaptured':
      if (value.torn) return `<${value.reason}>`;
      if (style.reasons) return reasonText(value.reason);
      return notCapturedText(value.type ?? '?') + (style.verbose ? ` (${value.reason})` : '');
    case 'redacted':
      return redactedWords(value.word);
  }
}

type Pointer = Extract<Value, { kind: 'pointer' }>;

/** `0x55d0{id=7}`, `0x55d0→42`, `0x55d0→"tea" (2 owners)`. */
function pointerText(value: Pointer, style: ValueStyle): string {
  if (value.isNull) return value.word ?? 'nullptr';
  const { address, target } = value;
  const name = codeName(value, style);
  if (name !== null) return name;
  if (!target) return `${style.isPlain === true ? plainAddress : address}${countsText(value)}`;
  if (target.kind === 'circular') return circularWords(address);
  const inside = styleInside(value, style);
  const mark = target.kind === 'object' ? '' : '→';
  const before = style.isPlain === true && isTold(target) ? '' : `${address}${mark}`;
  return `${before}${wholeText(target, inside)}${countsText(value)}`;
}

/** Stands for an address that says nothing. */
const plainAddress = '0x…';

/** Its text says something without its place. */
function isTold(target: Value): boolean {
  return (
    target.kind !== 'notCaptured' && (target.kind !== 'object' || target.object.fields.length > 0)
  );
}

/** `&bank::compare`: a function by its name, where it is known. */
function codeName({ code, address }: Pointer, { codeNames }: ValueStyle): string | null {
  return (code && codeNames?.get(address)) ?? null;
}

function countsText({ owners, weak = 0 }: Pointer): string {
  if (owners === undefined) return '';
  return ` (${counted(owners, 'owner')}${weak > 0 ? `, ${weak} weak` : ''})`;
}

function pointerJson(value: Pointer, style: ValueStyle): unknown {
  const { address, isNull, target, owners, weak = 0 } = value;
  if (isNull) return null;
  const name = codeName(value, style);
  if (name !== null) return name;
  if (!target && owners === undefined) return address;
  if (target?.kind === 'circular') return circularWords(address);
  if (target?.kind === 'notCaptured' && !style.verbose) return pointerText(value, style);
  const inside = styleInside(value, style);
  return {
    address,
    ...(target?.kind === 'object'
      ? objectJson(target.object, inside)
      : target
        ? { value: valueJson(target, inside) }
        : {}),
    ...(owners === undefined ? {} : { owners, ...(weak > 0 ? { weak } : {}) }),
  };
}

type MapValue = Extract<Value, { kind: 'map' }>;

/** `{"a": 1, "b": 2, …(+7)}`. */
function mapText(value: MapValue, style: ValueStyle): string {
  const { entries, total } = value;
  if (total > 0 && (entries.length === 0 || (isDeepest(style) && !value.torn)))
    return `{${entriesText(total)}}`;
  const shown = entries.slice(0, elementsIn(style));
  const inside = levelBelow(style);
  const texts = shown.map(
    (entry) => `${keyText(entry.key, style)}: ${valueText(entry.value, inside)}`,
  );
  return `{${[...texts, ...restWords(value, shown.length)].join(', ')}}`;
}

/** A short tuple is a key as it is written: `("city", 500)`. */
function keyText(key: Value, style: ValueStyle): string {
  const isShort = key.kind === 'list' && key.total <= 4;
  return valueText(key, isShort ? style : levelBelow(style));
}

function entriesText(total: number): string {
  return total === 1 ? '1 entry' : `${total} entries`;
}

/** An object by its keys where they are text or numbers, else pairs. */
function mapJson(value: MapValue, style: ValueStyle): unknown {
  const { entries, total } = value;
  if (total > 0 && (entries.length === 0 || isDeepest(style))) return mapText(value, style);
  const shown = entries.slice(0, elementsIn(style));
  const inside = levelBelow(style);
  const rest = restWords(value, shown.length);
  const keys = shown.map(({ key }) => keyOf(key));
  const values = shown.map((entry) => valueJson(entry.value, inside));
  if (!keys.includes(null))
    return {
      ...Object.fromEntries(keys.map((key, i) => [key ?? '', values[i]])),
      ...(rest.length > 0 ? { '…': rest.join(' ') } : {}),
    };
  return [...shown.map((entry, i) => [valueJson(entry.key, inside), values[i]]), ...rest];
}

/** Null for keys that are no names. */
function keyOf(key: Value): string | null {
  switch (key.kind) {
    case 'string':
      return key.binary ? null : key.text;
    case 'int':
      return key.text;
    case 'enum':
      return key.name;
    default:
      return null;
  }
}

/** `Some(3)`, `Rect{w=1, h=2}`, `none`. */
function variantText(
  { name, value }: Extract<Value, { kind: 'variant' }>,
  style: ValueStyle,
): string {
  if (!value) return name;
  const text = valueText(value, style);
  return value.kind === 'object' ? `${name}${text}` : `${name}(${text})`;
}

/** Fields that say nothing: `pad_`, `__padding0`. */
const padding = /^_*pad(?:ding)?_*\d*_*$/i;

/** `{balance=300, owner.id=7, …(+2 fields)}`; of Rust's tuples `(3, "tea")`. */
function objectText({ type = '', fields, left }: ObjectValue, style: ValueStyle): string {
  const isTuple = fields.length > 0 && fields.every(({ name }, i) => name === `__${i}`);
  if (isDeepest(style) && fields.length + left > 0) return isTuple ? '(…)' : `${type}{…}`;
  const told = style.verbose ? fields : fields.filter(({ name }) => !padding.test(name));
  const shown = told.slice(0, fieldsIn(style));
  const rest = left + told.length - shown.length;
  const inside = levelBelow(style);
  const texts = shown.map(({ name, value }) =>
    isTuple ? valueText(value, inside) : `${name}=${memberText(value, fields, inside)}`,
  );
  const all = [...texts, ...(rest > 0 ? [`…(+${counted(rest, 'field')})`] : [])].join(', ');
  return isTuple ? `(${all})` : `${type}{${all}}`;
}

/** What hides a member is its name, which stands beside it. */
function memberText(value: Value, beside: ObjectValue['fields'], style: ValueStyle): string {
  if (value.kind === 'redacted') return '<redacted>';
  return unionText(value, beside, style) ?? valueText(value, style);
}

/** `{circle={r=2}|square}`: the member that is meant, and the names of the others. Null of anything but a union. */
function unionText(value: Value, beside: ObjectValue['fields'], style: ValueStyle): string | null {
  if (value.kind !== 'object' || style.verbose || isDeepest(style)) return null;
  const one = oneMember(value.object, beside);
  if (!one) return null;
  const { field, others } = one;
  const inner = valueText(field.value, levelBelow(style));
  return `{${field.name}=${inner}|${others.join('|')}}`;
}

function objectJson({ fields, left }: ObjectValue, style: ValueStyle): Record<string, unknown> {
  const shown = fields.slice(0, fieldsIn(style));
  const rest = left + fields.length - shown.length;
  const inside = levelBelow(style);
  return {
    ...Object.fromEntries(shown.map(({ name, value }) => [name, valueJson(value, inside)])),
    ...(rest > 0 ? { '…': counted(rest, 'more field') } : {}),
  };
}

/** How that is written which a pointer leads to, or a container holds. */
function styleInside({ isFar }: { readonly isFar?: true }, style: ValueStyle): ValueStyle {
  return isFar && !style.verbose ? { ...style, isFar } : style;
}

function most(
  shown: { readonly usual: number; readonly verbose: number; readonly far: number },
  { verbose, isFar }: ValueStyle,
): number {
  return isFar ? shown.far : verbose ? shown.verbose : shown.usual;
}

function fieldsIn(style: ValueStyle): number {
  if (isDeepest(style)) return 0;
  return Math.min(most(fieldsShown, style), style.limits?.fields ?? Infinity);
}

function charactersIn(style: ValueStyle): number {
  return Math.min(most(stringShown, style), style.limits?.characters ?? Infinity);
}

function elementsIn(style: ValueStyle): number {
  return Math.min(most(listShown, style), style.limits?.elements ?? Infinity);
}

function isDeepest({ limits }: ValueStyle): boolean {
  return limits !== undefined && limits.levels <= 0;
}

function levelBelow(style: ValueStyle): ValueStyle {
  const { limits } = style;
  return limits ? { ...style, limits: { ...limits, levels: limits.levels - 1 } } : style;
}

/** `[1, 2, …(+7)]`; `[3 elements]` when only their number is known. */
function listText(value: Extract<Value, { kind: 'list' }>, style: ValueStyle): string {
  const { items, total } = value;
  if (isOnlyCounted(value) || (total > 0 && isDeepest(style) && value.torn !== true))
    return `[${counted(total, 'element')}]`;
  const inside = levelBelow(style);
  const shown = items.slice(0, elementsIn(style)).map((item) => valueText(item, inside));
  return bracketed([...shown, ...restWords(value, shown.length)].join(', '), value.brackets);
}

function isOnlyCounted({ items, total, torn }: Extract<Value, { kind: 'list' }>): boolean {
  return items.length === 0 && total > 0 && torn !== true;
}

/** `{std::optional<Payment>}`: only the type is known. */
function notCapturedText(type: string): string {
  return type === '?' ? '?' : `{${shortType(type)}}`;
}

function reasonText(reason: string): string {
  return reason.includes('compiler did not keep') ? '<optimised out>' : `<unknown: ${reason}>`;
}

/** The same value for JSON; undefined for void. Numbers that JSON would round stay text. */
export function valueJson(value: Value, style: ValueStyle): unknown {
  switch (value.kind) {
    case 'int': {
      if (value.unit !== undefined || value.words !== undefined) return valueText(value, style);
      const number = Number(value.text);
      return Number.isSafeInteger(number) ? number : value.text;
    }
    case 'float':
      if (value.unit !== undefined) return valueText(value, style);
      return jsonFloat(value.value, value.bytes === 4);
    case 'bool':
      return value.value;
    case 'enum':
      return value.name ?? valueText(value, style);
    case 'pointer':
      return pointerJson(value, style);
    case 'object':
      return objectJson(value.object, style);
    case 'null':
      return null;
    case 'word':
      return value.isNull ? null : value.text;
    case 'string': {
      if (value.binary) return binaryJson(valueText(value, style), value.binary, style.verbose);
      const { text, left } = clipped(value.text, charactersIn(style));
      return left > 0 || value.truncated ? `${text}…` : text;
    }
    case 'char':
      return charText(value.code, value.bytes).slice(1, -1);
    case 'list': {
      const bytes = manyBytes(value);
      if (bytes) return binaryJson(bytesText(bytes, style), bytes, style.verbose);
      const own = styleInside(value, style);
      if (isOnlyCounted(value) || (value.total > 0 && isDeepest(own))) return listText(value, own);
      const shown = value.items.slice(0, elementsIn(own));
      const inside = levelBelow(own);
      return [...shown.map((item) => valueJson(item, inside)), ...restWords(value, shown.length)];
    }
    case 'map':
      return mapJson(value, styleInside(value, style));
    case 'variant':
      return value.value ? { [value.name]: valueJson(value.value, style) } : value.name;
    case 'circular':
      return circularWords(value.address);
    case 'unreadable':
      return { unreadable: value.address };
    case 'void':
      return undefined;
    case 'notCaptured':
      if (value.torn) return `<${value.reason}>`;
      if (style.verbose || value.type === undefined) return { notCaptured: value.reason };
      return notCapturedText(value.type);
    case 'redacted':
      return redactedWords(value.word);
  }
}

function withUnit(text: string, unit: string | undefined): string {
  return unit === undefined ? text : `${text} ${unit}`;
}

/** Fewest digits that give the same number again; `single`: the same float. Always recognisable as no integer. */
export function floatText(value: number, single: boolean): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = single ? shortestSingle(value) : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function shortestSingle(value: number): string {
  for (let precision = 1; precision <= 9; precision += 1) {
    const candidate = Number(value.toPrecision(precision));
    if (Math.fround(candidate) === Math.fround(value)) return String(candidate);
  }
  return String(value);
}

function jsonFloat(value: number, single: boolean): number | string {
  const text = floatText(value, single);
  const number = Number(text);
  // JSON has no infinities, and writes -0 as 0.
  return Number.isFinite(number) && !Object.is(number, -0) ? number : text;
}

function charText(code: number, bytes: number): string {
  if (code < 0 || (bytes === 1 && code > 0x7e))
    return `'\\x${(code & 0xff).toString(16).padStart(2, '0')}'`;
  return code <= 0x10ffff
    ? `'${escaped(String.fromCodePoint(code), "'")}'`
    : `'\\u{${code.toString(16)}}'`;
}

function stringText(text: string, truncated: boolean, style: ValueStyle): string {
  const { text: shown, left } = clipped(text, charactersIn(style));
  const quoted = `"${escaped(shown, '"')}"`;
  if (left > 0) return `${quoted}…(+${left}${truncated ? ' and more' : ''})`;
  return truncated ? `${quoted}…` : quoted;
}

/** `<24 bytes: "GET / HTTP/1.1\r\n">`, or as data. */
function bytesText(bytes: Binary, style: ValueStyle): string {
  const text = textIn(bytes);
  if (text === null) return binaryText(bytes, style.verbose);
  const { hex, total } = bytes;
  const size = total ?? hex.length / 2;
  return `<${counted(size, 'byte')}: ${stringText(text, size * 2 > hex.length, style)}>`;
}
