import { className } from '../names/className.ts';
import type { Value } from '../questions/query.ts';
import {
  interfaceLayout,
  sizeInVtable,
  vtableLayout,
  type ByCodeShape,
  type DynamicOption,
  type PointerShape,
  type Shape,
  type ShapeOption,
} from '../values/shape.ts';
import { tornWords } from '../values/valueWords.ts';
import { isByte } from './binaryValues.ts';
import { decodeContainer, type ContainerShape } from './containerValues.ts';
import { part, type ShapeReader, type Spot, type ValueMemory } from './memorySource.ts';
import { decodeNumber, unsigned } from './numberValues.ts';
import { decodeScalar, hexadecimal, wordOfNull } from './scalars.ts';
import { momentText } from './moments.ts';
import { arrayText, bitText, characters, upToNul } from './textValues.ts';

const mostNested = 64;
/** The smallest pages of a processor that is known. */
const pageBytes = 4096n;
/** Times that one object or container of a value is shown at most, however many pointers lead to it. */
const mostObjects = 2000;

const unplaced: Value = {
  kind: 'notCaptured',
  reason: 'a virtual base beyond the captured part of the object',
};

/** How far decoding goes, and what is said where it ends. */
export interface DecodingLimits {
  /** Elements of a container. */
  readonly elements: number;
  /** Pointers that are followed, one behind the other. */
  readonly levels: number;
  /** Why bytes are not known. */
  readonly missing: string;
  /** Something is missing because it had no room. */
  readonly isCut: boolean;
  /** Of a text that is not known the address is shown: it may be what is wrong. */
  readonly showsPlaces?: true;
  readonly far?: FarLimits;
}

/** Of what lies behind more than `whole` pointers, and at most `levels`. */
export interface FarLimits {
  readonly whole: number;
  readonly levels: number;
  readonly isCut: boolean;
  readonly missing: string;
}

/** Decodes memory by the shapes of one value. Never throws. */
export class ShapeDecoder implements ShapeReader {
  readonly memory: ValueMemory;
  readonly mostElements: number;
  readonly #shapes: readonly Shape[];
  readonly #levels: number;
  readonly #cut: Value;
  readonly #isCut: boolean;
  readonly #showsPlaces: boolean;
  readonly #far: FarLimits | null;
  /** The objects the value being decoded is part of, by address and shape. */
  readonly #inside: string[] = [];
  #objectsLeft = mostObjects;
  /** Pointers that were followed to where it is. */
  #level = 0;
  /** Containers that hold it. */
  #containers = 0;

  constructor(shapes: readonly Shape[], memory: ValueMemory, limits: DecodingLimits) {
    this.#shapes = shapes;
    this.memory = memory;
    this.#isCut = limits.isCut;
    this.#showsPlaces = limits.showsPlaces === true;
    this.#far = limits.far ?? null;
    this.mostElements = limits.elements;
    this.#levels = limits.levels;
    this.#cut = { kind: 'notCaptured', reason: limits.missing };
  }

  shape(index: number): Shape | null {
    return this.#shapes[index] ?? null;
  }

  get isCut(): boolean {
    return this.#isCut || (this.#isFar() && this.#far?.isCut === true);
  }

