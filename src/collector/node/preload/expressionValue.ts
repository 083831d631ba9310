import type { WireExpression } from '../../../protocol/nodeTracer.ts';
import {
  descriptorOf,
  isArray,
  isMap,
  isProxy,
  isSet,
  isTypedArray,
  itemsHeld,
  mapGet,
  mapHas,
  mapSize,
  prototypeOf,
  setHas,
  setSize,
  toJson,
} from './intrinsics.ts';
import { tellUndecided } from './tellUndecided.ts';

/** What cannot be found out without running code of the program. */
export const unknown = Symbol('unknown');

/** Where an expression is worked out. */
export interface Moment {
  readonly parameters: readonly string[];
  readonly values: readonly unknown[];
  /** What the call returns; `unknown` where that is not known yet. */
  readonly result: unknown;
  /** A variable of the module. */
  readonly variable: (name: string) => unknown;
}

const MOST_LOOKED = 1000;

/** A member that a getter would give, which does not run. */
export const getter = Symbol('getter');
let isGetter = false;

/** The value as a hit shows it. */
export function shownValue(expression: WireExpression, moment: Moment): unknown {
  isGetter = false;
  const value = valueOf(expression, moment);
  return value === unknown && isGetter ? getter : value;
}

/** What holds the value that was worked out last; null: it belongs to the call. */
export let holder: object | null = null;

export function valueOf(expression: WireExpression, moment: Moment): unknown {
  holder = null;
  return worked(expression, moment);
}

/** A condition that is unknown counts as met, and the daemon learns that. `name`: of the function that it is asked of. */
export function isMet(
  expression: boolean | WireExpression,
  moment: Moment,
  { name }: { readonly name: string },
): boolean {
  if (typeof expression === 'boolean') return expression;
  const value = worked(expression, moment);
  if (value === unknown) tellUndecided(name);
  return value === unknown || isTrue(value);
}

/** As JavaScript has it; of objects nothing runs. */
export function isTrue(value: unknown): boolean {
  return Boolean(value);
}

function worked(expression: WireExpression, moment: Moment): unknown {
  switch (expression.kind) {
    case 'integer': {
      const number = Number(expression.value);
      return Number.isSafeInteger(number) ? number : BigInt(expression.value);
    }
    case 'decimal':
    case 'text':
      return expression.value;
    case 'name':
      return nameIn(expression.name, moment);
    case 'member':
      return memberOf(worked(expression.of, moment), expression.field);
    case 'index':
      return indexed(expression.of, expression.at, moment);
    case 'unary':
      return unary(expression.operator, worked(expression.of, moment));
    case 'binary':
      return binary(expression.operator, expression.left, expression.right, moment);
    case 'call':
      return called(
        expression.name,
        expression.args.map((one) => worked(one, moment)),
      );
    case 'forall':
      return walked(expression, moment);
    case 'cast':
      return unknown;
  }
}

const MOST_WALKED = 10_000;

/** The last element, which none follows, is not asked. */
function namesNext(test: WireExpression): boolean {
  return toJson(test).includes('"name":"next"');
}

/** Whether each element meets the test, to the first that is null or undefined; or the first that does not. */
function walked(
  { head, step, test, meansElement }: Extract<WireExpression, { kind: 'forall' }>,
  moment: Moment,
): unknown {
  const first = worked(head, moment);
  const elementIn = (it: unknown, next: unknown): Moment => ({
    ...moment,
    parameters: ['it', 'next', ...moment.parameters],
    values: [it, next, ...moment.values],
  });
  let it = first;
  for (let i = 0; i < MOST_WALKED && it !== unknown; i++) {
    if (it === null || it === undefined) return meansElement ? unknown : true;
    const next = worked(step, elementIn(it, unknown));
    const isLast = next === null || next === undefined;
    if (isLast && namesNext(test)) return meansElement ? unknown : true;
    const hasMet = worked(test, elementIn(it, next));
    if (hasMet === unknown) return unknown;
    if (!isTrue(hasMet)) return meansElement ? it : false;
    if (next === first) return meansElement ? unknown : true;
    it = next;
  }
  return unknown;
}

const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
]);

function nameIn(name: string, { parameters, values, result, variable }: Moment): unknown {
  const index = parameters.indexOf(name);
  // A breakpoint reads variables only, and knows no constants.
  if (index >= 0 && (values[index] !== unknown || !constants.has(name))) return values[index];
  if (name === 'return') return result;
  if (constants.has(name)) return constants.get(name);
  const [first = '', ...fields] = name.split('::');
  let value = variable(first);
  for (const field of fields) value = memberOf(value, field);
  return value;
}

