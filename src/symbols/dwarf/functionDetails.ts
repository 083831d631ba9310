import type { FoundFunction } from '../../model/foundFunction.ts';
import type { Parameter, Place, ValueType } from '../../model/valueType.ts';
import { sizeOf, type Layout } from '../abi/layout.ts';
import type { Placement } from '../abi/registerFile.ts';
import { placeRust, returnedRust } from '../abi/rust.ts';
import { placeSysv, returnedSysv } from '../abi/sysv.ts';
import { attribute, languageNames, tag } from './constants.ts';
import type { DebugInfo, Unit } from './debugInfo.ts';
import { Entry } from './entry.ts';
import { movesArguments, placeAtEntry, removed } from './entryPlaces.ts';
import { treeType } from './shapes.ts';
import type { TypeDescription, TypeReader, TypeReference } from './types.ts';

/** What the debug information says of a function's interface. */
export type FunctionDetails = Pick<
  FoundFunction,
  'signature' | 'linkageName' | 'parameters' | 'returns' | 'returnPlace' | 'stackBytes' | 'variadic'
>;

/** An entry with what it completes: its specification or abstract origin (DWARF 5 §3.3.8). */
interface Link {
  readonly unit: Unit;
  readonly entry: Entry;
}

interface FormalParameter {
  readonly key: number;
  /** The abstract parameter this one stands for, or -1. */
  readonly origin: number;
  readonly isArtificial: boolean;
  /** Listed by the function with code, not only by what it stands for. */
  readonly isConcrete: boolean;
  readonly unit: Unit;
  readonly entry: Entry;
}

const maxChain = 8;
const maxParameters = 256;
/** DW_CC_nocall: the compiler changed how the function is called. */
const noCall = 3;

/** Reads the entry at this offset of .debug_info. Throws a RangeError at damage. */
export function readFunctionDetails(
  types: TypeReader,
  offset: number,
  name: string,
  options: {
    readonly changedSignature: boolean;
    /** How many pointers are followed. */
    readonly depth: number;
    /** Link-time address of its first instruction. */
    readonly address: number;
  },
): FunctionDetails {
  const chain = readChain(types, offset);
  const first = chain[0];
  if (first === undefined) throw new RangeError('a function has no entry');
  const linkageName =
    firstText(types, chain, [attribute.linkageName, attribute.mipsLinkageName]) || name;
  if (options.changedSignature) return unknownDetails(name, linkageName);
  const typed = chain.find((link) => link.entry.has(attribute.type));
  const returns = typed === undefined ? null : types.ofEntry(typed.unit, typed.entry);
  const formal = formalParameters(types, chain);
  const variadic = chain.some((link) => hasUnspecified(types, link));
  const isBare = [typed === undefined, formal.length === 0, !variadic, !isPrototyped(chain)].every(
    Boolean,
  );
  if (isBare && !chain.some(describesParameters)) return unknownDetails(name, linkageName);
  const isCertain = !variadic && (!isBare || hasOwnTable(first.unit));
  const described = formal.map((parameter) => ({ parameter, type: typeOf(types, parameter) }));
  const language = languageNames.get(first.unit.language) ?? '';
  const layouts = described.map(({ type }) => promoted(type.layout, language, chain));
  const isChanged = chain.some((link) => link.entry.value(attribute.callingConvention) === noCall);
  const placement = placementOf(language, layouts, returns?.layout ?? { kind: 'none' }, {
    isChanged,
    isClosure: language === 'Rust' && isNamedInBraces(types, chain),
  });
  const parameters = described.map(({ parameter, type }, i): Parameter => {
    const own = nameOf(types, parameter) || `arg${i}`;
    const place = placeOf(types.info, parameter, placement.places[i], options.address);
    const whole = wholeOf(types, referenceOf(types, parameter), type, place, options.depth);
    return { name: own, ...(whole ?? { type: type.value, place }) };
  });
  const returned = isChanged
    ? plainResult(returns)
    : returnedValue(types, typed, language, options.depth);
  const shown = described
    .filter(({ parameter }) => !parameter.isArtificial)
    .map(({ type }) => spelling(type.value));
  if (variadic) shown.push('...');
  return {
    linkageName,
    signature: `${name}(${shown.join(', ')})`,
    parameters,
    ...returned,
    stackBytes: isCertain ? placement.stackBytes : null,
    variadic,
  };
}

/** A parameter the optimiser knew the value of is not passed any more, though its place stays reserved. */
function placeOf(
  info: DebugInfo,
  parameter: FormalParameter,
  place: Place | undefined,
  address: number,
): Place {
  if (parameter.entry.has(attribute.constValue))
    return { kind: 'none', reason: 'the compiler made it a constant' };
  if (place === undefined) return { kind: 'none', reason: 'it has no place' };
  if (!movesArguments(parameter.unit)) return place;
  return parameter.isConcrete ? placeAtEntry(info, parameter, place, address) : removed;
}

