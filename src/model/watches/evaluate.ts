import { StrobeError } from '../errors.ts';
import type { Value } from '../questions/query.ts';
import { eachPart, type BinaryOperator, type Expression } from './expression.ts';

/** What an expression comes to over stored values; null: that is not known. */
export type Known = bigint | number | string | null;

/** Values by the names an expression gives them; undefined: there is none. */
export interface NamedValues {
  value(name: string): Value | undefined;
  argument(index: number): Value | undefined;
  /** What a name, member, element or dereferenced pointer is, where more is known than values by name. */
  at?(expression: Expression): Value | undefined;
}

/** Throws BAD_EXPRESSION for what only memory could tell, which is not kept. */
export function checkStored(source: string, expression: Expression): void {
  eachPart(expression, (one) => {
    if (one.kind === 'forall')
      throw new StrobeError(
        'BAD_EXPRESSION',
        `"${source}" walks memory: of what is stored only captured values are known.`,
        'forall() belongs in "invariant", "when", "whenReturn", watches and breakpoints.',
      );
    if (one.kind === 'cast' && one.stars > 0)
      throw new StrobeError(
        'BAD_EXPRESSION',
        `"${source}" casts an address: of what is stored only captured values are known.`,
        'Name fields of arguments or of return; casts of addresses belong in "when", "whenReturn" and watches.',
      );
  });
}

/** Whether stored values meet an expression of the language of conditions. What is not known does not. */
export function isMet(expression: Expression, values: NamedValues): boolean {
  return truth(evaluate(expression, values)) === true;
}

/** What an expression comes to. */
export function evaluate(expression: Expression, values: NamedValues): Known {
  switch (expression.kind) {
    case 'integer':
    case 'decimal':
    case 'text':
      return expression.value;
    case 'name':
    case 'member':
    case 'index':
      return known(place(expression, values));
    case 'unary':
      return unary(expression, values);
    case 'cast':
      return cast(expression.type, evaluate(expression.of, values));
    case 'binary':
      return binary(expression, values);
    case 'call':
      return call(expression, values);
    case 'forall':
      return null;
  }
}

/** The value a path leads to. */
function place(expression: Expression, values: NamedValues): Value | undefined {
  if (values.at) return values.at(expression);
  switch (expression.kind) {
    case 'name':
      return values.value(expression.name);
    case 'member':
      return field(place(expression.of, values), expression.field);
    case 'unary':
      return expression.operator === '*' ? inner(place(expression.of, values)) : undefined;
    case 'index': {
      const at = evaluate(expression.at, values);
      if (typeof at !== 'bigint') return undefined;
      const { of } = expression;
      if (of.kind === 'name' && of.name === 'args') return values.argument(Number(at));
      const list = inner(place(of, values));
      return list?.kind === 'list' ? list.items[Number(at)] : undefined;
    }
    default:
      return undefined;
  }
}

/** What a pointer leads to, or the one variant there is; else the value itself. */
export function inner(value: Value | undefined): Value | undefined {
  if (value?.kind === 'pointer') return value.target ? inner(value.target) : undefined;
  if (value?.kind === 'variant') return value.value ? inner(value.value) : undefined;
  return value;
}

/** A field of an object, or of what a pointer leads to. */
export function field(value: Value | undefined, name: string): Value | undefined {
  const object = inner(value);
  if (object?.kind !== 'object') return undefined;
  return object.object.fields.find((one) => one.name === name)?.value;
}

function known(value: Value | undefined): Known {
  switch (value?.kind) {
    case 'int':
    case 'enum':
      return BigInt(value.text);
    case 'float':
      // As it is shown: a float of 0.1 is 0.1.
      return value.bytes === 4 ? Number(value.value.toPrecision(7)) : value.value;
    case 'bool':
      return value.value ? 1n : 0n;
    case 'char':
      return BigInt(value.code);
    case 'string':
      return value.text;
    case 'pointer':
      return BigInt(value.address);
    case 'null':
      return 0n;
    case 'word':
      return value.isNull === true ? 0n : value.text;
    default:
      return null;
  }
}

function truth(one: Known): boolean | null {
  if (one === null || typeof one === 'string') return null;
  return typeof one === 'bigint' ? one !== 0n : one !== 0 && !Number.isNaN(one);
}

function number(is: boolean | null): Known {
  return is === null ? null : is ? 1n : 0n;
}

function unary(
  { operator, of }: Extract<Expression, { kind: 'unary' }>,
  values: NamedValues,
): Known {
  if (operator === '*') return known(inner(place(of, values)));
  const one = evaluate(of, values);
  if (operator === '!') {
    const is = truth(one);
    return number(is === null ? null : !is);
  }
  if (operator === '-') return typeof one === 'string' || one === null ? null : -one;
  return typeof one === 'bigint' ? ~one : null;
}

