import type { TracedLanguage } from '../source/sourceSession.ts';
import { compilePythonWatch, whyPythonUndecided } from './pythonCondition.ts';
import type { PythonParts } from './pythonParts.ts';
import { PythonProcess } from './pythonProcess.ts';

/** Python in CPython. */
export function pythonLanguage(parts: PythonParts): TracedLanguage<Buffer> {
  return {
    name: 'Python',
    type: 'python',
    constants: ['None', 'True', 'False'],
    compile: compilePythonWatch,
    whyUndecided: whyPythonUndecided,
    isSource: (name) => name.endsWith('.py'),
    enter: async (entry, { projectRoot, limits }) =>
      await PythonProcess.enter(entry, parts, {
        projectRoot,
        secretNames: limits.secretNames,
      }),
  };
}
