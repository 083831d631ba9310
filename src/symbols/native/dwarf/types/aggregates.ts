import type { Aggregate, Field, Layout } from '../../abi/layout.ts';
import { attribute, form, languageNames, tag } from '../constants.ts';
import type { DebugInfo } from '../debugInfo.ts';
import type { Unit } from '../unitTable.ts';
import { Entry } from '../entry.ts';

/** What reading a structure asks of the reader of its members' types. */
export interface TypeSource {
  readonly info: DebugInfo;
  ofEntry(unit: Unit, entry: Entry, depth: number): { readonly layout: Layout };
  plain(
    reference: { readonly unit: Unit; readonly offset: number } | null,
  ): { readonly unit: Unit; readonly offset: number } | null;
  children(unit: Unit, parent: Entry, visit: (child: Entry) => void): void;
}

/** A class as its members are compared with it. */
interface OwnClass {
  readonly unit: Unit;
  readonly offset: number;
  readonly name: string;
}

/** Whether copying runs code. */
type Copies = 'trivial' | 'code' | 'unknown';

const maxFields = 4000;
/** DW_CC_pass_by_reference, DW_CC_pass_by_value (DWARF 5 §5.7.1.1). */
const convention = { byReference: 4, byValue: 5 } as const;
/** DW_DEFAULTED_in_class: such a member function stays trivial if the members are. */
const defaultedInClass = 1;

/** Collects the fields of a structure and judges whether a C++ class is copied by code. */
export function aggregateLayout(
  types: TypeSource,
  unit: Unit,
  entry: Entry,
  depth: number,
): Layout {
  if (entry.value(attribute.isDeclaration) === 1 || !entry.has(attribute.byteSize)) {
    return { kind: 'unknown', reason: 'a type that is only declared here' };
  }
  const { info } = types;
  const own = { unit, offset: entry.offset, name: info.text(unit, entry, attribute.name) };
  const fields: Field[] = [];
  const names: string[] = [];
  const members: { copies: Copies } = { copies: 'trivial' };
  let choice: Layout | null = null;
  types.children(unit, entry, (child) => {
    switch (child.tag) {
      case tag.member:
      case tag.inheritance:
        if (isStatic(child) || fields.length >= maxFields) return;
        names.push(info.text(unit, child, attribute.name));
        fields.push({ offset: offsetOf(child), layout: fieldLayout(types, unit, child, depth) });
        if (child.value(attribute.virtuality) > 0) members.copies = 'code';
        return;
      case tag.variantPart:
        choice = choiceLayout(types, unit, child, entry.value(attribute.byteSize), depth);
        return;
      case tag.subprogram: {
        const copies = copiesOf(types, child, own);
        if (copies === 'code' || (copies === 'unknown' && members.copies === 'trivial'))
          members.copies = copies;
        return;
      }
      default:
    }
  });
  if (choice) return choice;
  if (names.some((name) => name.startsWith('_vptr'))) members.copies = 'code';
  return {
    kind: 'aggregate',
    bytes: entry.value(attribute.byteSize),
    fields,
    passing: passingOf(unit, entry, members.copies, fields),
    alignment: entry.value(attribute.alignment),
    isPointerPair: isPointerPair(names),
  };
}

/** DWARF 5 §5.7.10. */
function choiceLayout(
  types: TypeSource,
  unit: Unit,
  part: Entry,
  bytes: number,
  depth: number,
): Layout {
  let tagField: Field | null = null;
  const variants: Layout[] = [];
  const own = types.info.read(unit, part.offset, new Entry());
  types.children(unit, own, (child) => {
    if (child.tag === tag.member)
      tagField = { offset: offsetOf(child), layout: fieldLayout(types, unit, child, depth) };
    if (child.tag !== tag.variant || variants.length >= maxFields) return;
    types.children(unit, types.info.read(unit, child.offset, new Entry()), (member) => {
      if (member.tag === tag.member) variants.push(fieldLayout(types, unit, member, depth));
    });
  });
  return { kind: 'choice', bytes, tag: tagField, variants };
}

function isStatic(member: Entry): boolean {
  return member.value(attribute.isDeclaration) === 1 || member.value(attribute.isExternal) === 1;
}

