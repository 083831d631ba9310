import type { Place } from '../../../model/values/valueType.ts';
import { callersResult } from '../../../model/values/valueType.ts';
import { alignmentOf, isEmpty, sizeOf, someLayout } from '../abi/layout.ts';
import type { Aggregate, Layout } from '../abi/layout.ts';
import { RegisterFile, firstVector } from '../abi/registerFile.ts';
import type { Placement } from '../abi/registerFile.ts';

/** x0 to x7, and v0 to v7. */
export const parameterRegisters = { integers: 8, floats: 8 } as const;

/** So many members of one floating-point or vector type are passed in a register each (AAPCS64 §5.9.5). */
const mostMembers = 4;
/** Of a vector register only the low half is kept. */
const keptBytes = 8;
const mostNested = 32;

/** A value that consists of one to four members of one floating-point or vector type. */
interface Homogeneous {
  readonly bytes: number;
  readonly count: number;
}

/**
 * Where the parameters of a C or C++ function lie at its entry, `this` included (AAPCS64 §6.8.2, as Linux has
 * it). The address of a result is in x8, none of the parameters' registers.
 */
export function placeAapcs64(parameters: readonly Layout[]): Placement {
  const registers = new RegisterFile(parameterRegisters);
  const places = parameters.map((layout) => registers.whenKnown(() => place(registers, layout)));
  return { places, stackBytes: registers.stackBytes };
}

function place(registers: RegisterFile, layout: Layout): Place {
  const scalar = registers.takeScalar(layout);
  if (scalar) return scalar;
  switch (layout.kind) {
    case 'integer128':
      registers.skipToEven();
      return inIntegers(registers, layout);
    case 'vector':
      return layout.bytes > 16 ? registers.giveUp('a wide vector') : homogeneous(registers, layout);
    case 'aggregate':
      return placeAggregate(registers, layout);
    case 'complex':
    case 'extended':
      return homogeneous(registers, layout);
    default:
      return registers.giveUp('how this type is passed is not known');
  }
}

function placeAggregate(registers: RegisterFile, layout: Aggregate): Place {
  if (layout.passing === 'unknown')
    return registers.giveUp('whether this class is passed by reference is not known');
  if (layout.passing === 'reference') return registers.takeInteger();
  if (holdsUnknown(layout)) return registers.giveUp('a type that is not known completely');
  if (layout.bytes === 0) return { kind: 'none', reason: 'it is empty' };
  if (homogeneousOf(layout) !== null) return homogeneous(registers, layout);
  if (layout.bytes > 16) {
    const found = registers.takeInteger();
    return found.kind === 'integer'
      ? { kind: 'address', register: found.register, offset: 0, bytes: layout.bytes }
      : { ...addressOnStack, offset: 'offset' in found ? found.offset : 0, bytes: layout.bytes };
  }
  if (membersAlignment(layout) > 8) registers.skipToEven();
  const found = inIntegers(registers, layout);
  // An empty class of C++ takes a register, in which nothing is.
  return isEmpty(layout) ? { kind: 'none', reason: 'it is empty' } : found;
}

const addressOnStack = { kind: 'address', register: null } as const;

/** A member each in vector registers, or the whole on the stack. */
function homogeneous(registers: RegisterFile, layout: Layout): Place {
  const found = homogeneousOf(layout);
  if (found === null) return registers.giveUp('how this type is passed is not known');
  const first = registers.takeParts(0, found.count);
  if (first !== null) return inVectors(found, firstVector + first.float);
  registers.close('floats');
  return onStack(registers, layout);
}

/** Words in a row of registers, or the whole on the stack. */
function inIntegers(registers: RegisterFile, layout: Layout): Place {
  const bytes = sizeOf(layout);
  const words = Math.ceil(bytes / 8);
  const first = registers.takeParts(words, 0);
  if (first === null) {
    registers.close('integers');
    return onStack(registers, layout);
  }
  if (words === 2) return { kind: 'pair', first: first.integer, second: first.integer + 1 };
  return { kind: 'parts', registers: [first.integer], bytes, second: 8 };
}

