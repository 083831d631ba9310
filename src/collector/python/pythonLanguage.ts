import type { TracedLanguage } from '../source/sourceSession.ts';
import {
  compilePythonProbe,
  compilePythonStanding,
  compilePythonWatch,
  whyPythonUndecided,
} from './pythonCondition.ts';
import type { StopSocket } from '../source/stopSocket.ts';
import type { PythonParts } from './pythonParts.ts';
import { PythonDebugger } from './pythonDebugger.ts';
import { PythonProcess } from './pythonProcess.ts';
import { pythonLiteral } from './pythonText.ts';

const constants = ['None', 'True', 'False'];
/** Of one whose condition is not met. */
const COST = '0.2 µs a hit';

/** Python in CPython. */
export function pythonLanguage(parts: PythonParts, stops: StopSocket): TracedLanguage<Buffer> {
  return {
    name: 'Python',
    type: 'python',
    constants,
    compile: compilePythonWatch,
    whyUndecided: whyPythonUndecided,
    isSource: (name) => name.endsWith('.py'),
    probed: {
      means: 'python',
      cost: COST,
      constants,
      statements: (file) => parts.statements(file),
      find: (units, pattern, projectRoot) => parts.find(units, pattern, projectRoot),
      compile: compilePythonProbe,
    },
    standing: { compile: compilePythonStanding, literal: pythonLiteral },
    raised: 'python',
    chooses: (stopping, sink, own) => new PythonDebugger(stopping, parts, sink, own),
    enter: async (entry, { projectRoot, limits }) =>
      await PythonProcess.enter(
        entry,
        { ...parts, stops },
        {
          projectRoot,
          secretNames: limits.secretNames,
        },
      ),
  };
}
