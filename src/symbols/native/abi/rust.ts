import { callersResult, type Place } from '../../../model/values/valueType.ts';
import { alignmentOf, sizeOf, type Field, type Layout } from './layout.ts';
import { RegisterFile, firstVector } from './registerFile.ts';
import type { ParameterRegisters, Placement } from './registerFile.ts';

/** The processor's registers, and the compiler: rustc 1.n; null where that is not known. */
export interface RustConvention {
  readonly registers: ParameterRegisters;
  readonly rustc: number | null;
}

/** From this rustc 1.n on each result above 8 bytes that is no scalar or pair goes through a hidden pointer. */
const smallInMemory = 70;

/**
 * The places of a Rust function's parameters. The Rust ABI is not specified; used here is only what held in
 * every compiler since 1.60 (rustc_abi's layout of scalars and pairs): types that are one scalar go as
 * in C, types that are two go as two of them, others of at most 8 bytes in an integer register, and
 * larger ones as an address; empty types not at all. A result above 16 bytes goes through a hidden
 * pointer, a smaller one by newer compilers. Anything else makes the later places uncertain.
 */
export function placeRust(
  parameters: readonly Layout[],
  returns: Layout,
  { registers: most, rustc }: RustConvention,
): Placement {
  const registers = new RegisterFile(most);
  const hidden = needsHiddenPointer(returns, rustc);
  if (hidden === 'unknown') registers.giveUp('how Rust returns this result is not specified');
  else if (hidden) registers.takeInteger();
  const places = parameters.map((layout) => registers.whenKnown(() => place(registers, layout)));
  // `#[track_caller]` adds a pointer that the debug information does not show; it may be on the stack.
  const stackBytes = registers.integersLeft > 0 ? registers.stackBytes : null;
  return { places, stackBytes };
}

interface Scalar {
  readonly isFloat: boolean;
  readonly bytes: number;
  readonly offset: number;
}

/** How rustc sees a type when it passes it (rustc_abi BackendRepr). */
type Representation =
  | { readonly kind: 'none' }
  | { readonly kind: 'scalar'; readonly first: Scalar }
  | { readonly kind: 'pair'; readonly first: Scalar; readonly second: Scalar }
  /** A number of two words. */
  | { readonly kind: 'wide' }
  | { readonly kind: 'memory' }
  | { readonly kind: 'unknown'; readonly reason: string };

const memory: Representation = { kind: 'memory' };
const wideInside: Representation = {
  kind: 'unknown',
  reason: 'how Rust passes a 128-bit number beside another value is not specified',
};
const mostNested = 32;

function representationOf(layout: Layout, depth = 0): Representation {
  if (depth > mostNested) return { kind: 'unknown', reason: 'a type that nests deeply' };
  switch (layout.kind) {
    case 'none':
      return { kind: 'none' };
    case 'integer':
    case 'float':
      return {
        kind: 'scalar',
        first: { isFloat: layout.kind === 'float', bytes: layout.bytes, offset: 0 },
      };
    case 'integer128':
      return { kind: 'wide' };
    case 'array':
      return layout.bytes === 0 ? { kind: 'none' } : memory;
    case 'aggregate':
      return aggregate(layout, depth);
    case 'choice':
      return choice(layout, depth);
    default:
      return { kind: 'unknown', reason: 'how Rust passes this type is not specified' };
  }
}

interface Placed {
  readonly offset: number;
  readonly layout: Layout;
  readonly kind: Representation;
}

function filled(fields: readonly Field[], depth: number): Placed[] {
  return fields
    .map(({ offset, layout }) => ({ offset, layout, kind: representationOf(layout, depth + 1) }))
    .filter(({ kind }) => kind.kind !== 'none')
    .toSorted((a, b) => a.offset - b.offset);
}

