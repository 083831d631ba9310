import type { ScalarType } from '../../../../model/values/scalarType.ts';
import type { ShapeOption } from '../../../../model/values/shape.ts';
import { attribute, tag } from '../constants.ts';
import { Cursor } from '../cursor.ts';
import { Entry } from '../entry.ts';
import type { ShapeBuilding } from './typeView.ts';
import type { TypeReference } from './types.ts';

/** No code lies there. */
const farthest = 4095;
const mostBases = 16;
const mostNamed = 100;
const operation = { constant: 0x10, literal: 0x30, lastLiteral: 0x4f } as const;

const code: ScalarType = { kind: 'pointer', name: 'function', code: true };
const number: ScalarType = { kind: 'int', name: 'long', bytes: 8, signed: true };

/**
 * A pointer to a member function (Itanium C++ ABI §2.3): a function's address, or of a virtual one its place in the
 * vtable and one, and what is added to `this`. Which functions lie in a vtable the class says of an object's first.
 */
export function memberPointer(building: ShapeBuilding, type: TypeReference, name: string): number {
  const direct = building.add({ kind: 'scalar', bytes: 8, type: code });
  const place = building.add({ kind: 'scalar', bytes: 8, type: number });
  const called = building.types.tellsVirtual
    ? calledBy(building, type, { name, direct, place })
    : direct;
  const fields = [
    { name: 'function', offset: 0, shape: called },
    { name: 'adjusts', offset: 8, shape: place },
  ];
  return building.add({ kind: 'record', name, bytes: 16, fields, left: 0 });
}

/** The function, where its word tells which. */
function calledBy(
  building: ShapeBuilding,
  type: TypeReference,
  { name, direct, place }: { name: string; direct: number; place: number },
): number {
  const { info } = building.types;
  const entry = info.read(type.unit, type.offset, new Entry());
  const owner = info.follow(type.unit, entry, attribute.containingType);
  const slots = owner ? virtualFunctions(building, owner) : new Map<number, string>();
  const option = (low: number, high: number, told: string, shape: number | null): ShapeOption => ({
    low: String(low),
    high: String(high),
    name: told,
    offset: 0,
    shape,
  });
  const placed = (names: ReadonlyMap<number, string>): number =>
    building.add({
      kind: 'choice',
      name,
      bytes: 16,
      at: 0,
      size: 8,
      options: [
        option(0, 0, 'null', null),
        ...[...names].map(([slot, own]) =>
          option(slot * 8 + 1, slot * 8 + 1, `virtual ${own}`, null),
        ),
        option(1, farthest, 'virtual', place),
      ],
      otherwise: option(0, 0, '', direct),
    });
  const elsewhere = placed(new Map());
  const first = placed(slots);
  return building.add({
    kind: 'choice',
    name,
    bytes: 16,
    at: 8,
    size: 8,
    options: [option(0, 0, '', first)],
    otherwise: option(0, 0, '', elsewhere),
  });
}

/** By their places in the class's first vtable: its own, and those of bases that begin where it does. */
function virtualFunctions(building: ShapeBuilding, owner: TypeReference): Map<number, string> {
  const { types } = building;
  const found = new Map<number, string>();
  let next: TypeReference | null = types.plain(owner);
  for (let level = 0; next && level < mostBases && found.size < mostNamed; level++) {
    const { unit, offset } = next;
    const className = types.nameOf(next, 0);
    const own = new Map<number, string>();
    let base: TypeReference | null = null;
    types.children(unit, types.info.read(unit, offset, new Entry()), (child) => {
      const name = types.info.text(unit, child, attribute.name);
      if (child.tag === tag.inheritance) {
        const begins = child.value(attribute.memberLocation) === 0;
        if (begins && child.value(attribute.virtuality) === 0)
          base ??= types.plain(types.info.follow(unit, child, attribute.type));
      } else if (child.tag === tag.subprogram && child.has(attribute.vtableSlot)) {
        const slot = slotOf(types.info.expression(unit, child, attribute.vtableSlot, 0));
        // Of a destructor, to which nothing points, clang writes 0.
        if (slot === null || name.startsWith('~')) return;
        own.set(slot, own.has(slot) ? '' : `${className}::${name}`);
      }
    });
    for (const [slot, name] of own) if (!found.has(slot)) found.set(slot, name);
    next = base;
  }
  // Two of one place: neither is told.
  return new Map([...found].filter(([, name]) => name !== '').slice(0, mostNamed));
}

function slotOf(expression: Uint8Array | null): number | null {
  if (!expression || expression.length === 0) return null;
  const cursor = new Cursor(expression, 0);
  const first = cursor.u8();
  if (first >= operation.literal && first <= operation.lastLiteral)
    return first - operation.literal;
  return first === operation.constant && expression.length > 1 ? cursor.uleb() : null;
}
