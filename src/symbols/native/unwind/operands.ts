import type { Evaluated } from '../../../model/debug/evaluated.ts';
import { decodeScalar, hexadecimal } from '../../../model/decoding/scalars.ts';
import type { Value } from '../../../model/questions/query.ts';
import { builtinType } from '../../../model/values/builtinType.ts';
import type { ScalarType } from '../../../model/values/scalarType.ts';
import { evaluate, field, inner, type NamedValues } from '../../../model/watches/evaluate.ts';
import type { Expression } from '../../../model/watches/expression.ts';
import { attribute, tag } from '../dwarf/constants.ts';
import { Entry } from '../dwarf/entry.ts';
import { bytesOf, membersOf, pointee, type Member } from '../dwarf/types/members.ts';
import type { TypeReader, TypeReference } from '../dwarf/types/types.ts';
import type { Unit } from '../dwarf/unitTable.ts';
import { namedGlobal } from './lineVariables.ts';
import { namedType } from './namedType.ts';
import { readValue, type Source } from './readValue.ts';
import { littleEndian, type KnownMemory } from './snapshotMemory.ts';
import type { ReadVariable } from './variables.ts';

/** A clause that says why an expression has no value. */
export class CannotEvaluate extends Error {}

/** What a part of an expression is, with where it lies. */
export type Operand =
  | { readonly kind: 'held'; readonly type: TypeReference; readonly source: Source }
  | {
      readonly kind: 'bits';
      readonly type: TypeReference;
      readonly at: bigint;
      readonly bits: Bits;
    }
  /** Memory as a number of a type that is known everywhere. */
  | { readonly kind: 'number'; readonly type: ScalarType; readonly address: bigint }
  /** A cast to an address: null, to nothing that is known. */
  | {
      readonly kind: 'address';
      readonly address: bigint;
      readonly to: Pointed | null;
      readonly name: string;
    }
  | { readonly kind: 'value'; readonly value: Value };

type Bits = NonNullable<Member['bits']>;

interface Pointed {
  readonly type: TypeReference | ScalarType;
  /** Pointers between. */
  readonly stars: number;
}

const mostNested = 8;
/** Elements that are read for one. */
const mostElements = 10_000;

/** What names mean. */
export interface Scene {
  readonly types: TypeReader;
  readonly memory: KnownMemory;
  readonly bias: bigint;
  /** Of the function that runs; null: none does. */
  readonly unit: Unit | null;
  /** Of its frame. */
  readonly variables: readonly ReadVariable[];
}

/** Reads what names, members, elements and addresses of an expression are in one frame. */
export class Operands implements NamedValues {
  readonly #scene: Scene;
  readonly #elements: number;

  constructor(scene: Scene, elements: number) {
    this.#scene = scene;
    this.#elements = elements;
  }

  value(): undefined {
    return undefined;
  }

  argument(): undefined {
    return undefined;
  }

  at(expression: Expression): Value | undefined {
    const operand = this.of(expression);
    return operand ? this.#valueOf(operand) : undefined;
  }

  /** Null: it is computed. Throws CannotEvaluate. */
  of(expression: Expression): Operand | null {
    switch (expression.kind) {
      case 'name':
        return this.#meant(this.#named(expression.name));
      case 'member':
        return this.#meant(this.#member(this.#known(expression.of), expression.field));
      case 'index':
        return this.#element(this.#known(expression.of), this.#whole(expression.at));
      case 'unary':
        return expression.operator === '*' ? this.#followed(this.#known(expression.of)) : null;
      case 'cast':
        return expression.stars > 0
          ? this.#address(expression.type, expression.stars, this.#whole(expression.of))
          : null;
      default:
        return null;
    }
  }

