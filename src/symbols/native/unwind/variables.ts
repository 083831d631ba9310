import type { FrameVariable } from '../../../model/endings/crashReport.ts';
import { attribute, encoding, tag } from '../dwarf/constants.ts';
import type { DebugInfo } from '../dwarf/debugInfo.ts';
import { isBlock, readBlock } from '../dwarf/forms.ts';
import { bytesOf } from '../dwarf/types/members.ts';
import type { Unit } from '../dwarf/unitTable.ts';
import type { TypeReader, TypeReference } from '../dwarf/types/types.ts';
import {
  argumentAt,
  beginningOf,
  callSiteAt,
  callsFunction,
  mayBeginAnew,
  targetOf,
} from './callSites.ts';
import type { ExpressionContext, Location } from './dwarfExpression.ts';
import { compute, locate } from './dwarfExpression.ts';
import type { KnownMemory } from './snapshotMemory.ts';
import { rulesOfMachine } from '../machineRules.ts';
import { littleEndian } from './snapshotMemory.ts';
import type { EntryPlace } from './scopes.ts';
import { holding, textOf } from './scopes.ts';
import type { Source } from './readValue.ts';
import { readValue } from './readValue.ts';
import type { StackType } from './stackValue.ts';

/** What is known where a frame stands. */
export interface FrameContext {
  readonly types: TypeReader;
  readonly memory: KnownMemory;
  readonly registers: readonly (bigint | null)[];
  /** Vector registers of the newest frame; null of others. */
  readonly vectors: Uint8Array | null;
  readonly bias: bigint;
  readonly cfa: bigint | null;
  /** Link-time address to look locations up by. */
  readonly address: number;
  /** The function with code of its own, which has the frame base. */
  readonly fn: EntryPlace;
  /** Link-time address where it goes on when what it called returns; null when it was interrupted. */
  readonly returnAddress: number | null;
  /** Its caller, when unwind information tells it. */
  caller(): FrameContext | null;
}

/** A variable with where its bytes lie, for questions about pointers. */
export interface ReadVariable {
  readonly variable: FrameVariable;
  readonly type: TypeReference | null;
  /** The value of a scalar or pointer; null otherwise or when it is not known. */
  readonly word: bigint | null;
  /** Where its bytes lie; null when that is in registers, or not known. */
  readonly address: bigint | null;
  /** Null when it is not known. */
  readonly source: Source | null;
}

/** Callers that are asked for what their own callers passed. */
const mostCallers = 8;

/** What Go's compiler keeps. */
const compilersOwn = /^\.autotmp_\d+$/;

/** The variables of a scope, names that are hidden by an inner block left out. Never throws. */
export function readVariables(
  places: readonly EntryPlace[],
  context: FrameContext,
): ReadVariable[] {
  const read: ReadVariable[] = [];
  const names = new Set<string>();
  for (const place of places) {
    try {
      const name = textOf(context.types, place, attribute.name);
      if (name === '' || names.has(name) || compilersOwn.test(name)) continue;
      names.add(name);
      const one = readVariable(place, name, context);
      if (one !== null) read.push(one);
    } catch {
      // One damaged description costs one variable.
    }
  }
  // Parameters in the order of the source, then what the body declares.
  return [
    ...read.filter((one) => one.variable.isParameter),
    ...read.filter((one) => !one.variable.isParameter),
  ];
}

