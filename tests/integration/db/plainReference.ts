import type {
  CallEnd,
  CallFilter,
  TextFilter,
  Value,
  ValueFilter,
} from '../../../src/model/questions/query.ts';
import { isMet } from '../../../src/model/watches/evaluate.ts';
import { parseExpression } from '../../../src/model/watches/expression.ts';
import type { KnownCall, KnownSample } from './randomSession.ts';

/** What a filter means, written down as plainly as possible. */

export function endAt(call: KnownCall, until: number): CallEnd {
  if (call.durationNs !== null && call.start + call.durationNs > until) return 'open';
  return call.end;
}

export function passes(
  call: KnownCall,
  filter: CallFilter,
  all: readonly KnownCall[],
  until: number,
): boolean {
  if (call.start > until) return false;
  if (filter.timeFrom !== undefined && call.start < filter.timeFrom) return false;
  if (filter.timeTo !== undefined && call.start > filter.timeTo) return false;
  if (filter.parent !== undefined && idOf(call, call.parent) !== filter.parent) return false;
  if (filter.within !== undefined && !isBelow(call, filter.within, all)) return false;
  return placeFits(call, filter) && valuesFit(call, filter, endAt(call, until), until);
}

function placeFits({ function: fn, thread }: KnownCall, filter: CallFilter): boolean {
  if (filter.function && !anyFits(filter.function, [fn.name, fn.signature, fn.linkageName]))
    return false;
  if (filter.sourceFile && (fn.file === null || !fileFits(filter.sourceFile, fn.file)))
    return false;
  if (filter.threadId !== undefined && thread.tid !== filter.threadId) return false;
  if (filter.threadName && !anyFits(filter.threadName, [thread.name])) return false;
  // Its sessions have no tasks and no tests.
  if (filter.strand !== undefined) return false;
  return filter.pid === undefined || thread.pid === filter.pid;
}

function valuesFit(call: KnownCall, filter: CallFilter, end: CallEnd, until: number): boolean {
  if (filter.minDurationNs !== undefined && lasted(call, end, until) < filter.minDurationNs)
    return false;
  if (filter.returnValue && (end !== 'returned' || !valueFits(call.returns, filter.returnValue)))
    return false;
  const captured = call.arguments.slice(0, call.function.captured.length);
  if (filter.watched && !call.watched.some((one) => sampleFits(one, filter.watched, until)))
    return false;
  if (filter.where !== undefined && !whereFits(call, filter.where, end)) return false;
  for (const wanted of filter.argument ?? []) {
    const meant = captured.filter(
      ({ name }, i) =>
        (wanted.name === undefined || wanted.name === name) &&
        (wanted.index === undefined || wanted.index === i),
    );
    if (!meant.some(({ value }) => valueFits(value, wanted))) return false;
  }
  return filter.text === undefined || textFits(call, end, filter.text);
}

/**
 * The rows and functions are in question here; what an expression means, `evaluate.test.ts` says. As of a condition of a
 * pattern, no call meets it whose function has not all that it names: also where the rest would decide it.
 */
function whereFits(call: KnownCall, where: string, end: CallEnd): boolean {
  const usesResult = where.includes('return');
  if (usesResult && end !== 'returned') return false;
  const captured = call.arguments.slice(0, call.function.captured.length);
  for (const [name] of where.matchAll(/\b(?:amount|name)\b/g))
    if (!captured.some((one) => one.name === name)) return false;
  return isMet(parseExpression(where), {
    value: (name) =>
      name === 'return' ? call.returns : captured.find((one) => one.name === name)?.value,
    argument: () => undefined,
  });
}

export function sampleFits(
  { label, time, value }: KnownSample,
  filter: CallFilter['watched'],
  until: number,
): boolean {
  if (time > until) return false;
  return !filter || ((filter.label ?? label) === label && valueFits(value, filter));
}

function idOf(call: KnownCall, ordinal: number): string {
  return ordinal < 0 ? 'none' : `c${call.thread.key}.${ordinal}`;
}

function isBelow(call: KnownCall, root: string, all: readonly KnownCall[]): boolean {
  for (let parent = call.parent; parent >= 0;) {
    if (idOf(call, parent) === root) return true;
    const above = all.find(
      (other) => other.thread.key === call.thread.key && other.ordinal === parent,
    );
    parent = above?.parent ?? -1;
  }
  return false;
}

function lasted(call: KnownCall, end: CallEnd, until: number): number {
  if (end === 'open') return until - call.start;
  return call.durationNs ?? -1;
}

