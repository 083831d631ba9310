import type { BinaryOperator, Expression } from '../../model/watches/expression.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { FoundVariable } from '../../model/functions/foundVariable.ts';
import type { Holding, Parameter } from '../../model/values/valueType.ts';
import { watchedDepth, type SequenceShape } from '../../model/values/shape.ts';
import type { WatchType } from '../../model/watches/watch.ts';
import { condition } from '../../protocol/record.ts';
import { CannotCompile, FieldPlace } from './fieldPlace.ts';
import { comparisons, isSigned, operations } from './operators.ts';
import { isScalar, keyOf, numberNamed, readingOf, whereOf, type Meaning } from './operandKind.ts';

/** A place in the words that depends on where a variable's module lies in a process. */
export interface Fixup {
  /** Index of the word that is the variable's address; null of a thread-local one. */
  readonly at: number | null;
  readonly variable: FoundVariable;
  /** Index of the load that reads the variable itself; null: what reads it takes its address. */
  load: number | null;
}

/** Variables by the names an expression gives them; other names are the function's parameters. */
export type Variables = ReadonlyMap<string, FoundVariable>;

const noVariables: Variables = new Map();

/** What a watched expression leaves. */
export interface Watched {
  readonly type: WatchType;
  /** Null: it is no text. */
  readonly held: Holding | null;
  /** It is kept in memory that other calls may mean, too; else it belongs to one call. */
  readonly isPlace: boolean;
}

export class ExpressionCompiler {
  readonly words: bigint[] = [];
  readonly fixups: Fixup[] = [];
  /** Parameters that were used. */
  readonly used: Parameter[] = [];
  /** Loads whose address was itself loaded, or passed. */
  hops = 0;
  readonly #fn: FoundFunction | null;
  readonly #variables: Variables;
  /** The variable whose address is what was emitted last. */
  #justPlaced: Fixup | null = null;

  constructor(fn: FoundFunction | null, variables: Variables = noVariables) {
    this.#fn = fn;
    this.#variables = variables;
  }

  /** The whole expression of a watch: numbers of any kind as they are, or a text. */
  watched(expression: Expression): Watched {
    const isArgument = expression.kind === 'index' && isArgs(expression.of);
    if (expression.kind === 'name' && !this.#isVariable(expression.name))
      return this.#watchedParameter(this.#named(expression.name));
    if (!isArgument && isPlace(expression)) return this.#watchedPlace(this.#lvalue(expression));
    const meaning = this.value(expression);
    if (meaning.kind === 'text') throw new CannotCompile('a text is watched by its name alone');
    const signed = meaning.kind !== 'unsigned' && meaning.kind !== 'address';
    this.#emit(condition.fits, { signed });
    const type = {
      kind: 'int',
      name: signed ? 'long' : 'unsigned long',
      bytes: 8,
      signed,
    } as const;
    return { type, held: null, isPlace: false };
  }

  #watchedParameter(parameter: Parameter): Watched {
    const { place, type } = parameter;
    if (type.kind === 'float' && place.kind === 'float') {
      this.used.push(parameter);
      this.#emit(condition.vector, { index: place.register, bytes: type.bytes });
      return { type, held: null, isPlace: false };
    }
    const meaning = this.#parameter(parameter);
    if (type.kind === 'cstring')
      return { type, held: meaning.kind === 'text' ? meaning.held : null, isPlace: false };
    if (type.kind === 'tree')
      return { type: { kind: 'pointer', name: type.name }, held: null, isPlace: false };
    if (!isScalar(type))
      throw new CannotCompile(`${parameter.name} is too big: name a field of it`);
    return { type, held: null, isPlace: false };
  }

