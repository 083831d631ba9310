import { parse, type ParserOptions } from '@babel/parser';
import type { File } from '@babel/types';
import type { ScriptFormat } from '../../model/rewriting/rewrittenModule.ts';

type Plugins = NonNullable<ParserOptions['plugins']>;

const always: Plugins = [
  'decoratorAutoAccessors',
  'explicitResourceManagement',
  'sourcePhaseImports',
  'deferredImportEvaluation',
  'deprecatedImportAssert',
];
const script: Plugins = [...always, 'decorators', 'jsx'];
const plainScript: Plugins = [...always, 'decorators'];
const typed: Plugins = [...always, 'decorators-legacy', 'typescript'];
const typedMarkup: Plugins = [...typed, 'jsx'];

const options: ParserOptions = {
  createParenthesizedExpressions: true,
  attachComment: false,
};

/**
 * Reads a text that is run. Throws SyntaxError for one that is not understood in each detail: such a text stays as it is.
 * A TypeScript file may hold JavaScript when it is run, as its compiler came first; only modules come as written.
 */
export function parseExactly(text: string, file: string, format: ScriptFormat): File {
  const exact: ParserOptions = { ...options, sourceType: format };
  if (!isTyped(file)) return parse(text, { ...exact, plugins: script });
  const typedPlugins = pluginsOf(file);
  const attempts = format === 'module' ? [typedPlugins, plainScript] : [plainScript, typedPlugins];
  let problem: unknown;
  for (const plugins of attempts) {
    try {
      return parse(text, { ...exact, plugins });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      if (plugins === typedPlugins) problem = error;
    }
  }
  throw problem;
}

/** Reads a file for its functions, also one that breaks rules. Throws SyntaxError where nothing can be made of it. */
export function parseTolerantly(text: string, file: string): File {
  return parse(text, {
    ...options,
    sourceType: 'unambiguous',
    errorRecovery: true,
    allowReturnOutsideFunction: true,
    allowNewTargetOutsideFunction: true,
    allowSuperOutsideMethod: true,
    allowUndeclaredExports: true,
    plugins: pluginsOf(file),
  });
}

function isTyped(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file);
}

function pluginsOf(file: string): Plugins {
  if (!isTyped(file)) return script;
  return file.endsWith('x') ? typedMarkup : typed;
}
