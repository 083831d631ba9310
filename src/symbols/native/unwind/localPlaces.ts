import type { FoundVariable, VariablePart } from '../../../model/functions/foundVariable.ts';
import type { Depth } from '../../../model/values/shape.ts';
import type { Parameter, Place } from '../../../model/values/valueType.ts';
import { attribute } from '../dwarf/constants.ts';
import { isBlock } from '../dwarf/forms.ts';
import { bytesOf } from '../dwarf/types/members.ts';
import { treeType } from '../dwarf/types/shapes.ts';
import type { TypeReader, TypeReference } from '../dwarf/types/types.ts';
import { locate, type ExpressionContext, type Location } from './dwarfExpression.ts';
import type { CfaRule } from './frameRow.ts';
import { holding, textOf, type EntryPlace } from './scopes.ts';

/** Where the variables of a scope are looked for. */
export interface LocalContext {
  readonly types: TypeReader;
  /** Absolute path of the ELF file. */
  readonly module: string;
  /** Link-time address of the statement. */
  readonly address: number;
  /** From where the file begins in memory to a link-time address. */
  readonly offsetOf: (address: number) => number;
  /** The function with code of its own, which has the frame base. */
  readonly holder: EntryPlace;
  /** Whether it is the first of that function, which has made no frame yet. */
  readonly isEntry: boolean;
  readonly cfa: CfaRule | null;
  readonly depth: Depth;
  /** What is in several registers can be put together there. */
  readonly isOfGo: boolean;
}

/** A variable at a statement: in memory, or as a parameter whose stack words are the registers. */
export type Local =
  | { readonly kind: 'memory'; readonly variable: FoundVariable }
  | { readonly kind: 'other'; readonly parameter: Parameter };

type Found =
  | {
      readonly kind: 'memory';
      readonly register: number;
      readonly offset: number;
      readonly isOwn: boolean;
    }
  | { readonly kind: 'static'; readonly address: number }
  | { readonly kind: 'register'; readonly number: number }
  | { readonly kind: 'parts'; readonly parts: readonly VariablePart[] }
  | { readonly kind: 'none'; readonly reason: string; readonly constant?: bigint };

const notKept = 'the compiler did not keep it here';
const notStored = 'it is not stored yet where the function begins: take its next line';
const wholeInRegisters = 'it is in registers as a whole';
const computed = 'here it is computed in a way that is not read';
/** Two values that registers are taken to have: what differs by as much lies at a distance from one. */
const tries = [0x1000_0000_0000n, 0x2340_0000_0000n] as const;
const generalRegisters = 16;
const firstVector = 17;
const vectors = 8;

/** The variable of a scope by its name, the innermost; null: the scope has none. Throws at damage. */
export function localNamed(
  places: readonly EntryPlace[],
  name: string,
  context: LocalContext,
): Local | null {
  const { types } = context;
  const place = places.find((one) => textOf(types, one, attribute.name) === name);
  if (place === undefined) return null;
  const typed = holding(types, place, attribute.type);
  const type = typed === null ? null : types.info.follow(typed.unit, typed.entry, attribute.type);
  if (type === null) return none(name, 'its type is not known');
  const found = placeOf(place, bytesOf(types, type), context);
  if (found.kind === 'none')
    return (
      (found.constant !== undefined && constantNumber(name, type, found.constant, context)) ||
      none(name, found.reason)
    );
  if (found.kind === 'register') return inRegister(name, type, found.number, context);
  return inMemory(name, type, placedAt(found, context), context);
}

function placedAt(
  found: Extract<Found, { kind: 'memory' | 'static' | 'parts' }>,
  { offsetOf }: LocalContext,
): FoundVariable['place'] {
  if (found.kind === 'parts') return found;
  if (found.kind === 'static') return { kind: 'static', offset: offsetOf(found.address) };
  const { register, offset, isOwn } = found;
  return { kind: 'frame', register, offset, isOwn };
}

