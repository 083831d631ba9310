import { resultNotKnown, type Expression } from '../../../model/watches/expression.ts';
import type { FoundVariable } from '../../../model/functions/foundVariable.ts';
import type { Parameter } from '../../../model/values/valueType.ts';
import { condition, conditionCopies, loadDirect } from '../../../protocol/record.ts';
import { walkCondition } from '../../../protocol/statementProbe.ts';
import { character } from './addresses.ts';
import { namesPlace, negated } from './expressionForms.ts';
import { CannotCompile, FieldPlace } from './fieldPlace.ts';
import { readingOf, type Meaning } from './operandKind.ts';
import {
  addressOfGo,
  addressOfPassed,
  isPassedWhole,
  resultOf,
  type CompiledIn,
} from './passedValues.ts';

/** A place in the words that depends on the address of a variable's module. */
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

/** What an expression may name beside the parameters of its function. */
export interface Names {
  readonly variables?: Variables;
  /** It is asked where the call returns: `return` is the result. */
  readonly hasResult?: boolean;
  /** Of a variable in several places the stack word from which on it is put together; null: there is no room. */
  readonly gather?: (variable: FoundVariable) => number | null;
}

/** Compiles what names a place: parameters, variables, fields, elements. */
export abstract class PlaceCompiler {
  readonly words: bigint[] = [];
  readonly fixups: Fixup[] = [];
  /** Parameters that were used. */
  readonly used: Parameter[] = [];
  /** Loads whose address was itself loaded, or passed. */
  hops = 0;
  /** `return` was used. */
  usesResult = false;
  protected readonly fn: CompiledIn | null;
  protected readonly names: Names;
  protected readonly variables: Variables;
  /** Which copy each parameter has that is passed in registers. */
  readonly #copies = new Map<Parameter, number>();
  /** The address on top is in a value that was passed as it is: not in memory that others may mean. */
  protected isInPassed = false;
  /** The address on top is in the frame of a call, which is there. */
  #isInOwnFrame = false;
  #result: Parameter | null = null;
  /** What `it` and `next` mean inside a walk; \`next\` not in its step. */
  protected elements: { readonly it: Parameter; readonly next?: Parameter } | null = null;
  /** `next` was used. */
  protected usesNext = false;
  /** The variable whose address is what was emitted last. */
  #justPlaced: Fixup | null = null;

  constructor(fn: CompiledIn | null, names: Names = {}) {
    this.fn = fn;
    this.names = names;
    this.variables = names.variables ?? noVariables;
  }

  /** Puts its value on the stack. */
  abstract value(expression: Expression): Meaning;

  protected isVariable(name: string): boolean {
    if (name === 'it' && this.elements) return false;
    if (name === 'next' && this.elements?.next) return false;
    return this.variables.has(name);
  }

