import type { BinaryOperator, Expression } from '../../model/expression.ts';
import type { FoundFunction } from '../../model/foundFunction.ts';
import type { Shape } from '../../model/shape.ts';
import type { Holding, Parameter, ValueType } from '../../model/valueType.ts';
import { condition, policyEntry } from '../../protocol/record.ts';

/** Words for the engine (protocol/record `condition`), or why there are none. */
export type CompiledCondition =
  | { readonly words: readonly bigint[] }
  /** A whole sentence's end: "… has no parameter `size`". */
  | { readonly why: string };

/** How a value on the engine's stack is to be understood. */
type Meaning =
  | { readonly kind: 'signed' | 'unsigned' | 'float' }
  | { readonly kind: 'address'; readonly of: Parameter | null }
  /** Of text: the address of it, or of the object that holds it. */
  | { readonly kind: 'text'; readonly held: Holding | null };

class CannotCompile extends Error {}

const HELD = 0x8000_0000;

/**
 * A condition of one function, by the places of its parameters. What a parameter points to can be
 * looked at when it was resolved with its fields (`depth: 1`).
 */
export function compileCondition(expression: Expression, fn: FoundFunction): CompiledCondition {
  try {
    const compiler = new Compiler(fn);
    const meaning = compiler.value(expression);
    if (meaning.kind === 'text') throw new CannotCompile('a text is neither true nor false');
    const { words } = compiler;
    if (words.length > policyEntry.maxWords) throw new CannotCompile('the condition is too long');
    return { words };
  } catch (error) {
    if (error instanceof CannotCompile) return { why: error.message };
    throw error;
  }
}

/** Where a field lies in the object whose address is known. */
class FieldPlace {
  readonly name: string;
  readonly shape: Shape;
  readonly offset: number;
  readonly #shapes: readonly Shape[];

  constructor(shapes: readonly Shape[], name: string, shape: number | null, offset: number) {
    let found = shape === null ? undefined : shapes[shape];
    let at = offset;
    // What stands for something inside it.
    for (let step = 0; found?.kind === 'inside' && step < shapes.length; step++) {
      at += found.offset;
      found = shapes[found.shape];
    }
    if (!found)
      throw new CannotCompile(
        `what ${name} leads to is not known: add a larger "depth" to the pattern`,
      );
    this.name = name;
    this.shape = found;
    this.offset = at;
    this.#shapes = shapes;
  }

  field(name: string): FieldPlace {
    const { shape } = this;
    const fields = shape.kind === 'record' ? shape.fields : [];
    const found = fields.find((one) => one.name === name);
    if (!found) {
      const names = fields.map((one) => one.name);
      const has = names.length > 0 ? `it has ${names.join(', ')}` : 'none of them are known';
      throw new CannotCompile(`${this.name} has no field "${name}": ${has}`);
    }
    if (found.bits) throw new CannotCompile(`${name} is a bit-field, which is not compared`);
    return new FieldPlace(this.#shapes, name, found.shape, this.offset + found.offset);
  }

  pointer(): Extract<Shape, { kind: 'pointer' }> | null {
    return this.shape.kind === 'pointer' ? this.shape : null;
  }
}

class Compiler {
  readonly words: bigint[] = [];
  readonly #fn: FoundFunction;

  constructor(fn: FoundFunction) {
    this.#fn = fn;
  }

  value(expression: Expression): Meaning {
    switch (expression.kind) {
      case 'integer':
        this.#constant(expression.value);
        return { kind: 'signed' };
      case 'decimal':
        this.#constant(keyOf(expression.value));
        return { kind: 'float' };
      case 'text':
        throw new CannotCompile(`"${expression.value}" stands where a number is wanted`);
      case 'name':
        return this.#parameter(this.#named(expression.name));
      case 'member':
        return this.#member(expression.of, expression.field);
      case 'index':
        return this.#index(expression.of, expression.at);
      case 'unary':
        return this.#unary(expression.operator, expression.of);
      case 'binary':
        return this.#binary(expression.operator, expression.left, expression.right);
      case 'call':
        return this.#call(expression);
    }
  }

