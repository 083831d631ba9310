import { SourceResolver } from '../sourceResolver.ts';
import { moduleName } from './moduleName.ts';
import { functionsIn } from './parsePython.ts';
import { pythonStatements } from './pythonStatements.ts';

/** What names hold that texts do not. */
const madeWords = new Set(['lambda', 'locals']);

/** Functions of Python source files. Runs nothing of a project. */
export class PythonResolver extends SourceResolver {
  constructor() {
    super({
      runtime: 'python',
      name: 'Python',
      functionsIn,
      filesAtOnce: 1,
      statementsIn: pythonStatements,
      moduleName,
      isWritten: (word) => !madeWords.has(word),
      isSource: (name) => name.endsWith('.py'),
      packageOf,
      packageFile: (name) => `${name}.py`,
      namesBeginWithPackage: true,
    });
  }
}

/** By where interpreters and package managers put modules. */
function packageOf(path: string): string | null {
  if (path.startsWith('<')) return '';
  const below =
    /^.*\/(?:site|dist)-packages\/([^/]*)/.exec(path) ??
    /\/lib\/python\d(?:\.\d+)?\/([^/]*)/.exec(path);
  return below?.[1]?.replace(/\.py$/, '') ?? null;
}
