/** What a runtime told of itself while it ran: its functions, types, files, names and strands. */
export type Definition =
  FunctionDefinition | TypeDefinition | FileDefinition | NameDefinition | StrandDefinition;

/** A ring whose process defines. */
export interface DefiningRing {
  readonly path: string;
  readonly pid: number;
  /** The ring of the process it was forked from: what is not defined here was defined there. */
  readonly parent: string | null;
}

/** Whose language a definition is of. */
export type DefinedLanguage = 'python' | 'javascript' | 'go' | 'other';

/** A function that appeared at run time. It is the same in another process if all but its number is. */
export interface FunctionDefinition {
  readonly kind: 'function';
  /** Session-wide, at least 65536. */
  readonly number: number;
  readonly language: DefinedLanguage;
  readonly qualifiedName: string;
  /** Absolute path of its source, or `<string>#<hash>` of code that has no file. */
  readonly file: string;
  /** From 1; 0: not known. */
  readonly line: number;
  readonly column: number;
  /** Where its definition begins in its source, in characters. */
  readonly offset: number;
  /** Of `functionFlags`. */
  readonly flags: number;
  /** Names of the parameters whose values an enter carries, in that order. */
  readonly parameters: readonly string[];
  /** It is a statement with a breakpoint: JSON of `TracedProbe`. */
  readonly probe?: string;
}

/** The numbers of types, files, names and strands are those of one process. */
export interface TypeDefinition {
  readonly kind: 'type';
  readonly number: number;
  readonly language: DefinedLanguage;
  readonly name: string;
  readonly module: string;
  /** Of `typeFlags`. */
  readonly flags: number;
}

export interface FileDefinition {
  readonly kind: 'file';
  readonly number: number;
  readonly language: DefinedLanguage;
  readonly path: string;
  /** SHA-1 of its text, in hex; empty: not known. */
  readonly digest: string;
}

/** A text that values refer to, such as the key of an attribute. */
export interface NameDefinition {
  readonly kind: 'name';
  readonly number: number;
  readonly language: DefinedLanguage;
  readonly name: string;
}

export interface StrandDefinition {
  readonly kind: 'strand';
  readonly number: number;
  readonly language: DefinedLanguage;
  readonly strand: { readonly kind: StrandKind; readonly name: string };
}

/** What takes turns on a thread. */
export type StrandKind = 'task' | 'goroutine' | 'test' | 'greenlet';

/** @public for the generated header */
export const functionFlags = {
  generator: 1,
  coroutine: 2,
  asyncGenerator: 4,
  classBody: 8,
  module: 16,
  lambda: 32,
  statement: 64,
} as const;

export const typeFlags = { dataclass: 1, enum: 2, ndarray: 4, exception: 8 } as const;
