import { stringFlags } from '../eventColumns.ts';
import { typeFlags, type StrandDefinition, type TypeDefinition } from '../functions/definition.ts';
import type { Value } from '../questions/query.ts';
import { immediateTag, itemTag } from '../values/dynamicValue.ts';
import { mostElements } from '../values/shape.ts';
import type { ValueType } from '../values/valueType.ts';
import { characters } from './textValues.ts';

/** What the numbers in values of one process mean. */
export interface DefinedNames {
  type(number: number): TypeDefinition | null;
  name(number: number): string | null;
  strand(number: number): StrandDefinition | null;
}

/** Of values that none is needed for. */
export const noNames: DefinedNames = {
  type: () => null,
  name: () => null,
  strand: () => null,
};

type Dynamic = Extract<ValueType, { kind: 'dynamic' }>;

/** Containers in containers that are read; only damaged bytes go deeper. */
export const mostLevels = 64;
/** Digits of a whole number that are shown. */
const MOST_DIGITS = 1024;

/** A value that its runtime could not tell. */
export const unset: Value = { kind: 'word', text: '<unset>' };
const damaged: Value = { kind: 'notCaptured', reason: 'its bytes are damaged', torn: true };
const cut: Value = { kind: 'notCaptured', reason: 'it is too deep, or had no room' };

/** The value that begins at bytes[at, end), and where the next one does (values/dynamicValue.ts). Never throws. */
export function decodeDynamic(
  type: Dynamic,
  names: DefinedNames,
  bytes: Buffer,
  at: number,
  end: number,
): { readonly value: Value; readonly next: number } {
  const length = bytes.readUInt32LE(at);
  const high = bytes.readUInt32LE(at + 4);
  const next = Math.min(end, at + 8 + Math.ceil(length / 8) * 8);
  if (length > 0 && at + 8 + length > end) return { value: damaged, next };
  const reader = new ItemReader(type, names, bytes);
  if (length > 0) return { value: reader.whole(at + 8, at + 8 + length), next };
  if ((high & (stringFlags.truncated | stringFlags.unreadable)) !== 0) return { value: cut, next };
  return { value: reader.immediate((high >>> 3) & 31, high >> 8), next };
}

/** Bytes end before what they say begins. */
class Damaged extends Error {}

/** Reads items one after the other; each byte is looked at once. */
class ItemReader {
  readonly #type: Dynamic;
  readonly #names: DefinedNames;
  readonly #bytes: Buffer;
  #at = 0;
  #end = 0;
  #levels = 0;

  constructor(type: Dynamic, names: DefinedNames, bytes: Buffer) {
    this.#type = type;
    this.#names = names;
    this.#bytes = bytes;
  }

  whole(from: number, to: number): Value {
    this.#at = from;
    this.#end = to;
    try {
      return this.#item();
    } catch (error) {
      if (error instanceof Damaged) return damaged;
      throw error;
    }
  }

