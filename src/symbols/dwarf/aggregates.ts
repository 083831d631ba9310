import type { Aggregate, Field, Layout } from '../abi/layout.ts';
import { attribute, form, languageNames, tag } from './constants.ts';
import type { DebugInfo, Unit } from './debugInfo.ts';
import { Entry } from './entry.ts';

/** What reading a structure asks of the reader of its members' types. */
export interface TypeSource {
  readonly info: DebugInfo;
  ofEntry(unit: Unit, entry: Entry, depth: number): { readonly layout: Layout };
  nameOf(reference: { readonly unit: Unit; readonly offset: number }, depth: number): string;
  children(unit: Unit, parent: Entry, visit: (child: Entry) => void): void;
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
  const className = info.text(unit, entry, attribute.name).replace(/<.*$/, '');
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
        const copies = copiesOf(types, unit, child, className);
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
function copiesOf(types: TypeSource, unit: Unit, member: Entry, className: string): Copies {
  const { info } = types;
  if (member.value(attribute.virtuality) > 0) return 'code';
  const name = info.text(unit, member, attribute.name).replace(/<.*$/, '');
  const isDestructor = name === `~${className}`;
  if (member.value(attribute.artificial) === 1 || (!isDestructor && name !== className))
    return 'trivial';
  if (!isDestructor && !takesOwnClass(types, unit, member, className)) return 'trivial';
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

/** The only parameter besides `this` (or the only one without a default) refers to the class itself. */
function takesOwnClass(
  types: TypeSource,
  unit: Unit,
  constructor: Entry,
  className: string,
): boolean {
  let position = 0;
  let isOwn = false;
  types.children(unit, constructor, (parameter) => {
    if (parameter.tag !== tag.formalParameter || parameter.value(attribute.artificial) === 1)
      return;
    if (position++ > 0) return;
    const target = types.info.follow(unit, parameter, attribute.type);
    const name = target === null ? '' : types.nameOf(target, 0);
    const match = /^(?:const |volatile )*(.*?)&{1,2}$/.exec(name);
    isOwn = match?.[1]?.replace(/<.*$/, '') === className;
  });
  return isOwn;
}

function isPointerPair(names: readonly string[]): boolean {
  if (names.length !== 2) return false;
  const sorted = names.toSorted().join(' ');
  return sorted === 'data_ptr length' || sorted === 'pointer vtable';
}
