import type { Value } from '../questions/query.ts';
import { btreeKeys, btreeLevels, type DequePlace, type Shape } from '../values/shape.ts';
import { isByte } from './binaryValues.ts';
import { readGroups } from './groups.ts';
import { part, type ReadElements as Read, type ShapeReader, type Spot } from './memorySource.ts';

export type ContainerShape = Extract<
  Shape,
  {
    kind:
      'sequence' | 'links' | 'table' | 'ring' | 'deque' | 'blocks' | 'btree' | 'bits' | 'groups';
  }
>;

const mostCount = 2 ** 40;
/** The number of elements of what makes no sense: it was not made yet, or is gone. */
const impossible = -1;

/** A container's elements; null when its own bytes were not captured. */
export function decodeContainer(
  decoder: ShapeReader,
  shape: ContainerShape,
  spot: Spot,
): Value | null {
  const read = elementsOf(decoder, shape, spot);
  if (!read) return null;
  const { total } = read;
  if (total === null)
    return { kind: 'notCaptured', reason: 'its elements were not followed', type: shape.name };
  if (total < 0 || total > mostCount) return { kind: 'unreadable', address: shape.name };
  const holds = 'holds' in shape ? shape.holds : 'list';
  const torn = read.torn ? { torn: true } : {};
  if (holds === 'list') {
    const ofBytes = isRowOfBytes(decoder, shape) ? { ofBytes: true as const } : {};
    return { kind: 'list', items: read.items, total, ...torn, ...ofBytes };
  }
  const entries = read.items.flatMap((item) => {
    const [key, value] = item.kind === 'object' ? item.object.fields : [];
    return key && value ? [{ key: key.value, value: value.value }] : [];
  });
  return { kind: 'map', entries, total, ...torn };
}

/** Whether its elements are bytes in an order. */
function isRowOfBytes(decoder: ShapeReader, shape: ContainerShape): boolean {
  if (!['sequence', 'ring', 'deque', 'blocks'].includes(shape.kind)) return false;
  const element =
    'element' in shape && shape.element !== null ? decoder.shape(shape.element) : null;
  return element?.kind === 'scalar' && isByte(element.type);
}

function elementsOf(decoder: ShapeReader, shape: ContainerShape, spot: Spot): Read | null {
  switch (shape.kind) {
    case 'sequence':
      return sequence(decoder, shape, spot);
    case 'links':
      return links(decoder, shape, spot);
    case 'table':
      return table(decoder, shape, spot);
    case 'ring':
      return ring(decoder, shape, spot);
    case 'deque':
      return deque(decoder, shape, spot);
    case 'blocks':
      return blocks(decoder, shape, spot);
    case 'btree':
      return btree(decoder, shape, spot);
    case 'bits':
      return bits(decoder, shape, spot);
    case 'groups':
      return readGroups(decoder, shape, spot);
  }
}

/** Elements one after the other, as far as they were captured. */
function inRow(
  decoder: ShapeReader,
  element: number | null,
  address: bigint,
  unit: number,
  count: number,
): Value[] {
  if (element === null || count <= 0) return [];
  const wanted = Math.min(count, decoder.mostElements);
  const bytes = decoder.memory.read(address, wanted * unit);
  const items: Value[] = [];
  if (!bytes) return items;
  for (let i = 0; (i + 1) * unit <= bytes.length; i++) {
    const whole: Spot = { bytes, address };
    items.push(decoder.value(element, part(whole, i * unit, unit)));
  }
  return items;
}

function sequence(
  decoder: ShapeReader,
  { pointer, length, byEnd, unit, element }: Extract<Shape, { kind: 'sequence' }>,
  spot: Spot,
): Read | null {
  const address = decoder.word(spot, pointer);
  const end = decoder.word(spot, length);
  if (address === null || end === null) return null;
  const count = byEnd ? (end < address ? 2n ** 62n : (end - address) / BigInt(unit)) : end;
  const total = Number(count);
  return { items: inRow(decoder, element, address, unit, total), total };
}

