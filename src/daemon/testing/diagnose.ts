import { StrobeError } from '../../model/errors.ts';
import type { CallFilter } from '../../model/questions/query.ts';
import type { Diagnosis, TestResult, TestRunReport } from '../../model/tests/testReport.ts';
import type { ChosenTest } from '../../testing/adapter.ts';
import { renderDiagnosis } from '../report/tests/diagnosis.ts';
import { patternRequest, type PatternRequest } from '../tracing/patternRequest.ts';
import type { Queries, QueryTarget } from '../queries.ts';
import {
  allCalls,
  callsBefore,
  callsOfTest,
  readTracedTest,
  type Comparison,
  type TracedTest,
} from './tracedTest.ts';
import { callsBeside, passingCalls, type PassingTest } from './passingTests.ts';
import { isDynamicLanguage } from './suspects/callName.ts';
import { isLearnt, suspectsOf } from './suspects/suspectCalls.ts';
import type { Suspect } from './suspects/suspectWeights.ts';
import { linesOnlyIn, ranLines, type LinedCalls, type NewLines } from './ranLines.ts';
import { deep, firstChoice, widerChoice, type Choice, type Grounds } from './traceChoice.ts';

/** Failed tests that are run again. */
export const MOST_DIAGNOSED = 2;
/** Tokens of the text of the first, and of each other; values of Python and JavaScript take more of them. */
const BUDGETS = { native: [600, 340], dynamic: [630, 460] } as const;
/** A trace with fewer calls below the test tells too little. */
const FEW_CALLS = 5;
const DIFF_DEADLINE_MS = 4000;
const SETTLE_MS = 4000;
/** Suspects whose lines are traced. */
const mostLined = 10;

/** A test that ran traced, to its end. */
export interface TracedRun {
  readonly target: QueryTarget;
  /** What became of the tests by id. */
  readonly results: ReadonlyMap<string, TestResult>;
}

/** What a diagnosis works with. */
export interface DiagnosisParts extends Grounds {
  readonly queries: Queries;
  /** Runs tests traced; null: all that were asked for. */
  readonly trace: (
    tests: readonly ChosenTest[] | null,
    patterns: readonly PatternRequest[],
  ) => Promise<TracedRun>;
  /** Patterns the caller gave instead of a choice. */
  readonly given: readonly string[];
  /** Tests of the run that passed. */
  readonly beside: (failed: ChosenTest) => readonly ChosenTest[];
  /** The latest traced session in which a test passed. */
  readonly lastPassing: (test: ChosenTest) => Promise<QueryTarget | null>;
  readonly progress: (what: string) => void;
  readonly signal: AbortSignal;
}

/** Runs failed tests again, traced, and says what they did. If one fails to run, its text says so. */
export async function diagnose(
  parts: DiagnosisParts,
  report: Pick<TestRunReport, 'failures' | 'projectRoot'>,
): Promise<Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  for (const { result } of report.failures.slice(0, MOST_DIAGNOSED)) {
    if (parts.signal.aborted) break;
    const budgets = BUDGETS[isDynamicLanguage(parts.adapter.language) ? 'dynamic' : 'native'];
    const budget = budgets[diagnoses.length === 0 ? 0 : 1];
    diagnoses.push(await diagnoseOne(parts, result, report.projectRoot, budget));
  }
  return diagnoses;
}

async function diagnoseOne(
  parts: DiagnosisParts,
  failed: TestResult,
  projectRoot: string,
  budget: number,
): Promise<Diagnosis> {
  try {
    return await explain(parts, failed, projectRoot, budget);
  } catch (error) {
    if (parts.signal.aborted)
      return {
        test: failed.name,
        sessionId: null,
        compared: null,
        steps: [],
        suspects: [],
        text: `${failed.name}: the diagnosis was cut short.`,
      };
    const why = error instanceof StrobeError ? `${error.code}: ${error.message}` : String(error);
    const text = `${failed.name} could not be diagnosed: ${why}`;
    return { test: failed.name, text, sessionId: null, compared: null, steps: [], suspects: [] };
  }
}