function readVariable(place: EntryPlace, name: string, context: FrameContext): ReadVariable | null {
  const { types } = context;
  // A declaration (`extern`) has no place of its own.
  if (place.entry.value(attribute.isDeclaration) === 1) return null;
  const typed = holding(types, place, attribute.type);
  const type = typed === null ? null : types.info.follow(typed.unit, typed.entry, attribute.type);
  const isParameter = place.entry.tag === tag.formalParameter;
  const typeText = type === null ? null : types.nameOf(type, 0);
  const size = type === null ? 8 : bytesOf(types, type);
  const source = sourceOf(place, size, context);
  const make = (value: FrameVariable['value'], word: bigint | null): ReadVariable => ({
    variable: { name, type: typeText, isParameter, value },
    type,
    word,
    address: source.kind === 'memory' ? source.address : null,
    source: source.kind === 'none' ? null : source,
  });
  if (source.kind === 'none')
    return make(
      {
        kind: 'notCaptured',
        reason: source.reason,
        ...(typeText === null ? {} : { type: typeText }),
      },
      null,
    );
  if (type === null) return make({ kind: 'notCaptured', reason: 'its type is not known' }, null);
  const bytes =
    source.kind === 'bytes'
      ? source.bytes
      : size > 0 && size <= 8
        ? context.memory.read(source.address, size)
        : null;
  const word = bytes !== null && bytes.length > 0 && bytes.length <= 8 ? littleEndian(bytes) : null;
  return make(readValue(types, context.memory, type, source), word);
}

type Found = Source | { readonly kind: 'none'; readonly reason: string };

const optimisedOut = 'the compiler did not keep it here';

function sourceOf(place: EntryPlace, size: number, context: FrameContext): Found {
  const { info } = context.types;
  const { unit, entry } = place;
  const constant = holding(context.types, place, attribute.constValue);
  if (!entry.has(attribute.location)) {
    if (constant !== null) return constantOf(constant, size, context);
    const elsewhere = holding(context.types, place, attribute.location);
    if (elsewhere === null || elsewhere.entry === entry)
      return { kind: 'none', reason: optimisedOut };
    return fromExpression(
      info.expression(elsewhere.unit, elsewhere.entry, attribute.location, context.address),
      elsewhere,
      size,
      context,
    );
  }
  const expression = info.expression(unit, entry, attribute.location, context.address);
  return fromExpression(expression, place, size, context);
}

function fromExpression(
  expression: Uint8Array | null,
  place: EntryPlace,
  size: number,
  context: FrameContext,
): Found {
  if (expression === null || expression.length === 0) return { kind: 'none', reason: optimisedOut };
  const asked = { ...expressionContext(context, place), resultBytes: size };
  return sourceAt(locate(expression, asked), size, context);
}

function expressionContext(
  context: FrameContext,
  { unit }: EntryPlace,
  callers = 0,
): ExpressionContext {
  const { info } = context.types;
  const bare: ExpressionContext = {
    register: (number) => registerOf(context, number),
    memory: (address, bytes) => context.memory.word(address, bytes),
    bias: context.bias,
    cfa: () => context.cfa,
    addressAt: (index) => BigInt(info.addressEntry(unit, index)),
    baseType: (offset) => stackTypeAt(info, unit, offset),
    entryValue: (expression) =>
      callers < mostCallers ? entryValue(context, expression, callers) : null,
  };
  return { ...bare, frameBase: () => frameBaseOf(context, bare) };
}

/** The base type at an offset of its unit; null: none, or of a size that expressions are not computed in. */
function stackTypeAt(info: DebugInfo, unit: Unit, offset: number): StackType | null {
  const entry = info.read(unit, offset);
  const bytes = entry.value(attribute.byteSize);
  if (entry.tag !== tag.baseType || bytes < 1 || bytes > 8) return null;
  switch (entry.value(attribute.encoding)) {
    case encoding.signed:
    case encoding.signedChar:
      return { kind: 'signed', bytes };
    case encoding.float:
      return { kind: 'float', bytes };
    case encoding.address:
    case encoding.boolean:
    case encoding.unsigned:
    case encoding.unsignedChar:
    case encoding.utf:
      return { kind: 'unsigned', bytes };
    default:
      return null;
  }
}

/** What the caller's call put where the expression leads (DWARF 5 §2.5.1.7, §3.4.2), where it is certain that the function began by it. */
function entryValue(context: FrameContext, entry: Uint8Array, callers: number): bigint | null {
  const caller = context.caller();
  if (caller === null || caller.returnAddress === null) return null;
  const { types } = caller;
  const site = callSiteAt(types, caller.fn, caller.returnAddress);
  if (site === null) return null;
  const argument = argumentAt(types, site, entry);
  if (argument === null) return null;
  const expressions = expressionContext(caller, site, callers + 1);
  const isKnown = callsFunction(types, site, context.fn, context.types);
  if (!(isKnown ?? isTarget(context, site, caller, expressions))) return null;
  return mayBeginAnew(context.types, context.fn) ? null : compute(argument, expressions);
}