function anyFits(filter: TextFilter, texts: readonly string[]): boolean {
  const operators: ((text: string) => boolean)[] = [];
  const { equals, contains: part, matches, pattern } = filter;
  if (equals !== undefined) operators.push((text) => text === equals);
  if (part !== undefined) {
    operators.push((text) => text.toLowerCase().includes(part.toLowerCase()));
  }
  if (matches !== undefined) operators.push((text) => new RegExp(matches).test(text));
  if (pattern !== undefined) {
    // Only `scope::*` is used here: one more segment.
    const scope = pattern.slice(0, -1);
    operators.push((text) => text.startsWith(scope) && !text.slice(scope.length).includes('::'));
  }
  return operators.every((operator) => texts.some(operator));
}

function fileFits(filter: TextFilter, path: string): boolean {
  const { equals, glob, ...rest } = filter;
  if (equals !== undefined && path !== equals && !path.endsWith(`/${equals}`)) return false;
  // Only `**/folder/*.cpp` is used here.
  if (glob !== undefined && !path.includes(glob.slice(2, -5))) return false;
  return anyFits(rest, [path]);
}

function valueFits(value: Value, filter: ValueFilter): boolean {
  if (value.kind === 'void' || value.kind === 'notCaptured') return false;
  const isNull = value.kind === 'null' || (value.kind === 'pointer' && value.isNull);
  if (filter.isNull !== undefined && filter.isNull !== isNull) return false;
  if (filter.equals !== undefined && !equalTo(value, filter.equals, isNull)) return false;
  if (filter.contains !== undefined && !contains(value, filter.contains)) return false;
  if (filter.lt !== undefined && !(orderOf(value, filter.lt) < 0)) return false;
  return filter.gt === undefined || orderOf(value, filter.gt) > 0;
}

function contains(value: Value, text: string): boolean {
  return textOf(value).toLowerCase().includes(text.toLowerCase());
}

function textOf(value: Value): string {
  switch (value.kind) {
    case 'string':
    case 'int':
      return value.text;
    case 'enum':
      return value.name ?? value.text;
    case 'bool':
    case 'float':
      return String(value.value);
    case 'char':
      return `'${String.fromCharCode(value.code)}'`;
    case 'list': {
      const left = value.total - value.items.length;
      return `[${[...value.items.map(textOf), ...(left > 0 ? [`…(+${left})`] : [])].join(', ')}]`;
    }
    case 'unreadable':
      return value.address;
    case 'pointer':
      return value.isNull ? 'nullptr' : value.address;
    default:
      return 'nullptr';
  }
}

function equalTo(value: Value, wanted: string | number | boolean | null, isNull: boolean): boolean {
  if (wanted === null) return isNull;
  if (typeof wanted === 'boolean') return value.kind === 'bool' && value.value === wanted;
  if (value.kind === 'string') return value.text === String(wanted);
  if (value.kind === 'bool')
    return String(value.value) === wanted || Number(value.value) === Number(wanted);
  if (value.kind === 'enum' && value.name === wanted) return true;
  if (value.kind === 'char' && String.fromCharCode(value.code) === wanted) return true;
  if (value.kind === 'null') return Number(wanted) === 0;
  return orderOf(value, wanted) === 0;
}

/** Sign of value - wanted; NaN when they cannot be compared. */
function orderOf(value: Value, wanted: string | number): number {
  if (value.kind === 'float') return Math.sign(value.value - Number(wanted));
  const exact =
    value.kind === 'int' || value.kind === 'enum'
      ? BigInt(value.text)
      : value.kind === 'char'
        ? BigInt(value.code)
        : value.kind === 'pointer'
          ? BigInt(value.address)
          : null;
  if (exact === null || Number.isNaN(Number(wanted))) return Number.NaN;
  if (!Number.isInteger(Number(wanted))) return Math.sign(Number(exact) - Number(wanted));
  const other = BigInt(wanted);
  return exact < other ? -1 : exact > other ? 1 : 0;
}

export function wordsFit(text: string, wanted: string): boolean {
  const cut = (whole: string): string[] =>
    whole
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean);
  const present = cut(text);
  return cut(wanted).every((start) => present.some((word) => word.startsWith(start)));
}

function textFits(call: KnownCall, end: CallEnd, wanted: string): boolean {
  const { signature } = call.function;
  if (signature.toLowerCase().includes(wanted.toLowerCase()) || wordsFit(signature, wanted))
    return true;
  const values = call.arguments.map(({ value }) => value);
  if (end === 'returned') values.push(call.returns);
  return values.some((value) => value.kind === 'string' && wordsFit(value.text, wanted));
}