  protected emit(
    operation: number,
    parts: { index?: number; bytes?: number; signed?: boolean; offset?: number } = {},
  ): void {
    const { index = 0, bytes = 0, signed = false, offset = 0 } = parts;
    const isLoad = operation === condition.load || operation === condition.loadFloat;
    const direct = isLoad && this.#isInOwnFrame ? loadDirect : 0;
    const low = operation | (index << 8) | (bytes << 16) | (signed ? 1 << 24 : 0) | direct;
    if (isLoad && this.#justPlaced) this.#justPlaced.load = this.words.length;
    else if (isLoad && !this.#isInOwnFrame) this.hops++;
    if (isLoad) this.isInPassed = this.#isInOwnFrame = false;
    this.#justPlaced = null;
    this.words.push(BigInt(low >>> 0) | (BigInt(offset >>> 0) << 32n));
  }

  protected constant(value: bigint): void {
    if (value >= 1n << 64n || value < -(1n << 63n))
      throw new CannotCompile(`${value} has more than 64 bits`);
    this.emit(condition.constant, { signed: value < 0n });
    this.words.push(BigInt.asUintN(64, value));
  }

  protected named(name: string): Parameter {
    if (name === 'return') {
      if (this.fn && this.names.hasResult === true) return (this.#result ??= resultOf(this.fn));
      throw new CannotCompile(resultNotKnown);
    }
    const element =
      name === 'it' ? this.elements?.it : name === 'next' ? this.elements?.next : undefined;
    if (element) return element;
    const parameters = this.fn?.parameters ?? [];
    const found = parameters.find((parameter) => parameter.name === name);
    if (found) return found;
    const names = parameters.map((parameter) => parameter.name);
    const has = names.length > 0 ? `it has ${names.join(', ')}` : 'none of them are known';
    throw new CannotCompile(
      `it has no parameter "${name}": ${has} (local variables cannot be read)`,
    );
  }

  protected uses(parameter: Parameter): void {
    if (parameter.name === 'return') this.usesResult = true;
    else this.used.push(parameter);
  }

  /** Puts a parameter's value on the stack. */
  protected parameter(parameter: Parameter): Meaning {
    const { place, type } = parameter;
    if (parameter === this.elements?.it || parameter === this.elements?.next) {
      const isNext = parameter === this.elements.next;
      this.usesNext ||= isNext;
      this.emit(walkCondition.element, { index: isNext ? 1 : 0 });
      return readingOf(type, parameter).meaning;
    }
    if (place.kind === 'none') {
      if (place.constant === undefined) throw new CannotCompile(place.reason);
      this.constant(place.constant);
      return readingOf(type, parameter).meaning;
    }
    if (type.kind === 'tree' && isPassedWhole(parameter))
      return this.field(this.placePassed(parameter));
    this.uses(parameter);
    const { bytes, signed, meaning } = readingOf(type, parameter);
    if (this.fn?.isOfGo === true) {
      this.#addressOf(parameter);
      this.emit(meaning.kind === 'float' ? condition.loadFloat : condition.load, { bytes, signed });
      return meaning;
    }
    if (place.kind === 'float') {
      this.emit(condition.float, { index: place.register, bytes });
      return meaning;
    }
    if (meaning.kind === 'float') throw new CannotCompile(`${parameter.name} is on the stack`);
    if (place.kind === 'integer')
      this.emit(condition.integer, { index: place.register, bytes, signed });
    else if (place.kind === 'stack' && place.offset / 8 < 256)
      this.emit(condition.stack, { index: place.offset / 8, bytes, signed });
    else if (isPassedWhole(parameter)) this.#addressOf(parameter);
    else throw new CannotCompile(`${parameter.name} is passed where it is not read`);
    return meaning;
  }

  #addressOf(parameter: Parameter): void {
    if (this.fn?.isOfGo === true) {
      const isAtReturn = this.names.hasResult === true && parameter.name !== 'return';
      for (const { operation, parts } of addressOfGo(parameter, isAtReturn))
        this.emit(operation, parts);
      this.isInPassed = true;
      return;
    }
    const { operation, parts } = addressOfPassed(parameter, () => this.#copyOf(parameter));
    this.emit(operation, parts);
    this.isInPassed = true;
  }

  #copyOf(parameter: Parameter): number {
    const known = this.#copies.get(parameter);
    if (known !== undefined) return known;
    const { count } = conditionCopies;
    if (this.#copies.size >= count)
      throw new CannotCompile(`it names more than ${count} structures that are passed by value`);
    this.#copies.set(parameter, this.#copies.size);
    return this.#copies.size - 1;
  }

  /** A value that is passed as it is, whose address is then on the stack. */
  protected placePassed(parameter: Parameter): FieldPlace {
    const { type, name, place } = parameter;
    if (place.kind === 'none') throw new CannotCompile(place.reason);
    if (type.kind !== 'tree') throw new CannotCompile(`${name} has no fields`);
    this.uses(parameter);
    this.#addressOf(parameter);
    return new FieldPlace(type.shapes, name, type.root, 0);
  }

  /** Puts an address on the stack from which the place of the expression's value counts. */
  protected lvalue(expression: Expression): FieldPlace {
    switch (expression.kind) {
      case 'name': {
        const variable = this.isVariable(expression.name)
          ? this.variables.get(expression.name)
          : undefined;
        if (variable) return this.#placeVariable(variable);
        const parameter = this.named(expression.name);
        if (isPassedWhole(parameter)) return this.placePassed(parameter);
        throw new CannotCompile(`${expression.name} is an argument, not a place in memory`);
      }
      case 'member':
        return this.#object(expression.of).field(expression.field);
      case 'unary':
        if (expression.operator === '*') return this.#object(expression.of);
        break;
      case 'index':
        return this.#element(expression.of, expression.at);
      default:
    }
    throw new CannotCompile('a field is asked of something that is no variable');
  }

  #placeVariable(variable: FoundVariable): FieldPlace {
    const { type, place, name } = variable;
    if (place.kind === 'frame') {
      const { register: index, offset } = place;
      this.emit(condition.stack, { index, bytes: 8, offset });
      this.isInPassed = true;
      this.#isInOwnFrame = place.isOwn;
      return new FieldPlace(type.shapes, name, type.root, 0);
    }
    if (place.kind === 'parts') {
      const index = this.names.gather?.(variable) ?? null;
      if (index === null) throw new CannotCompile('too many values are in several registers');
      this.emit(condition.stackAddress, { index });
      this.isInPassed = true;
      return new FieldPlace(type.shapes, name, type.root, 0);
    }
    if (place.kind === 'thread') {
      this.emit(condition.thread);
      this.constant(BigInt(place.offset));
      this.emit(condition.add);
    } else this.constant(0n);
    const at = place.kind === 'thread' ? null : this.words.length - 1;
    const fixup: Fixup = { at, variable, load: null };
    this.fixups.push(fixup);
    this.#justPlaced = fixup;
    this.isInPassed = false;
    return new FieldPlace(type.shapes, name, type.root, 0);
  }

  /** The object whose fields are meant: of a pointer what it leads to. */
  #object(of: Expression): FieldPlace {
    const parameter = this.parameterOf(of);
    if (!parameter && namesPlace(of)) return this.behind(this.lvalue(of));
    if (parameter?.type.kind === 'tree' && isPassedWhole(parameter))
      return this.behind(this.placePassed(parameter));
    const name = parameter?.name ?? 'it';
    if (parameter) this.#hasFields(parameter);
    return this.#pointed(this.value(of), name);
  }

  #hasFields({ name, type, place }: Parameter): void {
    if (type.kind === 'tree' || type.kind === 'pointer') return;
    if (type.kind === 'unknown' && place.kind === 'none')
      throw new CannotCompile(`${name}: ${place.reason}`);
    const what = type.kind === 'cstring' ? 'text' : 'name' in type ? type.name : 'not known';
    throw new CannotCompile(`${name} has no fields: it is ${what}`);
  }

