import { join } from 'node:path';
import type { TestHistory } from '../../db/testHistory.ts';
import { StrobeError } from '../../model/errors.ts';
import type { Diagnosis, TestRunReport } from '../../model/tests/testReport.ts';
import type { ChosenTest } from '../../testing/adapter.ts';
import type { LaunchParts } from '../session/launchSession.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { queryTarget } from '../session/queryTarget.ts';
import type { PatternRequest } from '../tracing/patternRequest.ts';
import type { Queries, QueryTarget } from '../queries.ts';
import type { Client } from '../request.ts';
import { changedSources } from './codeState.ts';
import { readDetails } from './detailsFile.ts';
import { diagnose, type TracedRun } from './diagnose.ts';
import { spansOf } from './findSpans.ts';
import { testsBeside } from './passingTests.ts';
import type { TestRun } from './testRun.ts';
import type { TestRunFacts } from './testRunFacts.ts';
import { writeSpans } from './testSpans.ts';
import { inPrograms, startTraced, type Started } from './tracedRunner.ts';

/** A diagnosis may take this long in all, and each of its runs. */
const DIAGNOSIS_LIMIT_MS = 240_000;
const TRACED_LIMIT_MS = 60_000;
/** Earlier runs in which a passing trace is looked for. */
const SEARCHED_RUNS = 20;

/** What a run is asked for with. */
export type TestOrder = Omit<TestRunFacts, 'id' | 'startedAtMs' | 'folder' | 'plan'>;

/** What a diagnosis is made for. */
export interface Asked {
  readonly order: TestOrder;
  readonly patterns: readonly string[];
  readonly client: Client;
}

/** Follows a run that is no test run to its end; it leaves nothing. */
export type Follow = (
  order: TestOrder,
  signal: AbortSignal,
  start: (facts: TestRunFacts) => Promise<Started>,
) => Promise<TestRun>;

/** What it needs of those who run tests. */
export interface DiagnosingParts {
  readonly history: TestHistory;
  readonly launch: LaunchParts;
  readonly queries: Queries;
  /** An ended session by its id; throws when there is none. */
  readonly session: (id: string, client: Client) => QueryTarget;
  /** Where the runs' folders are. */
  readonly folder: string;
  readonly follow: Follow;
}

/** Failed tests of an ended run once more, traced; nothing but the sessions is left of it. */
export async function diagnoseRun(
  parts: DiagnosingParts,
  of: { readonly run: TestRun; readonly report: TestRunReport; readonly asked: Asked },
): Promise<Diagnosis[]> {
  const { history, launch, queries } = parts;
  const { run, report, asked } = of;
  const { adapter, request } = asked.order;
  const { projectRoot: root } = request;
  const signal = AbortSignal.any([run.stopped, AbortSignal.timeout(DIAGNOSIS_LIMIT_MS)]);
  const runs = history.runsOf(root, SEARCHED_RUNS);
  const passedAtMs = runs.find(({ verdict }) => verdict === 'passed')?.startedAtMs;
  return await diagnose(
    {
      adapter,
      root,
      programs: programsOf(run),
      symbols: launch.stacks.symbols,
      changed:
        passedAtMs === undefined ? [] : await changedSources(root, passedAtMs, adapter.language),
      queries,
      given: asked.patterns,
      lastPassing: (test) => lastPassing(parts, root, test, asked.client),
      beside: (failed) => testsBeside(failed, [...run.tally.results.values()]),
      trace: (tests, wanted) =>
        traceAside(
          parts,
          asked,
          { tests, patterns: inPrograms(wanted, run.tally.programs, root) },
          signal,
        ),
      progress: () => {
        run.tally.phase = 'diagnosing';
        run.changes.notify();
      },
      signal,
    },
    report,
  );
}

/** The programs that hold a run's tests, as far as they are known. */
export function programsOf({ facts, tally }: TestRun): readonly string[] {
  return facts.adapter.isTestBinary ? [facts.plan.command] : tally.programs;
}

async function traceAside(
  { launch, queries, follow }: DiagnosingParts,
  { order, client }: Asked,
  of: {
    readonly tests: readonly ChosenTest[] | null;
    readonly patterns: readonly PatternRequest[];
  },
  signal: AbortSignal,
): Promise<TracedRun> {
  const request = {
    ...order.request,
    tests: of.tests ?? order.request.tests,
    isTraced: true as const,
  };
  const context = { client, signal, progress: () => undefined };
  const sessions: LiveSession[] = [];
  const run = await follow(
    { ...order, request, limitMs: TRACED_LIMIT_MS },
    signal,
    async (facts) => {
      const started = await startTraced(
        launch,
        facts,
        { patterns: of.patterns, watches: [] },
        context,
      );
      sessions.push(started.session);
      return started;
    },
  );
  const [session] = sessions;
  if (!session) throw new StrobeError('INTERNAL', 'A traced run has no session.');
  while (!session.isFinished && !signal.aborted) await session.changes.next(500, signal);
  const target = queryTarget({ kind: 'live', session }, client);
  await writeSpans(target.storePath, await spansOf(queries, target, run));
  return { target, results: run.tally.results };
}

/** The latest session that is still kept in which the test ran traced and passed. */
async function lastPassing(
  { history, folder, session }: DiagnosingParts,
  root: string,
  test: ChosenTest,
  client: Client,
): Promise<QueryTarget | null> {
  for (const { id } of history.runsOf(root, SEARCHED_RUNS)) {
    const ended = await readDetails(join(folder, id, 'details.json'));
    if (!ended?.report.sessionId) continue;
    const hasPassed = ended.tests.some((one) => one.id === test.id && one.outcome === 'passed');
    if (!hasPassed) continue;
    try {
      return session(ended.report.sessionId, client);
    } catch {
      // Retention removed it.
    }
  }
  return null;
}
