import type { ScriptFunction } from '../../model/rewriting/rewrittenModule.ts';
import type { DefinedInSource } from '../sourceLanguage.ts';
import { ModuleReader } from './moduleReader.ts';
import { hasOriginals } from './originalSources.ts';
import { parseTolerantly } from './parseScript.ts';

/** The functions of a source file. A file that a compiler made of others that are there has none: they have them. */
export function functionsOfFile(text: string, path: string): readonly DefinedInSource[] {
  return hasOriginals(text, path)
    ? []
    : definedIn(text, path).map(
        ({ qualifiedName, line, column, offset, kind, parameters }): DefinedInSource => ({
          qualifiedName,
          firstLine: line,
          line,
          column,
          offset,
          kind,
          parameters,
        }),
      );
}

/** Texts of which the functions are known: what rewrites a module and what knows its functions read it one after the other. */
const MOST_TEXTS = 64;
const known = new Map<
  string,
  { readonly text: string; readonly functions: readonly ScriptFunction[] }
>();

/** The functions that a text defines. Throws SyntaxError for one that cannot be read, RangeError for one nested too deep. */
export function definedIn(text: string, path: string): readonly ScriptFunction[] {
  const before = known.get(path);
  if (before?.text === text) return before.functions;
  const { program } = parseTolerantly(text, path);
  const { functions } = new ModuleReader(text, 'module').read(program);
  known.delete(path);
  known.set(path, { text, functions });
  const [oldest] = known.keys();
  if (known.size > MOST_TEXTS && oldest !== undefined) known.delete(oldest);
  return functions;
}