  /** What the address on the stack leads to. */
  #pointed(meaning: Meaning, name: string): FieldPlace {
    const isText = meaning.kind === 'text' && meaning.held === null;
    const to = meaning.kind === 'address' ? meaning.to : isText ? character : null;
    if (meaning.kind !== 'address' && !isText)
      throw new CannotCompile(`${name} is a number, and leads to nothing`);
    if (!to)
      throw new CannotCompile(
        `what ${name} leads to is not known: cast it, as in ((struct node*)${name})->next`,
      );
    this.isInPassed = false;
    return new FieldPlace(to.shapes, name, to.shape, to.skip);
  }

  /** What a pointer leads to, anything else itself. */
  protected behind(place: FieldPlace): FieldPlace {
    const pointer = place.pointer();
    if (!pointer) return place;
    this.emit(condition.load, { bytes: 8, offset: place.offset + pointer.at });
    return place.to(pointer.target, pointer.skip);
  }

  #element(of: Expression, at: Expression): FieldPlace {
    const row = this.#row(of);
    const index = at.kind === 'unary' && at.operator === '-' ? negated(at.of) : at;
    if (index.kind === 'integer') {
      const number = Number(index.value);
      if (row.count !== null && (number >= row.count || number < 0))
        throw new CannotCompile(`${row.first.name} has ${row.count} elements`);
      return row.first.scaled(number);
    }
    const wasInPassed = this.isInPassed;
    this.constant(BigInt(row.first.offset));
    this.emit(condition.add);
    const meaning = this.number(at);
    if (meaning.kind === 'float') throw new CannotCompile('an index is a whole number');
    this.scale(row.first.stride, condition.multiply);
    this.emit(condition.add);
    this.isInPassed = wasInPassed;
    // It may lie outside.
    this.#isInOwnFrame = false;
    return row.first.atStart();
  }

  /** The first of what is indexed; `count` null: how many there are is not known. */
  #row(of: Expression): { readonly first: FieldPlace; readonly count: number | null } {
    const parameter = this.parameterOf(of);
    const isWhole = parameter?.type.kind === 'tree' && isPassedWhole(parameter);
    if ((parameter && !isWhole) || !namesPlace(of)) return { first: this.#object(of), count: null };
    const place = this.lvalue(of);
    const { shape } = place;
    if (shape.kind === 'array')
      return { first: place.to(shape.element, place.offset), count: shape.count };
    const flexible = place.flexible();
    if (flexible) return { first: flexible, count: null };
    if (shape.kind === 'pointer' && !shape.isValue)
      return { first: this.behind(place), count: null };
    if (shape.kind !== 'sequence') throw new CannotCompile(`${place.name} cannot be indexed`);
    this.emit(condition.load, { bytes: 8, offset: place.offset + shape.pointer });
    return { first: place.to(shape.element, 0), count: null };
  }

  /** Multiplies or divides what is on the stack by the size of what an address leads to. */
  protected scale(stride: number, operation: number): void {
    if (stride <= 1) return;
    this.constant(BigInt(stride));
    this.emit(operation);
  }

  /** Null: it is no parameter. */
  protected parameterOf(of: Expression): Parameter | null {
    if (of.kind !== 'name' || this.isVariable(of.name)) return null;
    return this.named(of.name);
  }

  /** What is at a place in the object whose address is on the stack. */
  protected field(place: FieldPlace): Meaning {
    const { name, shape, offset } = place;
    switch (shape.kind) {
      case 'pointer':
        this.emit(condition.load, { bytes: 8, offset: offset + shape.at });
        return { kind: 'address', to: place.pointed(shape.target, shape.skip) };
      case 'interface':
        this.emit(condition.load, { bytes: 8, offset });
        return { kind: 'address', to: null };
      case 'text': {
        const { pointer, length } = shape;
        if (length === null) {
          this.emit(condition.load, { bytes: 8, offset: offset + pointer });
          return { kind: 'text', held: null };
        }
        this.constant(BigInt(offset));
        this.emit(condition.add);
        const held = { pointer, length, byEnd: false, unit: 1, inWords: false };
        return { kind: 'text', held };
      }
      case 'scalar': {
        const { bytes, signed, meaning } = readingOf(shape.type, null);
        const operation = meaning.kind === 'float' ? condition.loadFloat : condition.load;
        this.emit(operation, { bytes, signed, offset });
        return meaning;
      }
      // As strcmp reads it: to a NUL.
      case 'array':
        if (place.isText()) {
          this.constant(BigInt(offset));
          this.emit(condition.add);
          return { kind: 'text', held: null };
        }
        throw new CannotCompile(`${name} is an array, which is not compared: choose an element`);
      default:
        throw new CannotCompile(`${name} is of a kind that is not compared`);
    }
  }

  /** `args[0]` is the first integer register, where nothing is known of a function. */
  protected argument(at: Expression): Meaning {
    if (at.kind !== 'integer') throw new CannotCompile('an index is a number, as in args[0]');
    const index = Number(at.value);
    const parameters = this.fn?.parameters ?? [];
    const known = parameters[index];
    if (known) return this.parameter(known);
    if (parameters.length > 0 || index > 5) throw new CannotCompile(`it has no argument ${index}`);
    this.emit(condition.integer, { index, bytes: 8, signed: true });
    return { kind: 'signed' };
  }

  protected number(expression: Expression): Meaning {
    const meaning = this.value(expression);
    if (meaning.kind === 'text') throw new CannotCompile('a text stands where a number is wanted');
    return meaning;
  }
}
