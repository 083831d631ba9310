import type { SourceStatement } from '../model/functions/sourceStatement.ts';
import type { SourceFunction, SourceFunctionKind } from '../model/functions/sourceFunction.ts';
import type { RuntimeName } from '../model/functions/traceable.ts';

/** A function as its source defines it. */
export interface DefinedInSource {
  /** Within its module. */
  readonly qualifiedName: string;
  readonly firstLine: number;
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly kind: SourceFunctionKind;
  readonly parameters: readonly string[];
}

/** A language whose programs are source files, as far as finding functions needs to know it. */
export interface SourceLanguage {
  readonly runtime: RuntimeName;
  readonly name: string;
  /** Every function of a source text. Damage costs what it damages. */
  functionsIn(
    text: string,
    path: string,
  ): readonly DefinedInSource[] | Promise<readonly DefinedInSource[]>;
  /** How many files are read for their functions at a time: 1 where that is done in this thread. */
  readonly filesAtOnce: number;
  /** Functions that stand for what the interpreter itself tells of: they are in no file. */
  readonly toldFunctions?: readonly Omit<SourceFunction, 'depth'>[];
  /** Every statement of a source text. Throws for one that cannot be read. */
  statementsIn?(text: string, path: string): readonly SourceStatement[];
  /** What stands before the names of its functions. */
  moduleName(path: string): string;
  /** Whether a function whose name holds this word can be only in a text that holds it. */
  isWritten(word: string): boolean;
  /** Whether a file of this name holds source. */
  isSource(name: string): boolean;
  /** The package of a file that a package manager put where it is, or the interpreter's own module; null: neither. */
  packageOf(path: string): string | null;
  /** The file of a package that is one file, in a folder of packages; null: there are none. */
  packageFile(name: string): string | null;
  readonly namesBeginWithPackage: boolean;
  /** Whether modules of a project find a package of this name. */
  isPackage?(name: string, projectRoot: string): boolean;
}
