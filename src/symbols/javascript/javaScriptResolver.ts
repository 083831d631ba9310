import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceLanguage } from '../sourceLanguage.ts';
import { SourceResolver } from '../sourceResolver.ts';
import { statementsOf } from './statementsOf.ts';
import { scriptModuleName } from './scriptModuleName.ts';

/** What names hold that texts do not. */
const madeWords = new Set(['anonymous', 'computed', 'default', 'exports', 'module']);

/** Functions of JavaScript and TypeScript. Runs nothing of a project. */
export class JavaScriptResolver extends SourceResolver {
  /** `functionsIn`: `functionsOfFile`, in a thread of its own where many files are to be read. */
  constructor(functionsIn: SourceLanguage['functionsIn']) {
    super({
      runtime: 'node',
      name: 'JavaScript',
      functionsIn,
      statementsIn: statementsOf,
      moduleName: scriptModuleName,
      isWritten: (word) => !madeWords.has(word),
      isSource: isScript,
      isInstalled: (path) => path.includes('/node_modules/') || path.startsWith('node:'),
      whyLeftAlone: (word, projectRoot) =>
        existsSync(join(projectRoot, 'node_modules', word))
          ? `${word} is a package: files in node_modules are not traced. Trace what calls it.`
          : null,
    });
  }
}

/** Not of declarations, which hold no code. */
export function isScript(name: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(name) && !/\.d\.[cm]?ts$/.test(name);
}
