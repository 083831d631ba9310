import { closeSync, existsSync, openSync, readlinkSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { monotonicMs, monotonicNs, wallMs } from '../../base/clock.ts';
import { OutputLogReader } from '../../collector/supervisor/outputLog.ts';
import type { LogRecord } from '../../model/outputRecord.ts';
import type {
  KnownTest,
  RunEnd,
  StuckHint,
  TestEvent,
  TestRunReport,
} from '../../model/tests/testReport.ts';
import type { RunnerEnd, TestReader } from '../../testing/adapter.ts';
import { plainText, tailOf } from '../../testing/formats/plainText.ts';
import { surveyProject } from '../../testing/projectSurvey.ts';
import { judge, Tally } from '../../testing/tally.ts';
import type { StackParts } from '../postMortem/explainSnapshot.ts';
import { stacksOf } from './stuckStacks.ts';
import { Changes } from '../session/sessionSignal.ts';
import { GrowingFile } from './growingFile.ts';
import { processTree } from './processTree.ts';
import { reportOf } from './reportOf.ts';
import type { RunnerProcess } from './runnerProcess.ts';
import { StuckWatch } from './stuckWatch.ts';
import type { TestRunFacts } from './testRunFacts.ts';

/** A report file is looked at this often while the runner is silent. */
const LOOK_MS = 100;
/** Processes that a runner leaves behind have this long to end by themselves. */
const LEFT_OVER_MS = 500;
/** From TERM to KILL of a tree that is stopped. */
const GRACE_MS = 1500;
const TAIL_BYTES = 8192;
const STUCK_LOOK_MS = 2000;

/** What a run needs of those who keep history. */
export interface TestRunLinks {
  readonly settle: Settle;
  /** What earlier runs told of a test. */
  readonly known: (test: string) => KnownTest | null;
  /** For stacks of a run that is silent. */
  readonly look: StackParts;
}

/** What happens when a run is over: history is written and the report gets what it knows. */
export type Settle = (run: TestRun, report: TestRunReport) => Promise<TestRunReport>;

/** One run, from its start to the end of its tree. */
export class TestRun {
  readonly facts: TestRunFacts;
  readonly tally = new Tally();
  readonly changes = new Changes();
  readonly warnings: string[] = [];
  readonly process: RunnerProcess;
  readonly #reader: TestReader;
  readonly #settle: Settle;
  readonly #watch: StuckWatch;
  stuck: readonly StuckHint[] = [];
  #exitMs: number | null = null;
  readonly #over: Promise<void>;
  readonly #woken = new Changes();
  readonly #stopped = new AbortController();
  readonly #never = new AbortController().signal;
  #endedBy: RunEnd = 'itself';
  #exit: RunnerEnd | null = null;
  #isTreeEnded = false;
  #isGone = false;
  #report: TestRunReport | null = null;
  #tail = '';
  /** When it wrote last; for noticing silence. */
  lastOutputMs = monotonicMs();

  constructor(facts: TestRunFacts, process: RunnerProcess, { settle, known, look }: TestRunLinks) {
    this.facts = facts;
    const lastSign = (): number => Math.max(this.tally.lastEventMs, this.lastOutputMs);
    this.process = process;
    this.#settle = settle;
    this.#watch = new StuckWatch({
      pid: process.pid,
      tally: this.tally,
      get lastSignMs() {
        return lastSign();
      },
      known,
      stacks: () =>
        stacksOf({
          pid: process.pid,
          projectRoot: facts.request.projectRoot,
          language: facts.adapter.language,
          tally: this.tally,
          look,
        }),
    });
    this.#reader = facts.adapter.reader(facts.request, facts.plan);
    this.warnings.push(...facts.plan.notes);
    process.onGrown(() => this.#woken.notify());
    process.onGone(() => {
      this.#isGone = true;
      this.#woken.notify();
    });
    this.#over = this.#live().catch((error: unknown) => this.#failed(error));
  }

  get isOver(): boolean {
    return this.#report !== null;
  }

  /** Resolves when everything of the run is stored; rejects with our own faults only. */
  get over(): Promise<void> {
    return this.#over;
  }

  get sessionId(): string | null {
    return this.process.sessionId;
  }

  /** Aborted when it is stopped, also after its runner has ended. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /** From its start to its exit, or to now. */
  get elapsedMs(): number {
    return this.#exitMs ?? this.#sinceStart();
  }

  /** By the wall clock only when nobody is left who knows when it started. */
  #sinceStart(): number {
    const { startNs } = this.process;
    return startNs > 0n ? Number(monotonicNs() - startNs) / 1e6 : wallMs() - this.facts.startedAtMs;
  }

  report(): TestRunReport {
    return this.#report ?? this.#draft();
  }

  /** TERM to the whole tree, KILL after a grace. Resolves when the run is over. */
  async stop(by: RunEnd): Promise<void> {
    if (!this.isOver && this.#endedBy === 'itself' && !this.#exit) this.#endedBy = by;
    this.#stopped.abort();
    await this.#lastWords();
    await this.#endTree();
    await this.#over;
  }

  /** Programs that tell their stacks when they are told to quit are told so before all else. */
  async #lastWords(): Promise<void> {
    const { quitsBy } = this.facts.adapter;
    if (quitsBy === undefined || this.#exit || this.#isTreeEnded || this.#isGone) return;
    const programs = processTree(this.process.pid).filter(({ pid }) => isTestProgram(pid));
    for (const { pid } of programs) {
      try {
        process.kill(pid, quitsBy);
      } catch {
        // It has just ended.
      }
    }
    if (programs.length > 0) await this.#untilTreeEnds(GRACE_MS);
  }

  async #endTree(): Promise<void> {
    if (this.#isTreeEnded || this.#isGone) return;
    await this.process.signalTree('SIGTERM');
    await this.#untilTreeEnds(GRACE_MS);
    if (this.#isTreeEnded || this.#isGone) return;
    await this.process.signalTree('SIGKILL');
  }

  async #live(): Promise<void> {
    const limit =
      this.facts.limitMs === null
        ? null
        : setTimeout(() => void this.stop('limit').catch(() => undefined), this.facts.limitMs);
    const looking = setInterval(() => void this.#lookForStuck(), STUCK_LOOK_MS);
    try {
      await this.#follow();
    } finally {
      clearInterval(looking);
      if (limit !== null) clearTimeout(limit);
    }
    await this.#finish();
  }

  /** Hints stay as they were last while it ends: they explain a run that was killed. */
  async #lookForStuck(): Promise<void> {
    if (this.#exit || this.#endedBy !== 'itself') return;
    try {
      const hints = await this.#watch.look();
      if (this.#exit) return;
      this.stuck = hints;
      this.changes.notify();
    } catch (error) {
      this.warnings.push(`Could not find out why the run is silent: ${String(error)}`);
    }
  }

  /** Reads log and report until the tree has ended. */
  async #follow(): Promise<void> {
    const { folder, plan } = this.facts;
    using log = OutputLogReader.open(this.process.logPath, this.process.startNs);
    using report = new GrowingFile(plan.report ?? join(folder, 'none'));
    const output = openSync(join(folder, 'output.txt'), 'w', 0o600);
    try {
      let leftOver: Promise<void> | null = null;
      for (;;) {
        const isGone = this.#isGone;
        await this.#readAll(log, report, output);
        if (this.#isTreeEnded || isGone) break;
        if (this.#exit) leftOver ??= this.#reapLeftOver();
        await this.#woken.next(LOOK_MS, this.#never);
      }
      await leftOver;
    } finally {
      closeSync(output);
    }
  }

  async #readAll(log: OutputLogReader, report: GrowingFile, output: number): Promise<void> {
    for (let records = log.read(); records.length > 0; records = log.read()) {
      for (const record of records) this.#take(record, output);
      this.#readReport(report);
      this.changes.notify();
      await setImmediate();
    }
    if (this.#readReport(report)) this.changes.notify();
  }

  #readReport(report: GrowingFile): boolean {
    let any = false;
    for (let chunk = report.read(); chunk !== null; chunk = report.read()) {
      this.#apply(this.#reader.feed('report', chunk));
      any = true;
    }
    return any;
  }

  #take(record: LogRecord, output: number): void {
    switch (record.kind) {
      case 'output':
        writeSync(output, record.bytes);
        this.lastOutputMs = monotonicMs();
        this.#takeOutput(record.stream, asBuffer(record.bytes));
        break;
      case 'exited':
        if (record.pid === this.process.pid) {
          this.#exit = this.#endOf(record.exit);
          this.#exitMs ??= this.#sinceStart();
        }
        break;
      case 'lost':
        this.warnings.push(
          `${record.bytes} bytes of output were beyond the limit and not read: results told there are missing.`,
        );
        break;
      case 'ended':
        this.#isTreeEnded = true;
        break;
      default:
        break;
    }
  }

  #takeOutput(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    this.#tail = (this.#tail + bytes.toString('utf8')).slice(-TAIL_BYTES);
    this.#apply(this.#reader.feed(stream, bytes));
  }

  #endOf(exit: Extract<LogRecord, { kind: 'exited' }>['exit']): RunnerEnd {
    const stopped = this.#endedBy !== 'itself';
    return exit.kind === 'exited'
      ? { code: exit.code, signal: null, stopped }
      : { code: null, signal: exit.kind === 'signalled' ? exit.signal : null, stopped };
  }

  #apply(events: readonly TestEvent[]): void {
    const nowMs = monotonicMs();
    for (const event of events) this.tally.apply(event, nowMs);
  }

  /** The runner has ended, something it started has not. */
  async #reapLeftOver(): Promise<void> {
    await this.#untilTreeEnds(LEFT_OVER_MS);
    if (this.#isTreeEnded || this.#isGone || this.#endedBy !== 'itself') return;
    this.warnings.push('The tests left processes running; they were killed.');
    await this.#endTree();
  }

  async #untilTreeEnds(limitMs: number): Promise<void> {
    const until = monotonicMs() + limitMs;
    while (!this.#isTreeEnded && !this.#isGone && monotonicMs() < until)
      await this.#woken.next(Math.min(LOOK_MS, until - monotonicMs()), this.#never);
  }

  async #finish(): Promise<void> {
    if (!this.#exit) this.#endedBy = this.#endedBy === 'itself' ? 'lost' : this.#endedBy;
    const end = this.#exit ?? { code: null, signal: null, stopped: true };
    this.#apply(await this.#reader.end(end));
    const why = interruption(this.#endedBy, end);
    this.tally.interrupted(() => why);
    this.tally.phase = 'done';
    const draft = this.#draft();
    const { verdict, hint } = judge(this.tally, end, this.#endedBy);
    const exit = end.signal ?? (end.code === null ? null : `status ${end.code}`);
    if (this.#endedBy === 'itself') this.stuck = [];
    const report: TestRunReport = {
      ...draft,
      stuck: this.stuck,
      state: { kind: 'ended', by: this.#endedBy, verdict, exit },
      hint: hint ?? draft.hint,
      project: verdict === 'noTests' ? surveyProject(draft.root) : null,
    };
    try {
      this.#report = await this.#settle(this, report);
    } finally {
      this.#report ??= report;
      await this.process.letGo();
      if (existsSync(this.process.logPath) && this.process.sessionId === null)
        rmSync(this.process.logPath, { force: true });
      this.changes.notify();
    }
  }

  /** A fault of ours must not leave a run that never ends. */
  async #failed(error: unknown): Promise<never> {
    const why = error instanceof Error ? error.message : String(error);
    this.warnings.push(`Strobe failed to follow this run: ${why}`);
    this.#report = {
      ...this.#draft(),
      state: { kind: 'ended', by: 'lost', verdict: 'crashed', exit: null },
    };
    await this.process.signalTree('SIGKILL').catch(() => undefined); // It may be gone.
    await this.process.letGo();
    this.changes.notify();
    throw error;
  }

  #draft(): TestRunReport {
    return reportOf(this, plainText(tailOf(this.#tail, TAIL_BYTES)));
  }
}

/** What `go test` runs is called so. */
function isTestProgram(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).endsWith('.test');
  } catch {
    return false; // It has ended.
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function interruption(by: RunEnd, end: RunnerEnd): string {
  switch (by) {
    case 'limit':
      return 'was running when the limit of the run passed; the whole tree was killed';
    case 'cancelled':
    case 'abandoned':
      return 'was running when the run was cancelled';
    case 'lost':
      return "was running when the run's supervisor was lost";
    case 'itself':
      return end.signal === null
        ? `the runner ended with status ${end.code ?? '?'} while this test was running`
        : `the process died of ${end.signal} while this test was running`;
  }
}

/** Resolves when the run is over, soon after it changes (changes come in crowds), or after `ms`. */
export async function nextChange(run: TestRun, ms: number, signal: AbortSignal): Promise<void> {
  if (run.isOver || ms <= 0) return;
  await run.changes.next(ms, signal);
  await run.changes.until(() => run.isOver, Math.min(LOOK_MS, ms), signal);
}