function cast(type: string, one: Known): Known {
  if (typeof one === 'string' || one === null) return null;
  if (/^(?:float|double)$/.test(type)) return Number(one);
  if (typeof one === 'number' && !Number.isFinite(one)) return null;
  const whole = BigInt(typeof one === 'number' ? Math.trunc(one) : one);
  if (/bool/i.test(type)) return whole === 0n ? 0n : 1n;
  const [, bits] = /(8|16|32|64)/.exec(type) ?? [];
  const size = bits
    ? Number(bits)
    : /char/.test(type)
      ? 8
      : /short/.test(type)
        ? 16
        : /long|size_t|ptr/.test(type)
          ? 64
          : 32;
  const isUnsigned = /^u|unsigned|^size_t/.test(type);
  return isUnsigned ? BigInt.asUintN(size, whole) : BigInt.asIntN(size, whole);
}

function binary(
  { operator, left, right }: Extract<Expression, { kind: 'binary' }>,
  values: NamedValues,
): Known {
  if (operator === '&&' || operator === '||') {
    const [a, b] = [truth(evaluate(left, values)), truth(evaluate(right, values))];
    const decides = operator === '||';
    if (a === decides || b === decides) return number(decides);
    return number(a === null || b === null ? null : !decides);
  }
  const named = enumerator(left, right, values) ?? enumerator(right, left, values);
  if (named !== null && (operator === '==' || operator === '!='))
    return number(named === (operator === '=='));
  const [a, b] = [evaluate(left, values), evaluate(right, values)];
  if (a === null || b === null) return null;
  if (typeof a === 'string' || typeof b === 'string') {
    if (typeof a !== typeof b) return null;
    return number(compared(operator, a, b));
  }
  const is = compared(operator, a, b);
  return is === null ? arithmetic(operator, a, b) : number(is);
}

/** Whether an enumerator, or a character, is the one of that name; null: it is neither. */
function enumerator(of: Expression, text: Expression, values: NamedValues): boolean | null {
  if (text.kind !== 'text') return null;
  const value = place(of, values);
  if (value?.kind === 'enum') return value.name === text.value;
  if (value?.kind === 'char') return String.fromCodePoint(value.code) === text.value;
  return null;
}

/** Null: it is no comparison. */
function compared<T extends bigint | number | string>(
  operator: BinaryOperator,
  a: T,
  b: T,
): boolean | null {
  switch (operator) {
    case '==':
      return isSame(a, b);
    case '!=':
      return !isSame(a, b);
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      return null;
  }
}

function isSame(a: bigint | number | string, b: bigint | number | string): boolean {
  return typeof a === typeof b
    ? a === b
    : !(a < b) && !(a > b) && !Number.isNaN(Number(a)) && !Number.isNaN(Number(b));
}

function arithmetic(operator: BinaryOperator, a: bigint | number, b: bigint | number): Known {
  if (typeof a === 'number' || typeof b === 'number') {
    const [x, y] = [Number(a), Number(b)];
    switch (operator) {
      case '+':
        return x + y;
      case '-':
        return x - y;
      case '*':
        return x * y;
      case '/':
        return x / y;
      default:
        return null;
    }
  }
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0n ? null : a / b;
    case '%':
      return b === 0n ? null : a % b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<<':
      return b < 0n || b > 63n ? null : a << b;
    case '>>':
      return b < 0n || b > 63n ? null : a >> b;
    default:
      return null;
  }
}

function call({ name, args }: Extract<Expression, { kind: 'call' }>, values: NamedValues): Known {
  const [of, what] = args;
  if (!of) return null;
  const value = place(of, values);
  if (name === 'isNull') return isNull(value);
  const held = inner(value);
  if (name === 'len') return length(held);
  const text = evaluate(of, values);
  if (typeof text !== 'string' || what?.kind !== 'text') return null;
  if (text.includes(what.value)) return 1n;
  return held?.kind === 'string' && held.truncated ? null : 0n;
}

function isNull(value: Value | undefined): Known {
  if (value?.kind === 'pointer') return number(value.isNull);
  if (value?.kind === 'null') return 1n;
  if (value?.kind === 'word') return number(value.isNull === true);
  return value ? 0n : null;
}

function length(held: Value | undefined): Known {
  if (held?.kind === 'string')
    return held.truncated ? null : BigInt(new TextEncoder().encode(held.text).length);
  return held?.kind === 'list' || held?.kind === 'map' ? BigInt(held.total) : null;
}
