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

/**
 * Texts of which the functions are known: a project is read for its functions first, and then for each module that a
 * compiler made of one of its files.
 */
const MOST_CHARACTERS = 16 << 20;
let characters = 0;
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
  characters += text.length - (before?.text.length ?? 0);
  known.delete(path);
  known.set(path, { text, functions });
  for (const [oldest, { text: old }] of known) {
    if (characters <= MOST_CHARACTERS) break;
    characters -= old.length;
    known.delete(oldest);
  }
  return functions;
}