function links(
  decoder: ShapeReader,
  shape: Extract<Shape, { kind: 'links' }>,
  spot: Spot,
): Read | null {
  const first = decoder.word(spot, shape.first);
  const count = shape.count === null ? null : decoder.word(spot, shape.count);
  if (first === null || (shape.count !== null && count === null)) return null;
  const { element } = shape;
  if (element === null && count === null) return { items: [], total: first === 0n ? 0 : null };
  const items: Value[] = [];
  let isWhole = true;
  if (element !== null) {
    const bytes = shape.place + (decoder.shape(element)?.bytes ?? 0);
    const walk = new LinkWalk(decoder, spot, bytes);
    walk.visit(shape.next, first, (node) =>
      items.push(decoder.value(element, part(node, shape.place))),
    );
    isWhole = walk.isWhole;
  }
  const total = count === null ? items.length : Number(count);
  const torn =
    element !== null &&
    isWhole &&
    !decoder.isCut &&
    items.length !== Math.min(total, decoder.mostElements);
  return { items: items.slice(0, decoder.mostElements), total, torn };
}

/** Goes through captured nodes in order. */
class LinkWalk {
  /** False when a node was not captured, though it may be there. */
  isWhole = true;
  readonly #decoder: ShapeReader;
  readonly #spot: Spot;
  readonly #bytes: number;
  readonly #seen = new Set<bigint>();

  constructor(decoder: ShapeReader, spot: Spot, bytes: number) {
    this.#decoder = decoder;
    this.#spot = spot;
    this.#bytes = bytes;
  }

  visit(
    next: readonly [number] | readonly [number, number],
    first: bigint,
    found: (node: Spot) => void,
  ): void {
    if (next.length === 1) {
      for (let node = this.#node(first); node;) {
        found(node);
        node = this.#node(this.#decoder.word(node, next[0]) ?? 0n);
      }
      return;
    }
    const [left, right] = next;
    // In order: all that is left of a node comes before it.
    const above: Spot[] = [];
    let node = this.#node(first);
    while (node || above.length > 0) {
      while (node) {
        above.push(node);
        node = this.#node(this.#decoder.word(node, left) ?? 0n);
      }
      const nearest = above.pop();
      if (!nearest) return;
      found(nearest);
      node = this.#node(this.#decoder.word(nearest, right) ?? 0n);
    }
  }

  #node(address: bigint): Spot | null {
    const { address: own, bytes: ownBytes } = this.#spot;
    // Back in the container itself: its end.
    const isEnd = own !== 0n && address >= own && address < own + BigInt(ownBytes.length);
    if (address === 0n || isEnd || this.#seen.has(address)) return null;
    this.#seen.add(address);
    const bytes = this.#decoder.memory.read(address, this.#bytes);
    if (!bytes || bytes.length < this.#bytes) {
      this.isWhole &&= this.#decoder.memory.isUnreadable(address);
      return null;
    }
    return { bytes, address };
  }
}

function table(
  decoder: ShapeReader,
  shape: Extract<Shape, { kind: 'table' }>,
  spot: Spot,
): Read | null {
  const control = decoder.word(spot, shape.control);
  const mask = decoder.word(spot, shape.mask);
  const count = decoder.word(spot, shape.count);
  if (control === null || mask === null || count === null) return null;
  const { element } = shape;
  const unit = element === null ? 0 : (decoder.shape(element)?.bytes ?? 0);
  const items: Value[] = [];
  if (element !== null && unit > 0) {
    for (const slot of decoder.memory.slots(control, mask + 1n, unit)) {
      if (items.length >= decoder.mostElements) break;
      items.push(decoder.value(element, slot));
    }
  }
  const total = Number(count);
  const torn =
    element !== null && !decoder.isCut && items.length !== Math.min(total, decoder.mostElements);
  return { items, total, torn };
}

