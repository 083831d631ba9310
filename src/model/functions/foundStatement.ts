import type { Parameter } from '../values/valueType.ts';
import type { FoundVariable } from './foundVariable.ts';

/** Which statement is meant. */
export type StatementWhere =
  /** `expect`: a part of the line's text as it was seen: where that has moved, the line has. */
  | {
      readonly kind: 'line';
      readonly file: string;
      readonly line: number;
      readonly expect?: string;
    }
  /** `near`: a line, where the text stands several times. */
  | { readonly kind: 'text'; readonly file: string; readonly text: string; readonly near?: number }
  /** Where the body of a function begins; link-time address of its entry. */
  | { readonly kind: 'body'; readonly module: string; readonly address: number }
  /** Each copy of a function that has no code of its own, where it begins; its qualified name. */
  | { readonly kind: 'copies'; readonly name: string }
  /** Each line of a function's own source; link-time address of its entry. */
  | { readonly kind: 'lines'; readonly module: string; readonly address: number }
  /** The same of the function that begins so far behind where the file begins in memory. */
  | { readonly kind: 'bodyAt'; readonly module: string; readonly offset: number }
  /** From where the file begins in memory. */
  | { readonly kind: 'offset'; readonly module: string; readonly offset: number };

/** A place in machine code where a line begins. */
export interface FoundStatement {
  /** Absolute path of its ELF file. */
  readonly module: string;
  /** Link-time address. */
  readonly address: number;
  /** The same from where the file begins in memory. */
  readonly offset: number;
  /** Absolute path of its source; null when unknown. */
  readonly file: string | null;
  readonly line: number | null;
  /** As the source has the line now; null: it cannot be read. */
  readonly text: string | null;
  /** Of the source: also one that is inlined here. */
  readonly functionName: string;
  /** The function with code of its own that holds it. */
  readonly holder: string;
  /** It is of another function, which is inlined there. */
  readonly isInlined: boolean;
  /** From the holder's first instruction in this part of its code, and to that part's end. */
  readonly before: number;
  readonly size: number;
  /** The holder's other parts, from where the file begins in memory. */
  readonly otherParts: readonly { readonly offset: number; readonly bytes: number }[];
  /** Other rows of the line table begin in the first bytes behind it, a bit each: bit 1 is the next byte. */
  readonly rowsBehind: number;
  /** Exceptions may go on at such a row. */
  readonly hasLandingPads: boolean;
  /** Named things in registers, and those that are not kept here, with the reason. */
  readonly parameters: readonly Parameter[];
  /** Those in memory. */
  readonly variables: readonly FoundVariable[];
  /** Its stack moves, and is no larger than its functions need. */
  readonly isOfGo: boolean;
  /** All names in scope, the innermost first. */
  readonly inScope: readonly string[];
  /** Of those the function's arguments, in their order. */
  readonly argumentNames: readonly string[];
  /** Of those the results, which Go lets have names. */
  readonly resultNames: readonly string[];
}

/** What was found for a statement. */
export interface StatementMatch {
  /** One for each copy of the code. */
  readonly statements: readonly FoundStatement[];
  /** A line was meant that is another one now, or has no code. */
  readonly moved: { readonly from: number; readonly to: number; readonly why: string } | null;
  /** The source was written after the program was built. */
  readonly isStale: boolean;
  /** Why there are none; a whole sentence. Null: there are some. */
  readonly why: string | null;
  /** Lines with code that are near. */
  readonly nearest: readonly number[];
}
