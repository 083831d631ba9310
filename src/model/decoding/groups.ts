import type { Value } from '../questions/query.ts';
import type { GroupsShape } from '../values/shape.ts';
import { part, type ReadElements, type ShapeReader, type Spot } from './memorySource.ts';

/** Of a place's control byte: there is no element. */
const isFree = 0x80;

/** The elements of a map of Go; null when its own bytes were not captured. */
export function readGroups(
  decoder: ShapeReader,
  shape: GroupsShape,
  spot: Spot,
): ReadElements | null {
  const count = decoder.word(spot, shape.count);
  const writing = spot.bytes[shape.writing];
  if (count === null || writing === undefined) return null;
  const total = Number(count);
  if (shape.key === null || shape.value === null) return { items: [], total };
  const { mostElements } = decoder;
  const items: Value[] = [];
  let isWhole = true;
  for (const group of groupsOf(decoder, shape, spot)) {
    if (items.length >= mostElements) break;
    if (group) items.push(...elementsIn(decoder, shape, group));
    else isWhole = false;
  }
  const isTorn =
    writing !== 0 ||
    (isWhole &&
      !decoder.isCut &&
      Math.min(items.length, mostElements) !== Math.min(total, mostElements));
  return { items: items.slice(0, mostElements), total, torn: isTorn };
}

/** Its groups in their order; null stands for some that were not captured. */
function* groupsOf(decoder: ShapeReader, shape: GroupsShape, spot: Spot): Iterable<Spot | null> {
  const { memory, mostElements } = decoder;
  const { group, table } = shape;
  const address = decoder.word(spot, shape.directory) ?? 0n;
  const tables = decoder.word(spot, shape.length) ?? 0n;
  if (address === 0n) return;
  if (tables === 0n) {
    const bytes = memory.read(address, group.bytes);
    yield bytes?.length === group.bytes ? { bytes, address } : null;
    return;
  }
  const wanted = Number(tables < mostElements ? tables : mostElements);
  const entries = memory.read(address, wanted * 8) ?? Buffer.alloc(0);
  const seen = new Set<bigint>();
  for (let i = 0; (i + 1) * 8 <= entries.length; i++) {
    const at = entries.readBigUInt64LE(i * 8);
    // One that was not divided yet stands there more than once.
    if (seen.has(at)) continue;
    seen.add(at);
    const bytes = memory.read(at, table.bytes);
    if (bytes?.length === table.bytes) yield* groupsIn(decoder, shape, { bytes, address: at });
    else yield null;
  }
  if (entries.length < wanted * 8) yield null;
}

function* groupsIn(
  decoder: ShapeReader,
  { table, group }: GroupsShape,
  spot: Spot,
): Iterable<Spot | null> {
  const address = decoder.word(spot, table.groups) ?? 0n;
  const mask = decoder.word(spot, table.mask) ?? 0n;
  const wanted = Number(mask < decoder.mostElements ? mask : decoder.mostElements - 1) + 1;
  const bytes = decoder.memory.read(address, wanted * group.bytes) ?? Buffer.alloc(0);
  for (let i = 0; (i + 1) * group.bytes <= bytes.length; i++)
    yield part({ bytes, address }, i * group.bytes, group.bytes);
  if (bytes.length < wanted * group.bytes) yield null;
}

function elementsIn(decoder: ShapeReader, shape: GroupsShape, spot: Spot): Value[] {
  const { group, slot, key, value } = shape;
  const found: Value[] = [];
  for (let i = 0; i < group.places; i++) {
    const control = spot.bytes[group.control + i] ?? isFree;
    if ((control & isFree) !== 0) continue;
    const place = part(spot, group.slots + i * slot.bytes, slot.bytes);
    const fields = [
      { name: 'first', value: decoder.value(key ?? -1, part(place, slot.key)) },
      { name: 'second', value: decoder.value(value ?? -1, part(place, slot.value)) },
    ];
    found.push({ kind: 'object', object: { fields, left: 0 } });
  }
  return found;
}
