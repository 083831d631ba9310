import type { CrashReport, VariablesOf } from '../../model/endings/crashReport.ts';
import type { Evaluated, EvaluateRequest } from '../../model/debug/evaluated.ts';
import type { LineRanges } from '../../model/debug/lineCode.ts';
import type { Reply } from '../../model/failure.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { StatementMatch, StatementWhere } from '../../model/functions/foundStatement.ts';
import type { FirstMatches, PatternMatch, UnitSummary } from '../../model/functions/traceable.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import type { VariableMatch } from '../../model/functions/foundVariable.ts';
import type { Outcome } from '../../model/problem.ts';
import type { Snapshot } from '../../model/endings/snapshot.ts';
import type { CoreFile } from './core/coreFile.ts';
import type { FindOptions } from '../resolver.ts';
import type { StatementNames } from './index/findStatements.ts';
import type { PostMortemOptions } from './unwind/postMortem.ts';

/** What the worker is started with. */
export interface WorkerSettings {
  /** Folder of the kept indexes. */
  readonly cacheDir: string;
  /** The demangler's WebAssembly file. */
  readonly demanglerPath: string;
}

/** What can be asked, and what comes back. */
export interface SymbolQuestions {
  readonly open: {
    readonly asked: { readonly path: string; readonly patterns: readonly Pattern[] };
    readonly answer: UnitSummary;
  };
  readonly find: {
    readonly asked: {
      readonly modules: readonly string[];
      readonly pattern: Pattern;
      readonly options: FindOptions;
    };
    readonly answer: Outcome<PatternMatch<FoundFunction>>;
  };
  readonly variables: {
    readonly asked: {
      readonly modules: readonly string[];
      readonly name: string;
      readonly depth: number;
    };
    readonly answer: VariableMatch;
  };
  readonly statements: {
    readonly asked: {
      readonly modules: readonly string[];
      readonly where: StatementWhere;
      readonly wanted: StatementNames;
    };
    readonly answer: StatementMatch;
  };
  readonly sourceFiles: {
    readonly asked: readonly string[];
    readonly answer: readonly string[];
  };
  readonly statementLines: {
    readonly asked: { readonly modules: readonly string[]; readonly file: string };
    readonly answer: readonly number[];
  };
  readonly lineRanges: {
    readonly asked: { readonly module: string; readonly offset: number };
    readonly answer: LineRanges | null;
  };
  readonly namesAt: {
    readonly asked: { readonly path: string; readonly offsets: readonly number[] };
    readonly answer: readonly (string | null)[];
  };
  readonly explain: {
    readonly asked: { readonly snapshot: Snapshot; readonly options: PostMortemOptions };
    readonly answer: CrashReport;
  };
  readonly threads: {
    readonly asked: {
      readonly snapshot: Snapshot;
      readonly options: PostMortemOptions;
      readonly variablesOf: VariablesOf;
    };
    readonly answer: readonly CrashReport[];
  };
  readonly evaluate: {
    readonly asked: {
      readonly snapshot: Snapshot;
      readonly options: PostMortemOptions;
      readonly request: EvaluateRequest;
    };
    readonly answer: Evaluated;
  };
  readonly core: { readonly asked: string; readonly answer: CoreFile };
  readonly readable: { readonly asked: readonly string[]; readonly answer: readonly string[] };
  readonly complete: {
    readonly asked: {
      readonly modules: readonly string[];
      readonly prefix: string;
      readonly limit: number;
    };
    readonly answer: readonly string[];
  };
}

export type QuestionKind = keyof SymbolQuestions;
export type Asked<K extends QuestionKind> = SymbolQuestions[K]['asked'];
export type Answer<K extends QuestionKind> = SymbolQuestions[K]['answer'];

export type Question<K extends QuestionKind = QuestionKind> = {
  readonly [P in K]: { readonly kind: P; readonly asked: Asked<P> };
}[K];

export type SymbolReply<K extends QuestionKind = QuestionKind> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly share: number }
  | { readonly kind: 'first'; readonly matches: readonly FirstMatches[] }
  | { readonly kind: 'end'; readonly reply: Reply<Answer<K>> };