function inMemory(
  name: string,
  type: TypeReference,
  place: FoundVariable['place'],
  { types, depth, module }: LocalContext,
): Local {
  const tree = treeType(types, type, depth);
  if (tree === null) return none(name, 'its type is not known');
  return {
    kind: 'memory',
    variable: { module, name, file: null, line: null, place, type: tree },
  };
}

function none(name: string, reason: string): Local {
  return {
    kind: 'other',
    parameter: { name, type: { kind: 'unknown' }, place: { kind: 'none', reason } },
  };
}

/** A number that has no place because it is always the same; null: it is no number. */
function constantNumber(
  name: string,
  type: TypeReference,
  bits: bigint,
  { types }: LocalContext,
): Local | null {
  const { value } = types.read(type);
  const isNumber = value.kind === 'int' || value.kind === 'char' || value.kind === 'enum';
  if (!(isNumber || value.kind === 'bool') || value.bytes > 8) return null;
  const isSigned = isNumber && value.signed;
  const width = 8 * value.bytes;
  const sized = isSigned ? BigInt.asIntN(width, bits) : BigInt.asUintN(width, bits);
  const place: Place = { kind: 'none', reason: madeConstant(sized), constant: sized };
  return { kind: 'other', parameter: { name, type: value, place } };
}

function madeConstant(value: bigint): string {
  return `the compiler made it the constant ${value}`;
}

function inRegister(
  name: string,
  type: TypeReference,
  number: number,
  context: LocalContext,
): Local {
  const { types, depth, isOfGo } = context;
  const { value } = types.read(type);
  const asPart = (): Local =>
    isOfGo
      ? inMemory(
          name,
          type,
          {
            kind: 'parts',
            parts: [{ bytes: bytesOf(types, type), register: number, distance: null }],
          },
          context,
        )
      : none(name, wholeInRegisters);
  const make = (place: Place, of = value): Local => ({
    kind: 'other',
    parameter: { name, type: of, place },
  });
  const vector = number - firstVector;
  if (vector >= 0 && vector < vectors && value.kind === 'float' && value.bytes <= 8)
    return make({ kind: 'float', register: vector });
  if (number >= generalRegisters) return none(name, 'it is in a register that is not read here');
  const word: Place = { kind: 'stack', offset: 8 * number };
  switch (value.kind) {
    case 'pointer': {
      const tree = value.code ? null : treeType(types, type, depth);
      return tree ? make(word, tree) : make(word);
    }
    case 'int':
    case 'char':
    case 'enum':
    case 'bool':
      return value.bytes <= 8 ? make(word) : none(name, 'it is in two registers');
    case 'cstring':
      return value.held ? asPart() : make(word);
    default:
      return asPart();
  }
}

function placeOf(place: EntryPlace, size: number, context: LocalContext): Found {
  const { types, address } = context;
  const located = holding(types, place, attribute.location);
  if (located === null) return constantOf(place, context);
  const expression = types.info.expression(
    located.unit,
    located.entry,
    attribute.location,
    address,
  );
  if (expression === null || expression.length === 0) return { kind: 'none', reason: notKept };
  const found = linear(expression, located, size, context);
  return isStoredLater(located, found, context) ? { kind: 'none', reason: notStored } : found;
}

/** A place in the frame that is said once for the whole function. */
function isStoredLater({ entry }: EntryPlace, found: Found, { isEntry }: LocalContext): boolean {
  const isAlways = isBlock(entry.formOf(attribute.location));
  return isEntry && isAlways && found.kind === 'memory' && found.isOwn;
}

/** Whether some of these variables of a scope are in the frame, where nothing is at the function's first instruction. */
export function someAreStoredLater(places: readonly EntryPlace[], context: LocalContext): boolean {
  return places.some((place) => {
    const found = placeOf(place, 1, context);
    return found.kind === 'none' && found.reason === notStored;
  });
}

function constantOf(place: EntryPlace, { types }: LocalContext): Found {
  const constant = holding(types, place, attribute.constValue);
  if (constant === null) return { kind: 'none', reason: notKept };
  const { unit, entry } = constant;
  if (isBlock(entry.formOf(attribute.constValue)))
    return { kind: 'none', reason: 'the compiler made it a constant' };
  const value = types.info.constant(unit, entry, attribute.constValue);
  return { kind: 'none', reason: madeConstant(value), constant: value };
}

