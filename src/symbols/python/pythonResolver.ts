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
      statementsIn: pythonStatements,
      moduleName,
      isWritten: (word) => !madeWords.has(word),
      isSource: (name) => name.endsWith('.py'),
      isInstalled,
    });
  }
}

/** Where interpreters and package managers put modules. */
function isInstalled(path: string): boolean {
  return (
    /\/(?:site|dist)-packages\/|\/lib\/python\d(?:\.\d+)?\//.test(path) || path.startsWith('<')
  );
}
