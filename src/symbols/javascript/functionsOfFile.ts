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

/** The functions that a text defines. Throws SyntaxError for one that cannot be read, RangeError for one nested too deep. */
export function definedIn(text: string, path: string): readonly ScriptFunction[] {
  const { program } = parseTolerantly(text, path);
  return new ModuleReader(text, 'module').read(program).functions;
}