  #watchedPlace(at: FieldPlace): Watched {
    const { shape, offset } = at;
    if (shape.kind === 'scalar') {
      const { bytes, signed } = readingOf(shape.type, null);
      this.#emit(condition.load, { bytes, signed, offset });
      return { type: shape.type, held: null, isPlace: true };
    }
    const isWord = shape.kind === 'pointer' && !shape.isValue;
    if (!isWord && shape.kind !== 'text') return this.#watchedWhole(at);
    const meaning = this.#field(at);
    const held = meaning.kind === 'text' ? meaning.held : null;
    const kind = shape.kind === 'text' ? 'cstring' : 'pointer';
    return { type: { kind, name: shape.name }, held, isPlace: true };
  }

  /** All that lies there, and what it leads to. */
  #watchedWhole(at: FieldPlace): Watched {
    const { shape, offset, name } = at;
    if (shape.kind === 'opaque')
      throw new CannotCompile(`${name} (${shape.name}) is not read: ${shape.reason}`);
    this.#constant(BigInt(offset));
    this.#emit(condition.add);
    const type = at.tree('name' in shape ? shape.name : shape.kind, watchedDepth);
    return { type, held: null, isPlace: true };
  }

  #isVariable(name: string): boolean {
    return this.#variables.has(name);
  }

  value(expression: Expression): Meaning {
    switch (expression.kind) {
      case 'integer':
        this.#constant(expression.value);
        return { kind: expression.value < 1n << 63n ? 'signed' : 'unsigned' };
      case 'decimal':
        this.#constant(keyOf(expression.value));
        return { kind: 'float', bytes: 8 };
      case 'text':
        throw new CannotCompile(`"${expression.value}" stands where a number is wanted`);
      case 'name':
        if (this.#isVariable(expression.name)) return this.#field(this.#lvalue(expression));
        return this.#parameter(this.#named(expression.name));
      case 'member':
        return this.#field(this.#lvalue(expression));
      case 'index':
        if (isArgs(expression.of)) return this.#argument(expression.at);
        return this.#field(this.#lvalue(expression));
      case 'unary':
        if (expression.operator === '*') return this.#field(this.#lvalue(expression));
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
    const isLoad = operation === condition.load || operation === condition.loadFloat;
    if (isLoad && this.#justPlaced) this.#justPlaced.load = this.words.length;
    else if (isLoad) this.hops++;
    this.#justPlaced = null;
    this.words.push(BigInt(low >>> 0) | (BigInt(offset >>> 0) << 32n));
  }

  #constant(value: bigint): void {
    if (value >= 1n << 64n || value < -(1n << 63n))
      throw new CannotCompile(`${value} has more than 64 bits`);
    this.#emit(condition.constant, { signed: value < 0n });
    this.words.push(BigInt.asUintN(64, value));
  }

  #named(name: string): Parameter {
    if (name === 'return')
      throw new CannotCompile(
        'what is returned is not known yet when a call begins: ask debug_query with returnValue',
      );
    const parameters = this.#fn?.parameters ?? [];
    const found = parameters.find((parameter) => parameter.name === name);
    if (found) return found;
    const names = parameters.map((parameter) => parameter.name);
    const has = names.length > 0 ? `it has ${names.join(', ')}` : 'none of them are known';
    throw new CannotCompile(`it has no parameter "${name}": ${has}`);
  }

  /** Puts a parameter's value on the stack, of an object it holds its address. */
  #parameter(parameter: Parameter): Meaning {
    const { place, type } = parameter;
    if (place.kind === 'none') throw new CannotCompile(place.reason);
    this.used.push(parameter);
    const { bytes, signed, meaning } = readingOf(type, parameter);
    if (place.kind === 'float') {
      this.#emit(condition.float, { index: place.register, bytes });
      return meaning;
    }
    if (meaning.kind === 'float') throw new CannotCompile(`${parameter.name} lies on the stack`);
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

  /** Puts an address on the stack from which the place of the expression's value counts. */
  #lvalue(expression: Expression): FieldPlace {
    switch (expression.kind) {
      case 'name': {
        const variable = this.#variables.get(expression.name);
        if (!variable)
          throw new CannotCompile(`${expression.name} is an argument, not a place in memory`);
        return this.#placeVariable(variable);
      }
      case 'member':
        return this.#object(expression.of, expression.field).field(expression.field);
      case 'unary':
        if (expression.operator === '*') return this.#object(expression.of, '*');
        break;
      case 'index':
        return this.#element(expression.of, expression.at);
      default:
    }
    throw new CannotCompile('a field is asked of something that is no variable');
  }

  #placeVariable(variable: FoundVariable): FieldPlace {
    const { type, place, name } = variable;
    if (place.kind === 'thread') {
      this.#emit(condition.thread);
      this.#constant(BigInt(place.offset));
      this.#emit(condition.add);
    } else this.#constant(0n);
    const at = place.kind === 'thread' ? null : this.words.length - 1;
    const fixup: Fixup = { at, variable, load: null };
    this.fixups.push(fixup);
    this.#justPlaced = fixup;
    return new FieldPlace(type.shapes, name, type.root, 0);
  }

  /** The object whose fields are meant: of a pointer what it leads to. */
  #object(of: Expression, field: string): FieldPlace {
    const parameter = this.#parameterOf(of);
    if (parameter) {
      const { type } = parameter;
      const first = type.kind === 'tree' ? type.shapes[type.root] : undefined;
      if (type.kind !== 'tree' || first?.kind !== 'pointer')
        throw new CannotCompile(
          `the fields of ${parameter.name} are not known: add "depth": 1 to the pattern`,
        );
      this.#parameter(parameter);
      return new FieldPlace(type.shapes, parameter.name, first.target, first.skip);
    }
    if (!isPlace(of)) throw new CannotCompile(`.${field} of something that is no parameter`);
    return this.#behind(this.#lvalue(of));
  }

  /** What a pointer leads to, anything else itself. */
  #behind(place: FieldPlace): FieldPlace {
    const pointer = place.pointer();
    if (!pointer) return place;
    this.#emit(condition.load, { bytes: 8, offset: place.offset + pointer.at });
    return place.to(pointer.target, pointer.skip);
  }

  #element(of: Expression, at: Expression): FieldPlace {
    if (at.kind !== 'integer') throw new CannotCompile('an index is a number, as in items[2]');
    const index = Number(at.value);
    const isPointer = this.#parameterOf(of) !== null;
    const place = isPointer ? this.#object(of, '[]') : this.#lvalue(of);
    const { shape } = place;
    if (isPointer) return place.scaled(index);
    if (shape.kind === 'array') {
      if (index >= shape.count)
        throw new CannotCompile(`${place.name} has ${shape.count} elements`);
      return place.to(shape.element, place.offset).scaled(index);
    }
    if (shape.kind === 'pointer' && !shape.isValue) return this.#behind(place).scaled(index);
    if (shape.kind !== 'sequence') throw new CannotCompile(`${place.name} cannot be indexed`);
    this.#emit(condition.load, { bytes: 8, offset: place.offset + shape.pointer });
    return place.to(shape.element, 0).scaled(index);
  }

  /** Null: it is no parameter. */
  #parameterOf(of: Expression): Parameter | null {
    if (of.kind !== 'name' || this.#isVariable(of.name)) return null;
    return this.#named(of.name);
  }

  /** What lies at a place in the object whose address is on the stack. */
  #field({ name, shape, offset }: FieldPlace): Meaning {
    switch (shape.kind) {
      case 'pointer':
        this.#emit(condition.load, { bytes: 8, offset: offset + shape.at });
        return { kind: 'address', of: null };
      case 'interface':
        this.#emit(condition.load, { bytes: 8, offset });
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
        const { bytes, signed, meaning } = readingOf(shape.type, null);
        const operation = meaning.kind === 'float' ? condition.loadFloat : condition.load;
        this.#emit(operation, { bytes, signed, offset });
        return meaning;
      }
      default:
        throw new CannotCompile(`${name} is of a kind that is not compared`);
    }
  }

  /** `args[0]` is the first integer register, where nothing is known of a function. */
  #argument(at: Expression): Meaning {
    if (at.kind !== 'integer') throw new CannotCompile('an index is a number, as in args[0]');
    const index = Number(at.value);
    const parameters = this.#fn?.parameters ?? [];
    const known = parameters[index];
    if (known) return this.#parameter(known);
    if (parameters.length > 0 || index > 5) throw new CannotCompile(`it has no argument ${index}`);
    this.#emit(condition.integer, { index, bytes: 8, signed: true });
    return { kind: 'signed' };
  }

  #unary(operator: '!' | '-' | '~', of: Expression): Meaning {
    if (operator === '!') {
      this.#number(of);
      this.#emit(condition.not);
      return { kind: 'signed' };
    }
    if (operator === '-' && (of.kind === 'decimal' || of.kind === 'integer'))
      return this.value(negated(of));
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
    this.#emit(operations[operator]);
    if (operator === '!=') this.#emit(condition.not);
    return {
      kind: compares || isSigned(operator, [one, first], [two, second]) ? 'signed' : 'unsigned',
    };
  }

  /** A literal beside a floating-point number is one of its kind. */
  #operand(expression: Expression, beside: Meaning): Meaning {
    const isNegated = expression.kind === 'unary' && expression.operator === '-';
    const literal = isNegated ? negated(expression.of) : expression;
    if (beside.kind !== 'float' || (literal.kind !== 'integer' && literal.kind !== 'decimal'))
      return this.#number(expression);
    const value = Number(literal.value);
    // As it is shown: a float of 0.1 is 0.1.
    return this.value({ kind: 'decimal', value: beside.bytes === 4 ? Math.fround(value) : value });
  }

  /** The meaning of an expression, without its words. */
  #kindOf(expression: Expression): Meaning {
    return new ExpressionCompiler(this.#fn, this.#variables).value(expression);
  }

  #comparesText(of: Expression, text: string, operator: '==' | '!='): Meaning {
    const meaning = this.value(of);
    if (meaning.kind === 'text') this.#text(meaning, condition.equalsText, text);
    else {
      this.#constant(numberNamed(text, 'type' in meaning ? meaning.type : undefined));
      this.#emit(condition.equal);
    }
    if (operator === '!=') this.#emit(condition.not);
    return { kind: 'signed' };
  }

  #text(meaning: Meaning, operation: number, text: string): void {
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
      this.#text(this.value(of), condition.containsText, what.value);
      return { kind: 'signed' };
    }
    if (name === 'len' && isPlace(of) && !isArgs(of) && !this.#parameterOf(of)) {
      const place = new ExpressionCompiler(this.#fn, this.#variables).#lvalue(of);
      const { shape } = place;
      if (shape.kind === 'sequence') return this.#count(of, shape);
      const kept =
        shape.kind === 'pointer' && shape.isValue ? place.to(shape.target, 0).shape : shape;
      if (kept.kind === 'groups' || (kept.kind === 'ring' && kept !== shape)) {
        const { offset } = this.#behind(this.#lvalue(of));
        this.#emit(condition.load, { bytes: 8, offset: offset + kept.count });
        return { kind: 'unsigned' };
      }
    }
    const meaning = this.value(of);
    if (name === 'isNull') {
      if (meaning.kind === 'text' && meaning.held) throw new CannotCompile('it is never null');
      this.#emit(condition.not);
      return { kind: 'signed' };
    }
    if (meaning.kind !== 'text')
      throw new CannotCompile('len() is of text, and of elements one after the other');
    this.#emit(condition.length, { offset: whereOf(meaning.held) });
    return { kind: 'unsigned' };
  }

  /** How many elements there are. */
  #count(of: Expression, { pointer, length, byEnd, unit }: SequenceShape): Meaning {
    const load = (at: number): void =>
      this.#emit(condition.load, { bytes: 8, offset: this.#lvalue(of).offset + at });
    load(length);
    if (!byEnd) return { kind: 'unsigned' };
    load(pointer);
    this.#emit(condition.subtract);
    this.#constant(BigInt(unit));
    this.#emit(condition.divide);
    return { kind: 'unsigned' };
  }
}

function negated(of: Expression): Expression {
  if (of.kind === 'integer') return { kind: 'integer', value: -of.value };
  return of.kind === 'decimal' ? { kind: 'decimal', value: -of.value } : of;
}

/** Whether it names a place in memory, or a parameter. */
function isPlace({ kind, ...rest }: Expression): boolean {
  if (kind === 'unary') return 'operator' in rest && rest.operator === '*';
  return kind === 'name' || kind === 'member' || kind === 'index';
}

function isArgs(of: Expression): boolean {
  return of.kind === 'name' && of.name === 'args';
}
