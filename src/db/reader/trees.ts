import { stringFlags } from '../../model/eventColumns.ts';
import type { Value } from '../../model/query.ts';
import { mostElements, type Shape, type ShapeOption } from '../../model/shape.ts';
import type { ValueType } from '../../model/valueType.ts';
import { decodeContainer, type ContainerShape } from './containers.ts';
import { Pieces } from './pieces.ts';
import { decodeScalar, hexadecimal } from './scalars.ts';
import { part, type ShapeReader, type Spot } from './spots.ts';

type Tree = Extract<ValueType, { kind: 'tree' }>;

const mostNested = 64;
/** Objects of one value: where many lead to one it is shown so many times at most. */
const mostObjects = 2000;

/** The tree whose pieces lie in bytes[at, end), behind a header with these flags. */
export function decodeTree(
  type: Tree,
  bytes: Buffer,
  at: number,
  end: number,
  flags: number,
): Value {
  const pieces = new Pieces(bytes, at, end);
  const [first] = pieces.all;
  if (!first || (flags & stringFlags.unreadable) !== 0)
    return { kind: 'unreadable', address: first ? hexadecimal(first.address) : type.name };
  const decoder = new TreeDecoder(type.shapes, pieces, (flags & stringFlags.truncated) !== 0);
  return decoder.root(type.root, { bytes: first.bytes, address: first.address });
}

const cut: Value = { kind: 'notCaptured', reason: 'the bytes of the event were used up' };

/** Decodes shapes from pieces. */
class TreeDecoder implements ShapeReader {
  readonly pieces: Pieces;
  readonly isCut: boolean;
  readonly #shapes: readonly Shape[];
  /** The objects the value being decoded is part of, by address and shape. */
  readonly #inside: string[] = [];
  #objectsLeft = mostObjects;

  constructor(shapes: readonly Shape[], pieces: Pieces, isCut: boolean) {
    this.#shapes = shapes;
    this.pieces = pieces;
    this.isCut = isCut;
  }

  shape(index: number): Shape | null {
    return this.#shapes[index] ?? null;
  }

  root(index: number, spot: Spot): Value {
    if (spot.address !== 0n) this.#inside.push(`${spot.address} ${index}`);
    return this.value(index, spot);
  }

  value(index: number, spot: Spot): Value {
    const shape = this.shape(index);
    if (!shape || this.#inside.length > mostNested) return cut;
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
      case 'scalar':
      case 'extended':
      case 'integer128':
      case 'complex':
        return spot.bytes.length < shape.bytes ? cut : number(shape, spot.bytes);
      default:
        return this.#container(shape, spot);
    }
  }

  word(spot: Spot, at: number): bigint | null {
    return at + 8 <= spot.bytes.length ? spot.bytes.readBigUInt64LE(at) : null;
  }