  #emit(
    operation: number,
    parts: { index?: number; bytes?: number; signed?: boolean; offset?: number } = {},
  ): void {
    const { index = 0, bytes = 0, signed = false, offset = 0 } = parts;
    const low = operation | (index << 8) | (bytes << 16) | (signed ? 1 << 24 : 0);
    this.words.push(BigInt(low >>> 0) | (BigInt(offset >>> 0) << 32n));
  }

  #constant(value: bigint): void {
    this.#emit(condition.constant);
    this.words.push(BigInt.asUintN(64, value));
  }

  #named(name: string): Parameter {
    if (name === 'return')
      throw new CannotCompile(
        'what is returned is not known yet when a call begins: ask debug_query with returnValue',
      );
    const found = this.#fn.parameters.find((parameter) => parameter.name === name);
    if (found) return found;
    const names = this.#fn.parameters.map((parameter) => parameter.name);
    const has = names.length > 0 ? `it has ${names.join(', ')}` : 'none of them are known';
    throw new CannotCompile(`it has no parameter "${name}": ${has}`);
  }

  /** Puts a parameter's value on the stack, of an object it holds its address. */
  #parameter(parameter: Parameter): Meaning {
    const { place, type } = parameter;
    const { bytes, meaning } = readingOf(type, parameter);
    if (place.kind === 'float') {
      this.#emit(condition.float, { index: place.register, bytes });
      return { kind: 'float' };
    }
    if (meaning.kind === 'float') throw new CannotCompile(`${parameter.name} lies on the stack`);
    const signed = meaning.kind === 'signed';
    if (place.kind === 'integer')
      this.#emit(condition.integer, { index: place.register, bytes, signed });
    else if (place.kind === 'stack' && place.offset / 8 < 256)
      this.#emit(condition.stack, { index: place.offset / 8, bytes, signed });
    else if (place.kind === 'parts' && place.registers.length === 1)
      this.#emit(condition.integer, { index: place.registers[0] ?? 0, bytes, signed });
    else if (place.kind === 'memory' && place.offset / 8 < 256)
      this.#emit(condition.stack, { index: place.offset / 8, bytes, signed });
    else throw new CannotCompile(`${parameter.name} does not lie in one register or word`);
    return meaning;
  }

  #member(of: Expression, field: string): Meaning {
    const path = pathOf(of);
    const root = path && this.#named(path.root);
    if (!path || !root) throw new CannotCompile(`.${field} of something that is no parameter`);
    const { type } = root;
    const first = type.kind === 'tree' ? type.shapes[type.root] : undefined;
    if (type.kind !== 'tree' || first?.kind !== 'pointer')
      throw new CannotCompile(
        `the fields of ${root.name} are not known: add "depth": 1 to the pattern`,
      );
    this.#parameter(root);
    const fields = [...path.fields, field];
    let at = new FieldPlace(type.shapes, root.name, first.target, first.skip);
    for (const [i, name] of fields.entries()) {
      const next = at.field(name);
      const pointer = next.pointer();
      if (!pointer || i === fields.length - 1) {
        at = next;
        continue;
      }
      this.#emit(condition.load, { bytes: 8, offset: next.offset + pointer.at });
      at = new FieldPlace(type.shapes, name, pointer.target, pointer.skip);
    }
    return this.#field(at);
  }

  /** What lies at a place in the object whose address is on the stack. */
  #field({ name, shape, offset }: FieldPlace): Meaning {
    switch (shape.kind) {
      case 'pointer':
        this.#emit(condition.load, { bytes: 8, offset: offset + shape.at });
        return { kind: 'address', of: null };
      case 'text': {
        const { pointer, length } = shape;
        if (length === null) {
          this.#emit(condition.load, { bytes: 8, offset: offset + pointer });
          return { kind: 'text', held: null };
        }
        this.#constant(BigInt(offset));
        this.#emit(condition.add);
        const held = { pointer, length, byEnd: false, unit: 1, inWords: false };
        return { kind: 'text', held };
      }
      case 'scalar': {
        const { bytes, meaning } = readingOf(shape.type, null);
        const operation = meaning.kind === 'float' ? condition.loadFloat : condition.load;
        this.#emit(operation, { bytes, signed: meaning.kind === 'signed', offset });
        return meaning;
      }
      default:
        throw new CannotCompile(`${name} is of a kind that is not compared`);
    }
  }

  /** `args[0]` is the first integer register, where nothing is known of a function. */
  #index(of: Expression, at: Expression): Meaning {
    const isArgs = of.kind === 'name' && of.name === 'args' && at.kind === 'integer';
    if (!isArgs) throw new CannotCompile('only args[…] can be indexed');
    const index = Number(at.value);
    const known = this.#fn.parameters[index];
    if (known) return this.#parameter(known);
    if (this.#fn.parameters.length > 0 || index > 5)
      throw new CannotCompile(`it has no argument ${index}`);
    this.#emit(condition.integer, { index, bytes: 8, signed: true });
    return { kind: 'signed' };
  }

  #unary(operator: '!' | '-' | '~' | '*', of: Expression): Meaning {
    if (operator === '*') throw new CannotCompile('* is not read: name the field, as in p->size');
    if (operator === '!') {
      this.#number(of);
      this.#emit(condition.not);
      return { kind: 'signed' };
    }
    if (operator === '-' && of.kind === 'decimal')
      return this.value({ kind: 'decimal', value: -of.value });
    this.#constant(operator === '-' ? 0n : -1n);
    const meaning = this.#number(of);
    if (meaning.kind === 'float')
      throw new CannotCompile('floating-point numbers are only compared');
    this.#emit(operator === '-' ? condition.subtract : condition.bitXor);
    return { kind: 'signed' };
  }

  #number(expression: Expression): Meaning {
    const meaning = this.value(expression);
    if (meaning.kind === 'text') throw new CannotCompile('a text stands where a number is wanted');
    return meaning;
  }

  #binary(operator: BinaryOperator, left: Expression, right: Expression): Meaning {
    if (operator === '==' || operator === '!=') {
      if (right.kind === 'text') return this.#comparesText(left, right.value, operator);
      if (left.kind === 'text') return this.#comparesText(right, left.value, operator);
    }
    if (operator === '&&' || operator === '||') {
      this.#number(left);
      this.#number(right);
      this.#emit(operator === '&&' ? condition.both : condition.either);
      return { kind: 'signed' };
    }
    // a > b is b < a.
    const turned = operator === '>' || operator === '>=';
    const [first, second] = turned ? [right, left] : [left, right];
    const other = this.#kindOf(second);
    const one = this.#operand(first, other);
    const two = this.#operand(second, one);
    const isFloat = one.kind === 'float' || two.kind === 'float';
    const compares = operator in comparisons;
    if (isFloat && !compares) throw new CannotCompile('floating-point numbers are only compared');
    if (isFloat && one.kind !== two.kind)
      throw new CannotCompile('a floating-point number is compared with a whole one');
    const signed = isFloat || isSigned(one, first, two, second);
    this.#emit(operations[operator], { signed });
    if (operator === '!=') this.#emit(condition.not);
    return { kind: compares || signed ? 'signed' : 'unsigned' };
  }

  /** A whole literal beside a floating-point number is one. */
  #operand(expression: Expression, beside: Meaning): Meaning {
    if (beside.kind === 'float') {
      const negated = expression.kind === 'unary' && expression.operator === '-';
      const literal = negated ? expression.of : expression;
      if (literal.kind === 'integer') {
        const value = Number(literal.value);
        return this.value({ kind: 'decimal', value: negated ? -value : value });
      }
    }
    return this.#number(expression);
  }

  /** The meaning of an expression, without its words. */
  #kindOf(expression: Expression): Meaning {
    return new Compiler(this.#fn).value(expression);
  }

  #comparesText(of: Expression, text: string, operator: '==' | '!='): Meaning {
    this.#text(of, condition.equalsText, text);
    if (operator === '!=') this.#emit(condition.not);
    return { kind: 'signed' };
  }

  #text(of: Expression, operation: number, text: string): void {
    const meaning = this.value(of);
    if (meaning.kind !== 'text') throw new CannotCompile('a number is compared with a text');
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > 128) throw new CannotCompile('a text has more than 128 bytes');
    this.#emit(operation, { index: bytes.length, offset: whereOf(meaning.held) });
    for (let at = 0; at < bytes.length; at += 8) {
      let word = 0n;
      for (const [i, byte] of bytes.subarray(at, at + 8).entries())
        word |= BigInt(byte) << BigInt(8 * i);
      this.words.push(word);
    }
  }

  #call({ name, args }: Extract<Expression, { kind: 'call' }>): Meaning {
    const [of, what] = args;
    if (!of) throw new CannotCompile(`${name}() lacks its argument`);
    if (name === 'contains') {
      if (what?.kind !== 'text') throw new CannotCompile('contains() looks for a "text"');
      this.#text(of, condition.containsText, what.value);
      return { kind: 'signed' };
    }
    const meaning = this.value(of);
    if (name === 'isNull') {
      if (meaning.kind === 'text' && meaning.held) throw new CannotCompile('it is never null');
      this.#emit(condition.not);
      return { kind: 'signed' };
    }
    if (meaning.kind !== 'text') throw new CannotCompile('len() is of text');
    this.#emit(condition.length, { offset: whereOf(meaning.held) });
    return { kind: 'unsigned' };
  }
}