/** `{closure#0}`, `{async_fn#0}`. */
function isNamedInBraces(types: TypeReader, chain: readonly Link[]): boolean {
  return firstText(types, chain, [attribute.name]).startsWith('{');
}

/** A function of which only the name is known. */
export function unknownDetails(signature: string, linkageName: string): FunctionDetails {
  return {
    signature,
    linkageName,
    parameters: [],
    returns: { kind: 'unknown' },
    stackBytes: null,
    variadic: false,
  };
}

function spelling(type: ValueType): string {
  return 'name' in type ? type.name : type.kind === 'void' ? 'void' : '?';
}

function placementOf(
  language: string,
  layouts: readonly Layout[],
  returns: Layout,
  { isChanged, isClosure }: { readonly isChanged: boolean; readonly isClosure: boolean },
): Placement {
  if (isChanged) return nowhere(layouts, 'the compiler changed how this function is called');
  if (isClosure)
    return nowhere(layouts, 'what a closure captured comes first and is not described');
  return placeFor(language, layouts, returns);
}

function placeFor(language: string, layouts: readonly Layout[], returns: Layout): Placement {
  switch (language) {
    case 'C':
    case 'C++':
    case 'Objective-C':
    case 'Objective-C++':
      return placeSysv(layouts, returns);
    case 'Rust':
      return placeRust(layouts, returns);
    default:
      return nowhere(layouts, `how ${language || 'this language'} passes parameters is not known`);
  }
}

function nowhere(layouts: readonly Layout[], reason: string): Placement {
  return { places: layouts.map(() => ({ kind: 'none', reason })), stackBytes: null };
}

/** Without a prototype C passes a float as a double (C11 §6.5.2.2). */
function promoted(layout: Layout, language: string, chain: readonly Link[]): Layout {
  if (language !== 'C' || layout.kind !== 'float' || layout.bytes !== 4) return layout;
  return isPrototyped(chain) ? layout : { kind: 'unknown', reason: 'a float without prototype' };
}

function isPrototyped(chain: readonly Link[]): boolean {
  return chain.some((link) => link.entry.has(attribute.prototyped));
}

/**
 * With -g1 or line tables only (Rust's own library is compiled so) functions are named, and their
 * parameters and results left out: such a unit has no entry of a parameter at all.
 */
function describesParameters({ unit }: Link): boolean {
  return unit.table.tags.includes(tag.formalParameter);
}

/** LLVM shares one abbreviation table among the units of an object, which may differ in detail. */
function hasOwnTable(unit: Unit): boolean {
  return unit.producer.startsWith('GNU ');
}

function readChain(types: TypeReader, offset: number): Link[] {
  const chain: Link[] = [];
  const { info } = types;
  const unit = info.unitAt(offset);
  let next = unit === null ? null : { unit, offset: offset - unit.header.start };
  while (next !== null && chain.length < maxChain) {
    const entry = info.read(next.unit, next.offset);
    const link: Link = { unit: next.unit, entry };
    chain.push(link);
    const at = entry.has(attribute.specification)
      ? attribute.specification
      : attribute.abstractOrigin;
    next = info.follow(link.unit, entry, at);
  }
  return chain;
}

function firstText(
  types: TypeReader,
  chain: readonly Link[],
  attributes: readonly number[],
): string {
  for (const { unit, entry } of chain) {
    for (const at of attributes) {
      if (entry.has(at)) return types.info.text(unit, entry, at);
    }
  }
  return '';
}

function hasUnspecified(types: TypeReader, { unit, entry }: Link): boolean {
  let found = false;
  types.children(unit, entry, (child) => {
    if (child.tag === tag.unspecifiedParameters) found = true;
  });
  return found;
}

/**
 * The parameters in the order of the source. A concrete function lists those it has, each pointing to its
 * abstract one; LLVM may list them out of order and leave out unused ones, GCC leaves out the invisible
 * ones a variant of a constructor lacks.
 */
function formalParameters(types: TypeReader, chain: readonly Link[]): FormalParameter[] {
  const lists = chain.map((link, step) => listOf(types, link, step === 0));
  const concrete = lists[0] ?? [];
  const abstract = lists.slice(1).find((list) => list.length > 0) ?? [];
  if (concrete.length === 0)
    return chain.length > 1 && chain[0]?.entry.has(attribute.abstractOrigin) ? abstract : concrete;
  if (!concrete.some((parameter) => parameter.origin >= 0)) return concrete;
  const ordered: FormalParameter[] = [];
  for (const parameter of abstract) {
    const own = concrete.find((candidate) => candidate.origin === parameter.key);
    if (own !== undefined) ordered.push(own);
    else if (!parameter.isArtificial) ordered.push(parameter);
  }
  return [...ordered, ...concrete.filter((parameter) => !ordered.includes(parameter))];
}