  /** The value of a shape at an address; null when it was not captured. */
  #behind(index: number, address: bigint): Value | null {
    const shape = this.shape(index);
    const bytes = shape && this.pieces.read(address, shape.bytes);
    if (!bytes) return null;
    const key = `${address} ${index}`;
    if (this.#inside.includes(key)) return { kind: 'circular', address: hexadecimal(address) };
    if (this.#objectsLeft-- <= 0) return null;
    this.#inside.push(key);
    const value = this.value(index, { bytes, address });
    this.#inside.pop();
    return value;
  }

  #record({ fields, left }: Extract<Shape, { kind: 'record' }>, spot: Spot): Value {
    const read: { name: string; value: Value }[] = [];
    let missing = left;
    for (const { name, offset, shape, bits } of fields) {
      if (offset >= spot.bytes.length && (this.shape(shape)?.bytes ?? 0) > 0) missing++;
      else if (bits) read.push({ name, value: this.#bits(shape, part(spot, offset), bits) });
      else read.push({ name, value: this.value(shape, part(spot, offset)) });
    }
    return { kind: 'object', object: { fields: read, left: missing } };
  }

  /** A bit-field as the number of its type. */
  #bits(
    index: number,
    { bytes }: Spot,
    { from, count }: { readonly from: number; readonly count: number },
  ): Value {
    const shape = this.shape(index);
    const needed = Math.ceil((from + count) / 8);
    if (shape?.kind !== 'scalar' || needed > bytes.length) return cut;
    let raw = 0n;
    for (let i = needed - 1; i >= 0; i--) raw = (raw << 8n) | BigInt(bytes[i] ?? 0);
    const isSigned = 'signed' in shape.type && shape.type.signed;
    const value = raw >> BigInt(from);
    const word = Buffer.alloc(8);
    word.writeBigInt64LE(
      isSigned ? BigInt.asIntN(count, value) : BigInt.asIntN(64, BigInt.asUintN(count, value)),
    );
    return decodeScalar(shape.type, word, 0);
  }

  #array({ element, count }: Extract<Shape, { kind: 'array' }>, spot: Spot): Value {
    const shape = this.shape(element);
    const size = shape?.bytes ?? 0;
    if (shape?.kind === 'scalar' && shape.type.kind === 'char' && size === 1)
      return fixedText(spot.bytes.subarray(0, count));
    const items: Value[] = [];
    for (let i = 0; i < Math.min(count, mostElements); i++) {
      if (size > 0 && (i + 1) * size > spot.bytes.length) break;
      items.push(this.value(element, part(spot, i * size, size)));
    }
    return { kind: 'list', items, total: count };
  }

  #pointer(shape: Extract<Shape, { kind: 'pointer' }>, spot: Spot): Value {
    const address = this.word(spot, shape.at);
    if (address === null) return cut;
    const counts = shape.counts ? this.#counts(shape.counts, spot) : {};
    const plain = {
      kind: 'pointer',
      address: hexadecimal(address),
      isNull: address === 0n,
      ...counts,
    } as const;
    if (plain.isNull || shape.target === null) return plain;
    const there = address + BigInt(shape.skip);
    const piece = this.pieces.at(there);
    if (piece?.isUnreadable && piece.bytes.length === 0)
      return { kind: 'unreadable', address: hexadecimal(address) };
    const target = this.shape(shape.target);
    if (target?.kind === 'secret')
      return { ...plain, target: { kind: 'redacted', word: target.word } };
    const value = this.#behind(shape.target, there);
    return value ? { ...plain, target: value } : plain;
  }

  #counts(
    { at, owners, weak, bytes }: NonNullable<Extract<Shape, { kind: 'pointer' }>['counts']>,
    spot: Spot,
  ): { readonly owners?: number; readonly weak?: number } {
    const control = this.word(spot, at);
    const found = control ? this.pieces.read(control, weak + bytes) : null;
    if (!found || found.length < weak + bytes) return {};
    const read = (from: number): number =>
      bytes === 4 ? found.readInt32LE(from) : Number(found.readBigUInt64LE(from));
    const owning = read(owners);
    // While there is an owner, all owners together count as one weak one.
    return { owners: owning, weak: Math.max(0, read(weak) - (owning > 0 ? 1 : 0)) };
  }

  #text({ pointer, length }: Extract<Shape, { kind: 'text' }>, spot: Spot): Value {
    const address = this.word(spot, pointer);
    const known = length === null ? null : this.word(spot, length);
    if (address === null || (length !== null && known === null)) return cut;
    if (known === 0n) return { kind: 'string', text: '', truncated: false };
    if (address === 0n) return { kind: 'null' };
    const inside = address - spot.address;
    if (known !== null && spot.address !== 0n && inside >= 0n && inside < spot.bytes.length) {
      const bytes = spot.bytes.subarray(Number(inside), Number(inside + known));
      return textOf(bytes, BigInt(bytes.length) < known);
    }
    const piece = this.pieces.at(address);
    if (!piece) return { kind: 'pointer', address: hexadecimal(address), isNull: false };
    if (piece.isUnreadable && piece.bytes.length === 0)
      return { kind: 'unreadable', address: hexadecimal(address) };
    const bytes = known === null ? piece.bytes : piece.bytes.subarray(0, Number(known));
    return textOf(bytes, known === null ? piece.isTruncated : BigInt(bytes.length) < known);
  }

  #choice(shape: Extract<Shape, { kind: 'choice' }>, spot: Spot): Value {
    if (shape.at + shape.size > spot.bytes.length) return cut;
    const told = shape.size > 0 ? unsigned(spot.bytes, shape.at, shape.size) : 0n;
    const option =
      shape.options.find(({ low, high }) => told >= BigInt(low) && told <= BigInt(high)) ??
      shape.otherwise;
    if (!option) return { kind: 'variant', name: `${shape.name}(${told})`, value: null };
    return this.#option(option, spot);
  }

  #option({ name, offset, shape }: ShapeOption, spot: Spot): Value {
    const value = shape === null ? null : this.value(shape, part(spot, offset));
    return name === '' && value ? value : { kind: 'variant', name, value };
  }

  #container(shape: ContainerShape, spot: Spot): Value {
    return decodeContainer(this, shape, spot) ?? cut;
  }
}

