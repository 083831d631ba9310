/** A value of at most eight bytes. `name` is the type as the source spells it. */
export type ScalarType =
  | {
      readonly kind: 'int';
      readonly name: string;
      readonly bytes: number;
      readonly signed: boolean;
      /** A result of four bytes: above them lies errno where it is -1. */
      readonly errno?: true;
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
      /** It is one of them, never several. */
      readonly isOne?: true;
    }
  /** A plain pointer or reference; `name` includes the `*` or `&`. `code`: it leads to a function. */
  | { readonly kind: 'pointer'; readonly name: string; readonly code?: true };