async function explain(
  parts: DiagnosisParts,
  failed: TestResult,
  projectRoot: string,
  budget: number,
): Promise<Diagnosis> {
  parts.progress(`tracing ${failed.name}`);
  const { failure } = failed;
  if (!failure) throw new StrobeError('INTERNAL', 'A failed test has no failure.');
  const choice: Choice =
    parts.given.length > 0
      ? {
          patterns: deep(
            [...parts.given, ...(parts.adapter.inCode?.functions(failed) ?? [])],
            parts.adapter,
          ),
          reason: 'the given patterns',
        }
      : await firstChoice(parts, failed, { ...failed, failure });
  const notes: string[] = [];
  const { found, reason, isAmong } = await traced(parts, failed, choice, notes);
  const before = isAmong === true ? await callsBefore(parts.queries, found) : [];
  parts.signal.throwIfAborted();
  const isFailing = found.result?.outcome === 'failed' || found.crash !== null;
  const compared = isFailing && found.calls > 0 ? await comparison(parts, found) : null;
  const isBeside = isFailing && isAmong !== true && isLearnt(parts.adapter);
  const beside = isBeside ? await passingBeside(parts, found, choice) : nothingBeside;
  const known = { changed: parts.changed, before, passing: beside.tests, newLines: none };
  const newLines =
    beside.tests.length > 0
      ? await linesOnlyHere(parts, found, {
          choice,
          beside,
          among: suspectsOf(found, known, mostLined),
        })
      : none;
  return renderDiagnosis(
    {
      failed,
      found,
      reason,
      notes,
      changed: parts.changed,
      compared,
      suspects: suspectsOf(found, { ...known, newLines }),
      newLines,
      passing: beside.tests,
      projectRoot,
      root: parts.root,
    },
    budget,
  );
}

interface Traced {
  readonly found: TracedTest;
  readonly reason: string;
  /** It fails only after the other tests. */
  readonly isAmong?: boolean;
}

/** The failed test alone; deepened once when that shows too little; with all others when it passes alone. */
async function traced(
  parts: DiagnosisParts,
  failed: TestResult,
  choice: Choice,
  notes: string[],
): Promise<Traced> {
  const first = await run(parts, failed, [failed], choice);
  if (first.result?.outcome === 'passed') {
    notes.push('It passes when it runs alone and traced.');
    parts.progress(`tracing ${failed.name} with the others`);
    const among = await run(parts, failed, null, choice);
    if (among.result?.outcome !== 'failed') {
      notes.push('It passed traced among the others, too: it is flaky or timing-dependent.');
      return { found: first, reason: choice.reason };
    }
    notes.push('Among the others it fails: what a test before it left is part of the cause.');
    return { found: among, reason: choice.reason, isAmong: true };
  }
  const isEnough = first.calls >= FEW_CALLS || first.result?.reason === 'interrupted';
  const wider =
    isEnough || parts.given.length > 0 ? null : widerChoice(choice, parts, filesIn(first));
  if (!wider || parts.signal.aborted) return { found: first, reason: choice.reason };
  parts.progress(`tracing more of ${failed.name}`);
  const second = await run(parts, failed, [failed], wider);
  return second.calls > first.calls
    ? { found: second, reason: wider.reason }
    : { found: first, reason: choice.reason };
}

async function run(
  parts: DiagnosisParts,
  test: ChosenTest,
  tests: readonly ChosenTest[] | null,
  { patterns }: Choice,
): Promise<TracedTest> {
  const { target, results } = await parts.trace(tests, patterns);
  const result = results.get(test.id) ?? null;
  return await readTracedTest(parts.queries, target, { test, result, adapter: parts.adapter });
}

/** What tests that passed call; of a program that tells only of itself, what stands beside. */
async function passingBeside(
  parts: DiagnosisParts,
  found: TracedTest,
  { patterns }: Choice,
): Promise<Beside> {
  const { queries, adapter } = parts;
  const inside = await callsBeside(queries, found);
  const tests = parts.beside(found.test);
  if (inside.length > 0 || tests.length === 0) return { tests: inside, areInside: true };
  parts.progress('tracing tests that pass');
  try {
    const { target } = await parts.trace(tests, patterns);
    return { tests: await passingCalls(queries, target, adapter, tests), areInside: false };
  } catch {
    parts.signal.throwIfAborted();
    return nothingBeside; // Without them the suspects are less sure.
  }
}