interface Tried {
  readonly location: Location;
  readonly asked: ReadonlySet<number>;
  /** It counts from the function's frame. */
  readonly isFrame: boolean;
}

/** What an expression gives where every register holds a distinct value. */
function tried(
  expression: Uint8Array,
  value: bigint,
  resultBytes: number,
  place: EntryPlace,
  { types, holder, address, cfa }: LocalContext,
): Tried {
  const asked = new Set<number>();
  let isFrame = false;
  const { info } = types;
  const register = (number: number): bigint => {
    asked.add(number);
    return value;
  };
  const bare: ExpressionContext = {
    register,
    memory: () => null,
    bias: 0n,
    resultBytes,
    addressAt: (index) => BigInt(info.addressEntry(place.unit, index)),
    cfa() {
      isFrame = true;
      return cfa?.kind === 'register' ? register(cfa.number) + BigInt(cfa.offset) : null;
    },
  };
  const frameBase = (): bigint | null => {
    isFrame = true;
    const base = info.expression(holder.unit, holder.entry, attribute.frameBase, address);
    if (base === null) return null;
    const location = locate(base, bare);
    if (location.kind === 'register') return register(location.number);
    if (location.kind === 'memory') return location.address;
    return location.kind === 'value' ? location.value : null;
  };
  const location = locate(expression, { ...bare, frameBase });
  return { location, asked, isFrame };
}

function linear(
  expression: Uint8Array,
  place: EntryPlace,
  size: number,
  context: LocalContext,
): Found {
  const [first, second] = tries.map((value) => tried(expression, value, size, place, context));
  if (!first || !second) return { kind: 'none', reason: computed };
  const { location, asked } = first;
  const [register, another] = asked;
  switch (location.kind) {
    case 'none':
      return location;
    case 'register':
      return { kind: 'register', number: location.number };
    case 'value':
      return asked.size === 0
        ? {
            kind: 'none',
            reason: madeConstant(location.value),
            constant: location.value,
          }
        : { kind: 'none', reason: computed };
    case 'memory': {
      if (register === undefined) return { kind: 'static', address: Number(location.address) };
      const distance = BigInt.asIntN(64, location.address - tries[0]);
      const isLinear =
        second.location.kind === 'memory' &&
        second.location.address - tries[1] === location.address - tries[0];
      return isLinear && another === undefined && register < generalRegisters
        ? { kind: 'memory', register, offset: Number(distance), isOwn: first.isFrame }
        : { kind: 'none', reason: computed };
    }
    case 'pieces':
      if (context.isOfGo) return partsOf(first, second, size);
      break;
    default:
  }
  return { kind: 'none', reason: wholeInRegisters };
}

/** Each part of a value of Go is a word, or a smaller number; in the order of its fields, without what is between them. */
function partsOf(first: Tried, second: Tried, size: number): Found {
  const [pieces, others] = [first, second].map(({ location }) =>
    location.kind === 'pieces' ? location.pieces : [],
  );
  const [register = 0, another] = first.asked;
  const parts: VariablePart[] = [];
  let end = 0;
  for (const [i, { bytes, location }] of (pieces ?? []).entries()) {
    const other = others?.[i]?.location;
    end = Math.ceil(end / alignmentOf(bytes)) * alignmentOf(bytes) + bytes;
    if (location.kind === 'register') {
      parts.push({ bytes, register: location.number, distance: null });
    } else if (location.kind === 'memory' && other?.kind === 'memory') {
      const distance = BigInt.asIntN(64, location.address - tries[0]);
      if (other.address - tries[1] !== distance || another !== undefined)
        return { kind: 'none', reason: computed };
      parts.push({ bytes, register, distance: Number(distance) });
    } else return { kind: 'none', reason: notKept };
  }
  const isWhole = end <= size && size - end < 8;
  return isWhole ? { kind: 'parts', parts } : { kind: 'none', reason: computed };
}

function alignmentOf(bytes: number): number {
  return [1, 2, 4].includes(bytes) ? bytes : 8;
}
