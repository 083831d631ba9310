import type { WatchRequest } from '../../model/watches/watch.ts';
import { readWatch } from '../tracing/watchList.ts';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { monotonicMs, wallMs } from '../../base/clock.ts';
import type { TestHistory } from '../../db/testHistory.ts';
import { StrobeError } from '../../model/errors.ts';
import type { TestRunReport } from '../../model/tests/testReport.ts';
import type { DebugTestInput } from '../../protocol/tools/debugTest.ts';
import type { ChosenTest, TestRequest } from '../../testing/adapter.ts';
import { detect, type Detected } from '../../testing/detect.ts';
import { exactTests, findTests } from '../../testing/findTest.ts';
import { duration } from '../report/text/timeText.ts';
import { renderTestRun, renderTestRunList } from '../report/tests/testRunAnswer.ts';
import { requireTraceable, whyUntraceable } from '../testing/tracedRunner.ts';
import { nextChange, TestRun } from '../testing/testRun.ts';
import type { TestRuns } from '../testing/testRuns.ts';
import type { ProbeRequest } from '../../model/probes/probe.ts';
import { requestOf, type AskedObject } from './askedBreakpoint.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';

const DEFAULT_WAIT_MS = 20_000;
const LISTED_RUNS = 20;

type Request<Action extends DebugTestInput['action']> = Extract<DebugTestInput, { action: Action }>;

/** What the actions share. */
export interface TestDesk {
  readonly runs: TestRuns;
  /** Where the reporters lie. */
  readonly reporters: string;
  readonly history: Pick<TestHistory, 'tests' | 'lastFailed'>;
  /** Tokens of an answer. */
  readonly answerBudget: number;
}

/** Starts tests as a session that stops at these breakpoints. */
export type StartTests = (
  input: DebugTestInput,
  breakpoints: readonly AskedObject[],
  context: RequestContext,
) => Promise<TestRun>;

/** What an editor debugs tests by. Throws what debug_test does. */
export function makeStartTests(desk: TestDesk): StartTests {
  return async (input, breakpoints, context) => {
    if (input.action !== 'run')
      throw new StrobeError('BAD_PARAMETER', 'Only tests that run are debugged.');
    return start(desk, input, context, breakpoints.map(requestOf));
  };
}

/** debug_test: runs tests and tells what became of them. */
export function makeDebugTest(desk: TestDesk): ToolHandler<DebugTestInput> {
  const { runs, answerBudget } = desk;
  return async (input, context) => {
    switch (input.action) {
      case 'run':
        return renderTestRun(await run(desk, input, context), 'run', answerBudget);
      case 'wait': {
        const found = await runs.find(input.testRunId);
        const report = await waited(found, input.timeoutMs, context);
        return renderTestRun(report, 'wait', answerBudget);
      }
      case 'status':
        return renderTestRun(reportNow(await runs.find(input.testRunId)), 'status', answerBudget);
      case 'cancel':
        return cancel(desk, input, context);
      case 'list': {
        const root = await existingProject(input.projectRoot);
        return renderTestRunList(runs.list(root, LISTED_RUNS), wallMs());
      }
    }
  };
}

async function run(
  desk: TestDesk,
  input: Request<'run'>,
  context: RequestContext,
): Promise<TestRunReport> {
  const started = await desk.runs.once(input.requestId ?? null, context.client, () =>
    start(desk, input, context),
  );
  // A person at a terminal waits for the end and stops the tests with ^C.
  const isAwaited = context.client.kind === 'cli' && input.waitMs === undefined;
  const report = await waited(
    started,
    isAwaited ? Number.POSITIVE_INFINITY : (input.waitMs ?? DEFAULT_WAIT_MS),
    context,
  );
  if (context.signal.aborted && isAwaited && !started.isOver) await started.stop('cancelled');
  return report;
}

async function start(
  desk: TestDesk,
  input: Request<'run'>,
  context: RequestContext,
  probes: readonly ProbeRequest[] | null = null,
): Promise<TestRun> {
  const projectRoot = await existingProject(input.projectRoot);
  const file = input.file === undefined ? null : await existingFile(projectRoot, input.file);
  const detected = detect({
    projectRoot,
    framework: input.framework ?? null,
    command: input.command ?? null,
    file,
  });
  const traced = tracedOf(input);
  if (traced.patterns.length > 0 || probes) requireTraceable(detected.adapter);
  const whyNot = whyUntraceable(detected.adapter);
  refuseSecond(desk, detected, input);
  const all: TestRequest = {
    purpose: 'run',
    projectRoot: detected.root,
    env: { ...context.client.env, ...input.env },
    command: input.command ?? null,
    file,
    tests: null,
    level: input.level ?? null,
    reportFolder: '',
    reporters: desk.reporters,
  };
  const { tests, note } = await chosenTests(desk, { detected, all, input }, context);
  context.progress(`starting ${detected.adapter.name}`);
  const started = await desk.runs.start(
    {
      projectRoot,
      adapter: detected.adapter,
      reasons: note === null ? detected.reasons : [...detected.reasons.slice(0, 1), note],
      owner: context.client.id,
      request: { ...all, tests },
      limitMs: input.timeoutMs ?? null,
    },
    {
      ...traced,
      probes,
      diagnose: input.diagnose && whyNot === null,
    },
    context,
  );
  if (input.diagnose && whyNot !== null) {
    started.warnings.push(`No diagnosis: ${whyNot.message} ${whyNot.hint}`);
  }
  return started;
}