/** Tests that passed, for a failed one. */
interface Beside {
  readonly tests: readonly PassingTest[];
  /** They ran in its process, before it. */
  readonly areInside: boolean;
}

const nothingBeside: Beside = { tests: [], areInside: false };
const none: ReadonlyMap<string, NewLines> = new Map();

/** What of suspects ran in the failed test and in none that passed: both run once more, with the lines of these functions. */
async function linesOnlyHere(
  parts: DiagnosisParts,
  { test }: TracedTest,
  of: { readonly choice: Choice; readonly beside: Beside; readonly among: readonly Suspect[] },
): Promise<ReadonlyMap<string, NewLines>> {
  const { queries } = parts;
  const names = [...new Set(of.among.map(({ call }) => call.function))];
  parts.progress(`tracing the lines of ${test.name}`);
  try {
    const patterns = [...of.choice.patterns, ...names.flatMap(linedPattern)];
    const failed = await run(parts, test, [test], { ...of.choice, patterns });
    const { body, storePath, events } = failed;
    if (body === null) return none;
    const here = { ran: await ranLines(queries, storePath, callsOfTest(failed)), calls: events };
    const there = of.beside.areInside
      ? await linedCalls(queries, storePath, { pid: body.pid, timeTo: body.time })
      : await linesOf(parts, parts.beside(test), patterns);
    return linesOnlyIn(here, there);
  } catch {
    parts.signal.throwIfAborted();
    return none; // Without them the suspects are less sure.
  }
}

/** Empty where the name of the function is no pattern. */
function linedPattern(pattern: string): PatternRequest[] {
  try {
    return [patternRequest({ pattern, lines: true }, 1)];
  } catch {
    return [];
  }
}

async function linesOf(
  { trace, queries }: DiagnosisParts,
  tests: readonly ChosenTest[],
  patterns: readonly PatternRequest[],
): Promise<LinedCalls> {
  const { target } = await trace(tests, patterns);
  await target.settle(AbortSignal.timeout(SETTLE_MS));
  return await linedCalls(queries, target.storePath, {});
}

async function linedCalls(
  queries: Queries,
  storePath: string,
  filter: CallFilter,
): Promise<LinedCalls> {
  const store = { storePath, until: Number.MAX_SAFE_INTEGER };
  return {
    ran: await ranLines(queries, storePath, filter),
    calls: await allCalls(queries, store, filter),
  };
}

/** With a run of the same test that passed: another test does other things. */
async function comparison(parts: DiagnosisParts, found: TracedTest): Promise<Comparison | null> {
  const other = await earlierPassing(parts, found);
  if (!other) return null;
  const diff = await parts.queries.ask('diff', found.storePath, {
    otherPath: other.storePath,
    here: { filter: callsOfTest(found), until: Number.MAX_SAFE_INTEGER },
    there: { filter: callsOfTest(other), until: Number.MAX_SAFE_INTEGER },
    limit: 12,
    deadlineMs: DIFF_DEADLINE_MS,
  });
  return { other, diff };
}

async function earlierPassing(
  { lastPassing, adapter, queries }: DiagnosisParts,
  { test, session }: TracedTest,
): Promise<TracedTest | null> {
  const earlier = await lastPassing(test);
  if (!earlier || earlier.view.id === session.id) return null;
  const found = await readTracedTest(queries, earlier, { test, result: null, adapter });
  return found.calls > 0 ? found : null;
}

function filesIn({ tree }: TracedTest): string[] {
  const files = new Set<string>();
  const visit = (node: TracedTest['tree']['threads'][number]['roots'][number]): void => {
    if (node.call.file !== null) files.add(node.call.file);
    node.children.forEach(visit);
  };
  for (const { roots } of tree.threads) roots.forEach(visit);
  return [...files];
}
