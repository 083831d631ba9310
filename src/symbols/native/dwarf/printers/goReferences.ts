import {
  interfaceLayout,
  type GroupsShape,
  type InterfaceOption,
  type PointerShape,
  type Shape,
} from '../../../../model/values/shape.ts';
import { attribute, languageNames, tag } from '../constants.ts';
import { Entry } from '../entry.ts';
import { goKind, goTypesWithin } from '../types/goTypes.ts';
import type { TypeView } from '../types/typeView.ts';
import type { TypeReader, TypeReference } from '../types/types.ts';

/** What one interface's values are followed as: of more types the name alone is told. */
const mostFollowed = 48;
const mostTypedefs = 8;
/** Places of a group (internal/runtime/maps). */
const places = 8;

/** A type of Go that is shown as what it holds, though it is an address or two; `type` is what declares it. */
export function goReference(types: TypeReader, type: TypeReference): TypeReference | null {
  if (languageNames.get(type.unit.language) !== 'Go') return null;
  let at: TypeReference | null = type;
  for (let step = 0; at && step < mostTypedefs; step++) {
    const entry: Entry = types.info.read(at.unit, at.offset, new Entry());
    if (entry.tag !== tag.typedef) return null;
    const kind = entry.value(attribute.goKind);
    if (kind === goKind.chan || kind === goKind.interface || kind === goKind.map) return at;
    at = types.info.follow(at.unit, entry, attribute.type);
  }
  return null;
}

export function goShape(view: TypeView): Shape | null {
  switch (view.goKind) {
    case goKind.interface:
      return interfaceOf(view);
    case goKind.map:
      return reference(view, mapOf);
    case goKind.chan:
      return reference(view, channelOf);
    case goKind.func:
      return closureOf(view);
    default:
      return null;
  }
}

/** The address of what the runtime keeps of it stands for that. */
function reference(
  view: TypeView,
  of: (kept: TypeView, declared: TypeView) => Shape | null,
): PointerShape {
  const { name, building } = view;
  const { types } = building;
  const pointer = types.plain(view.type);
  const kept = pointer && types.plain(view.pointee(pointer));
  const reason = 'its layout is not known: it is of another version of Go';
  const shape = (kept && of(view.at(kept), view)) ?? { kind: 'opaque', name, bytes: 8, reason };
  const target = building.add(shape);
  return { ...boxed(name), target };
}

/** A Swiss table: groups of places, each with a byte that tells whether it is taken. */
function mapOf(view: TypeView, declared: TypeView): Shape | null {
  const { types } = view.building;
  const { name, bytes } = view;
  const directory = view.field('dirPtr');
  const table = directory && tableAt(view, directory.type);
  const held = table && heldIn(table.group);
  const [count, length] = [view.word('used'), view.word('dirLen')];
  const writing = view.field('writing');
  const [key, value] = [attribute.goKey, attribute.goElement].map((which) =>
    followed(types, declared.type, which),
  );
  if (!held || !writing || count === null || length === null || !key || !value) return null;
  const shape: GroupsShape = {
    kind: 'groups',
    name,
    bytes,
    holds: 'map',
    count,
    length,
    key: null,
    value: null,
    directory: directory.offset,
    writing: writing.offset,
    table: table.places,
    group: held.group,
    slot: held.slot,
  };
  inPlace(view, held.key, key, (found) => (shape.key = found));
  inPlace(view, held.value, value, (found) => (shape.value = found));
  return shape;
}

/** What the address of a table's address leads to, and the groups that the table has. */
function tableAt(
  view: TypeView,
  type: TypeReference,
): { readonly places: GroupsShape['table']; readonly group: TypeView } | null {
  const { types } = view.building;
  const entry = view.pointee(type);
  const plain = types.plain(entry && view.pointee(entry));
  const table = plain && view.at(plain);
  const groups = table?.field('groups');
  const data = groups && view.at(groups.type).field('data');
  const group = types.plain(data ? view.pointee(data.type) : null);
  const mask = table?.wordIn(groups ?? null, 'lengthMask');
  if (!table || !groups || !data || !group || mask == null) return null;
  return {
    places: { bytes: table.bytes, groups: groups.offset + data.offset, mask },
    group: view.at(group),
  };
}