function ring(
  decoder: ShapeReader,
  shape: Extract<Shape, { kind: 'ring' }>,
  spot: Spot,
): Read | null {
  const words = [shape.pointer, shape.head, shape.count, shape.capacity].map((at) =>
    decoder.word(spot, at),
  );
  const [buffer, head, count, capacity] = words;
  if (buffer == null || head == null || count == null || capacity == null) return null;
  const { element } = shape;
  const unit = element === null ? 0 : (decoder.shape(element)?.bytes ?? 0);
  const total = Number(count);
  if (count > capacity || head > capacity) return { items: [], total, torn: element !== null };
  const first = Number(capacity - head < count ? capacity - head : count);
  const items = [
    ...inRow(decoder, element, buffer + head * BigInt(unit), unit, first),
    ...inRow(decoder, element, buffer, unit, Math.min(total, decoder.mostElements) - first),
  ];
  const torn = shape.changing !== undefined && spot.bytes[shape.changing] !== 0;
  return { items: items.slice(0, decoder.mostElements), total, torn };
}

function deque(
  decoder: ShapeReader,
  shape: Extract<Shape, { kind: 'deque' }>,
  spot: Spot,
): Read | null {
  const { element, bufferBytes } = shape;
  const first = endOfDeque(decoder, shape.first, spot);
  const end = endOfDeque(decoder, shape.end, spot);
  if (!first || !end) return null;
  const unit = element === null ? 0 : (decoder.shape(element)?.bytes ?? 0);
  if (element === null || unit === 0)
    return { items: [], total: first.item === end.item ? 0 : null };
  const last = Number((end.entry - first.entry) / 8n);
  const whole = BigInt(last) * BigInt(bufferBytes);
  const bytes = whole - (first.item - first.buffer) + (end.item - end.buffer);
  const total = last < 0 ? impossible : Number(bytes / BigInt(unit));
  const items: Value[] = [];
  const entries = decoder.memory.read(first.entry, decoder.mostElements * 8);
  for (let i = 0; i <= last && items.length < Math.min(total, decoder.mostElements); i++) {
    if (!entries || (i + 1) * 8 > entries.length) break;
    const begin = entries.readBigUInt64LE(i * 8);
    const from = i === 0 ? first.item : begin;
    const to = i === last ? end.item : begin + BigInt(bufferBytes);
    if (from === 0n || to < from) break;
    items.push(...inRow(decoder, element, from, unit, Number((to - from) / BigInt(unit))));
  }
  return { items: items.slice(0, decoder.mostElements), total };
}

/** Null when its words were not captured. */
function endOfDeque(
  decoder: ShapeReader,
  place: DequePlace,
  spot: Spot,
): { readonly [part in keyof DequePlace]: bigint } | null {
  const item = decoder.word(spot, place.item);
  const buffer = decoder.word(spot, place.buffer);
  const entry = decoder.word(spot, place.entry);
  return item === null || buffer === null || entry === null ? null : { item, buffer, entry };
}

function blocks(
  decoder: ShapeReader,
  shape: Extract<Shape, { kind: 'blocks' }>,
  spot: Spot,
): Read | null {
  const words = [shape.blocks, shape.start, shape.count].map((at) => decoder.word(spot, at));
  const [first, start, count] = words;
  if (first == null || start == null || count == null) return null;
  const { element, perBlock } = shape;
  const unit = element === null ? 0 : (decoder.shape(element)?.bytes ?? 0);
  const total = Number(count);
  const items: Value[] = [];
  const most = unit === 0 ? 0 : Math.min(total, decoder.mostElements);
  for (let at = Number(start); items.length < most;) {
    const entry = decoder.memory.read(first + BigInt(Math.floor(at / perBlock)) * 8n, 8);
    if (!entry || entry.length < 8) break;
    const inside = at % perBlock;
    const wanted = Math.min(perBlock - inside, most - items.length);
    const address = entry.readBigUInt64LE(0) + BigInt(inside * unit);
    const read = inRow(decoder, element, address, unit, wanted);
    items.push(...read);
    if (read.length < wanted) break;
    at += wanted;
  }
  return { items, total };
}

