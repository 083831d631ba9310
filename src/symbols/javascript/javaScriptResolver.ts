import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SourceResolver } from '../sourceResolver.ts';
import { functionsOfFile } from './functionsOfFile.ts';
import { statementsOf } from './statementsOf.ts';
import { scriptModuleName } from './scriptModuleName.ts';

/** What names hold that texts do not. */
const madeWords = new Set(['anonymous', 'computed', 'default', 'exports', 'module']);

/** Functions of JavaScript and TypeScript. Runs nothing of a project. */
export class JavaScriptResolver extends SourceResolver {
  constructor() {
    super({
      runtime: 'node',
      name: 'JavaScript',
      functionsIn: functionsOfFile,
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
