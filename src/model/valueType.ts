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
  /** `char *` and its kin: the text it points to is captured at the call. */
  | { readonly kind: 'cstring'; readonly name: string }
  /** Passed by value but not a scalar (struct, class, long double, vector): not captured yet. */
  | { readonly kind: 'opaque'; readonly name: string; readonly bytes: number | null }
  /** No debug information. */
  | { readonly kind: 'unknown' };

/** Where a parameter lies when the function is entered (System V x86-64 ABI §3.2.3). */
export type Place =
  /** `register`: 0..5 = rdi rsi rdx rcx r8 r9. */
  | { readonly kind: 'integer'; readonly register: number }
  /** `register`: 0..7 = xmm0..xmm7. */
  | { readonly kind: 'float'; readonly register: number }
  /** Bytes above the first stack argument, i.e. above return address + 8. */
  | { readonly kind: 'stack'; readonly offset: number }
  /** Not a scalar in one register or stack word. */
  | { readonly kind: 'none'; readonly reason: string };

/** A formal parameter of a function, `this` included. */
export interface Parameter {
  readonly name: string;
  readonly type: ValueType;
  readonly place: Place;
}
