/** A statement of a source text. */
export interface SourceStatement {
  /** Where it begins, in characters: from 0 in the text, from 1 in its line. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  /** Its first word; empty: it begins with none. */
  readonly word: string;
  /** It is the expression that an arrow function gives. */
  readonly isResult: boolean;
  /** The function that holds it; null: it is code of the module. */
  readonly holder: {
    readonly name: string;
    /** Within its module. */
    readonly qualifiedName: string;
    /** Of its first decorator, or of itself. */
    readonly firstLine: number;
    readonly offset: number;
    readonly parameters: readonly string[];
  } | null;
  /** Names of variables of the functions around it, the innermost first. */
  readonly locals: readonly string[];
  /** Those of the module. */
  readonly globals: readonly string[];
}
