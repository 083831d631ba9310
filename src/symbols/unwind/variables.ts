import type { FrameVariable } from '../../model/crash.ts';
import { attribute, form, tag } from '../dwarf/constants.ts';
import { isBlock, readBlock } from '../dwarf/forms.ts';
import type { TypeReader, TypeReference } from '../dwarf/types.ts';
import type { ExpressionContext, Location } from './expression.ts';
import { locate } from './expression.ts';
import type { KnownMemory } from './memory.ts';
import { littleEndian } from './memory.ts';
import type { EntryPlace } from './scopes.ts';
import { holding, textOf } from './scopes.ts';
import { byteSize, readDeep, typeName } from './deepValue.ts';
import type { Source } from './deepValue.ts';

/** What is known where a frame stands. */
export interface FrameContext {
  readonly types: TypeReader;
  readonly memory: KnownMemory;
  readonly registers: readonly (bigint | null)[];
  /** xmm0..15 of the newest frame; null of others. */
  readonly vectors: Uint8Array | null;
  readonly bias: bigint;
  readonly cfa: bigint | null;
  /** Link-time address to look locations up by. */
  readonly address: number;
  /** The function with code of its own, which has the frame base. */
  readonly fn: EntryPlace;
}

/** A variable with where its bytes lie, for questions about pointers. */
export interface ReadVariable {
  readonly variable: FrameVariable;
  readonly type: TypeReference | null;
  /** The value of a scalar or pointer; null otherwise or when it is not known. */
  readonly word: bigint | null;
}

const firstVector = 17;

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
      if (name === '' || names.has(name)) continue;
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
  const typeText = type === null ? null : typeName(types, type);
  const size = type === null ? 8 : byteSize(types, type);
  const source = sourceOf(place, size, context);
  const make = (value: FrameVariable['value'], word: bigint | null): ReadVariable => ({
    variable: { name, type: typeText, isParameter, value },
    type,
    word,
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
  return make(readDeep(types, context.memory, type, source, 0), word);
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
  const location = locate(expression, expressionContext(context, place));
  return sourceAt(location, size, context);
}

function expressionContext(context: FrameContext, place: EntryPlace): ExpressionContext {
  const { info } = context.types;
  const bare: ExpressionContext = {
    register: (number) => registerOf(context, number),
    memory: (address, bytes) => context.memory.word(address, bytes),
    bias: context.bias,
    cfa: () => context.cfa,
    addressAt: (index) => BigInt(info.addressEntry(place.unit, index)),
  };
  return { ...bare, frameBase: () => frameBaseOf(context, bare) };
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
  if (number <= 16) return context.registers[number] ?? null;
  const at = (number - firstVector) * 16;
  const bytes = number < firstVector + 16 ? context.vectors?.subarray(at, at + 8) : undefined;
  return bytes === undefined ? null : littleEndian(bytes);
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
  const at = (number - firstVector) * 16;
  if (at >= 0 && context.vectors !== null && number < firstVector + 16)
    return {
      kind: 'bytes',
      bytes: context.vectors.subarray(at, at + Math.min(Math.max(size, 1), 16)),
    };
  const value = registerOf(context, number);
  if (value === null) return { kind: 'none', reason: 'its register was used by the calls above' };
  return { kind: 'bytes', bytes: littleBytes(value, Math.min(Math.max(size, 1), 8)) };
}

function constantOf(place: EntryPlace, size: number, { types }: FrameContext): Found {
  const { unit, entry } = place;
  const cursor = types.info.cursor(unit);
  const code = entry.formOf(attribute.constValue);
  const position = entry.position(attribute.constValue);
  if (isBlock(code))
    return { kind: 'bytes', bytes: readBlock(cursor, code, entry.value(attribute.constValue)) };
  cursor.at = position;
  const value =
    code === form.sdata
      ? cursor.slebExact()
      : code === form.udata
        ? cursor.ulebExact()
        : code === form.data8
          ? cursor.view.getBigUint64(position, true)
          : BigInt(Math.trunc(entry.value(attribute.constValue)));
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