function aggregate(layout: Extract<Layout, { kind: 'aggregate' }>, depth: number): Representation {
  if (layout.bytes === 0) return { kind: 'none' };
  const fields = filled(layout.fields, depth);
  const unknown = fields.find(({ kind }) => kind.kind === 'unknown');
  if (unknown) return layout.bytes > 16 ? memory : unknown.kind;
  const [first, second, ...others] = fields;
  if (!first || others.length > 0) return memory;
  if (!second) {
    const isWhole = first.offset === 0 && sizeOf(first.layout) === layout.bytes;
    return isWhole ? first.kind : memory;
  }
  if (first.kind.kind === 'wide' || second.kind.kind === 'wide') return wideInside;
  if (first.kind.kind !== 'scalar' || second.kind.kind !== 'scalar') return memory;
  // The parts of a union begin at the same place.
  if (first.offset === second.offset) return memory;
  return pairOf(first.kind.first, { ...second.kind.first, offset: second.offset }, layout.bytes);
}

/** Two scalars side by side as rustc lays out a pair, else memory. */
function pairOf(first: Scalar, second: Scalar, bytes: number): Representation {
  const offset = Math.ceil(first.bytes / second.bytes) * second.bytes;
  const align = Math.max(first.bytes, second.bytes);
  const whole = Math.ceil((offset + second.bytes) / align) * align;
  return first.offset === 0 && second.offset === offset && whole === bytes
    ? { kind: 'pair', first, second }
    : memory;
}

function choice(layout: Extract<Layout, { kind: 'choice' }>, depth: number): Representation {
  if (layout.bytes === 0) return { kind: 'none' };
  const variants = layout.variants.map((variant) =>
    variant.kind === 'aggregate' ? filled(variant.fields, depth) : null,
  );
  if (variants.includes(null)) return { kind: 'unknown', reason: 'an unusual enumeration' };
  const known = variants.flatMap((fields) => fields ?? []);
  if (known.some(({ kind }) => kind.kind === 'unknown'))
    return layout.bytes > 16
      ? memory
      : { kind: 'unknown', reason: 'an enumeration of unknown types' };
  if (known.some(({ kind }) => kind.kind === 'wide')) return wideInside;
  const { tag } = layout;
  if (!tag) return layout.variants[0] ? representationOf(layout.variants[0], depth + 1) : memory;
  if (known.some((field) => overlaps(field, tag))) return niche(layout, depth);
  const tagScalar: Scalar = { isFloat: false, bytes: sizeOf(tag.layout), offset: tag.offset };
  if (tagScalar.bytes === layout.bytes) return { kind: 'scalar', first: tagScalar };
  return tagged(tagScalar, variants, layout.bytes);
}

function overlaps({ offset, layout }: Placed, tag: Field): boolean {
  return offset < tag.offset + sizeOf(tag.layout) && tag.offset < offset + sizeOf(layout);
}

/** The tag is a value that the variant never has; the others are empty, or it is in memory. */
function niche({ variants }: Extract<Layout, { kind: 'choice' }>, depth: number): Representation {
  const withData = variants.filter(
    (variant) => variant.kind === 'aggregate' && filled(variant.fields, depth).length > 0,
  );
  const [only, ...others] = withData;
  return only && others.length === 0 ? representationOf(only, depth + 1) : memory;
}

/** A tag, and at most one scalar, the same in each variant. */
function tagged(
  tag: Scalar,
  variants: readonly (readonly Placed[] | null)[],
  bytes: number,
): Representation {
  let common: Scalar | null = null;
  for (const fields of variants) {
    const [field, ...others] = fields ?? [];
    if (!field) continue;
    if (others.length > 0 || field.kind.kind !== 'scalar') return memory;
    const scalar: Scalar = { ...field.kind.first, offset: field.offset };
    const isSame =
      common === null ||
      (common.offset === scalar.offset &&
        common.bytes === scalar.bytes &&
        common.isFloat === scalar.isFloat);
    if (!isSame) return memory;
    common = scalar;
  }
  return common === null ? memory : pairOf(tag, common, bytes);
}