  immediate(tag: number, number: number): Value {
    switch (tag) {
      case immediateTag.integer:
        return { kind: 'int', text: String(number) };
      case immediateTag.true:
      case immediateTag.false:
        return { kind: 'bool', value: tag === immediateTag.true };
      case immediateTag.emptyText:
        return { kind: 'string', text: '', truncated: false };
      case immediateTag.emptyBytes:
      case immediateTag.emptyList:
        return { kind: 'list', items: [], total: 0 };
      case immediateTag.emptyTuple:
        return { kind: 'list', items: [], total: 0, brackets: '()' };
      case immediateTag.emptySet:
        return { kind: 'list', items: [], total: 0, brackets: '{}' };
      case immediateTag.emptyMap:
        return { kind: 'map', entries: [], total: 0 };
      case immediateTag.none:
        return this.#nothing();
      case immediateTag.undefined:
        return word('undefined', true);
      case immediateTag.unset:
        return unset;
      case immediateTag.redacted:
        return { kind: 'redacted', word: this.#type.secret ?? 'secret' };
      default:
        return damaged;
    }
  }

  #nothing(): Value {
    if (this.#type.language === 'python') return word('None', true);
    return word(this.#type.language === 'go' ? 'nil' : 'null', true);
  }

  #item(): Value {
    const tag = this.#u8();
    switch (tag) {
      case itemTag.i8:
        return { kind: 'int', text: String(this.#bytes.readInt8(this.#take(1))) };
      case itemTag.i16:
        return { kind: 'int', text: String(this.#bytes.readInt16LE(this.#take(2))) };
      case itemTag.i32:
        return { kind: 'int', text: String(this.#bytes.readInt32LE(this.#take(4))) };
      case itemTag.i64:
        return { kind: 'int', text: String(this.#bytes.readBigInt64LE(this.#take(8))) };
      case itemTag.integer:
        return this.#integer();
      case itemTag.float:
        return { kind: 'float', value: this.#bytes.readDoubleLE(this.#take(8)) };
      case itemTag.text1:
      case itemTag.text2:
      case itemTag.text4:
        return this.#text(tag);
      case itemTag.bytes: {
        const [total, held] = [this.#number(), this.#number()];
        const from = this.#take(held);
        return characters(this.#bytes.subarray(from, from + held), 1, held < total, { total });
      }
      case itemTag.list:
      case itemTag.tuple:
      case itemTag.set:
      case itemTag.map:
      case itemTag.object:
      case itemTag.enumeration:
      case itemTag.subclass:
      case itemTag.exception:
        return this.#container(tag);
      default:
        return this.#single(tag);
    }
  }

  /** What holds no other item but a name. */
  #single(tag: number): Value {
    switch (tag) {
      case itemTag.none:
        return this.#nothing();
      case itemTag.undefined:
        return word('undefined', true);
      case itemTag.true:
      case itemTag.false:
        return { kind: 'bool', value: tag === itemTag.true };
      case itemTag.unset:
        return unset;
      case itemTag.getter:
        return word('<getter>');
      case itemTag.proxy:
        return word('<proxy>');
      case itemTag.cut:
        return cut;
      case itemTag.redacted:
        return { kind: 'redacted', word: 'secret' };
      case itemTag.cycle:
        return word(`<circular, ${this.#u8()} up>`);
      case itemTag.array:
        return this.#array();
      case itemTag.function:
        return word(`<function ${this.#nameItem()}>`);
      case itemTag.type:
        return word(`<class ${this.#nameItem()}>`);
      case itemTag.symbol:
        return word(`Symbol(${this.#nameItem()})`);
      case itemTag.other: {
        const type = this.#typeName();
        this.#take(6);
        return word(`<${type}>`);
      }
      case itemTag.name:
        return { kind: 'string', text: this.#name(), truncated: false };
      default:
        throw new Damaged();
    }
  }

  #integer(): Value {
    const isNegative = this.#u8() !== 0;
    const [total, held] = [this.#number(), this.#number()];
    if (held > total || held > MOST_DIGITS) throw new Damaged();
    const from = this.#take(held * 4);
    let number = 0n;
    for (let i = held - 1; i >= 0; i--)
      number = (number << 30n) | BigInt(this.#bytes.readUInt32LE(from + i * 4) & 0x3fff_ffff);
    const sign = isNegative ? '-' : '';
    if (held === total) return { kind: 'int', text: `${sign}${number}` };
    return word(`${sign}<integer of ${total * 30} bits>`);
  }

  #text(tag: number): Value {
    const [total, held] = [this.#number(), this.#number()];
    const unit = tag === itemTag.text1 ? 1 : tag === itemTag.text2 ? 2 : 4;
    const from = this.#take(held * unit);
    const bytes = this.#bytes.subarray(from, from + held * unit);
    const truncated = held < total;
    if (unit > 1) return characters(bytes, unit, truncated);
    return { kind: 'string', text: bytes.toString('latin1'), truncated };
  }

  #container(tag: number): Value {
    const outer = this.#end;
    const size = this.#bytes.readUInt16LE(this.#take(2));
    const end = this.#at + size;
    if (end > outer) throw new Damaged();
    if (this.#levels >= mostLevels) {
      this.#at = end;
      return cut;
    }
    this.#levels++;
    this.#end = end;
    const value = this.#inside(tag);
    this.#levels--;
    this.#at = end;
    this.#end = outer;
    return value;
  }

  #inside(tag: number): Value {
    switch (tag) {
      case itemTag.list:
      case itemTag.tuple:
      case itemTag.set: {
        const total = this.#number();
        const items = this.#items();
        const brackets = tag === itemTag.tuple ? '()' : tag === itemTag.set ? '{}' : null;
        return { kind: 'list', items, total, ...(brackets ? { brackets } : {}) };
      }
      case itemTag.map: {
        const total = this.#number();
        const entries = this.#entries().map(([key, value]) => ({ key, value: named(key, value) }));
        return { kind: 'map', entries, total };
      }
      case itemTag.exception: {
        const name = this.#typeName();
        const made = this.#at < this.#end ? this.#item() : null;
        const only = made?.kind === 'list' && made.total === 1 ? made.items[0] : undefined;
        const isEmpty = made?.kind === 'list' && made.total === 0;
        return { kind: 'variant', name, value: isEmpty ? null : (only ?? made) };
      }
      case itemTag.subclass: {
        const name = this.#typeName();
        const value = this.#at < this.#end ? this.#item() : null;
        const fields = this.#fields();
        if (fields.length === 0) return { kind: 'variant', name, value };
        if (value) fields.unshift({ name: 'value', value });
        return { kind: 'object', object: { type: name, fields, left: 0 } };
      }
      default:
        return this.#object(tag === itemTag.enumeration);
    }
  }

  #object(mayBeMember: boolean): Value {
    const number = this.#number();
    this.#take(6);
    const type = this.#typeOf(number);
    const fields = this.#fields();
    const isMember = mayBeMember || ((this.#names.type(number)?.flags ?? 0) & typeFlags.enum) !== 0;
    const member = fields.find(({ name }) => name === '_name_' || name === 'name')?.value;
    if (isMember && member?.kind === 'string') {
      const held = fields.find(({ name }) => name === '_value_' || name === 'value')?.value;
      const name = `${type}.${member.text}`;
      if (held?.kind === 'int') return { kind: 'enum', name, text: held.text, type };
      return { kind: 'variant', name, value: null };
    }
    return { kind: 'object', object: { type, fields, left: 0 } };
  }

  #fields(): { name: string; value: Value }[] {
    return this.#entries().map(([key, value]) => {
      const name = key.kind === 'string' ? key.text : 'text' in key ? (key.text ?? '') : key.kind;
      return { name, value: named(key, value) };
    });
  }

  /** Pairs to the end; a key whose value had no room is left out. */
  #entries(): [Value, Value][] {
    const entries: [Value, Value][] = [];
    while (this.#at < this.#end && entries.length < mostElements) {
      const key = this.#item();
      if (this.#at < this.#end) entries.push([key, this.#item()]);
    }
    return entries;
  }

  #items(): Value[] {
    const items: Value[] = [];
    while (this.#at < this.#end && items.length < mostElements) items.push(this.#item());
    return items;
  }

  #array(): Value {
    const type = this.#typeName();
    const from = this.#take(3);
    const [kind = 0, element = 0, order = 0] = this.#bytes.subarray(from, from + 3);
    const dimensions = this.#u8();
    const sizes: number[] = [];
    for (let i = 0; i < Math.min(dimensions, 8); i++) sizes.push(this.#number());
    const characterOf = (code: number): string =>
      code > 32 && code < 127 ? String.fromCharCode(code) : '';
    const name = `${characterOf(order)}${characterOf(kind)}${characterOf(element)}`;
    return word(`<${type} ${name}[${sizes.join(', ')}${dimensions > 8 ? ', …' : ''}]>`);
  }

  #nameItem(): string {
    const value = this.#levels++ < mostLevels ? this.#item() : cut;
    this.#levels--;
    return value.kind === 'string' ? value.text : '?';
  }

  #name(): string {
    const number = this.#number();
    return this.#names.name(number) ?? `name ${number}`;
  }

  #typeName(): string {
    return this.#typeOf(this.#number());
  }

  #typeOf(number: number): string {
    return this.#names.type(number)?.name ?? `type ${number}`;
  }

  #u8(): number {
    return this.#bytes[this.#take(1)] ?? 0;
  }

  /** LEB128. */
  #number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#u8();
      value += (byte & 127) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw new Damaged();
      if (byte < 128) return value;
    }
  }

  /** Takes the next bytes; returns where they begin. */
  #take(count: number): number {
    const from = this.#at;
    if (count > this.#end - from) throw new Damaged();
    this.#at = from + count;
    return from;
  }
}

function word(text: string, isNull = false): Value {
  return isNull ? { kind: 'word', text, isNull } : { kind: 'word', text };
}

/** What is redacted below a key says so by that. */
function named(key: Value, value: Value): Value {
  if (value.kind !== 'redacted') return value;
  return { kind: 'redacted', word: 'text' in key ? (key.text ?? value.word) : value.word };
}