function offsetOf(member: Entry): number {
  if (member.has(attribute.dataBitOffset))
    return Math.floor(member.value(attribute.dataBitOffset) / 8);
  const code = member.formOf(attribute.memberLocation);
  // An expression is the place of a virtual base, known at run time only.
  return code === form.exprloc || code === form.block1 ? 0 : member.value(attribute.memberLocation);
}

function fieldLayout(types: TypeSource, unit: Unit, member: Entry, depth: number): Layout {
  if (member.has(attribute.bitSize)) return { kind: 'integer', bytes: 1 };
  return types.ofEntry(unit, member, depth + 1).layout;
}

function passingOf(
  unit: Unit,
  entry: Entry,
  copies: Copies,
  fields: readonly Field[],
): Aggregate['passing'] {
  switch (entry.value(attribute.callingConvention)) {
    case convention.byReference:
      return 'reference';
    case convention.byValue:
      return 'value';
    default:
      break;
  }
  const language = languageNames.get(unit.language);
  if (language !== 'C++' && language !== 'Objective-C++') return 'value';
  if (copies === 'code') return 'reference';
  const inner = fields.map((field) => passingOfField(field.layout));
  if (inner.includes('reference')) return 'reference';
  return copies === 'unknown' || inner.includes('unknown') ? 'unknown' : 'value';
}

function passingOfField(layout: Layout): Aggregate['passing'] {
  if (layout.kind === 'aggregate') return layout.passing;
  if (layout.kind === 'array') return passingOfField(layout.element);
  return layout.kind === 'unknown' ? 'unknown' : 'value';
}

/**
 * Whether a member function makes copying or destroying run code: a destructor, copy or move constructor
 * that the class provides itself. Where `= default` is not written down it stays unknown.
 */
function copiesOf(types: TypeSource, member: Entry, own: OwnClass): Copies {
  const { info } = types;
  const { unit } = own;
  const className = own.name.replace(/<.*$/, '');
  if (member.value(attribute.virtuality) > 0) return 'code';
  const name = info.text(unit, member, attribute.name).replace(/<.*$/, '');
  const isDestructor = name === `~${className}`;
  if (member.value(attribute.artificial) === 1 || (!isDestructor && name !== className))
    return 'trivial';
  if (!isDestructor && !takesOwnClass(types, member, own)) return 'trivial';
  if (
    member.value(attribute.isDefaulted) === defaultedInClass ||
    member.value(attribute.isDeleted) === 1
  )
    return 'trivial';
  return writesDefaulted(unit) ? 'code' : 'unknown';
}

/** DW_AT_defaulted is of DWARF 5; GCC 8 and later write it in DWARF 4 too. */
function writesDefaulted(unit: Unit): boolean {
  const gcc = /^GNU C\+\+\S* (\d+)\./.exec(unit.producer);
  return gcc === null ? unit.header.version >= 5 : Number(gcc[1]) >= 8;
}

/**
 * The only parameter besides `this` (or the only one without a default) refers to the class itself; another
 * class made from the same template is converted, not copied.
 */
function takesOwnClass(types: TypeSource, constructor: Entry, own: OwnClass): boolean {
  const { info } = types;
  let position = 0;
  let isOwn = false;
  types.children(own.unit, constructor, (parameter) => {
    if (parameter.tag !== tag.formalParameter || parameter.value(attribute.artificial) === 1)
      return;
    if (position++ > 0) return;
    const reference = types.plain(info.follow(own.unit, parameter, attribute.type));
    const entry = reference && info.read(reference.unit, reference.offset, new Entry());
    if (entry?.tag !== tag.referenceType && entry?.tag !== tag.rvalueReferenceType) return;
    const target = reference && types.plain(info.follow(reference.unit, entry, attribute.type));
    if (!target) return;
    const known = info.read(target.unit, target.offset, new Entry());
    const isSame = target.unit === own.unit && target.offset === own.offset;
    // A mere declaration of it is another entry.
    const isDeclared = known.value(attribute.isDeclaration) === 1 || target.unit !== own.unit;
    isOwn = isSame || (isDeclared && info.text(target.unit, known, attribute.name) === own.name);
  });
  return isOwn;
}

function isPointerPair(names: readonly string[]): boolean {
  if (names.length !== 2) return false;
  const sorted = names.toSorted().join(' ');
  return sorted === 'data_ptr length' || sorted === 'pointer vtable';
}