const comparisons = { '==': true, '!=': true, '<': true, '<=': true, '>': true, '>=': true };

const operations: Readonly<Record<Exclude<BinaryOperator, '&&' | '||'>, number>> = {
  '|': condition.bitOr,
  '^': condition.bitXor,
  '&': condition.bitAnd,
  '==': condition.equal,
  '!=': condition.equal,
  '<': condition.less,
  '<=': condition.lessOrEqual,
  '>': condition.less,
  '>=': condition.lessOrEqual,
  '<<': condition.shiftLeft,
  '>>': condition.shiftRight,
  '+': condition.add,
  '-': condition.subtract,
  '*': condition.multiply,
  '/': condition.divide,
  '%': condition.remainder,
};

/** As the values are, not as C converts them: -1 < 5u. Only 64-bit unsigned ones are compared so. */
function isSigned(one: Meaning, first: Expression, two: Meaning, second: Expression): boolean {
  const isWide = (meaning: Meaning, of: Expression): boolean =>
    (meaning.kind === 'unsigned' || meaning.kind === 'address') && of.kind !== 'integer';
  return !isWide(one, first) && !isWide(two, second);
}

/** What to take of a scalar; smaller unsigned numbers fit a signed word. */
function readingOf(
  type: ValueType,
  parameter: Parameter | null,
): { readonly bytes: number; readonly meaning: Meaning } {
  switch (type.kind) {
    case 'int':
    case 'char':
    case 'enum':
      if (type.bytes > 8) break;
      return {
        bytes: type.bytes,
        meaning: { kind: type.signed || type.bytes < 8 ? 'signed' : 'unsigned' },
      };
    case 'bool':
      return { bytes: type.bytes, meaning: { kind: 'signed' } };
    case 'float':
      if (type.bytes > 8) break;
      return { bytes: type.bytes, meaning: { kind: 'float' } };
    case 'pointer':
      return { bytes: 8, meaning: { kind: 'address', of: parameter } };
    case 'cstring':
      if (type.held?.inWords) break;
      return { bytes: 8, meaning: { kind: 'text', held: type.held ?? null } };
    case 'tree':
      if (type.shapes[type.root]?.kind !== 'pointer') break;
      return { bytes: 8, meaning: { kind: 'address', of: parameter } };
    case 'list':
    case 'opaque':
    case 'unknown':
    case 'void':
      break;
  }
  throw new CannotCompile(`${parameter?.name ?? 'the field'} is of a kind that is not compared`);
}

function whereOf(held: Holding | null): number {
  if (!held) return 0;
  if (held.byEnd) throw new CannotCompile('this kind of text is not compared');
  return (HELD | held.pointer | (held.length << 12)) >>> 0;
}

function pathOf(
  expression: Expression,
): { readonly root: string; readonly fields: readonly string[] } | null {
  if (expression.kind === 'name') return { root: expression.name, fields: [] };
  if (expression.kind !== 'member') return null;
  const inner = pathOf(expression.of);
  return inner && { root: inner.root, fields: [...inner.fields, expression.field] };
}

/** The engine's key of a double: ordered as the numbers are. */
function keyOf(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value === 0 ? 0 : value);
  const size = view.getBigUint64(0) & ~(1n << 63n);
  return value < 0 ? -size : size;
}