/** Whether the address that is called is where the function begins. */
function isTarget(
  context: FrameContext,
  site: EntryPlace,
  caller: FrameContext,
  expressions: ExpressionContext,
): boolean {
  const target = targetOf(caller.types, site);
  const address = target === null ? null : compute(target, expressions);
  const beginning = beginningOf(context.types, context.fn);
  return address !== null && beginning !== null && address === BigInt(beginning) + context.bias;
}

/** DW_AT_frame_base: a register stands for its content (DWARF 5 §3.3.5). */
function frameBaseOf(context: FrameContext, bare: ExpressionContext): bigint | null {
  const { unit, entry } = context.fn;
  const { info } = context.types;
  const expression = info.expression(unit, entry, attribute.frameBase, context.address);
  if (expression === null) return null;
  const location = locate(expression, bare);
  if (location.kind === 'register') return bare.register(location.number);
  if (location.kind === 'memory') return location.address;
  return location.kind === 'value' ? location.value : null;
}

function registerOf(context: FrameContext, number: number): bigint | null {
  const bytes = vectorOf(context, number)?.subarray(0, 8);
  if (bytes !== undefined) return littleEndian(bytes);
  return context.registers[number] ?? null;
}

/** The 16 bytes of a vector register; null when it is none, or they are not known. */
function vectorOf({ vectors, types }: FrameContext, number: number): Uint8Array | null {
  const first = rulesOfMachine(types.info.machine)?.firstVector ?? Infinity;
  const at = (number - first) * 16;
  return vectors !== null && at >= 0 && at < vectors.length ? vectors.subarray(at, at + 16) : null;
}

function sourceAt(location: Location, size: number, context: FrameContext): Found {
  switch (location.kind) {
    case 'memory':
      return { kind: 'memory', address: location.address };
    case 'value':
      return { kind: 'bytes', bytes: littleBytes(location.value, Math.max(size, 1)) };
    case 'bytes':
      return { kind: 'bytes', bytes: location.bytes };
    case 'none':
      return location;
    case 'register':
      return registerBytes(location.number, size, context);
    case 'pieces': {
      const parts: Uint8Array[] = [];
      for (const piece of location.pieces) {
        const part = sourceAt(piece.location, piece.bytes, context);
        if (part.kind === 'none') return { kind: 'none', reason: 'only a part of it was kept' };
        const bytes =
          part.kind === 'bytes' ? part.bytes : context.memory.read(part.address, piece.bytes);
        if (bytes === null) return { kind: 'none', reason: 'only a part of it was kept' };
        parts.push(bytes.subarray(0, piece.bytes));
      }
      return { kind: 'bytes', bytes: Buffer.concat(parts) };
    }
  }
}

function registerBytes(number: number, size: number, context: FrameContext): Found {
  const vector = vectorOf(context, number);
  if (vector !== null)
    return { kind: 'bytes', bytes: vector.subarray(0, Math.min(Math.max(size, 1), 16)) };
  const value = registerOf(context, number);
  if (value === null) return { kind: 'none', reason: 'its register was reused' };
  const bytes = littleBytes(value, Math.min(Math.max(size, 1), 8));
  return { kind: 'bytes', bytes, register: number };
}

function constantOf(place: EntryPlace, size: number, { types }: FrameContext): Found {
  const { unit, entry } = place;
  const code = entry.formOf(attribute.constValue);
  const { info } = types;
  if (isBlock(code))
    return {
      kind: 'bytes',
      bytes: readBlock(info.cursor(unit), code, entry.value(attribute.constValue)),
    };
  const value = info.constant(unit, entry, attribute.constValue);
  return { kind: 'bytes', bytes: littleBytes(value, Math.max(size, 1)) };
}

function littleBytes(value: bigint, size: number): Uint8Array {
  const bytes = new Uint8Array(Math.min(size, 16));
  let rest = BigInt.asUintN(128, value);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}
