import type { BinaryOperator, Expression, Walk } from '../../../model/watches/expression.ts';
import type { Holding, Parameter } from '../../../model/values/valueType.ts';
import { watchedDepth, type SequenceShape } from '../../../model/values/shape.ts';
import type { WatchType } from '../../../model/watches/watch.ts';
import { condition } from '../../../protocol/record.ts';
import { walkCondition } from '../../../protocol/statementProbe.ts';
import { pointedBy, strideOf } from './addresses.ts';
import { castTarget, numberType } from './castTypes.ts';
import { isArgs, namesPlace, negated } from './expressionForms.ts';
import { CannotCompile, type FieldPlace } from './fieldPlace.ts';
import { comparisons, isSigned, operations } from './operators.ts';
import { isScalar, keyOf, numberNamed, readingOf, whereOf, type Meaning } from './operandKind.ts';
import { isPassedWhole, type CompiledIn } from './passedValues.ts';
import { PlaceCompiler, type Names } from './placeCompiler.ts';
import { elementOf, elementType } from './walkedElements.ts';

/** What a watched expression leaves. */
export interface Watched {
  readonly type: WatchType;
  /** Null: it is no text. */
  readonly held: Holding | null;
  /** It is kept in memory that other calls may mean, too; else it belongs to one call. */
  readonly isPlace: boolean;
}

export class ExpressionCompiler extends PlaceCompiler {
  /** What parts of it were found to mean: each is looked at once, however deep it is nested. */
  readonly #kinds: Map<Expression, Meaning>;

  constructor(
    fn: CompiledIn | null,
    names: Names = {},
    kinds: Map<Expression, Meaning> = new Map(),
  ) {
    super(fn, names);
    this.#kinds = kinds;
  }

  /** The whole expression of a watch: numbers of any kind as they are, or a text. */
  watched(expression: Expression): Watched {
    const isArgument = expression.kind === 'index' && isArgs(expression.of);
    if (expression.kind === 'name' && !this.isVariable(expression.name))
      return this.#watchedParameter(this.named(expression.name));
    if (!isArgument && namesPlace(expression)) return this.#watchedPlace(this.lvalue(expression));
    const meaning = this.value(expression);
    if (expression.kind === 'forall' && meaning.kind === 'address' && meaning.to)
      return { type: elementType(meaning.to), held: null, isPlace: true };
    if (meaning.kind === 'text') throw new CannotCompile('a text is watched by its name alone');
    const signed = meaning.kind !== 'unsigned' && meaning.kind !== 'address';
    this.emit(condition.fits, { signed });
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
    if (type.kind === 'tree' && isPassedWhole(parameter))
      return this.#watchedPlace(this.placePassed(parameter));
    if (type.kind === 'float' && place.kind === 'float') {
      this.uses(parameter);
      this.emit(condition.vector, { index: place.register, bytes: type.bytes });
      return { type, held: null, isPlace: false };
    }
    const meaning = this.parameter(parameter);
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
    const isPlace = !this.isInPassed;
    if (shape.kind === 'scalar') {
      const { bytes, signed } = readingOf(shape.type, null);
      this.emit(condition.load, { bytes, signed, offset });
      return { type: shape.type, held: null, isPlace };
    }
    const isWord = shape.kind === 'pointer' && !shape.isValue;
    if (!isWord && shape.kind !== 'text') return this.#watchedWhole(at);
    const meaning = this.field(at);
    const held = meaning.kind === 'text' ? meaning.held : null;
    const kind = shape.kind === 'text' ? 'cstring' : 'pointer';
    return { type: { kind, name: shape.name }, held, isPlace };
  }

