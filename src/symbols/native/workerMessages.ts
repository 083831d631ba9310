import type { CrashReport } from '../../model/endings/crashReport.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { FirstMatches, PatternMatch, UnitSummary } from '../../model/functions/traceable.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import type { VariableMatch } from '../../model/functions/foundVariable.ts';
import type { Outcome } from '../../model/problem.ts';
import type { Snapshot } from '../../model/endings/snapshot.ts';
import type { CoreFile } from './core/coreFile.ts';
import type { FindOptions } from '../resolver.ts';
import type { PostMortemOptions } from './unwind/postMortem.ts';

/** What the worker is started with. */
export interface WorkerSettings {
  /** Folder of the kept indexes. */
  readonly cacheDir: string;
  /** The demangler's WebAssembly file. */
  readonly demanglerPath: string;
}

export type Question =
  | { readonly kind: 'open'; readonly path: string; readonly patterns: readonly Pattern[] }
  | {
      readonly kind: 'find';
      readonly modules: readonly string[];
      readonly pattern: Pattern;
      readonly options: FindOptions;
    }
  | {
      readonly kind: 'variables';
      readonly modules: readonly string[];
      readonly name: string;
      readonly depth: number;
    }
  | {
      readonly kind: 'namesAt';
      readonly path: string;
      readonly offsets: readonly number[];
    }
  | {
      readonly kind: 'explain';
      readonly snapshot: Snapshot;
      readonly options: PostMortemOptions;
    }
  | { readonly kind: 'core'; readonly path: string }
  | { readonly kind: 'readable'; readonly names: readonly string[] }
  | {
      readonly kind: 'complete';
      readonly modules: readonly string[];
      readonly prefix: string;
      readonly limit: number;
    };

export type Answer =
  | { readonly kind: 'opened'; readonly summary: UnitSummary }
  | { readonly kind: 'found'; readonly outcome: Outcome<PatternMatch<FoundFunction>> }
  | { readonly kind: 'variables'; readonly match: VariableMatch }
  | { readonly kind: 'namedAt'; readonly names: readonly (string | null)[] }
  | { readonly kind: 'explained'; readonly report: CrashReport }
  | { readonly kind: 'coreRead'; readonly core: CoreFile }
  | { readonly kind: 'completed' | 'readable'; readonly names: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string;
    };

export type Reply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly share: number }
  | { readonly kind: 'first'; readonly matches: readonly FirstMatches[] }
  | { readonly kind: 'answer'; readonly answer: Answer };
