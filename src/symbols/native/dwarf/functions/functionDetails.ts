import type { Depth } from '../../../../model/values/shape.ts';
import type { Parameter, Place, ValueType } from '../../../../model/values/valueType.ts';
import { callersResult } from '../../../../model/values/valueType.ts';
import { sizeOf, type Layout } from '../../abi/layout.ts';
import type { Placement } from '../../abi/registerFile.ts';
import { placeRust, returnedRust } from '../../abi/rust.ts';
import type { ProcessorRules } from '../../processorRules.ts';
import { rulesOfMachine } from '../../machineRules.ts';
import { attribute, languageNames, tag } from '../constants.ts';
import {
  environmentOf,
  isClosureName,
  isEnvironmentName,
  type CapturedVariable,
  type Environment,
} from '../types/closures.ts';

import { isFutureBody } from '../types/futures.ts';
import { placesAtEntry } from './parameterPlaces.ts';
import { isLlvm, rustcOf, type Unit } from '../unitTable.ts';
import { Entry } from '../entry.ts';
import { hidesChanges, unsaid } from './entryPlaces.ts';
import type { FunctionDetails } from './functionInterface.ts';
import { readGoDetails } from './goDetails.ts';
import {
  firstText,
  formalParameters,
  hasUnspecified,
  holding,
  maxParameters,
  nameOf,
  readChain,
  referenceOf,
  type FormalParameter,
  type Link,
} from './formalParameters.ts';
import { pointee } from '../types/members.ts';
import { treeType } from '../types/shapes.ts';
import type { TypeDescription, TypeReader, TypeReference } from '../types/types.ts';

/** DW_CC_nocall: the compiler changed how the function is called. */
const noCall = 3;

interface DetailOptions {
  readonly changedSignature: boolean;
  /** Not only its own unit calls it. */
  readonly isVisible: boolean;
  /** How many pointers are followed. */
  readonly depth: Depth;
  /** Link-time address of its first instruction. */
  readonly address: number;
  /** How many parameters a linkage name has, `this` not among them; null where it does not say. */
  readonly namedParameters: (linkageName: string) => number | null;
}

/** Reads the entry at this offset of .debug_info. Throws a RangeError at damage. */
export function readFunctionDetails(
  types: TypeReader,
  offset: number,
  name: string,
  options: DetailOptions,
): FunctionDetails {
  const chain = readChain(types, offset);
  return callingOf(firstOf(chain).unit).language === 'Go'
    ? readGoDetails(types, name, formalParameters(types, chain), options.depth)
    : detailsOf(types, chain, name, options);
}

function detailsOf(
  types: TypeReader,
  chain: readonly Link[],
  name: string,
  options: DetailOptions,
): FunctionDetails {
  const first = firstOf(chain);
  const linkageName =
    firstText(types, chain, [attribute.linkageName, attribute.mipsLinkageName]) || name;
  const typed = typedOf(types, chain);
  const returns = typed === undefined ? null : types.ofEntry(typed.unit, typed.entry);
  const formal = formalParameters(types, chain);
  const variadic = chain.some((link) => hasUnspecified(types, link));
  const isBare = typed === undefined && formal.length === 0 && !variadic && !isPrototyped(chain);
  if (isBare && !chain.some(describesParameters)) return unknownDetails(name, linkageName);
  const described = formal.map((parameter) => ({ parameter, type: typeOf(types, parameter) }));
  const calling = callingOf(first.unit);
  const { language } = calling;
  const closure = closureOf(types, chain, described, options.address);
  const layouts = [
    ...(closure.environment ? [closure.environment.layout] : []),
    ...described.map(({ type }) => promoted(type.layout, language, chain)),
  ];
  const named = mayLeaveOut(first.unit, calling) ? options.namedParameters(linkageName) : null;
  const doubt = doubtOf(chain, formal, named, language === 'Rust' && closure.isUnknown);
  const rules = rulesOfMachine(types.info.machine);
  const placement = placeFor(calling, layouts, returns?.layout ?? { kind: 'none' }, rules, doubt);
  const places = closure.environment ? placement.places.slice(1) : placement.places;
  const passed = placesAtEntry(types.info, chain, formal, { ...options, expected: places });
  const { depth } = options;
  const parameters = described.map(({ parameter, type }, i): Parameter => {
    const own = nameOf(types, parameter) || (closure.isFuture ? 'future' : `arg${i}`);
    const place = passed.places[i] ?? unsaid;
    if (own === 'this' && isConstructor(types, chain, parameter))
      return unmade(own, type.value, place);
    const isHeld = isHeldWhere(type.value, place);
    const whole = wholeOf(types, referenceOf(types, parameter), type, { place, depth, isHeld });
    return { name: own, ...(whole ?? { type: type.value, place }) };
  });
  const isUncertain = [
    variadic,
    options.changedSignature,
    passed.isChanged,
    isBare && !hasOwnTable(first.unit),
  ].some(Boolean);
  const isSure = keepsResult(chain, first, passed.isChangeable, options.changedSignature);
  const returned =
    isSure || !returns
      ? returnedValue(types, typed, calling, options.depth)
      : withoutResult(returns);
  if (closure.isListed) parameters.shift();
  if (closure.environment)
    parameters.unshift(
      capturedParameter(types, closure.environment, placement.places[0], {
        ...options,
        isOptimised: passed.isOptimised,
      }),
    );
  return {
    linkageName,
    signature: signatureOf(name, described.slice(Number(closure.isListed)), variadic),
    parameters,
    ...returned,
    ...implicitly(types, chain, formal),
    stackBytes: isUncertain ? null : placement.stackBytes,
    variadic,
    opensStack: variadic,
  };
}