  /** All that lies there, and what it leads to. */
  #watchedWhole(at: FieldPlace): Watched {
    const { shape, offset, name } = at;
    if (shape.kind === 'opaque')
      throw new CannotCompile(`${name} (${shape.name}) is not read: ${shape.reason}`);
    const isPlace = !this.isInPassed;
    this.constant(BigInt(offset));
    this.emit(condition.add);
    const type = at.tree('name' in shape ? shape.name : shape.kind, watchedDepth);
    return { type, held: null, isPlace };
  }

  value(expression: Expression): Meaning {
    switch (expression.kind) {
      case 'integer':
        this.constant(expression.value);
        return { kind: expression.value < 1n << 63n ? 'signed' : 'unsigned' };
      case 'decimal':
        this.constant(keyOf(expression.value));
        return { kind: 'float', bytes: 8 };
      case 'text':
        throw new CannotCompile(`"${expression.value}" stands where a number is wanted`);
      case 'name':
        if (this.isVariable(expression.name)) return this.field(this.lvalue(expression));
        return this.parameter(this.named(expression.name));
      case 'member':
        return this.field(this.lvalue(expression));
      case 'index':
        if (isArgs(expression.of)) return this.argument(expression.at);
        return this.field(this.lvalue(expression));
      case 'unary':
        if (expression.operator === '*') return this.field(this.lvalue(expression));
        return this.#unary(expression.operator, expression.of);
      case 'binary':
        return this.#binary(expression.operator, expression.left, expression.right);
      case 'cast':
        return this.#cast(expression);
      case 'call':
        return this.#call(expression);
      case 'forall':
        return this.#walk(expression);
    }
  }

  #cast({ type, stars, of }: Extract<Expression, { kind: 'cast' }>): Meaning {
    const target = stars > 0 ? castTarget(type, stars, this.fn, this.variables.values()) : null;
    const number = stars > 0 ? null : numberType(type);
    const meaning = this.value(of);
    if (meaning.kind === 'float' || (meaning.kind === 'text' && meaning.held))
      throw new CannotCompile(
        `a ${meaning.kind === 'float' ? 'floating-point number' : 'text'} is not cast`,
      );
    if (!number) {
      this.isInPassed = false;
      return type === 'char' && stars === 1
        ? { kind: 'text', held: null }
        : { kind: 'address', to: target };
    }
    if (number.kind === 'float') throw new CannotCompile('a number is cast to whole numbers only');
    if (number.kind === 'bool') {
      this.emit(condition.not);
      this.emit(condition.not);
      return { kind: 'signed' };
    }
    const { bytes, signed } = readingOf(number, null);
    this.constant((1n << BigInt(8 * bytes)) - 1n);
    this.emit(condition.bitAnd);
    if (signed) {
      this.constant(1n << BigInt(8 * bytes - 1));
      this.emit(condition.bitXor);
      this.constant(1n << BigInt(8 * bytes - 1));
      this.emit(condition.subtract);
    }
    return { kind: signed || bytes < 8 ? 'signed' : 'unsigned' };
  }

  #unary(operator: '!' | '-' | '~', of: Expression): Meaning {
    if (operator === '!') {
      this.number(of);
      this.emit(condition.not);
      return { kind: 'signed' };
    }
    if (operator === '-' && (of.kind === 'decimal' || of.kind === 'integer'))
      return this.value(negated(of));
    this.constant(operator === '-' ? 0n : -1n);
    const meaning = this.number(of);
    if (meaning.kind === 'float')
      throw new CannotCompile('floating-point numbers are only compared');
    this.emit(operator === '-' ? condition.subtract : condition.bitXor);
    return { kind: 'signed' };
  }

  #binary(operator: BinaryOperator, left: Expression, right: Expression): Meaning {
    if (operator === '==' || operator === '!=') {
      if (right.kind === 'text') return this.#comparesText(left, right.value, operator);
      if (left.kind === 'text') return this.#comparesText(right, left.value, operator);
    }
    if (operator === '&&' || operator === '||') {
      this.number(left);
      this.number(right);
      this.emit(operator === '&&' ? condition.both : condition.either);
      return { kind: 'signed' };
    }
    const address = this.#addressArithmetic(operator, left, right);
    if (address) return address;
    return this.#numbers(operator, left, right);
  }

  #numbers(
    operator: Exclude<BinaryOperator, '&&' | '||'>,
    left: Expression,
    right: Expression,
  ): Meaning {
    // a > b is b < a.
    const turned = operator === '>' || operator === '>=';
    const [first, second] = turned ? [right, left] : [left, right];
    if (operator in comparisons && this.#areTexts(left, right))
      return this.#comparesTexts(operator, first, second);
    const other = this.#kindOf(second);
    const one = this.#operand(first, other);
    const two = this.#operand(second, one);
    const isFloat = one.kind === 'float' || two.kind === 'float';
    const compares = operator in comparisons;
    if (isFloat && !compares) throw new CannotCompile('floating-point numbers are only compared');
    if (isFloat && one.kind !== two.kind)
      throw new CannotCompile('a floating-point number is compared with a whole one');
    this.emit(operations[operator]);
    if (operator === '!=') this.emit(condition.not);
    return {
      kind: compares || isSigned(operator, [one, first], [two, second]) ? 'signed' : 'unsigned',
    };
  }

  /** As in C: what is added to an address counts what that leads to. Null: neither is one that is known to lead anywhere. */
  #addressArithmetic(
    operator: BinaryOperator,
    left: Expression,
    right: Expression,
  ): Meaning | null {
    if (operator !== '+' && operator !== '-') return null;
    const [one, two] = [this.#kindOf(left), this.#kindOf(right)];
    const [to, other] = [pointedBy(one), pointedBy(two)];
    if (!to && !(other && operator === '+')) return null;
    const stride = strideOf(to ?? other);
    this.value(left);
    if (!to) this.scale(stride, condition.multiply);
    this.value(right);
    if (to && !other) this.scale(stride, condition.multiply);
    this.emit(operations[operator]);
    if (!to || !other) return { kind: 'address', to: to ?? other };
    this.scale(stride, condition.divide);
    return { kind: 'signed' };
  }

  /** A literal beside a floating-point number is one of its kind. */
  #operand(expression: Expression, beside: Meaning): Meaning {
    const isNegated = expression.kind === 'unary' && expression.operator === '-';
    const literal = isNegated ? negated(expression.of) : expression;
    if (beside.kind !== 'float' || (literal.kind !== 'integer' && literal.kind !== 'decimal'))
      return this.number(expression);
    const value = Number(literal.value);
    // As it is shown: a float of 0.1 is 0.1.
    return this.value({ kind: 'decimal', value: beside.bytes === 4 ? Math.fround(value) : value });
  }

  /** The meaning of an expression, without its words. */
  #kindOf(expression: Expression): Meaning {
    const known = this.#kinds.get(expression);
    if (known) return known;
    const other = new ExpressionCompiler(this.fn, this.names, this.#kinds);
    other.elements = this.elements;
    const meaning = other.value(expression);
    this.usesNext ||= other.usesNext;
    this.#kinds.set(expression, meaning);
    return meaning;
  }

  #areTexts(left: Expression, right: Expression): boolean {
    return [left, right].every((one) => {
      const meaning = this.#kindOf(one);
      return meaning.kind === 'text' && meaning.held === null;
    });
  }

  /** Two C strings by their bytes. */
  #comparesTexts(
    operator: Exclude<BinaryOperator, '&&' | '||'>,
    first: Expression,
    second: Expression,
  ): Meaning {
    this.value(first);
    this.value(second);
    this.emit(walkCondition.compareTexts);
    this.constant(0n);
    this.emit(operations[operator]);
    if (operator === '!=') this.emit(condition.not);
    return { kind: 'signed' };
  }

  #comparesText(of: Expression, text: string, operator: '==' | '!='): Meaning {
    const meaning = this.value(of);
    if (meaning.kind === 'text') this.#text(meaning, condition.equalsText, text);
    else {
      this.constant(numberNamed(text, 'type' in meaning ? meaning.type : undefined));
      this.emit(condition.equal);
    }
    if (operator === '!=') this.emit(condition.not);
    return { kind: 'signed' };
  }

  #text(meaning: Meaning, operation: number, text: string): void {
    if (meaning.kind !== 'text') throw new CannotCompile('a number is compared with a text');
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > 128) throw new CannotCompile('a text has more than 128 bytes');
    this.emit(operation, { index: bytes.length, offset: whereOf(meaning.held) });
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
    const elements = name === 'len' ? this.#elementsIn(of) : null;
    if (elements) return elements;
    const meaning = this.value(of);
    if (name === 'isNull') {
      if (meaning.kind === 'text' && meaning.held) throw new CannotCompile('it is never null');
      this.emit(condition.not);
      return { kind: 'signed' };
    }
    if (meaning.kind !== 'text')
      throw new CannotCompile('len() is of text, and of elements one after the other');
    this.emit(condition.length, { offset: whereOf(meaning.held) });
    return { kind: 'unsigned' };
  }

  /** How many elements a place holds; null: it is none, or of another kind. */
  #elementsIn(of: Expression): Meaning | null {
    if (!namesPlace(of) || isArgs(of)) return null;
    const parameter = this.parameterOf(of);
    if (parameter && (parameter.type.kind !== 'tree' || !isPassedWhole(parameter))) return null;
    const other = new ExpressionCompiler(this.fn, this.names);
    other.elements = this.elements;
    const place = other.lvalue(of);
    const { shape } = place;
    if (shape.kind === 'sequence') return this.#count(of, shape);
    const kept =
      shape.kind === 'pointer' && shape.isValue ? place.to(shape.target, 0).shape : shape;
    if (kept.kind !== 'groups' && (kept.kind !== 'ring' || kept === shape)) return null;
    const { offset } = this.behind(this.lvalue(of));
    this.emit(condition.load, { bytes: 8, offset: offset + kept.count });
    return { kind: 'unsigned' };
  }

  #walk({ head, step, test, meansElement }: Walk): Meaning {
    if (this.elements) throw new CannotCompile('forall() does not stand inside another');
    const first = this.value(head);
    const to = first.kind === 'address' ? first.to : null;
    if (!to) throw new CannotCompile('forall() begins at a pointer whose type is known');
    const index = meansElement ? 1 : 0;
    const begin = this.words.length;
    this.emit(walkCondition.walk, { index });
    this.elements = { it: elementOf('it', to) };
    const following = this.value(step);
    const next = following.kind === 'address' ? following.to : null;
    if (!next) throw new CannotCompile('the step of forall() is the pointer to the next element');
    const stepAt = this.words.length;
    this.emit(walkCondition.walkStep, { index });
    this.elements = { ...this.elements, next: elementOf('next', next) };
    this.usesNext = false;
    this.number(test);
    const end = this.words.length;
    this.emit(walkCondition.walkTest, { index, offset: end - begin });
    this.elements = null;
    const named = this.usesNext ? 1n << 24n : 0n;
    this.words[begin] = (this.words[begin] ?? 0n) | (BigInt(end - begin) << 32n);
    this.words[stepAt] = (this.words[stepAt] ?? 0n) | (BigInt(end - stepAt) << 32n) | named;
    return meansElement ? { kind: 'address', to } : { kind: 'signed' };
  }

  /** How many elements there are. */
  #count(of: Expression, { pointer, length, byEnd, unit }: SequenceShape): Meaning {
    const load = (at: number): void =>
      this.emit(condition.load, { bytes: 8, offset: this.lvalue(of).offset + at });
    load(length);
    if (!byEnd) return { kind: 'unsigned' };
    load(pointer);
    this.emit(condition.subtract);
    this.constant(BigInt(unit));
    this.emit(condition.divide);
    return { kind: 'unsigned' };
  }
}
