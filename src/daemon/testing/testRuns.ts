import { randomInt } from 'node:crypto';
import { patternRequest } from '../tracing/patternRequest.ts';
import { mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { monotonicMs, wallMs } from '../../base/clock.ts';
import type { ProbeRequest } from '../../model/probes/probe.ts';
import type { WatchRequest } from '../../model/watches/watch.ts';
import type { StoredRun, TestHistory } from '../../db/testHistory.ts';
import { StrobeError } from '../../model/errors.ts';
import type { KnownTest, TestRunReport, TestRunSummary } from '../../model/tests/testReport.ts';
import type { Log } from '../log.ts';
import type { ChosenTest, TestAdapter, TestRequest } from '../../testing/adapter.ts';
import type { Client, RequestContext } from '../request.ts';
import { codeState, codeWith } from './codeState.ts';
import { diagnoseRun, programsOf, type Asked, type Follow, type TestOrder } from './diagnoseRun.ts';
import { readDetails, writeDetails } from './detailsFile.ts';
import type { LaunchParts } from '../session/launchSession.ts';
import type { Queries, QueryTarget } from '../queries.ts';
import { adoptPlain, startPlain } from './runnerProcess.ts';
import { inPrograms, startTraced, type Started } from './tracedRunner.ts';
import { readFacts, writeFacts } from './factsFile.ts';
import { spansOf } from './findSpans.ts';
import { writeSpans } from './testSpans.ts';
import { TestRun, type Settle } from './testRun.ts';
import type { TestRunFacts } from './testRunFacts.ts';

/** Ended runs that stay in memory. */
const KEPT_ENDED = 20;
/** Runs of which folder and history row are kept. */
const KEPT_RUNS = 300;
const REQUEST_MEMORY_MS = 10 * 60_000;
/** Naming all tests, or compiling them, may take this long. */
const ASIDE_LIMIT_MS = 600_000;
const CUT_SHORT = 'The diagnosis was cut short: ask for it again.';
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

export interface TestRunParts {
  readonly history: TestHistory;
  /** For traced runs. */
  readonly launch: LaunchParts;
  readonly queries: Queries;
  /** An ended session by its id; throws when there is none. */
  readonly session: (id: string, client: Client) => QueryTarget;
  readonly supervisorPath: string;
  /** `<home>/tests`; a folder per run. */
  readonly folder: string;
  readonly log: Log;
  /** A client gone and a run silent for this long: the run is stopped. */
  readonly patienceMs: number;
}

/** What is wanted beside the results. */
export interface Wanted {
  /** Traced in the run itself; with `diagnose` when failed tests run again. */
  readonly patterns: readonly string[];
  readonly watches: readonly WatchRequest[];
  readonly diagnose: boolean;
  /** The run is debugged: breakpoints from its start. Null: it is not. */
  readonly probes: readonly ProbeRequest[] | null;
}

/** `shop-k7f2q9`: readable, and unguessable enough beside a 0700 folder. */
function newRunId(root: string): string {
  const stem =
    basename(root)
      .replace(/[^A-Za-z0-9_.-]+/g, '-')
      .slice(0, 20) || 'project';
  let suffix = '';
  for (let n = 0; n < 6; n += 1) suffix += LETTERS[randomInt(LETTERS.length)] ?? 'x';
  return `${stem}-${suffix}`;
}

/** All test runs of this user. */
export class TestRuns {
  readonly #parts: TestRunParts;
  readonly #runs = new Map<string, TestRun>();
  readonly #requests = new Map<string, { run: Promise<TestRun>; atMs: number }>();
  readonly #goneClients = new Set<string>();
  readonly #watch: NodeJS.Timeout;

  constructor(parts: TestRunParts) {
    this.#parts = parts;
    mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
    this.#watch = setInterval(() => this.#stopAbandoned(), 30_000);
    this.#watch.unref();
  }

  get anyLive(): boolean {
    return [...this.#runs.values()].some((run) => !run.isOver);
  }

  /** The live run of this root, or null. */
  liveOf(root: string): TestRun | null {
    return (
      [...this.#runs.values()].find(
        (run) => !run.isOver && run.facts.request.projectRoot === root,
      ) ?? null
    );
  }

  /** Starts a run; nothing of it is left when it throws. */
  async start(
    plain: TestOrder,
    { patterns, watches, diagnose: isDiagnosed, probes }: Wanted,
    context: RequestContext,
  ): Promise<TestRun> {
    const { history, launch } = this.#parts;
    const isTraced = !isDiagnosed && (patterns.length > 0 || probes !== null);
    const order = isTraced
      ? { ...plain, request: { ...plain.request, isTraced: true as const } }
      : plain;
    const code = codeState(order.request.projectRoot);
    const asked = { order, patterns, client: context.client };
    const settle: Settle = async (ended, report) => {
      if (report.sessionId !== null) await this.#tellTests(ended, report.sessionId, context.client);
      return await this.#settle(ended, report, await code, isDiagnosed ? asked : null);
    };
    const programs = isTraced ? await this.#built(order, context) : null;
    const wanted = patterns.map((pattern) => patternRequest(pattern));
    const requests = inPrograms(wanted, programs ?? [], order.request.projectRoot);
    const traced = { patterns: requests, watches, probes: probes ?? [] };
    const run = programs
      ? await this.#begin(order, settle, (facts) => startTraced(launch, facts, traced, context))
      : await this.#begin(order, settle, (facts) => this.#startPlain(facts, context.client));
    this.#runs.set(run.facts.id, run);
    history.putRun(storedOf(run.report()));
    return run;
  }

  /**
   * Every test of the request, none of them run; null when the framework could not tell, for
   * instance because the tests do not compile.
   */
  async namesOf(
    adapter: TestAdapter,
    request: TestRequest,
    context: RequestContext,
  ): Promise<readonly ChosenTest[] | null> {
    const run = await this.#aside(adapter, { ...request, purpose: 'list' }, context);
    const { state, buildProblems, troubles } = run.report();
    const results = [...run.tally.results.values()].filter((one) => one.outcome === 'skipped');
    const isTold = state.kind === 'ended' && state.by === 'itself' && buildProblems.length === 0;
    return isTold && (results.length > 0 || troubles.length === 0) ? results : null;
  }

  /**
   * Compilers are not traced: they do their work before. The programs that were built, as far as
   * they were told; null when the tests do not compile.
   */
  async #built(
    { adapter, request }: TestOrder,
    context: RequestContext,
  ): Promise<readonly string[] | null> {
    if (!adapter.canBuild) return [];
    context.progress('building the tests');
    const run = await this.#aside(adapter, { ...request, purpose: 'build' }, context);
    return run.tally.buildProblems.length === 0 ? run.tally.programs : null;
  }

  /** A run that is no test run: it leaves nothing. */
  async #aside(
    adapter: TestAdapter,
    request: TestRequest,
    { client, signal }: RequestContext,
  ): Promise<TestRun> {
    const { projectRoot } = request;
    const order = { projectRoot, adapter, reasons: [], owner: client.id, request };
    return await this.#toItsEnd({ ...order, limitMs: ASIDE_LIMIT_MS }, signal, (facts) =>
      this.#startPlain(facts, client),
    );
  }

  async #toItsEnd(
    order: TestOrder,
    signal: AbortSignal,
    start: (facts: TestRunFacts) => Promise<Started>,
  ): Promise<TestRun> {
    signal.throwIfAborted();
    const run = await this.#begin(order, (_run, report) => Promise.resolve(report), start);
    const stop = (): void => void run.stop('cancelled').catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop(); // While it was started.
    try {
      await run.over;
    } finally {
      signal.removeEventListener('abort', stop);
      rmSync(run.facts.folder, { recursive: true, force: true });
    }
    return run;
  }

  /** Failed tests once more, traced; nothing but the sessions is left of it. */
  async #diagnosed(run: TestRun, report: TestRunReport, asked: Asked): Promise<TestRunReport> {
    const follow: Follow = (order, signal, start) => this.#toItsEnd(order, signal, start);
    const diagnoses = await diagnoseRun({ ...this.#parts, follow }, { run, report, asked });
    return { ...report, diagnoses };
  }

  /** Which of a traced run's events belong to which test. */
  async #tellTests(run: TestRun, sessionId: string, client: Client): Promise<void> {
    const { queries, session } = this.#parts;
    try {
      const target = session(sessionId, client);
      await writeSpans(target.storePath, await spansOf(queries, target, run));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      run.warnings.push(`Its events could not be told apart by test: ${why}`);
    }
  }

  async #startPlain(facts: TestRunFacts, client: Client): Promise<Started> {
    const { plan, request, folder, adapter } = facts;
    const process = await startPlain({
      supervisorPath: this.#parts.supervisorPath,
      folder,
      plan,
      env: request.env,
      client,
      install: adapter.install,
    });
    return { process, atEnd: () => [] };
  }

  async #begin(
    order: TestOrder,
    settle: Settle,
    start: (facts: TestRunFacts) => Promise<Started>,
  ): Promise<TestRun> {
    const { folder: parent } = this.#parts;
    const { adapter } = order;
    const id = newRunId(order.request.projectRoot);
    const folder = join(parent, id);
    mkdirSync(folder, { mode: 0o700 });
    try {
      const request = { ...order.request, reportFolder: folder };
      const plan = adapter.plan(request);
      const facts = { ...order, id, startedAtMs: wallMs(), folder, request, plan };
      const { process, atEnd } = await start(facts);
      await writeFacts(facts, process.pid);
      const run = new TestRun(facts, process, {
        settle: (ended, report) =>
          settle(ended, { ...report, warnings: [...report.warnings, ...atEnd()] }),
        known: this.#knownTests(facts),
        look: this.#parts.launch.stacks,
      });
      run.over.catch((error: unknown) =>
        this.#parts.log.error('tests', 'a run failed', { run: id, error }),
      );
      return run;
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Goes on with the runs that a daemon before this one left unfinished. */
  async adoptAll(): Promise<void> {
    const { history, folder, log } = this.#parts;
    for (const left of history.unfinished()) {
      const facts = await readFacts(join(folder, left.id));
      const process = facts && (await adoptPlain(facts.facts.folder, facts.pid));
      if (!facts || !process) {
        history.putRun({ ...left, endedWallMs: wallMs(), state: 'lost', verdict: 'crashed' });
        continue;
      }
      const run = new TestRun(facts.facts, process, {
        settle: (ended, report) => this.#settle(ended, report, '', null),
        known: this.#knownTests(facts.facts),
        look: this.#parts.launch.stacks,
      });
      this.#runs.set(left.id, run);
      run.over.catch((error: unknown) =>
        log.error('tests', 'a run failed', { run: left.id, error }),
      );
      log.warn('tests', 'went on with a run of a daemon that died', { run: left.id });
    }
  }

  /** The run an earlier request with this id started, or the one `start` makes. */
  async once(
    requestId: string | null,
    client: Client,
    start: () => Promise<TestRun>,
  ): Promise<TestRun> {
    if (requestId === null) return await start();
    const now = monotonicMs();
    for (const [key, { atMs }] of this.#requests)
      if (now - atMs > REQUEST_MEMORY_MS) this.#requests.delete(key);
    const key = `${client.id} ${requestId}`;
    const known = this.#requests.get(key);
    if (known) return await known.run;
    const run = start();
    this.#requests.set(key, { run, atMs: now });
    run.catch(() => this.#requests.delete(key));
    return await run;
  }

  /** A live run, or the report of an ended one; ids may be cut short while they stay unique. */
  async find(wanted: string): Promise<TestRun | TestRunReport> {
    const id = this.#idOf(wanted);
    const run = this.#runs.get(id);
    if (run) return run;
    const ended = await readDetails(join(this.#parts.folder, id, 'details.json'));
    if (ended) return ended.report;
    throw new StrobeError('UNKNOWN_TEST_RUN', `Nothing was kept of run ${id}.`, 'Run it again.');
  }

  list(root: string, most: number): TestRunSummary[] {
    return this.#parts.history.runsOf(root, most).map((stored) => {
      const run = this.#runs.get(stored.id);
      return run ? summaryOf(run.report()) : stored;
    });
  }

  clientGone(id: string): void {
    this.#goneClients.add(id);
  }

  clientArrived(id: string): void {
    this.#goneClients.delete(id);
  }

  /** Stops every run: the daemon ends. */
  async closeAll(): Promise<void> {
    clearInterval(this.#watch);
    await Promise.allSettled(
      [...this.#runs.values()].filter((run) => !run.isOver).map((run) => run.stop('cancelled')),
    );
  }

  #knownTests({ request, adapter }: TestRunFacts): (test: string) => KnownTest | null {
    const tests = this.#parts.history.tests(request.projectRoot, adapter.name);
    const byId = new Map(tests.map((test) => [test.id, test]));
    return (test) => byId.get(test) ?? null;
  }

  #idOf(wanted: string): string {
    const known = [
      ...new Set([...this.#runs.keys(), ...this.#parts.history.allRuns().map((run) => run.id)]),
    ];
    const low = wanted.toLowerCase();
    const exact = known.find((id) => id.toLowerCase() === low);
    if (exact !== undefined) return exact;
    const [only, second] = known.filter((id) => id.toLowerCase().startsWith(low));
    if (only !== undefined && second === undefined) return only;
    const many = second === undefined ? 'No test run has' : 'Several test runs have';
    throw new StrobeError('UNKNOWN_TEST_RUN', `${many} the id "${wanted}".`);
  }

  async #settle(
    run: TestRun,
    report: TestRunReport,
    code: string,
    asked: Asked | null,
  ): Promise<TestRunReport> {
    const { history } = this.#parts;
    const results = [...run.tally.results.values()];
    const state = await codeWith(code, programsOf(run));
    const flaky = history.learn(
      { root: report.root, framework: report.framework, run: report.id },
      results.filter((result) => result.reason !== 'collecting' && result.reason !== 'interrupted'),
      state,
    );
    const settled: TestRunReport = {
      ...report,
      failures: report.failures.map((failure) => ({
        ...failure,
        isFlaky: failure.isFlaky || flaky.has(failure.result.id),
      })),
    };
    const isFailed = report.failures.length > 0 && !run.stopped.aborted;
    const whole = asked !== null && isFailed ? asked : null;
    // What the next daemon finds should this one die meanwhile.
    const warnings = [...settled.warnings, ...(whole ? [CUT_SHORT] : [])];
    await writeDetails({ ...settled, warnings }, results);
    history.putRun(storedOf(settled));
    const told = whole ? await this.#diagnosed(run, settled, whole) : settled;
    if (whole) await writeDetails(told, results);
    this.#letGo();
    return told;
  }

  #letGo(): void {
    const ended = [...this.#runs.values()].filter((run) => run.isOver);
    for (const run of ended.slice(0, Math.max(0, ended.length - KEPT_ENDED)))
      this.#runs.delete(run.facts.id);
    for (const old of this.#parts.history.allRuns().slice(KEPT_RUNS)) {
      if (old.endedWallMs === null) continue;
      rmSync(join(this.#parts.folder, old.id), { recursive: true, force: true });
      this.#parts.history.deleteRun(old.id);
    }
  }

  #stopAbandoned(): void {
    for (const run of this.#runs.values()) {
      const silentMs = monotonicMs() - Math.max(run.tally.lastEventMs, run.lastOutputMs);
      if (run.isOver || !this.#goneClients.has(run.facts.owner)) continue;
      if (silentMs > this.#parts.patienceMs) void run.stop('abandoned').catch(() => undefined);
    }
  }
}

function storedOf(report: TestRunReport): StoredRun {
  const { state, counts } = report;
  return {
    id: report.id,
    root: report.root,
    framework: report.framework,
    command: report.command.join(' '),
    startedWallMs: report.startedAtMs,
    endedWallMs: state.kind === 'ended' ? wallMs() : null,
    state: state.kind === 'ended' ? state.by : 'running',
    verdict: state.kind === 'ended' ? state.verdict : null,
    passed: counts.passed,
    failed: counts.failed,
    skipped: counts.skipped,
  };
}

function summaryOf(report: TestRunReport): TestRunSummary {
  const stored = storedOf(report);
  return { ...stored, durationMs: report.elapsedMs, startedAtMs: report.startedAtMs };
}