function onStack(registers: RegisterFile, layout: Layout): Place {
  const alignment = layout.kind === 'aggregate' ? membersAlignment(layout) : alignmentOf(layout);
  if (alignment > 16) return registers.giveUp('a type with a large alignment');
  const bytes = sizeOf(layout);
  return { kind: 'memory', offset: registers.takeStack(bytes, alignment), bytes };
}

function inVectors({ bytes, count }: Homogeneous, first: number): Place {
  if (bytes > keptBytes)
    return { kind: 'none', reason: 'it is wider than the registers that are kept' };
  const registers = Array.from({ length: count }, (_unused, at) => first + at);
  return { kind: 'parts', registers, bytes: bytes * count, second: count > 1 ? bytes : 8 };
}

/** Alignment that a type's own attribute asks for does not count (AAPCS64 §6.8.2, "natural alignment"). */
function membersAlignment(layout: Aggregate): number {
  return layout.fields.reduce((most, field) => Math.max(most, alignmentOf(field.layout)), 1);
}

/** Null when it is not homogeneous, or has more members than are passed in registers. */
function homogeneousOf(layout: Layout): Homogeneous | null {
  const found = membersOf(layout, 0);
  if (found === null || found === 'nothing' || found.count > mostMembers) return null;
  // Without gaps: all members are of one type.
  return found.bytes * found.count === sizeOf(layout) ? found : null;
}

function membersOf(layout: Layout, depth: number): Homogeneous | 'nothing' | null {
  if (depth > mostNested) return null;
  switch (layout.kind) {
    case 'none':
      return 'nothing';
    case 'float':
      return { bytes: layout.bytes, count: 1 };
    case 'vector':
      return { bytes: layout.bytes, count: 1 };
    case 'extended':
      return { bytes: 16, count: 1 };
    case 'complex':
      return { bytes: layout.bytes / 2, count: 2 };
    case 'array': {
      if (layout.count === 0) return 'nothing';
      const one = membersOf(layout.element, depth + 1);
      return one === null || one === 'nothing' ? one : { ...one, count: one.count * layout.count };
    }
    case 'aggregate':
      return joined(layout, depth);
    default:
      return null;
  }
}

/** Members one behind the other count together, those of a union as the most of them. */
function joined({ fields }: Aggregate, depth: number): Homogeneous | 'nothing' | null {
  let bytes = 0;
  let end = 0;
  for (const { offset, layout } of fields) {
    const one = membersOf(layout, depth + 1);
    if (one === null) return null;
    if (one === 'nothing') continue;
    if (bytes !== 0 && one.bytes !== bytes) return null;
    bytes = one.bytes;
    end = Math.max(end, offset + one.bytes * one.count);
  }
  return bytes === 0 ? 'nothing' : { bytes, count: Math.ceil(end / bytes) };
}

/** Where a C or C++ function leaves its result (AAPCS64 §6.9). */
export function returnedAapcs64(returns: Layout): Place {
  const bytes = sizeOf(returns);
  const isUnknown =
    returns.kind === 'unknown' ||
    returns.kind === 'choice' ||
    returns.kind === 'array' ||
    (returns.kind === 'vector' && bytes > 16) ||
    (returns.kind === 'aggregate' && (returns.passing === 'unknown' || holdsUnknown(returns)));
  if (isUnknown) return { kind: 'none', reason: 'how it is returned is not known' };
  const isByReference = returns.kind === 'aggregate' && returns.passing === 'reference';
  const many = isByReference ? null : homogeneousOf(returns);
  if (many !== null) return inVectors(many, firstVector);
  if (isByReference || bytes > 16)
    return { kind: 'address', register: callersResult, offset: 0, bytes };
  if (bytes === 0 || (returns.kind === 'aggregate' && isEmpty(returns)))
    return { kind: 'none', reason: 'it takes no space' };
  return { kind: 'parts', registers: bytes > 8 ? [0, 1] : [0], bytes, second: 8 };
}

/** Above the size of the largest homogeneous value only the address is passed, whatever it holds. */
function holdsUnknown(layout: Aggregate): boolean {
  const isLarge = layout.bytes > mostMembers * 16;
  return !isLarge && someLayout(layout, (part) => part.kind === 'unknown');
}