function listOf(types: TypeReader, { unit, entry }: Link, isConcrete: boolean): FormalParameter[] {
  const list: FormalParameter[] = [];
  types.children(unit, entry, (child) => {
    if (child.tag !== tag.formalParameter || list.length >= maxParameters) return;
    const own = types.info.read(unit, child.offset, new Entry());
    const origin = types.info.follow(unit, own, attribute.abstractOrigin);
    list.push({
      key: unit.header.start + child.offset,
      origin: origin === null ? -1 : origin.unit.header.start + origin.offset,
      isArtificial: isArtificial(types, unit, own),
      isConcrete,
      unit,
      entry: own,
    });
  });
  return list;
}

/** The entry itself or what it stands for, whichever has the attribute. */
function holding(types: TypeReader, unit: Unit, entry: Entry, at: number): Link | null {
  let link: Link = { unit, entry };
  for (let step = 0; step < maxChain; step++) {
    if (link.entry.has(at)) return link;
    const next = types.info.follow(link.unit, link.entry, attribute.abstractOrigin);
    if (next === null) return null;
    link = { unit: next.unit, entry: types.info.read(next.unit, next.offset) };
  }
  return null;
}

function isArtificial(types: TypeReader, unit: Unit, entry: Entry): boolean {
  return holding(types, unit, entry, attribute.artificial)?.entry.value(attribute.artificial) === 1;
}

function nameOf(types: TypeReader, { unit, entry }: FormalParameter): string {
  const link = holding(types, unit, entry, attribute.name);
  return link === null ? '' : types.info.text(link.unit, link.entry, attribute.name);
}

function referenceOf(types: TypeReader, { unit, entry }: FormalParameter): TypeReference | null {
  const link = holding(types, unit, entry, attribute.type);
  return link && types.info.follow(link.unit, link.entry, attribute.type);
}

/** Scalars and text are captured by themselves; everything else with what it consists of and leads to. */
function wholeOf(
  types: TypeReader,
  reference: TypeReference | null,
  { value, layout }: TypeDescription,
  place: Place,
  depth: number,
): { readonly type: ValueType; readonly place: Place } | null {
  if (!reference || place.kind === 'none') return null;
  const isDeep =
    value.kind === 'pointer' || (value.kind === 'list' && value.element.kind === 'opaque');
  const isWhole = value.kind === 'opaque' || (isDeep && depth > 0);
  const there = isWhole ? wholePlace(place, layout) : null;
  const type = there && treeType(types, reference, depth);
  return there && type ? { type, place: there } : null;
}

/** Where all bytes of a value lie. */
function wholePlace(place: Place, layout: Layout): Place | null {
  const bytes = sizeOf(layout);
  const isWord = layout.kind === 'integer';
  switch (place.kind) {
    case 'integer':
      return isWord
        ? { kind: 'parts', registers: [place.register], bytes: 8, second: 8 }
        : { kind: 'address', register: place.register, offset: 0, bytes };
    case 'stack':
      return isWord
        ? { kind: 'memory', offset: place.offset, bytes: 8 }
        : { kind: 'address', register: null, offset: place.offset, bytes };
    case 'pair':
      return { kind: 'parts', registers: [place.first, place.second], bytes, second: 8 };
    case 'parts':
    case 'memory':
    case 'address':
      return place;
    case 'float':
    case 'none':
      return null;
  }
}

function plainResult(type: TypeDescription | null): Pick<FunctionDetails, 'returns'> {
  return { returns: type?.value ?? { kind: 'void' } };
}

/** What a function returns; a whole value with its place. */
function returnedValue(
  types: TypeReader,
  typed: Link | undefined,
  language: string,
  depth: number,
): Pick<FunctionDetails, 'returns' | 'returnPlace'> {
  if (!typed) return { returns: { kind: 'void' } };
  const description = types.ofEntry(typed.unit, typed.entry);
  const reference = types.info.follow(typed.unit, typed.entry, attribute.type);
  const place = returnedIn(language, description.layout);
  const whole = wholeOf(types, reference, description, place, depth);
  return whole ? { returns: whole.type, returnPlace: whole.place } : { returns: description.value };
}

function returnedIn(language: string, returns: Layout): Place {
  return language === 'Rust' ? returnedRust(returns) : returnedSysv(returns);
}

function typeOf(
  types: TypeReader,
  { unit, entry }: FormalParameter,
): ReturnType<TypeReader['ofEntry']> {
  const link = holding(types, unit, entry, attribute.type);
  return link === null
    ? {
        value: { kind: 'unknown' },
        layout: { kind: 'unknown', reason: 'a parameter without type' },
      }
    : types.ofEntry(link.unit, link.entry);
}