interface Held extends Pick<GroupsShape, 'group' | 'slot'> {
  readonly key: TypeReference;
  readonly value: TypeReference;
}

function heldIn(group: TypeView): Held | null {
  const { types } = group.building;
  const [control, slots] = [group.word('ctrl'), group.field('slots')];
  const array = slots && types.plain(slots.type);
  const type = array && types.plain(followed(types, array, attribute.type));
  const slot = type && group.at(type);
  const [key, value] = [slot?.field('key'), slot?.field('elem')];
  if (control === null || !slots || !slot || !key || !value) return null;
  if (slot.bytes * places > group.bytes - slots.offset) return null;
  return {
    group: { bytes: group.bytes, control, slots: slots.offset, places },
    slot: { bytes: slot.bytes, key: key.offset, value: value.offset },
    key: key.type,
    value: value.type,
  };
}

function followed(
  types: TypeReader,
  { unit, offset }: TypeReference,
  which: number,
): TypeReference | null {
  return types.info.follow(unit, types.info.read(unit, offset, new Entry()), which);
}

/** A large one lies elsewhere, and its address in its place. */
function inPlace(
  view: TypeView,
  held: TypeReference,
  declared: TypeReference,
  done: (shape: number) => void,
): void {
  const { building } = view;
  const bytes = building.bytesOf(declared);
  if (bytes === building.bytesOf(held)) {
    view.behind(declared, done);
    return;
  }
  const shape = boxed(building.types.nameOf(declared, 0));
  view.behind(declared, (found) => {
    shape.target = found;
    done(building.add(shape));
  });
}

/** An address that stands for what it leads to. */
function boxed(name: string): PointerShape {
  return {
    kind: 'pointer',
    name,
    bytes: 8,
    at: 0,
    skip: 0,
    target: null,
    isFree: true,
    isValue: true,
  };
}

/** What was sent and not received: a ring of elements. */
function channelOf(view: TypeView, declared: TypeView): Shape | null {
  const { name, bytes } = view;
  const { types } = view.building;
  const [pointer, head] = [view.field('buf')?.offset, view.word('recvx')];
  const [count, capacity] = [view.word('qcount'), view.word('dataqsiz')];
  const changing = view.wordIn(view.field('lock'), 'key');
  const closed = view.word('closed');
  const element = followed(types, declared.type, attribute.goElement);
  if (pointer === undefined || head === null || count === null) return null;
  if (capacity === null || changing === null) return null;
  const shape: Extract<Shape, { kind: 'ring' }> = {
    kind: 'ring',
    name,
    bytes,
    pointer,
    head,
    count,
    capacity,
    changing,
    ...(closed === null ? {} : { closed }),
    element: null,
  };
  if (element) view.elements(element, (found) => (shape.element = found));
  return shape;
}

/** The address of the function's own address, with what it captured behind it. */
function closureOf({ name, building }: TypeView): PointerShape {
  const type = { kind: 'pointer', name, code: true } as const;
  return { ...boxed(name), target: building.add({ kind: 'scalar', bytes: 8, type }) };
}

/** The address of what tells the type, and of the value. */
function interfaceOf(view: TypeView): Shape | null {
  const { building, name, bytes, level } = view;
  const { types } = building;
  const kept = types.plain(view.type);
  const there = kept && view.at(kept);
  if (there?.field('data')?.offset !== interfaceLayout.data) return null;
  const isAny = there.field('_type') !== null;
  const options = goTypesWithin(types, view.name, isAny).map((one, i): InterfaceOption => {
    const option = { name: one.name, hash: one.hash, shape: null };
    if (i >= mostFollowed || !one.type) return option;
    if (one.isDirect) return { ...option, shape: view.inner(one.type) };
    const shape = boxed(one.name);
    building.behind(one.type, level - 1, (found) => (shape.target = found));
    return { ...option, shape: building.add(shape) };
  });
  return { kind: 'interface', name, bytes, options };
}