/** Watches are sampled at traced calls: without patterns, at those they name, else the project's own. */
function tracedOf({ watches, patterns, diagnose }: Request<'run'>): {
  readonly patterns: readonly string[];
  readonly watches: readonly WatchRequest[];
} {
  for (const watch of watches) readWatch(watch);
  if (watches.length > 0 && diagnose)
    throw new StrobeError(
      'BAD_PARAMETER',
      'A diagnosis chooses what it traces: it takes no watches.',
      'Give watches without diagnose.',
    );
  const named = watches.map(({ on }) => on ?? '@usercode');
  return { patterns: patterns.length > 0 ? patterns : [...new Set(named)], watches };
}

function refuseSecond(desk: TestDesk, detected: Detected, input: Request<'run'>): void {
  const live = input.allowParallel ? null : desk.runs.liveOf(detected.root);
  if (!live) return;
  throw new StrobeError(
    'TESTS_RUNNING',
    `Run ${live.facts.id} of ${detected.root} has been going on for ${Math.round(live.elapsedMs / 1000)} s.`,
    `debug_test {"action":"wait","testRunId":"${live.facts.id}"}, or "cancel", or add allowParallel: true.`,
  );
}

/** Which tests are meant; `tests` null: all. */
interface Choice {
  readonly tests: readonly ChosenTest[] | null;
  readonly note: string | null;
}

async function chosenTests(
  desk: TestDesk,
  of: { readonly detected: Detected; readonly all: TestRequest; readonly input: Request<'run'> },
  context: RequestContext,
): Promise<Choice> {
  const { detected, input } = of;
  const { adapter, root } = detected;
  const { test } = input;
  if (input.rerunFailed) {
    if (test !== undefined)
      throw new StrobeError('BAD_PARAMETER', 'Give test or rerunFailed, not both.');
    return { tests: lastFailed(desk, detected), note: null };
  }
  if (test === undefined) return { tests: null, note: null };
  const known = desk.history.tests(root, adapter.name);
  const exact = exactTests(test, known);
  if (exact.length > 0) return { tests: exact, note: null };
  if (adapter.canList) {
    context.progress(`looking for ${test}`);
    const listed = await desk.runs.namesOf(adapter, of.all, context);
    // Tests that cannot be listed cannot be run either: the run tells why.
    if (listed !== null) return findTests(test, listed);
  } else if (known.length > 0) return findTests(test, known);
  return { tests: [{ id: test, name: test, file: of.all.file }], note: null };
}

function lastFailed(desk: TestDesk, { adapter, root }: Detected): readonly ChosenTest[] {
  const failed = desk.history.lastFailed(root, adapter.name);
  if (failed.length > 0) return failed;
  throw new StrobeError(
    'UNKNOWN_TEST',
    `No test of ${root} failed when it was run last with ${adapter.name}.`,
    'Run without rerunFailed.',
  );
}

/** Waits for the end of the run, or until it seems stuck, telling its progress. */
async function waited(
  found: TestRun | TestRunReport,
  limitMs: number,
  context: RequestContext,
): Promise<TestRunReport> {
  if (!(found instanceof TestRun)) return found;
  const until = monotonicMs() + limitMs;
  const wasStuck = found.stuck.length > 0 || !Number.isFinite(limitMs);
  while (!found.isOver && !context.signal.aborted) {
    const left = until - monotonicMs();
    if (left <= 0 || (!wasStuck && found.stuck.length > 0)) break;
    await nextChange(found, Math.min(left, 5000), context.signal);
    tellProgress(found, context);
  }
  return found.report();
}

function tellProgress({ tally }: TestRun, context: RequestContext): void {
  const { passed, failed, skipped, expectedFailures } = tally.counts;
  const done = passed + failed + skipped + expectedFailures;
  const [current] = tally.running.keys();
  const { slowest } = tally;
  const parts = [
    tally.phase,
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(current === undefined ? [] : [`now ${current}`]),
    ...(slowest ? [`slowest ${slowest.name} (${duration(slowest.durationMs * 1e6)})`] : []),
  ];
  context.progress(parts.join(' · '), done, tally.expected ?? undefined);
}

function reportNow(found: TestRun | TestRunReport): TestRunReport {
  return found instanceof TestRun ? found.report() : found;
}

async function cancel(
  desk: TestDesk,
  input: Request<'cancel'>,
  context: RequestContext,
): Promise<ToolAnswer> {
  const found = await desk.runs.find(input.testRunId);
  if (found instanceof TestRun && !found.isOver) {
    context.progress('stopping the tests');
    await found.stop('cancelled');
  }
  return renderTestRun(reportNow(found), 'cancel', desk.answerBudget);
}

async function existingProject(path: string): Promise<string> {
  if (!isAbsolute(path))
    throw new StrobeError('BAD_PARAMETER', `projectRoot must be absolute: ${path}`);
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory())
    throw new StrobeError('NO_SUCH_DIRECTORY', `projectRoot ${path} is not an existing folder.`);
  return await realpath(path);
}

async function existingFile(projectRoot: string, file: string): Promise<string> {
  const path = resolve(projectRoot, file);
  const found = await stat(path).catch(() => null);
  if (found) return await realpath(path);
  throw new StrobeError(
    'BAD_PARAMETER',
    `file ${path} does not exist.`,
    'Give a path below projectRoot.',
  );
}
