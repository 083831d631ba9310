import type { ValueType } from '../values/valueType.ts';

/** A variable that is there for as long as its module, or as each thread, is. */
export interface FoundVariable {
  /** Absolute path of the ELF file that holds it. */
  readonly module: string;
  /** Qualified: `bank::total`, `bank::pay::calls` of a static inside a function. */
  readonly name: string;
  /** Absolute path; null when unknown. */
  readonly file: string | null;
  /** 1-based. */
  readonly line: number | null;
  readonly place:
    /** Bytes from where its file begins in memory. */
    | { readonly kind: 'static'; readonly offset: number }
    /** Bytes from the thread pointer, in processes that run the module as their program. */
    | { readonly kind: 'thread'; readonly offset: number }
    /** Of a local variable at one statement: bytes from what a register holds there, by its DWARF number. */
    | {
        readonly kind: 'frame';
        readonly register: number;
        readonly offset: number;
        /** In the frame of the function, which is there while it runs. */
        readonly isOwn: boolean;
      }
    /** Of a local variable of Go at one statement: in several places, each behind the one before at its own alignment. */
    | { readonly kind: 'parts'; readonly parts: readonly VariablePart[] };
  readonly type: Extract<ValueType, { kind: 'tree' }>;
}

/** A part of a value: in a register, by its DWARF number, or at a distance from where that leads. */
export interface VariablePart {
  readonly bytes: number;
  readonly register: number;
  /** Null: it is in the register. */
  readonly distance: number | null;
}

/** What a name meant. */
export interface VariableMatch {
  readonly variables: readonly FoundVariable[];
  /** Why the variables of this name that there are cannot be read. */
  readonly refused: readonly string[];
  /** Names close to it, best first; only when there is none. */
  readonly nearest: readonly string[];
}
