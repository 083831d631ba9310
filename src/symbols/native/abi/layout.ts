/** How the bytes of a type lie, as far as a calling convention asks. */
export type Layout =
  | { readonly kind: 'none' }
  /** Integers, pointers, references, booleans, characters, enumerations: at most 8 bytes. */
  | { readonly kind: 'integer'; readonly bytes: number }
  /** float, double and smaller. */
  | { readonly kind: 'float'; readonly bytes: number }
  /** long double of x86-64: 80 bits in 16 bytes. */
  | { readonly kind: 'extended' }
  | { readonly kind: 'integer128' }
  /** A vector, or a 128-bit float. */
  | { readonly kind: 'vector'; readonly bytes: number }
  /** Real and imaginary part, `bytes` together. */
  | { readonly kind: 'complex'; readonly bytes: number }
  | Aggregate
  /** An enumeration with values: one of `variants`, which lie over each other; told by what lies at `tag`. */
  | {
      readonly kind: 'choice';
      readonly bytes: number;
      readonly tag: Field | null;
      readonly variants: readonly Layout[];
    }
  | {
      readonly kind: 'array';
      readonly bytes: number;
      readonly element: Layout;
      readonly count: number;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

/** struct, class or union. */
export interface Aggregate {
  readonly kind: 'aggregate';
  readonly bytes: number;
  readonly fields: readonly Field[];
  /**
   * `reference`: a class whose copies need code, so callers pass the address of one (Itanium C++ ABI §3.1.1);
   * `unknown`: the debug information does not say.
   */
  readonly passing: 'value' | 'reference' | 'unknown';
  /** Stated with DW_AT_alignment; 0 = natural. */
  readonly alignment: number;
  /** Two words that Rust passes as two scalars: `&str`, slices, trait objects. */
  readonly isPointerPair: boolean;
}

/** Bases are fields too. */
export interface Field {
  readonly offset: number;
  readonly layout: Layout;
}

export function sizeOf(layout: Layout): number {
  switch (layout.kind) {
    case 'none':
    case 'unknown':
      return 0;
    case 'extended':
    case 'integer128':
      return 16;
    default:
      return layout.bytes;
  }
}

/** The natural alignment; at least 1. */
export function alignmentOf(layout: Layout, depth = 0): number {
  if (depth > 32) return 1;
  switch (layout.kind) {
    case 'none':
    case 'unknown':
      return 1;
    case 'extended':
    case 'integer128':
      return 16;
    case 'complex':
      return layout.bytes / 2;
    case 'array':
      return alignmentOf(layout.element, depth + 1);
    case 'choice':
      return layout.variants.reduce(
        (most, variant) => Math.max(most, alignmentOf(variant, depth + 1)),
        layout.tag ? alignmentOf(layout.tag.layout, depth + 1) : 1,
      );
    case 'aggregate':
      return layout.fields.reduce(
        (most, field) => Math.max(most, alignmentOf(field.layout, depth + 1)),
        Math.max(layout.alignment, 1),
      );
    default:
      return Math.max(layout.bytes, 1);
  }
}

/** Whether a part of a value is as asked; so is what nests too deeply. */
export function someLayout(layout: Layout, test: (layout: Layout) => boolean, depth = 0): boolean {
  if (depth > 32) return true;
  if (test(layout)) return true;
  if (layout.kind === 'array') return someLayout(layout.element, test, depth + 1);
  return (
    layout.kind === 'aggregate' &&
    layout.fields.some((field) => someLayout(field.layout, test, depth + 1))
  );
}

export function holdsUnknown(layout: Layout): boolean {
  // A structure above 16 bytes goes to memory whatever it holds.
  return sizeOf(layout) <= 16 && someLayout(layout, (part) => part.kind === 'unknown');
}

export function isEmpty(layout: Layout): boolean {
  return !someLayout(
    layout,
    (part) =>
      part.kind !== 'aggregate' &&
      part.kind !== 'none' &&
      !(part.kind === 'array' && part.count === 0),
  );
}
