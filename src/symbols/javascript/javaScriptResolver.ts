import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isPackageName } from '../packageUnits.ts';
import type { SourceLanguage } from '../sourceLanguage.ts';
import { SourceResolver } from '../sourceResolver.ts';
import { statementsOf } from './statementsOf.ts';
import { scriptModuleName } from './scriptModuleName.ts';
import { toldFunctions } from './toldFunctions.ts';

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
      filesAtOnce: 16,
      toldFunctions,
      statementsIn: statementsOf,
      moduleName: scriptModuleName,
      isWritten: (word) => !madeWords.has(word),
      isSource: isScript,
      packageOf,
      packageFile: () => null,
      namesBeginWithPackage: false,
      isPackage,
    });
  }
}

/** The innermost; modules of Node itself are packages of their name. */
function packageOf(path: string): string | null {
  if (path.startsWith('node:')) return path;
  return /^.*\/node_modules\/(@[^/]+\/[^/]+|[^/]*)/.exec(path)?.[1] ?? null;
}

/** In a folder `node_modules` of the project, or of one that holds it. */
function isPackage(name: string, projectRoot: string): boolean {
  const above = dirname(projectRoot);
  if (!isPackageName(name)) return false;
  return (
    existsSync(join(projectRoot, 'node_modules', name)) ||
    (above !== projectRoot && isPackage(name, above))
  );
}

/** Not of declarations, which hold no code. */
export function isScript(name: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(name) && !/\.d\.[cm]?ts$/.test(name);
}
