import type { Depth } from '../values/shape.ts';
import type { Traceable } from './traceable.ts';

/** What a function of source code is. */
export type SourceFunctionKind =
  'function' | 'lambda' | 'generator' | 'coroutine' | 'asyncGenerator';

/** A function of a language whose programs are source files. Its unit is one of them. */
export interface SourceFunction extends Traceable {
  readonly file: string;
  readonly line: number;
  /** Within its module: `Account.deposit`, `outer.<locals>.inner`. */
  readonly qualifiedName: string;
  /** Of its first decorator, or of itself; 1-based. */
  readonly firstLine: number;
  /** Where its definition begins, in characters: from 1 in its line, from 0 in the file. */
  readonly column: number;
  readonly offset: number;
  readonly kind: SourceFunctionKind;
  /** Names, in the order in which their values are captured. */
  readonly parameters: readonly string[];
  /** How deep its values are looked into. */
  readonly depth: Depth;
}