function firstOf([first]: readonly Link[]): Link {
  if (first === undefined) throw new RangeError('a function has no entry');
  return first;
}

/** A member that only the compiler writes; of a lambda's call operator GCC says so too, and its body is the source's. */
function implicitly(
  types: TypeReader,
  chain: readonly Link[],
  [first]: readonly FormalParameter[],
): Pick<FunctionDetails, 'isImplicit'> {
  const isMember = first?.isArtificial === true;
  const isImplicit =
    isMember &&
    chain.some(({ entry }) => entry.value(attribute.artificial) === 1) &&
    !firstText(types, chain, [attribute.name]).startsWith('operator()');
  return isImplicit ? { isImplicit } : {};
}

/**
 * Who of a function's entries says what it returns; none for void. Declared `auto`, its definition says what came of
 * that, and nothing where it was void.
 */
function typedOf(types: TypeReader, chain: readonly Link[]): Link | undefined {
  const typed = chain.find((link) => link.entry.has(attribute.type));
  const isDeclared = typed?.entry.value(attribute.isDeclaration) === 1;
  const type = isDeclared ? types.info.follow(typed.unit, typed.entry, attribute.type) : null;
  if (!type) return typed;
  const entry = types.info.read(type.unit, type.offset, new Entry());
  const isDeduced =
    entry.tag === tag.unspecifiedType &&
    /^(?:decltype\()?auto\)?$/.test(types.info.text(type.unit, entry, attribute.name));
  return isDeduced ? undefined : typed;
}

function signatureOf(
  name: string,
  described: readonly { readonly parameter: FormalParameter; readonly type: TypeDescription }[],
  variadic: boolean,
): string {
  const shown = described
    .filter(({ parameter }) => !parameter.isArtificial)
    .map(({ type }) => spelling(type.value));
  return `${name}(${[...shown, ...(variadic ? ['...'] : [])].join(', ')})`;
}

/** What a constructor is called for has no value yet: it is its address. */
function unmade(name: string, type: ValueType, place: Place): Parameter {
  return { name, type: { kind: 'pointer', name: spelling(type) }, place };
}

/** Whether a function is called as the class its `this` leads to. */
function isConstructor(
  types: TypeReader,
  chain: readonly Link[],
  parameter: FormalParameter,
): boolean {
  const reference = parameter.isArtificial ? referenceOf(types, parameter) : null;
  const target = reference && pointee(types, reference);
  const plain = target && types.plain(target);
  if (!plain) return false;
  const owner = types.info.read(plain.unit, plain.offset, new Entry());
  const named = types.info.text(plain.unit, owner, attribute.name).replace(/<.*$/, '');
  return named !== '' && firstText(types, chain, [attribute.name]).replace(/<.*$/, '') === named;
}

