import type { DefinedLanguage } from '../functions/definition.ts';
import type { ScalarType } from './scalarType.ts';
import type { Shape } from './shape.ts';

/**
 * What a captured word means. Kept with the session (as JSON), so that values can be shown
 * after the binary was rebuilt. `name` is the type as the source spells it.
 */
export type ValueType =
  | { readonly kind: 'void' }
  | ScalarType
  /**
   * The text is captured at the call: of `char *` and its kin up to the NUL, of an object that
   * knows its length (std::string, string_view, &str, String) as `held` says.
   */
  | {
      readonly kind: 'cstring';
      readonly name: string;
      readonly held?: Holding;
      /** A `struct sockaddr`. */
      readonly socketAddress?: true;
      /** What a function put into its caller's buffer, read when it returned. */
      readonly filled?: Filled;
    }
  /** Scalars one after the other (std::vector, slices, Vec), captured at the call. */
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly element: ValueType;
      readonly held: Holding;
    }
  /**
   * Of any other type: its bytes, and with `depth` what they lead to, captured at the call as pieces
   * of memory (native/engine/walk.c). `whole`: the number of these levels that are whole (absent: all). `root`: its shape's index.
   */
  | {
      readonly kind: 'tree';
      readonly name: string;
      readonly depth: number;
      readonly whole?: number;
      readonly root: number;
      readonly shapes: readonly Shape[];
    }
  /** Not a scalar, and nothing is known of what it consists of; or not read for this reason. */
  | {
      readonly kind: 'opaque';
      readonly name: string;
      readonly bytes: number | null;
      readonly reason?: string;
    }
  /** It describes itself (dynamicValue.ts). `secret`: the word that makes its name look like a secret (redaction.ts). */
  | { readonly kind: 'dynamic'; readonly language: DefinedLanguage; readonly secret?: string }
  /** No debug information. */
  | { readonly kind: 'unknown' };

/** A buffer that a function fills; its result says how many bytes, or less than 0. */
export interface Filled {
  /** That the buffer's address is passed in. */
  readonly register: number;
  /** That the address of the number of bytes is passed in, where the result only says whether there are some. */
  readonly through: number | null;
  readonly hasErrno: boolean;
  /** The result comes before what was filled in. */
  readonly withResult?: true;
  /** The result is a socket; where the program gives no room, the address of its peer is asked for. */
  readonly orPeer?: true;
  /** The buffer is in parts. */
  readonly parts?: 'iovec' | 'msghdr';
}

/** Where an object keeps what it holds; offsets in bytes from its start. */
export interface Holding {
  /** Not the bytes themselves are there, but parts that lead to them. */
  readonly parts?: 'iovec' | 'msghdr';
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
  return (
    type.kind === 'cstring' ||
    type.kind === 'list' ||
    type.kind === 'tree' ||
    type.kind === 'dynamic'
  );
}

/**
 * The place of a parameter when the function is entered. Integer registers are numbered in the order of passing:
 * 0..5 = rdi rsi rdx rcx r8 r9 (System V ABI §3.2.3); of Go 0..8 = rax rbx rcx rdi rsi r8 r9 r10 r11 and xmm0..14.
 */
export type Place =
  | { readonly kind: 'integer'; readonly register: number }
  /** `register`: 0..7 = xmm0..xmm7. */
  | { readonly kind: 'float'; readonly register: number }
  /** An object of two words by value: `first` and `second` as `register` above. */
  | { readonly kind: 'pair'; readonly first: number; readonly second: number }
  /** Bytes above the first stack argument. */
  | { readonly kind: 'stack'; readonly offset: number }
  /**
   * By value in one or two registers, each an integer one or 8..15 = xmm0..7; `bytes` together, those
   * of the second register from `second` on.
   */
  | {
      readonly kind: 'parts';
      readonly registers: readonly number[];
      readonly bytes: number;
      readonly second: number;
    }
  /** By value in integer registers that follow each other, a word in each. Of Go. */
  | { readonly kind: 'words'; readonly register: number; readonly bytes: number }
  /** By value among the stack arguments. */
  | { readonly kind: 'memory'; readonly offset: number; readonly bytes: number }
  /** Its address is in an integer register, or among the stack arguments. */
  | {
      readonly kind: 'address';
      readonly register: number | null;
      readonly offset: number;
      readonly bytes: number;
    }
  /** `constant`: what it always is where it is kept nowhere. */
  | { readonly kind: 'none'; readonly reason: string; readonly constant?: bigint };

/**
 * The register of a returned `address`: where the caller asked for the result, as it was passed at the entry (in rdi).
 * What is in rax at the return need not be it: LLVM drops that from functions
 * whose callers it all knows.
 */
export const callersResult = 8;

/** A formal parameter of a function, `this` included. */
export interface Parameter {
  readonly name: string;
  readonly type: ValueType;
  readonly place: Place;
}
