import type { RewrittenModule, ScriptFormat } from '../../model/rewriting/rewrittenModule.ts';
import { ModuleReader } from './moduleReader.ts';
import { parseExactly } from './parseScript.ts';
import type { TextProbe } from './probedStatements.ts';

export interface ModuleText {
  readonly text: string;
  /** Its name says whether it may be TypeScript. */
  readonly file: string;
  readonly format: ScriptFormat;
  /** Breakpoints that are to be written into it. */
  readonly probes?: readonly TextProbe[];
}

/** A module that stays as it is. */
export interface RefusedModule {
  /** Why, as the end of a sentence. */
  readonly refusal: string;
}

/** What makes a module tell of its calls: a function of its text and its breakpoints alone, save that the name says its language. */
export function rewriteModule(module: ModuleText): RewrittenModule | RefusedModule {
  const { text, file, format, probes } = module;
  try {
    const { program } = parseExactly(text, file, format);
    return new ModuleReader(text, format).read(program, probes);
  } catch (error) {
    if (error instanceof SyntaxError) return { refusal: `it does not parse: ${error.message}` };
    if (error instanceof RangeError) return { refusal: 'its code is nested too deep' };
    throw error;
  }
}