interface Closure {
  /** What it captured, when no parameter stands for that. */
  readonly environment: Environment | null;
  /** Its first parameter does, of which nothing is used. */
  readonly isListed: boolean;
  /** Its first parameter is what an `async` function, block or closure made. */
  readonly isFuture: boolean;
  /** What it is passed first is not known. */
  readonly isUnknown: boolean;
}

function closureOf(
  types: TypeReader,
  chain: readonly Link[],
  [first]: readonly { readonly parameter: FormalParameter; readonly type: TypeDescription }[],
  address: number,
): Closure {
  const name = firstText(types, chain, [attribute.name]);
  const none = { environment: null, isListed: false, isFuture: false };
  const isNameless = first !== undefined && nameOf(types, first.parameter) === '';
  const isFuture = isNameless && isFutureBody(name, spelling(first.type.value));
  if (!isClosureName(name))
    return { ...none, isFuture, isUnknown: !isFuture && name.startsWith('{') };
  const isListed = isNameless && isEnvironmentName(spelling(first.type.value));
  if (isListed) return { ...none, isListed, isUnknown: false };
  const environment = environmentOf(types, chain, capturedBy(types, chain), address);
  return { ...none, environment, isUnknown: environment === null };
}

/** Its variables outside of all blocks, which it did not make itself. */
function capturedBy(types: TypeReader, chain: readonly Link[]): CapturedVariable[] {
  const [own] = chain;
  const found: CapturedVariable[] = [];
  if (!own) return found;
  const { unit } = own;
  types.children(unit, own.entry, (child) => {
    if (child.tag !== tag.variable || found.length >= maxParameters) return;
    const entry = types.info.read(unit, child.offset, new Entry());
    const link = holding(types, unit, entry, attribute.name);
    const name = link === null ? '' : types.info.text(link.unit, link.entry, attribute.name);
    found.push({ unit, entry, name });
  });
  return found;
}

/** What a closure captured, as its first parameter. */
function capturedParameter(
  types: TypeReader,
  { type, isByAddress, register }: Environment,
  expected: Place | undefined,
  { depth, isOptimised: isMoved }: { readonly depth: Depth; readonly isOptimised: boolean },
): Parameter {
  const name = 'captured';
  const description = types.read(type);
  const said = rulesOfMachine(types.info.machine)?.argumentRegisters.indexOf(register) ?? -1;
  const passed: Place = !isMoved
    ? (expected ?? unsaid)
    : said < 0
      ? unsaid
      : isByAddress
        ? { kind: 'integer', register: said }
        : { kind: 'parts', registers: [said], bytes: 8, second: 8 };
  const place: Place =
    isByAddress && passed.kind === 'integer'
      ? { ...passed, kind: 'address', offset: 0, bytes: sizeOf(description.layout) }
      : passed;
  const whole = wholeOf(types, type, description, { place, depth, isHeld: true });
  return { name, ...(whole ?? { type: description.value, place }) };
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
    opensStack: false,
  };
}

function spelling(type: ValueType): string {
  return 'name' in type ? type.name : type.kind === 'void' ? 'void' : '?';
}

/** By whose rules a function is called. */
interface Calling {
  /** Empty: not known. */
  readonly language: string;
  /** See `RustConvention`. */
  readonly rustc: number | null;
}

function callingOf(unit: Unit): Calling {
  return { language: languageNames.get(unit.language) ?? '', rustc: rustcOf(unit) };
}

/** Why the calling convention does not say where the parameters are; null when it does. */
function doubtOf(
  chain: readonly Link[],
  formal: readonly FormalParameter[],
  named: number | null,
  isUnlike: boolean,
): string | null {
  if (isChanged(chain)) return 'the compiler changed how this function is called';
  if (isUnlike) return 'what a closure captured comes first and is not described';
  const listed = formal.filter(({ isArtificial }) => !isArtificial).length;
  return named !== null && listed < named ? 'the debug information leaves out a parameter' : null;
}

/** Clang forgets what is passed by an invisible reference and not used, where it does not optimise. */
function mayLeaveOut(unit: Unit, { language }: Calling): boolean {
  return language === 'C++' && isLlvm(unit);
}

