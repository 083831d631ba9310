import type { ObjectValue, Value } from '../../model/query.ts';
import { escaped } from '../../base/visible.ts';
import { clipped } from './clip.ts';
import { shortType } from './names.ts';
import { counted } from './numbers.ts';

/** Characters of a string value that are shown; `verbose` answers show more. */
export const stringShown = { usual: 60, verbose: 500 } as const;

/** Elements of a list that are shown. */
const listShown = { usual: 8, verbose: 100 } as const;

export interface ValueStyle {
  readonly verbose: boolean;
}

/** One value as a programmer would write it. `void` gives an empty text. */
export function valueText(value: Value, style: ValueStyle): string {
  switch (value.kind) {
    case 'int':
      return value.text;
    case 'float':
      return floatText(value.value, value.bytes === 4);
    case 'bool':
      return String(value.value);
    case 'char':
      return charText(value.code, value.bytes);
    case 'enum':
      return value.name ?? `${value.type}(${value.text})`;
    case 'pointer':
      if (value.isNull) return 'nullptr';
      return value.object ? `${value.address}${objectText(value.object, style)}` : value.address;
    case 'object':
      return objectText(value.object, style);
    case 'null':
      return 'nullptr';
    case 'string':
      return stringText(value.text, value.truncated, style);
    case 'list':
      return listText(
        value.items.map((item) => valueText(item, style)),
        value.total,
        style,
      );
    case 'unreadable':
      return `${value.address}(unreadable)`;
    case 'void':
      return '';
    case 'notCaptured':
      return notCapturedText(value.type ?? '?') + (style.verbose ? ` (${value.reason})` : '');
    case 'redacted':
      return redactedText(value.word);
  }
}

/** Says why, so that nobody takes it for the program's own text. */
function redactedText(word: string): string {
  return `<redacted: named "${word}">`;
}

/** `{balance=300, owner.id=7, …(+2 fields)}`. */
function objectText({ fields, left }: ObjectValue, style: ValueStyle): string {
  const shown = fields.slice(0, fieldsShown(style));
  const rest = left + fields.length - shown.length;
  const texts = shown.map(({ name, value }) => `${name}=${valueText(value, style)}`);
  return `{${[...texts, ...(rest > 0 ? [`…(+${counted(rest, 'field')})`] : [])].join(', ')}}`;
}

function objectJson({ fields, left }: ObjectValue, style: ValueStyle): Record<string, unknown> {
  const shown = fields.slice(0, fieldsShown(style));
  const rest = left + fields.length - shown.length;
  return {
    ...Object.fromEntries(shown.map(({ name, value }) => [name, valueJson(value, style)])),
    ...(rest > 0 ? { '…': counted(rest, 'more field') } : {}),
  };
}

/** Fields of an object that are shown. */
function fieldsShown({ verbose }: ValueStyle): number {
  return verbose ? 64 : 12;
}

function itemsShown({ verbose }: ValueStyle): number {
  return verbose ? listShown.verbose : listShown.usual;
}

/** `[1, 2, …(+7)]`; `[3 elements]` when only their number is known. */
function listText(items: readonly string[], total: number, style: ValueStyle): string {
  if (items.length === 0 && total > 0) return `[${counted(total, 'element')}]`;
  const shown = items.slice(0, itemsShown(style));
  const left = total - shown.length;
  return `[${[...shown, ...(left > 0 ? [`…(+${left})`] : [])].join(', ')}]`;
}

/** `{std::optional<Payment>}`: only the type is known. */
function notCapturedText(type: string): string {
  return type === '?' ? '?' : `{${shortType(type)}}`;
}

/** The same value for JSON; undefined for void. Numbers that JSON would round stay text. */
export function valueJson(value: Value, style: ValueStyle): unknown {
  switch (value.kind) {
    case 'int': {
      const number = Number(value.text);
      return Number.isSafeInteger(number) ? number : value.text;
    }
    case 'float':
      return Number.isFinite(value.value) && value.bytes !== 4
        ? value.value
        : jsonFloat(value.value, value.bytes === 4);
    case 'bool':
      return value.value;
    case 'enum':
      return value.name ?? valueText(value, style);
    case 'pointer':
      if (value.isNull) return null;
      return value.object
        ? { address: value.address, ...objectJson(value.object, style) }
        : value.address;
    case 'object':
      return objectJson(value.object, style);
    case 'null':
      return null;
    case 'string': {
      const { text, left } = clipped(value.text, shownOf(style));
      return left > 0 || value.truncated ? `${text}…` : text;
    }
    case 'char':
      return charText(value.code, value.bytes).slice(1, -1);
    case 'list': {
      if (value.items.length === 0 && value.total > 0) return listText([], value.total, style);
      const shown = value.items.slice(0, itemsShown(style));
      const left = value.total - shown.length;
      return [...shown.map((item) => valueJson(item, style)), ...(left > 0 ? [`…(+${left})`] : [])];
    }
    case 'unreadable':
      return { unreadable: value.address };
    case 'void':
      return undefined;
    case 'notCaptured':
      if (style.verbose || value.type === undefined) return { notCaptured: value.reason };
      return notCapturedText(value.type);
    case 'redacted':
      return redactedText(value.word);
  }
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
  return Number.isFinite(number) ? number : text;
}

function charText(code: number, bytes: number): string {
  if (code < 0 || (bytes === 1 && code > 0x7e))
    return `'\\x${(code & 0xff).toString(16).padStart(2, '0')}'`;
  return code <= 0x10ffff
    ? `'${escaped(String.fromCodePoint(code), "'")}'`
    : `'\\u{${code.toString(16)}}'`;
}

function stringText(text: string, truncated: boolean, style: ValueStyle): string {
  const { text: shown, left } = clipped(text, shownOf(style));
  const quoted = `"${escaped(shown, '"')}"`;
  if (left > 0) return `${quoted}…(+${left}${truncated ? ' and more' : ''})`;
  return truncated ? `${quoted}…` : quoted;
}

function shownOf(style: ValueStyle): number {
  return style.verbose ? stringShown.verbose : stringShown.usual;
}
