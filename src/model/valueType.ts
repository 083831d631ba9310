/**
 * What a captured word means. Kept with the session (as JSON), so that values can be shown
 * after the binary was rebuilt. `name` is the type as the source spells it.
 */
export type ValueType =
  | { readonly kind: 'void' }
  | {
      readonly kind: 'int';
      readonly name: string;
      readonly bytes: number;
      readonly signed: boolean;
    }
  | {
      readonly kind: 'char';
      readonly name: string;
      readonly bytes: number;
      readonly signed: boolean;
    }
  | { readonly kind: 'bool'; readonly name: string; readonly bytes: number }
  | { readonly kind: 'float'; readonly name: string; readonly bytes: number }
  | {
      readonly kind: 'enum';
      readonly name: string;
      readonly bytes: number;
      readonly signed: boolean;
      /** [value as decimal text, enumerator's name] in declaration order. */
      readonly members: readonly (readonly [string, string])[];
    }
  /** A plain pointer or reference; `name` includes the `*` or `&`. */
  | { readonly kind: 'pointer'; readonly name: string }
  /**
   * The text is captured at the call: of `char *` and its kin up to the NUL, of an object that
   * knows its length (std::string, string_view, &str, String) as `held` says.
   */
  | { readonly kind: 'cstring'; readonly name: string; readonly held?: Holding }
  /** Scalars one after the other (std::vector, slices, Vec), captured at the call. */
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly element: ValueType;
      readonly held: Holding;
    }
  /**
   * The first `bytes` of the object a pointer leads to, captured at the call. Structures inside it
   * and its bases are laid out flat, with dotted names; `left`: fields that are not read.
   */
  | {
      readonly kind: 'object';
      readonly name: string;
      readonly bytes: number;
      readonly fields: readonly {
        readonly name: string;
        readonly offset: number;
        readonly type: ValueType;
      }[];
      readonly left: number;
    }
  /** Passed by value but not a scalar (struct, class, long double, vector): not captured yet. */
  | { readonly kind: 'opaque'; readonly name: string; readonly bytes: number | null }
  /** No debug information. */
  | { readonly kind: 'unknown' };

/** Where an object keeps what it holds; offsets in bytes from its start. */
export interface Holding {
  /** Of the address of the first element. */
  readonly pointer: number;
  /** Of the number of elements; of the address behind the last one when `byEnd`. */
  readonly length: number;
  readonly byEnd: boolean;
  /** Bytes of one element; without `byEnd` 1..255. */
  readonly unit: number;
  /** The value is the object itself, in two words; else it is the object's address. */
  readonly inWords: boolean;
}

/** Whether a captured value has a length of its own before it (model/eventColumns). */
export function hasOwnLength(type: ValueType): boolean {
  return type.kind === 'cstring' || type.kind === 'list' || type.kind === 'object';
}

/** Where a parameter lies when the function is entered (System V x86-64 ABI §3.2.3). */
export type Place =
  /** `register`: 0..5 = rdi rsi rdx rcx r8 r9. */
  | { readonly kind: 'integer'; readonly register: number }
  /** `register`: 0..7 = xmm0..xmm7. */
  | { readonly kind: 'float'; readonly register: number }
  /** An object of two words by value: `first` and `second` as `register` above. */
  | { readonly kind: 'pair'; readonly first: number; readonly second: number }
  /** Bytes above the first stack argument, i.e. above return address + 8. */
  | { readonly kind: 'stack'; readonly offset: number }
  /** Neither a scalar in one register or stack word nor an object of two words. */
  | { readonly kind: 'none'; readonly reason: string };

/** A formal parameter of a function, `this` included. */
export interface Parameter {
  readonly name: string;
  readonly type: ValueType;
  readonly place: Place;
  /** What it points to, when that is to be captured too. */
  readonly target?: ObjectTarget;
}

/** An object behind a pointer, and the text and lists it holds. */
export interface ObjectTarget {
  readonly type: Extract<ValueType, { kind: 'object' }>;
  readonly contents: readonly {
    readonly name: string;
    /** From the start of the object. */
    readonly offset: number;
    readonly type: ValueType;
  }[];
}

/** The name under which the object behind a captured pointer is kept, after the pointer itself. */
export function objectName(pointer: string): string {
  return `*${pointer}`;
}

/** The same for text or a list the object holds. */
export function contentsName(pointer: string, field: string): string {
  return `${pointer}.${field}`;
}