  describe(operand: Operand): Evaluated {
    const value = this.#valueOf(operand);
    const nowhere = { value, place: null, bytes: 0, scalar: null };
    const { types } = this.#scene;
    switch (operand.kind) {
      case 'value':
        return { ...nowhere, type: null };
      case 'address':
        return { ...nowhere, type: operand.name };
      case 'bits':
        return { ...nowhere, type: types.nameOf(operand.type, 0) };
      case 'number': {
        const { type, address } = operand;
        const bytes = 'bytes' in type ? type.bytes : 8;
        return { value, type: type.name, place: { kind: 'memory', address }, bytes, scalar: type };
      }
      case 'held': {
        const { source, type } = operand;
        const described = types.read(type).value;
        return {
          value,
          type: types.nameOf(type, 0),
          place:
            source.kind === 'memory'
              ? { kind: 'memory', address: source.address }
              : source.register === undefined
                ? null
                : { kind: 'register', number: source.register },
          bytes: bytesOf(types, type),
          scalar: isScalar(described) ? described : null,
        };
      }
    }
  }

  #known(expression: Expression): Operand {
    const operand = this.of(expression);
    if (operand) return operand;
    const known = evaluate(expression, this);
    if (typeof known !== 'bigint') throw new CannotEvaluate('a part of it has no place');
    return { kind: 'address', address: known, to: null, name: 'void*' };
  }

  #whole(expression: Expression): bigint {
    const known = evaluate(expression, this);
    if (typeof known === 'bigint') return known;
    throw new CannotEvaluate('an index or address in it is no whole number that is known');
  }

  #named(name: string): Operand {
    const local = this.#scene.variables.find(({ variable }) => variable.name === name);
    if (local) return held(name, local);
    const own = this.#scene.variables.find(
      ({ variable }) => variable.name === 'this' || variable.name === '__closure',
    );
    const object = own && this.#followed(held('this', own));
    if (object?.kind === 'held') {
      const found = this.#memberOf(object, name, 0);
      if (found) return found;
    }
    const global = namedGlobal(name, this.#scene);
    if (global) return held(name, global);
    const names = this.#scene.variables.map(({ variable }) => variable.name);
    throw new CannotEvaluate(
      names.length === 0
        ? `no single global is named ${name}, and locals are known only where a thread is stopped in their function`
        : `no variable of this frame, and no single global, is named ${name}: there are ${names.slice(0, 12).join(', ')}`,
    );
  }

  /** Of a reference what it stands for. */
  #meant(operand: Operand): Operand {
    if (operand.kind !== 'held') return operand;
    const { types } = this.#scene;
    const plain = types.plain(operand.type);
    const kind = plain && types.info.read(plain.unit, plain.offset, new Entry()).tag;
    const isReference = kind === tag.referenceType || kind === tag.rvalueReferenceType;
    return isReference ? this.#followed(operand) : operand;
  }

  #member(of: Operand, name: string): Operand {
    const base = this.#object(of);
    const found = base && this.#memberOf(base, name, 0);
    if (found) return found;
    const value = field(this.#valueOf(of), name);
    if (value) return { kind: 'value', value };
    const { types } = this.#scene;
    const names = base
      ? membersOf(types, base.type).filter((one) => !one.isBase && one.name !== '')
      : [];
    const some = names.map((one) => one.name).slice(0, 16);
    throw new CannotEvaluate(
      base && some.length > 0
        ? `${types.nameOf(base.type, 0)} has no member ${name}: it has ${some.join(', ')}`
        : `what it names has no member ${name}`,
    );
  }

  /** Itself, or what it points to. */
  #object(of: Operand): Extract<Operand, { kind: 'held' }> | null {
    let one: Operand = of;
    for (let i = 0; i < mostNested; i++) {
      const isPointer = one.kind === 'held' && pointee(this.#scene.types, one.type) !== null;
      if (one.kind === 'held' && !isPointer) return one;
      if (!isPointer && one.kind !== 'address') return null;
      one = this.#followed(one);
    }
    return null;
  }

  #memberOf(of: Extract<Operand, { kind: 'held' }>, name: string, depth: number): Operand | null {
    const { types } = this.#scene;
    const members = depth > mostNested ? [] : membersOf(types, of.type);
    const own = members.find((one) => !one.isBase && one.name === name);
    if (own) return this.#part(of, own);
    for (const one of members) {
      if (!one.isBase && one.name !== '') continue;
      const inside = one.offset === null ? null : this.#part(of, one);
      const found = inside?.kind === 'held' ? this.#memberOf(inside, name, depth + 1) : null;
      if (found) return found;
    }
    return null;
  }

  #part({ source }: Extract<Operand, { kind: 'held' }>, member: Member): Operand {
    const { offset, type, bits } = member;
    if (offset === null) throw new CannotEvaluate(`${member.name} is of a virtual base`);
    if (bits) {
      if (source.kind === 'bytes')
        throw new CannotEvaluate(`${member.name} is a part of a register`);
      return { kind: 'bits', type, at: source.address + BigInt(offset), bits };
    }
    if (source.kind === 'memory')
      return {
        kind: 'held',
        type,
        source: { kind: 'memory', address: source.address + BigInt(offset) },
      };
    const end = offset + bytesOf(this.#scene.types, type);
    return {
      kind: 'held',
      type,
      source: { kind: 'bytes', bytes: source.bytes.subarray(offset, end) },
    };
  }

  #element(of: Operand, at: bigint): Operand {
    if (of.kind === 'address') return this.#pointed(of, at);
    if (of.kind === 'held') {
      const { types } = this.#scene;
      const target = pointee(types, of.type);
      if (target) return this.#placed(target, this.#word(of) + at * this.#step(target));
      const element = this.#elementType(of.type);
      if (element) {
        const offset = at * this.#step(element);
        if (of.source.kind === 'memory') return this.#placed(element, of.source.address + offset);
        const bytes = of.source.bytes.subarray(Number(offset));
        return { kind: 'held', type: element, source: { kind: 'bytes', bytes } };
      }
      const all = this.#read(of, Number(at) + 1);
      const list = inner(all);
      const item = list?.kind === 'list' ? list.items[Number(at)] : undefined;
      if (item) return { kind: 'value', value: item };
      if (list?.kind === 'list')
        throw new CannotEvaluate(`element ${at} is not there: there are ${list.total}`);
    }
    const list = inner(this.#valueOf(of));
    const item = list?.kind === 'list' ? list.items[Number(at)] : undefined;
    if (!item) throw new CannotEvaluate(`what it names has no element ${at}`);
    return { kind: 'value', value: item };
  }

  #elementType(type: TypeReference): TypeReference | null {
    const { info } = this.#scene.types;
    const plain = this.#scene.types.plain(type);
    if (!plain) return null;
    const entry = info.read(plain.unit, plain.offset, new Entry());
    if (entry.tag !== tag.arrayType || this.#scene.types.dimensions(plain).length > 1) return null;
    return info.follow(plain.unit, entry, attribute.type);
  }

  #followed(of: Operand): Operand {
    if (of.kind === 'address') return this.#pointed(of, 0n);
    const target = of.kind === 'held' ? pointee(this.#scene.types, of.type) : null;
    if (of.kind === 'held' && target) return this.#placed(target, this.#word(of));
    const value = this.#valueOf(of);
    const pointed = inner(value);
    if (!pointed || pointed === value)
      throw new CannotEvaluate('what it dereferences is no known pointer');
    return { kind: 'value', value: pointed };
  }

  #pointed({ address, to, name }: Extract<Operand, { kind: 'address' }>, at: bigint): Operand {
    if (!to)
      throw new CannotEvaluate(
        `${name} leads to nothing that is known: cast it, as in *(long*)${hexadecimal(address)}`,
      );
    if (to.stars > 0) {
      const next = this.#scene.memory.word(address + 8n * at);
      if (next === null) throw unreadable(address + 8n * at);
      return { ...this.#to(to, to.stars - 1), address: next, name: name.slice(0, -1) };
    }
    const { type } = to;
    if ('unit' in type) return this.#placed(type, address + at * this.#step(type));
    const bytes = 'bytes' in type ? type.bytes : 8;
    return { kind: 'number', type, address: address + at * BigInt(bytes) };
  }

  #to(to: Pointed, stars: number): { readonly kind: 'address'; readonly to: Pointed } {
    return { kind: 'address', to: { ...to, stars } };
  }

  #placed(type: TypeReference, address: bigint): Operand {
    return { kind: 'held', type, source: { kind: 'memory', address } };
  }

  #step(type: TypeReference): bigint {
    const bytes = bytesOf(this.#scene.types, type);
    if (bytes === 0) throw new CannotEvaluate('the size of what it points to is not known');
    return BigInt(bytes);
  }

  #address(type: string, stars: number, address: bigint): Operand {
    const name = `${type}${'*'.repeat(stars)}`;
    if (type === 'void') return { kind: 'address', address, to: null, name };
    const { types, unit } = this.#scene;
    const found = scalarNamed(type) ?? namedType(types, unit, type);
    if (!found) throw new CannotEvaluate(`there is no type ${type}`);
    return { kind: 'address', address, to: { type: found, stars: stars - 1 }, name };
  }

  #word({ source }: Extract<Operand, { kind: 'held' }>): bigint {
    const word =
      source.kind === 'memory'
        ? this.#scene.memory.word(source.address)
        : littleEndian(source.bytes.subarray(0, 8));
    if (word === null) throw unreadable(source.kind === 'memory' ? source.address : 0n);
    return word;
  }

  #valueOf(operand: Operand): Value {
    switch (operand.kind) {
      case 'value':
        return operand.value;
      case 'held':
        return this.#read(operand, this.#elements);
      case 'address':
        return {
          kind: 'pointer',
          address: hexadecimal(operand.address),
          isNull: operand.address === 0n,
        };
      case 'number': {
        const bytes = 'bytes' in operand.type ? operand.type.bytes : 8;
        const read = this.#scene.memory.read(operand.address, bytes);
        if (!read) throw unreadable(operand.address);
        return decodeScalar(operand.type, Buffer.from(read), 0);
      }
      case 'bits':
        return this.#bits(operand);
    }
  }

  #read({ type, source }: Extract<Operand, { kind: 'held' }>, elements: number): Value {
    const { types, memory } = this.#scene;
    if (source.kind === 'memory' && memory.readUpTo(source.address, 1).length === 0)
      throw unreadable(source.address);
    return readValue(types, memory, type, source, Math.min(elements, mostElements));
  }

  #bits({ type, at, bits: { from, count } }: Extract<Operand, { kind: 'bits' }>): Value {
    const whole = this.#scene.memory.word(at, Math.ceil((from + count) / 8));
    if (whole === null) throw unreadable(at);
    const raw = BigInt.asUintN(count, whole >> BigInt(from));
    const described = this.#scene.types.read(type).value;
    if (described.kind === 'bool') return { kind: 'bool', value: raw !== 0n };
    const isSigned = 'signed' in described && described.signed;
    return { kind: 'int', text: String(isSigned ? BigInt.asIntN(count, raw) : raw) };
  }
}

function held(name: string, { type, source, variable }: ReadVariable): Operand {
  if (type && source) return { kind: 'held', type, source };
  const why =
    variable.value.kind === 'notCaptured' ? variable.value.reason : 'its place is not known';
  throw new CannotEvaluate(`${name} has no value here: ${why}`);
}

function unreadable(address: bigint): CannotEvaluate {
  return new CannotEvaluate(`nothing can be read at ${hexadecimal(address)}`);
}

function scalarNamed(name: string): ScalarType | null {
  const type = builtinType(name);
  return type && isScalar(type) ? type : null;
}

const scalars: ReadonlySet<string> = new Set(['int', 'char', 'bool', 'float', 'enum', 'pointer']);

function isScalar(type: { readonly kind: string }): type is ScalarType {
  return scalars.has(type.kind);
}
