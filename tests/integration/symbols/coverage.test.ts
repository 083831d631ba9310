import { readFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { createContext, Script } from 'node:vm';
import { expect, test } from 'vitest';
import { applyInserts } from '../../../src/model/rewriting/applyInserts.ts';
import {
  originalCoverage,
  type FunctionCoverage,
} from '../../../src/model/rewriting/originalCoverage.ts';
import { RecordingHooks } from '../../support/recordingHooks.ts';
import { rewritten } from '../../support/rewrittenScript.ts';
import { semanticCases } from '../../support/semanticCases.ts';

const everyBranch = readFileSync(
  fileURLToPath(new URL('../../targets/coverage/everyBranch.txt', import.meta.url)),
  'utf8',
);

/** What V8 tells of one run of a script, as it does for c8 and coverage of Vitest and Jest. */
async function coverageOf(
  text: string,
  filename: string,
  hooks: RecordingHooks | null,
): Promise<Profiler.FunctionCoverage[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const print = () => undefined;
  const context = createContext({ print, setImmediate, console: { log: print } });
  if (hooks) context['$strobe'] = () => hooks;
  try {
    await new Script(text, { filename }).runInContext(context);
  } catch {
    // Some of the programs end so.
  }
  await new Promise((resolve) => setImmediate(resolve));
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result.find(({ url }) => url === `file://${filename}`)?.functions ?? [];
}

function namesAndCalls({ functionName, ranges }: FunctionCoverage): string {
  const [{ startOffset, endOffset, count } = { startOffset: 0, endOffset: 0, count: 0 }] = ranges;
  return `${functionName} ${startOffset}-${endOffset} ${count}`;
}

/** How often each word and sign ran: the smallest range around it tells. */
function counts(functions: readonly FunctionCoverage[], text: string): string[] {
  const ranges = functions
    .flatMap((fn) => fn.ranges)
    .toSorted((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  return Array.from(text.matchAll(/[\w$]+|[^\s\w$;)}]/g), ({ 0: word, index }) => {
    const around = ranges.findLast(
      (range) => range.startOffset <= index && index < range.endOffset,
    );
    return `${index} ${word} ${around?.count}`;
  });
}

/** Without those that ask how deep the stack is, or for what is on the global object. */
const programs: [string, string][] = [
  ['every kind of branch', everyBranch],
  ...semanticCases
    .filter(([title]) => !/^(?:deep recursion|names that|nothing is left)/.test(title))
    .map(([title, text]): [string, string] => [title, text]),
];

test.each(programs)('[node.coverage] is that of the original text: %s', async (_title, program) => {
  const text = `(function (exports, module) {${program}\n})({}, {})`;
  const plain = await coverageOf(text, '/t/plain.cjs', null);
  expect(plain.length).toBeGreaterThan(1);
  const { functions, inserts } = rewritten(text);
  const key = '7';
  const running = { original: text, rewritten: applyInserts(text, inserts, key), inserts, key };
  const told = await coverageOf(
    running.rewritten,
    '/t/rewritten.cjs',
    new RecordingHooks(functions),
  );
  const mapped = originalCoverage(told, running);
  expect(mapped.map(namesAndCalls)).toEqual(plain.map(namesAndCalls));
  expect(counts(mapped, text)).toEqual(counts(plain, text));
});