function btree(
  decoder: ShapeReader,
  shape: Extract<Shape, { kind: 'btree' }>,
  spot: Spot,
): Read | null {
  const root = decoder.word(spot, shape.root);
  const height = decoder.word(spot, shape.height);
  const count = decoder.word(spot, shape.count);
  if (root === null || height === null || count === null) return null;
  const total = Number(count);
  const items: Value[] = [];
  // Of an empty one nothing but the count has a meaning.
  const isFollowed = total > 0 && height < BigInt(btreeLevels);
  const isWhole =
    isFollowed &&
    visitNode(decoder, shape, root, Number(height), (item) => {
      if (items.length < decoder.mostElements) items.push(item);
    });
  const torn = isWhole && !decoder.isCut && items.length !== Math.min(total, decoder.mostElements);
  return { items, total, torn };
}

function bits(
  decoder: ShapeReader,
  shape: Extract<Shape, { kind: 'bits' }>,
  spot: Spot,
): Read | null {
  const first = decoder.word(spot, shape.pointer);
  const total = bitCount(decoder, shape, spot, first);
  if (first === null || total === null) return null;
  const words = decoder.memory.read(first, Math.ceil(decoder.mostElements / 8));
  const known = Math.min(total, decoder.mostElements, (words?.length ?? 0) * 8);
  const items = Array.from({ length: Math.max(0, known) }, (_unused, i): Value => {
    const byte = words?.[i >> 3] ?? 0;
    return { kind: 'bool', value: ((byte >> (i & 7)) & 1) === 1 };
  });
  return { items, total };
}

function bitCount(
  decoder: ShapeReader,
  shape: Extract<Shape, { kind: 'bits' }>,
  spot: Spot,
  first: bigint | null,
): number | null {
  if ('count' in shape) {
    const count = decoder.word(spot, shape.count);
    return count === null ? null : Number(count);
  }
  const last = decoder.word(spot, shape.end);
  const { bytes } = spot;
  if (first === null || last === null || shape.endBits + 4 > bytes.length) return null;
  return Number(last - first) * 8 + bytes.readUInt32LE(shape.endBits);
}

/** Whether all nodes below it were captured. */
function visitNode(
  decoder: ShapeReader,
  shape: Extract<Shape, { kind: 'btree' }>,
  address: bigint,
  height: number,
  found: (item: Value) => void,
): boolean {
  const { key, value, keys, values } = shape;
  const wanted = shape.nodeBytes + (height > 0 ? (btreeKeys + 1) * 8 : 0);
  const bytes = decoder.memory.read(address, wanted);
  if (!bytes || bytes.length < wanted || key === null) return false;
  let isWhole = true;
  const node: Spot = { bytes, address };
  const filled = Math.min(bytes.readUInt16LE(shape.filled), btreeKeys);
  const below = (i: number): void => {
    const edge = height > 0 ? decoder.word(node, shape.edges + i * 8) : null;
    if (edge !== null && !visitNode(decoder, shape, edge, height - 1, found)) isWhole = false;
  };
  const unitOf = (index: number): number => decoder.shape(index)?.bytes ?? 0;
  for (let i = 0; i < filled; i++) {
    below(i);
    const first = decoder.value(key, part(node, keys + i * unitOf(key), unitOf(key)));
    if (shape.holds === 'list') found(first);
    else if (value !== null) {
      const at = values + i * unitOf(value);
      const second = decoder.value(value, part(node, at, unitOf(value)));
      const fields = [
        { name: 'first', value: first },
        { name: 'second', value: second },
      ];
      found({ kind: 'object', object: { fields, left: 0 } });
    }
  }
  below(filled);
  return isWhole;
}