  /** Whether what is now being decoded is captured only as far as there is room. */
  #isFar(): boolean {
    return this.#far !== null && this.#level > this.#far.whole;
  }

  /** What stands for something of this type that is not there; null where it was not to be captured. */
  #hadNoRoom(type: string): Value | null {
    const far = this.#far;
    if (!far?.isCut || !this.#isFar() || this.#level > far.levels) return null;
    return { kind: 'notCaptured', reason: far.missing, type };
  }

  root(index: number, spot: Spot): Value {
    if (spot.address !== 0n) this.#inside.push(`${spot.address} ${index}`);
    return this.value(index, spot);
  }

  value(index: number, spot: Spot): Value {
    const shape = this.shape(index);
    if (!shape || this.#inside.length > mostNested) return this.#cut;
    switch (shape.kind) {
      case 'secret':
        return { kind: 'redacted', word: shape.word };
      case 'opaque':
        return { kind: 'notCaptured', reason: shape.reason, type: shape.name };
      case 'record':
        return this.#record(shape, spot);
      case 'inside':
        return withUnit(this.value(shape.shape, part(spot, shape.offset)), shape.unit);
      case 'array':
        return this.#array(shape, spot);
      case 'pointer':
        return this.#pointer(shape, spot);
      case 'text':
        return this.#text(shape, spot);
      case 'choice':
        return this.#choice(shape, spot);
      case 'byCode':
        return this.value(this.#placed(shape, spot), spot);
      case 'moment':
        return this.#moment(shape, spot);
      case 'interface':
        return this.#interface(shape, spot);
      case 'bitset':
        return spot.bytes.length < shape.bytes ? this.#cut : bitText(shape.count, spot.bytes);
      case 'scalar':
      case 'extended':
      case 'integer128':
      case 'complex':
        return spot.bytes.length < shape.bytes ? this.#cut : decodeNumber(shape, spot.bytes);
      default:
        return this.#container(shape, spot);
    }
  }

  word(spot: Spot, at: number): bigint | null {
    return at + 8 <= spot.bytes.length ? spot.bytes.readBigUInt64LE(at) : null;
  }

  /** The value of a shape at an address; null when it is not known. */
  #behind(index: number, address: bigint): Value | null {
    const shape = this.shape(index);
    const bytes = shape && this.memory.read(address, shape.bytes);
    if (!bytes) return null;
    const key = `${address} ${index}`;
    if (this.#inside.includes(key)) return { kind: 'circular', address: hexadecimal(address) };
    if (this.#objectsLeft-- <= 0) return null;
    this.#inside.push(key);
    const value = this.value(index, { bytes, address });
    this.#inside.pop();
    return value;
  }

  #record(shape: Extract<Shape, { kind: 'record' }>, spot: Spot): Value {
    const { fields, left, isUnion = false } = shape;
    const own = this.#classOf(shape, spot);
    const level = this.#level;
    // Which of a union's fields is meant only the program knows.
    if (isUnion) this.#level = Infinity;
    const read: { name: string; value: Value }[] = own ? [{ name: 'class', value: own }] : [];
    let missing = left;
    for (const { name, offset, shape: index, bits, virtual } of fields) {
      if (virtual) {
        const place = this.#virtualPlace(virtual, spot);
        read.push({ name, value: place ? this.value(index, part(place, offset)) : unplaced });
        continue;
      }
      if (offset >= spot.bytes.length && (this.shape(index)?.bytes ?? 0) > 0) missing++;
      else if (bits) read.push({ name, value: this.#bits(index, part(spot, offset), bits) });
      else read.push({ name, value: this.value(index, part(spot, offset)) });
    }
    this.#level = level;
    const object = { fields: read, left: missing, ...(isUnion ? { isUnion } : {}) };
    return { kind: 'object', object };
  }

  /** Where a virtual base begins; null where nothing tells it, or it lies beyond what was captured. */
  #virtualPlace(
    { from, before }: { readonly from: number; readonly before: number },
    spot: Spot,
  ): Spot | null {
    const table = this.word(spot, from);
    const offset = table === null ? null : this.#wordAt(table - BigInt(before));
    const start = offset === null ? -1 : from + Number(BigInt.asIntN(64, offset));
    return start >= 0 && start < spot.bytes.length ? part(spot, start) : null;
  }

  /** A word of memory; null when it was not captured. */
  #wordAt(address: bigint): bigint | null {
    const bytes = this.memory.read(address, 8);
    return bytes && bytes.length >= 8 ? bytes.readBigUInt64LE(0) : null;
  }

  /** The class of an object that is of a derived one, where its vtable was captured. */
  #classOf({ vtable, name }: Extract<Shape, { kind: 'record' }>, spot: Spot): Value | null {
    const table = vtable === undefined ? null : this.word(spot, vtable);
    if (table === null) return null;
    const whole = this.#classAt(table);
    if (whole === null) return null;
    // The last part of its name is what the shape is called.
    const isOwn = whole === name || whole.endsWith(`::${name}`);
    return isOwn ? null : { kind: 'string', text: whole, truncated: false };
  }

  /** The class whose objects point to this place of its vtable. */
  #classAt(table: bigint): string | null {
    const { typeInfo, name } = vtableLayout;
    const info = this.#wordAt(table - BigInt(typeInfo)) ?? 0n;
    const text = info === 0n ? null : this.#wordAt(info + BigInt(name));
    const known = text === null || text === 0n ? null : this.memory.text(text);
    const mangled = known && upToNul(known.bytes, 1).toString('latin1');
    return mangled && /^[\w*.$]+$/.test(mangled) ? className(mangled) : null;
  }

  /** A bit-field as the number of its type. */
  #bits(
    index: number,
    { bytes }: Spot,
    { from, count }: { readonly from: number; readonly count: number },
  ): Value {
    const shape = this.shape(index);
    const needed = Math.ceil((from + count) / 8);
    if (shape?.kind !== 'scalar' || needed > bytes.length) return this.#cut;
    let raw = 0n;
    for (let i = needed - 1; i >= 0; i--) raw = (raw << 8n) | BigInt(bytes[i] ?? 0);
    const isSigned = 'signed' in shape.type && shape.type.signed;
    const value = raw >> BigInt(from);
    const word = Buffer.alloc(8);
    word.writeBigUInt64LE(
      isSigned ? BigInt.asUintN(64, BigInt.asIntN(count, value)) : BigInt.asUintN(count, value),
    );
    return decodeScalar(shape.type, word, 0);
  }

  #array(array: Extract<Shape, { kind: 'array' }>, spot: Spot): Value {
    const { element, count } = array;
    const shape = this.shape(element);
    const size = shape?.bytes ?? 0;
    // Rust's char, of four bytes too, is no part of a text that ends with NUL.
    const isText = shape?.kind === 'scalar' && shape.type.kind === 'char';
    if (isText && (size === 1 || array.isWhole || (size === 4 && shape.type.name === 'wchar_t')))
      return arrayText(array, size, spot.bytes);
    const items: Value[] = [];
    for (let i = 0; i < Math.min(count, this.mostElements); i++) {
      if (size > 0 && (i + 1) * size > spot.bytes.length) break;
      items.push(
        shape?.kind === 'scalar'
          ? decodeScalar(shape.type, spot.bytes, i * size)
          : this.value(element, part(spot, i * size, size)),
      );
    }
    const ofBytes =
      shape?.kind === 'scalar' && isByte(shape.type) ? { ofBytes: true as const } : {};
    return { kind: 'list', items, total: count, ...ofBytes };
  }

  #pointer(shape: PointerShape, spot: Spot): Value {
    const address = this.word(spot, shape.at);
    if (address === null) return this.#cut;
    const counts = shape.counts ? this.#counts(shape.counts, spot) : {};
    const plain = {
      kind: 'pointer',
      address: hexadecimal(address),
      isNull: address === 0n,
      ...wordOfNull(address, shape.name),
      ...counts,
    } as const;
    const option = plain.isNull ? null : this.#typeOf(shape, spot);
    const index = option?.shape ?? shape.target;
    if (plain.isNull || index === null) return plain;
    const there = address + BigInt(option?.skip ?? shape.skip);
    if (this.memory.isUnreadable(there))
      return { kind: 'unreadable', address: hexadecimal(address) };
    const target = this.shape(index);
    if (target?.kind === 'secret')
      return { ...plain, target: { kind: 'redacted', word: target.word } };
    const step = shape.isFree ? 0 : 1;
    if (this.#level + step > this.#levels) return plain;
    this.#level += step;
    const found = this.#behind(index, there);
    const inside = found ?? this.#hadNoRoom(nameOf(target));
    const far = this.#isFar() ? ({ isFar: true } as const) : {};
    this.#level -= step;
    if (inside && shape.isValue) return inside;
    return inside ? { ...plain, target: ofType(option, inside), ...far } : plain;
  }

  /** The type of what a pointer leads to, of which only its vtable tells. */
  #typeOf({ dynamic, at }: PointerShape, spot: Spot): DynamicOption | null {
    if (!dynamic) return null;
    const object = this.word(spot, at) ?? 0n;
    const table = dynamic.inside
      ? this.#wordAt(object + BigInt(dynamic.table))
      : this.word(spot, dynamic.table);
    if (!table) return null;
    if (dynamic.inside) {
      const own = this.#classAt(table);
      return dynamic.options.find(({ name }) => name === own) ?? null;
    }
    return dynamic.options.find((option) => this.#isTableOf(option, table, dynamic.word)) ?? null;
  }

  /** Whether all that a vtable of Rust says of its type is what is known of this one. */
  #isTableOf({ apart, size, drop }: DynamicOption, table: bigint, word: number): boolean {
    const dropped = this.#wordAt(table);
    if (dropped === null || this.#wordAt(table + BigInt(sizeInVtable)) !== BigInt(size ?? -1))
      return false;
    const method = this.#wordAt(table + BigInt(word));
    const isDropped =
      drop === null || drop === undefined ? dropped === 0n : table - dropped === BigInt(drop);
    return isDropped && method !== null && table - method === BigInt(apart);
  }

  #counts(
    { at, owners, weak, bytes, plus }: NonNullable<Extract<Shape, { kind: 'pointer' }>['counts']>,
    spot: Spot,
  ): { readonly owners?: number; readonly weak?: number } {
    const control = this.word(spot, at);
    const found = control ? this.memory.read(control, weak + bytes) : null;
    if (!found || found.length < weak + bytes) return {};
    const read = (from: number): number =>
      (bytes === 4 ? found.readInt32LE(from) : Number(found.readBigInt64LE(from))) + (plus ?? 0);
    const owning = read(owners);
    // While there is an owner, all owners together count as one weak one.
    return { owners: owning, weak: Math.max(0, read(weak) - (owning > 0 ? 1 : 0)) };
  }

  #text(shape: Extract<Shape, { kind: 'text' }>, spot: Spot): Value {
    const { pointer, length, skip = 0 } = shape;
    const start = this.word(spot, pointer);
    const known = length === null ? null : this.word(spot, length);
    if (start === null || (length !== null && known === null)) return this.#cut;
    if (known === 0n) return { kind: 'string', text: '', truncated: false };
    if (start === 0n) return { kind: 'null' };
    return this.#textAt(start + BigInt(skip), known, shape.unit ?? 1, spot);
  }

  /** `known`: its characters; null up to a NUL. */
  #textAt(address: bigint, known: bigint | null, unit: number, spot: Spot): Value {
    const inside = address - spot.address;
    if (known !== null && spot.address !== 0n && inside >= 0n && inside < spot.bytes.length) {
      const wanted = known * BigInt(unit);
      const bytes = spot.bytes.subarray(Number(inside), Number(inside + wanted));
      return characters(bytes, unit, BigInt(bytes.length) < wanted, { total: Number(wanted) });
    }
    if (this.memory.isUnreadable(address))
      return { kind: 'unreadable', address: hexadecimal(address) };
    const piece = this.#level > this.#levels ? null : this.memory.text(address);
    if (!piece) {
      const noRoom = this.#hadNoRoom('text');
      if (noRoom) return noRoom;
      const isCut = known !== null && this.#isCut && !this.#showsPlaces;
      return isCut ? this.#cut : { kind: 'pointer', address: hexadecimal(address), isNull: false };
    }
    if (known !== null) {
      const total = Number(known) * unit;
      const bytes = piece.bytes.subarray(0, total);
      return characters(bytes, unit, bytes.length < total, { total });
    }
    const bytes = upToNul(piece.bytes, unit);
    const isWhole = bytes.length < piece.bytes.length;
    const isCut = !isWhole && (piece.isTruncated || unit > 1);
    return characters(bytes, unit, isCut, { isUntilNul: true });
  }

  #choice(shape: Extract<Shape, { kind: 'choice' }>, spot: Spot): Value {
    if (shape.at + shape.size > spot.bytes.length) return this.#cut;
    const told = shape.size > 0 ? unsigned(spot.bytes, shape.at, shape.size) : 0n;
    const option =
      shape.options.find(({ low, high }) => told >= BigInt(low) && told <= BigInt(high)) ??
      shape.otherwise;
    if (!option) return { kind: 'variant', name: `${shape.name}(${told})`, value: null };
    return this.#option(option, spot);
  }

  /** Addresses are alike in their last bits, which no loading changes. */
  #placed({ at, build, options, otherwise }: ByCodeShape, spot: Spot): number {
    const code = this.word(spot, at) ?? 0n;
    const inPage = Number(code % pageBytes);
    const told = options.find(
      ({ address }) =>
        inPage === address % Number(pageBytes) &&
        this.#isBuild(build.id, code + BigInt(build.address - address)),
    );
    return told?.shape ?? otherwise;
  }

  #isBuild(id: string, address: bigint): boolean {
    const bytes = this.memory.read(address, id.length / 2);
    return bytes?.toString('hex') === id;
  }

  #option({ name, offset, shape }: ShapeOption, spot: Spot): Value {
    const value = shape === null ? null : this.value(shape, part(spot, offset));
    return name === '' && value ? value : { kind: 'variant', name, value };
  }

  #moment({ name, wall, ext }: Extract<Shape, { kind: 'moment' }>, spot: Spot): Value {
    const [first, second] = [this.word(spot, wall), this.word(spot, ext)];
    if (first === null || second === null) return this.#cut;
    const text = momentText(first, second);
    return text === null
      ? { kind: 'unreadable', address: name }
      : { kind: 'string', text, truncated: false };
  }

  /** What an interface of Go holds, by the type it tells. */
  #interface(
    { name: declared, options }: Extract<Shape, { kind: 'interface' }>,
    spot: Spot,
  ): Value {
    const table = this.word(spot, 0);
    const held = this.word(spot, interfaceLayout.data);
    if (table === null || held === null) return this.#cut;
    if (table === 0n) return { kind: 'null', word: 'nil' };
    if ((table & 1n) !== 0n) {
      return { kind: 'notCaptured', reason: tornWords, type: declared, torn: true };
    }
    const told = this.memory.read(table, interfaceLayout.hash + 4);
    if (this.memory.isUnreadable(table)) return { kind: 'unreadable', address: hexadecimal(table) };
    if (!told || told.length < interfaceLayout.hash + 4)
      return this.#hadNoRoom(declared) ?? this.#cut;
    const hash = told.readUInt32LE(interfaceLayout.hash);
    const option = options.find((one) => one.hash === hash);
    if (!option) return { kind: 'notCaptured', reason: 'its type is none that is known' };
    const { name, shape } = option;
    if (shape !== null)
      return { kind: 'variant', name, value: this.value(shape, part(spot, interfaceLayout.data)) };
    const address = hexadecimal(held);
    return { kind: 'variant', name, value: { kind: 'pointer', address, isNull: false } };
  }

  #container(shape: ContainerShape, spot: Spot): Value {
    const step = this.#isFree(shape) ? 0 : 1;
    // One that was damaged may hold itself.
    const hasRoom = this.#containers < mostNested && this.#objectsLeft-- > 0;
    const isNear = hasRoom && this.#level + step <= this.#levels;
    this.#level += step;
    this.#containers++;
    const value = decodeContainer(this, isNear ? shape : withoutElements(shape), spot);
    const isFar = this.#isFar() && (value?.kind === 'list' || value?.kind === 'map');
    this.#level -= step;
    this.#containers--;
    if (!value) return this.#cut;
    const shown = isFar ? { ...value, isFar } : value;
    return isClosed(shape, spot) ? { kind: 'variant', name: 'closed', value: shown } : shown;
  }

  /** Scalars one after the other belong to their container. */
  #isFree(shape: ContainerShape): boolean {
    if (shape.kind === 'bits') return true;
    if (shape.kind !== 'sequence' && shape.kind !== 'ring') return false;
    return shape.element !== null && this.shape(shape.element)?.kind === 'scalar';
  }
}

/** A channel of Go to which nothing can be sent any more. */
function isClosed(shape: ContainerShape, { bytes }: Spot): boolean {
  return shape.kind === 'ring' && shape.closed !== undefined && (bytes[shape.closed] ?? 0) !== 0;
}

/** Of which only the number of elements counts. */
function withoutElements(shape: ContainerShape): ContainerShape {
  if (shape.kind === 'btree' || shape.kind === 'groups') return { ...shape, key: null };
  return shape.kind === 'bits' ? shape : { ...shape, element: null };
}

function nameOf(shape: Shape | null): string {
  return shape?.kind === 'scalar' ? shape.type.name : (shape?.name ?? '?');
}

/** An object with its type, of which the program knows only when it runs. */
function ofType(option: DynamicOption | null, value: Value): Value {
  if (!option || value.kind !== 'object') return value;
  const { fields, left } = value.object;
  const text = option.name;
  const type = { name: 'class', value: { kind: 'string', text, truncated: false } } as const;
  return { kind: 'object', object: { fields: [type, ...fields], left } };
}

function withUnit(value: Value, unit: string | undefined): Value {
  return unit !== undefined && (value.kind === 'int' || value.kind === 'float')
    ? { ...value, unit }
    : value;
}
