import type { SourceFunctionKind } from '../functions/sourceFunction.ts';

/** How a JavaScript engine reads a text: as a CommonJS module, as an ES module, or as a script. */
export type ScriptFormat = 'commonjs' | 'module' | 'script';

/** The offset of a function that a compiler added to a text: the source does not have it. */
export const nowhere = -1;

/** A function of JavaScript or TypeScript, as its text defines it. */
export interface ScriptFunction {
  /** Within its module: `Account.deposit`, `outer.inner`, `outer.<anonymous>`. */
  readonly qualifiedName: string;
  readonly kind: SourceFunctionKind;
  /** From 1. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
  /** Where its definition begins and ends in the text, in characters from 0. */
  readonly offset: number;
  readonly end: number;
  /** Where its code begins. */
  readonly body: number;
  /** Absolute path of the file that all this is said of; absent: the module's own. */
  readonly file?: string;
  /** What an enter carries, in this order: `this` where the body uses it, then the parameters, destructured ones by their names. */
  readonly parameters: readonly string[];
  /** Why its text stays as it is, as the end of a sentence; null: it is rewritten. */
  readonly refusal: string | null;
}

/** A text to put in front of the character at `position`; it holds no line break. */
export interface Insert {
  readonly position: number;
  readonly text: string;
}

/** What makes a module tell of its calls. The same for each process that loads the same text. */
export interface RewrittenModule {
  readonly functions: readonly ScriptFunction[];
  /** By position. Empty: nothing in the module is traced. */
  readonly inserts: readonly Insert[];
  /** Variables of the module that its functions use: what the second argument of `$strobe` reads, by index here. */
  readonly variables: readonly string[];
  /** Of each breakpoint that was asked for whether it is written into the text. */
  readonly isWritten: readonly boolean[];
}

/** Stands in inserts where the process puts the key of the module, the argument of `$strobe`. */
export const keyPlaceholder = '\u0000';