function placeFor(
  { language, rustc }: Calling,
  layouts: readonly Layout[],
  returns: Layout,
  rules: ProcessorRules | null,
  doubt: string | null,
): Placement {
  if (doubt !== null) return nowhere(layouts, doubt);
  if (rules === null) return nowhere(layouts, 'how this processor passes parameters is not known');
  switch (language) {
    case 'C':
    case 'C++':
    case 'Objective-C':
    case 'Objective-C++':
      return rules.place(layouts, returns);
    case 'Rust':
      return placeRust(layouts, returns, { registers: rules.rust, rustc });
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

/** Scalars and text are captured by themselves; everything else with what it consists of and leads to. */
function wholeOf(
  types: TypeReader,
  reference: TypeReference | null,
  { value, layout }: TypeDescription,
  {
    place,
    depth,
    isHeld,
  }: { readonly place: Place; readonly depth: Depth; readonly isHeld: boolean },
): { readonly type: ValueType; readonly place: Place } | null {
  if (!reference || place.kind === 'none') return null;
  const isDeep =
    (value.kind === 'pointer' && !value.code) ||
    (value.kind === 'list' && value.element.kind === 'opaque');
  const isWhole = value.kind === 'opaque' || (isDeep && depth.levels > 0) || !isHeld;
  const there = isWhole ? wholePlace(place, layout) : null;
  const type = there && treeType(types, reference, depth);
  return there && type ? { type, place: there } : null;
}

/** Whether text or elements are found from such a place without the whole value. */
function isHeldWhere(value: ValueType, place: Place): boolean {
  const held = 'held' in value ? value.held : undefined;
  if (!held) return true;
  if (place.kind === 'pair') return held.inWords && !held.byEnd;
  return place.kind !== 'memory' && place.kind !== 'parts';
}

/** The place of all bytes of a value. */
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
    case 'words':
    case 'memory':
    case 'address':
      return place;
    case 'float':
    case 'none':
      return null;
  }
}

function isChanged(chain: readonly Link[]): boolean {
  return chain.some(({ entry }) => entry.value(attribute.callingConvention) === noCall);
}

/** Whether it is certain that the function still gives its result. */
function keepsResult(
  chain: readonly Link[],
  { unit }: Link,
  isChangeable: boolean,
  isChangedCopy: boolean,
): boolean {
  return !isChangedCopy && !isChanged(chain) && (!isChangeable || !hidesChanges(unit));
}

/** There is no result: its place holds old bytes, and is not read. */
function withoutResult({ value }: TypeDescription): Pick<FunctionDetails, 'returns'> {
  if (value.kind === 'void') return { returns: value };
  const reason = 'the compiler may have removed it: only its own file uses the function';
  return { returns: { kind: 'opaque', name: spelling(value), bytes: null, reason } };
}

/** What a function returns; a whole value with its place. */
function returnedValue(
  types: TypeReader,
  typed: Link | undefined,
  calling: Calling,
  depth: Depth,
): Pick<FunctionDetails, 'returns' | 'returnPlace'> {
  if (!typed) return { returns: { kind: 'void' } };
  const description = types.ofEntry(typed.unit, typed.entry);
  const reference = types.info.follow(typed.unit, typed.entry, attribute.type);
  const rules = rulesOfMachine(types.info.machine);
  if (rules === null) return { returns: description.value };
  const place = returnedIn(calling, description.layout, rules);
  const whole = wholeOf(types, reference, description, { place, depth, isHeld: true });
  if (whole) return { returns: whole.type, returnPlace: whole.place };
  const apart = apartFrom(description, place);
  return { returns: description.value, ...(apart ? { returnPlace: apart } : {}) };
}

/** The place of text that is returned at an address of the caller's; null where registers hold it. */
function apartFrom({ value, layout }: TypeDescription, place: Place): Place | null {
  if (place.kind === 'address') return place;
  // A class that is only declared, known by its name: those that hold text have code that copies them.
  const held = 'held' in value ? value.held : undefined;
  if (place.kind !== 'none' || !held || held.inWords) return null;
  return { kind: 'address', register: callersResult, offset: 0, bytes: sizeOf(layout) };
}

function returnedIn({ language, rustc }: Calling, returns: Layout, rules: ProcessorRules): Place {
  return language === 'Rust' ? returnedRust(returns, rustc) : rules.returned(returns);
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