function unsigned(bytes: Buffer, at: number, size: number): bigint {
  let value = 0n;
  for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i] ?? 0);
  return value;
}

function withUnit(value: Value, unit: string | undefined): Value {
  return unit !== undefined && value.kind === 'int' ? { ...value, unit } : value;
}

function textOf(bytes: Buffer, truncated: boolean): Value {
  return { kind: 'string', text: bytes.toString('utf8'), truncated };
}

/** Text of a fixed place ends at its first NUL. */
function fixedText(bytes: Buffer): Value {
  const end = bytes.indexOf(0);
  return textOf(end < 0 ? bytes : bytes.subarray(0, end), false);
}

type NumberShape = Extract<Shape, { kind: 'scalar' | 'extended' | 'integer128' | 'complex' }>;

function number(shape: NumberShape, bytes: Buffer): Value {
  switch (shape.kind) {
    case 'scalar':
      return decodeScalar(shape.type, bytes, 0);
    case 'extended':
      return { kind: 'float', value: extended(bytes) };
    case 'integer128': {
      const raw = unsigned(bytes, 0, 16);
      return { kind: 'int', text: String(shape.signed ? BigInt.asIntN(128, raw) : raw) };
    }
    case 'complex': {
      const half = shape.bytes / 2;
      const values = [0, half].map((at) => real(bytes.subarray(at, at + half)));
      const fields = ['re', 'im'].map((name, i) => ({ name, value: values[i] ?? cut }));
      return { kind: 'object', object: { fields, left: 0 } };
    }
  }
}

function real(bytes: Buffer): Value {
  switch (bytes.length) {
    case 4:
      return { kind: 'float', value: bytes.readFloatLE(0), bytes: 4 };
    case 8:
      return { kind: 'float', value: bytes.readDoubleLE(0) };
    default:
      return { kind: 'float', value: extended(bytes) };
  }
}

/** x87's 80 bits, rounded to a double. */
function extended(bytes: Buffer): number {
  const mantissa = bytes.readBigUInt64LE(0);
  const head = bytes.readUInt16LE(8);
  const sign = (head & 0x8000) === 0 ? 1 : -1;
  const exponent = head & 0x7fff;
  if (exponent === 0x7fff) return BigInt.asUintN(63, mantissa) === 0n ? sign * Infinity : NaN;
  // Two steps, because 2 ** exponent alone may leave the range of a double.
  const power = exponent - 16383 - 63;
  const half = Math.trunc(power / 2);
  return sign * Number(mantissa) * 2 ** half * 2 ** (power - half);
}