function memberOf(of: unknown, field: string): unknown {
  if (typeof of === 'string') return field === 'length' ? of.length : unknown;
  if ((typeof of !== 'object' && typeof of !== 'function') || of === null) return unknown;
  let from: object | null = of;
  for (let i = 0; from !== null && i < 32; i++) {
    if (isProxy(from)) return unknown;
    const found = descriptorOf(from, field);
    if (found) {
      holder = of;
      isGetter = found.get !== undefined || found.set !== undefined;
      return isGetter ? unknown : found.value;
    }
    from = prototypeOf(from);
  }
  if (field === 'size' || field === 'length') return lengthOf(of);
  return undefined;
}

function indexed(of: WireExpression, at: WireExpression, moment: Moment): unknown {
  if (of.kind === 'name' && of.name === 'args' && !moment.parameters.includes('args')) {
    const place = worked(at, moment);
    return typeof place === 'number' ? moment.values[place] : unknown;
  }
  const whole = worked(of, moment);
  const key = worked(at, moment);
  if (isObject(whole) && !isProxy(whole) && isMap(whole)) {
    holder = whole;
    return key === unknown ? unknown : mapGet(whole, key);
  }
  if (isObject(whole) && !isProxy(whole) && isTypedArray(whole))
    return typeof key === 'number' ? (whole as unknown as ArrayLike<number>)[key] : unknown;
  if (typeof whole === 'string' && typeof key === 'number') return whole[key];
  return typeof key === 'number' || typeof key === 'string'
    ? memberOf(whole, String(key))
    : unknown;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isPlain(value: unknown): value is number | bigint | string | boolean | null | undefined {
  return !isObject(value) && typeof value !== 'function' && typeof value !== 'symbol';
}

function unary(operator: string, value: unknown): unknown {
  if (value === unknown) return unknown;
  if (operator === '!') return !isTrue(value);
  if (typeof value !== 'number' && typeof value !== 'bigint') return unknown;
  if (operator === '-') return -value;
  return operator === '~' ? ~value : unknown;
}

function binary(
  operator: string,
  left: WireExpression,
  right: WireExpression,
  moment: Moment,
): unknown {
  const first = worked(left, moment);
  if (operator === '&&' || operator === '||') {
    const decides = operator === '||';
    if (first !== unknown && isTrue(first) === decides) return decides;
    const second = worked(right, moment);
    if (second !== unknown && isTrue(second) === decides) return decides;
    return first === unknown || second === unknown ? unknown : !decides;
  }
  const second = worked(right, moment);
  if (first === unknown || second === unknown) return unknown;
  if (operator === '==') return isSame(first, second);
  if (operator === '!=') return !isSame(first, second);
  if (!isPlain(first) || !isPlain(second)) return unknown;
  return arithmetic(operator, first as number, second as number);
}

/** `null` of the language of expressions is 0: it stands for null and undefined. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isPlain(left) || !isPlain(right)) return false;
  if (left === null || left === undefined) return right === null || right === undefined;
  // oxlint-disable-next-line eqeqeq -- 1 is true there, and a bigint equals its number
  return typeof left !== 'string' && typeof right !== 'string' && left == right;
}

function arithmetic(operator: string, left: number, right: number): unknown {
  try {
    switch (operator) {
      case '<':
        return left < right;
      case '<=':
        return left <= right;
      case '>':
        return left > right;
      case '>=':
        return left >= right;
      case '+':
        return left + right;
      case '-':
        return left - right;
      case '*':
        return left * right;
      case '/':
        return left / right;
      case '%':
        return left % right;
      case '|':
        return left | right;
      case '^':
        return left ^ right;
      case '&':
        return left & right;
      case '<<':
        return left << right;
      case '>>':
        return left >> right;
      default:
        return unknown;
    }
  } catch {
    return unknown; // A bigint and a number do not mix.
  }
}

function lengthOf(value: unknown): unknown {
  if (typeof value === 'string') return value.length;
  if (!isObject(value) || isProxy(value)) return unknown;
  if (isArray(value)) return value.length;
  if (isMap(value)) return mapSize(value);
  if (isSet(value)) return setSize(value);
  if (isTypedArray(value)) return itemsHeld(value);
  return unknown;
}

function called(name: string, [first, second]: readonly unknown[]): unknown {
  if (first === unknown) return unknown;
  if (name === 'isNull') return first === null || first === undefined;
  if (name === 'len') return lengthOf(first);
  if (second === unknown) return unknown;
  return holds(first, second);
}

function holds(whole: unknown, part: unknown): unknown {
  if (typeof whole === 'string') return typeof part === 'string' ? whole.includes(part) : unknown;
  if (!isObject(whole) || isProxy(whole)) return unknown;
  if (isSet(whole)) return setHas(whole, part);
  if (isMap(whole)) return mapHas(whole, part);
  if (isArray(whole)) {
    for (let i = 0; i < whole.length && i < MOST_LOOKED; i++)
      if (descriptorOf(whole, i)?.value === part) return true;
    return whole.length > MOST_LOOKED ? unknown : false;
  }
  return typeof part === 'string' ? descriptorOf(whole, part) !== undefined : unknown;
}