function needsHiddenPointer(returns: Layout, rustc: number | null): boolean | 'unknown' {
  const representation = representationOf(returns);
  switch (representation.kind) {
    case 'none':
    case 'scalar':
    case 'pair':
    case 'wide':
      return false;
    case 'unknown':
      return 'unknown';
    case 'memory':
      if (sizeOf(returns) <= 8) return false;
      if (alignmentOf(returns) > 8) return 'unknown';
      return sizeOf(returns) > 16 || (rustc ?? 0) >= smallInMemory ? true : 'unknown';
  }
}

/** Where a Rust function leaves its result. */
export function returnedRust(returns: Layout, rustc: number | null): Place {
  const representation = representationOf(returns);
  const bytes = sizeOf(returns);
  switch (representation.kind) {
    case 'none':
      return { kind: 'none', reason: 'it takes no space' };
    case 'scalar':
      return inRegisters([representation.first.isFloat ? firstVector : 0], bytes);
    case 'pair': {
      const { first, second } = representation;
      const a = first.isFloat ? firstVector : 0;
      const b = second.isFloat ? firstVector + Number(first.isFloat) : Number(!first.isFloat);
      return inRegisters([a, b], bytes, second.offset);
    }
    case 'wide':
      return inRegisters([0, 1], bytes);
    case 'unknown':
      return { kind: 'none', reason: representation.reason };
    case 'memory': {
      if (bytes <= 8) return inRegisters([0], bytes);
      const hidden = needsHiddenPointer(returns, rustc);
      return hidden === true
        ? { kind: 'address', register: callersResult, offset: 0, bytes }
        : { kind: 'none', reason: 'how Rust returns this result is not specified' };
    }
  }
}

function inRegisters(registers: readonly number[], bytes: number, second = 8): Place {
  return { kind: 'parts', registers, bytes, second };
}

function place(registers: RegisterFile, layout: Layout): Place {
  const representation = representationOf(layout);
  const bytes = sizeOf(layout);
  switch (representation.kind) {
    case 'none':
      return { kind: 'none', reason: 'it takes no space' };
    case 'scalar': {
      const { isFloat } = representation.first;
      const found = isFloat ? registers.takeFloat() : registers.takeInteger();
      if (layout.kind === 'integer' || layout.kind === 'float') return found;
      return together([found], bytes, 8);
    }
    case 'pair': {
      const { first, second } = representation;
      const parts = [first, second].map(({ isFloat }) =>
        isFloat ? registers.takeFloat() : registers.takeInteger(),
      );
      const [a, b] = parts;
      if (second.offset === 8 && a?.kind === 'integer' && b?.kind === 'integer')
        return { kind: 'pair', first: a.register, second: b.register };
      return together(parts, bytes, second.offset);
    }
    case 'wide':
      // Where one register is left, compilers differ in what they do with it.
      if (registers.integersLeft < 2)
        return registers.giveUp('a 128-bit number for which no two registers are left');
      return together([registers.takeInteger(), registers.takeInteger()], bytes, 8);
    case 'memory': {
      if (bytes <= 8) return together([registers.takeInteger()], bytes, 8);
      const found = registers.takeInteger();
      return found.kind === 'integer'
        ? { kind: 'address', register: found.register, offset: 0, bytes }
        : { kind: 'address', register: null, offset: 'offset' in found ? found.offset : 0, bytes };
    }
    case 'unknown':
      return registers.giveUp(representation.reason);
  }
}

/** A value of several places; one word on the stack is the value itself. */
function together(parts: readonly Place[], bytes: number, second: number): Place {
  const [a, b] = parts;
  if (a?.kind === 'stack' && b?.kind === 'stack' && second === 8)
    return { kind: 'memory', offset: a.offset, bytes };
  const registers: number[] = [];
  for (const part of parts) {
    if (part.kind === 'integer') registers.push(part.register);
    else if (part.kind === 'float') registers.push(firstVector + part.register);
    else if (part.kind === 'stack' && parts.length === 1)
      return { kind: 'memory', offset: part.offset, bytes };
    else return { kind: 'none', reason: 'it is passed partly on the stack' };
  }
  return inRegisters(registers, bytes, second);
}
