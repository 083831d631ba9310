import type {
  BuildProblem,
  Diagnosis,
  ProjectSurvey,
  ReportedFailure,
  TestFrame,
  TestRunReport,
  TestRunSummary,
} from '../../../model/tests/testReport.ts';
import { surveyText } from '../../../testing/projectSurvey.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { assemble, type Item, type Surroundings } from '../answers/assemble.ts';
import { fit, type Rendered } from '../answers/budget.ts';
import { shortened } from '../answers/clip.ts';
import { callText, nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';
import { counted, listed } from '../text/groupedNumber.ts';
import { commandText, place } from '../text/placeText.ts';
import { duration } from '../text/timeText.ts';

/** The actions that answer with a run. */
export type RunAction = 'run' | 'wait' | 'status' | 'cancel';

/** Characters and lines shown of one failure; the details have the rest. */
const full = { message: 700, side: 200, frames: 5, output: 500, outputLines: 8 } as const;
const small = { message: 200, side: 80, frames: 2, output: 0, outputLines: 0 } as const;
type Measure = typeof full | typeof small;

/** Tokens of an answer with a diagnosis in it. */
const DIAGNOSED_BUDGET = 2500;
const mostTestFiles = 5;
const mostBuildProblems = 12;
const mostTail = 900;

/** A run as it is now, or what became of it. */
export function renderTestRun(
  report: TestRunReport,
  action: RunAction,
  budget: number,
): ToolAnswer {
  const most = report.diagnoses.length > 0 ? Math.max(budget, DIAGNOSED_BUDGET) : budget;
  return fit(most, (room) => runAt(report, action, room));
}

function runAt(report: TestRunReport, action: RunAction, room: number): Rendered {
  const items = report.failures.map((failure) => failureItem(report, failure));
  const steps = nextSteps(report);
  const around: Surroundings = {
    before: () => [headLine(report), ...noteLines(report), ...buildLines(report)],
    after: ({ count }) => [
      ...omittedLine(report, count),
      ...report.diagnoses.flatMap(({ text }) => text.split('\n')),
      ...tailLines(report),
      ...(report.state.kind === 'ended' ? [`details: ${report.details}`] : []),
      ...nextLines(steps),
    ],
    structured: (twins, { count }) =>
      structured(report, {
        action,
        failures: twins,
        omitted: items.length === 0 ? 0 : report.counts.failed - count,
        steps,
      }),
    keep: 'first',
  };
  if (items.length > 0) return assemble(room, items, around);
  const none = { count: 0, of: 0 };
  return {
    text: [...around.before(none), ...around.after(none)].join('\n'),
    structured: around.structured([], none),
    leftOut: false,
  };
}

function structured(
  report: TestRunReport,
  parts: {
    readonly action: RunAction;
    readonly failures: readonly unknown[];
    readonly omitted: number;
    readonly steps: readonly NextStep[];
  },
): object {
  const { state } = report;
  const isQuiet = state.kind === 'ended' && state.verdict === 'passed';
  return {
    action: parts.action,
    testRunId: report.id,
    state: stateWord(report),
    ...(state.kind === 'ended' ? { verdict: state.verdict } : {}),
    framework: report.framework,
    reasons: isQuiet ? report.reasons.slice(0, 1) : report.reasons.slice(0, 3),
    ...(state.kind === 'running' ? { progress: progressTwin(report) } : {}),
    ...(state.kind === 'ended'
      ? { summary: { ...countsTwin(report), durationMs: report.elapsedMs } }
      : {}),
    ...(parts.failures.length > 0 ? { failures: parts.failures } : {}),
    ...(parts.omitted > 0 ? { omittedFailures: parts.omitted } : {}),
    ...(report.buildProblems.length > 0
      ? { compileErrors: report.buildProblems.slice(0, mostBuildProblems).map(buildTwin(report)) }
      : {}),
    ...(report.stuck.length > 0
      ? {
          stuck: report.stuck.map(({ test, observed, advice, stacks }) => ({
            ...(test === null ? {} : { test }),
            observed,
            ...(stacks === null ? {} : { stacks: shortened(stacks, 1200) }),
            advice,
          })),
        }
      : {}),
    ...(warningsOf(report).length > 0 ? { warnings: warningsOf(report) } : {}),
    ...(report.hint === null ? {} : { hint: report.hint }),
    ...(report.project ? { project: projectTwin(report.project) } : {}),
    ...(tailOf(report) === '' ? {} : { outputTail: tailOf(report) }),
    ...(state.kind === 'ended' ? { details: report.details } : {}),
    ...(report.sessionId === null ? {} : { sessionId: report.sessionId }),
    ...(report.diagnoses.length > 0 ? { diagnoses: report.diagnoses.map(diagnosisTwin) } : {}),
    ...(parts.steps.length > 0 ? { nextSteps: nextTexts(parts.steps) } : {}),
  };
}

function diagnosisTwin({ test, text, sessionId, compared }: Diagnosis): object {
  return {
    test,
    text,
    ...(sessionId === null ? {} : { sessionId }),
    ...(compared ? { comparedTest: compared.test, comparedSessionId: compared.sessionId } : {}),
  };
}

function stateWord({ state }: TestRunReport): string {
  if (state.kind === 'running') return 'running';
  switch (state.by) {
    case 'itself':
    case 'limit':
      return 'completed';
    case 'cancelled':
    case 'abandoned':
      return 'cancelled';
    case 'lost':
      return 'error';
  }
}

const verdictWords = {
  passed: 'PASSED',
  failed: 'FAILED',
  noTests: 'NO TESTS',
  compileError: 'COMPILE ERROR',
  crashed: 'CRASHED',
} as const;

function headLine(report: TestRunReport): string {
  const { state, reasons } = report;
  const [reason = ''] = reasons;
  const took = duration(report.elapsedMs * 1e6);
  const what =
    state.kind === 'running'
      ? `running for ${took} (${report.phase}): ${countsText(report)}${report.expected === null ? '' : ` of ${report.expected}`}`
      : `${verdictWords[state.verdict]}${endWords[state.by]}: ${countsText(report)} in ${took}`;
  return `${what} · ${reason.startsWith(report.framework) ? reason : `${report.framework} (${reason})`} · run ${report.id}`;
}

const endWords = {
  itself: '',
  limit: ' (killed at its limit)',
  cancelled: ' (cancelled)',
  abandoned: ' (stopped: its client was gone and it was silent)',
  lost: ' (its supervisor was lost)',
} as const;

function countsText({ counts }: TestRunReport): string {
  const parts = [
    ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
    `${counts.passed} passed`,
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : []),
    ...(counts.expectedFailures > 0 ? [`${counts.expectedFailures} failed as expected`] : []),
  ];
  return parts.join(', ');
}

function countsTwin({ counts }: TestRunReport): object {
  const { expectedFailures, ...always } = counts;
  return expectedFailures > 0 ? { ...always, expectedFailures } : always;
}

function progressTwin(report: TestRunReport): object {
  return {
    elapsedMs: report.elapsedMs,
    ...countsTwin(report),
    ...(report.expected === null ? {} : { total: report.expected }),
    currentTests: report.current.slice(0, 4).map(({ name, forMs }) => ({ test: name, forMs })),
    phase: report.phase,
  };
}

function warningsOf(report: TestRunReport): string[] {
  return [...report.warnings, ...report.troubles.map((text) => shortened(text, 500))].slice(0, 8);
}

function noteLines(report: TestRunReport): string[] {
  const others = report.reasons.slice(1, 3);
  const isQuiet = report.state.kind === 'ended' && report.state.verdict === 'passed';
  return [
    ...(others.length > 0 && !isQuiet ? [`(${others.join('; ')})`] : []),
    ...(report.state.kind === 'running' && report.current.length > 0
      ? [
          `now: ${listed(report.current.slice(0, 4).map(({ name, forMs }) => `${name} (${duration(forMs * 1e6)})`))}`,
        ]
      : []),
    ...report.stuck.map(
      ({ test, observed, advice }) =>
        `STUCK? ${test === null ? '' : `${test}: `}${observed}. ${advice}`,
    ),
    ...report.stuck.flatMap(({ stacks }) => (stacks === null ? [] : [shortened(stacks, 1200)])),
    ...warningsOf(report).map((warning) => `! ${warning}`),
    ...(report.hint === null ? [] : [`! ${report.hint}`]),
    ...(report.project ? [`project: ${surveyText(report.project)}`] : []),
  ];
}

function projectTwin({ testFiles, ...rest }: ProjectSurvey): object {
  return {
    ...rest,
    testFiles: testFiles.slice(0, mostTestFiles),
    ...(testFiles.length > mostTestFiles ? { testFileCount: testFiles.length } : {}),
  };
}

function buildLines(report: TestRunReport): string[] {
  const shown = report.buildProblems.slice(0, mostBuildProblems);
  const rest = report.buildProblems.length - shown.length;
  return [
    ...shown.map((problem) =>
      `${place(problem.file, problem.line, report.root)}: ${shortened(problem.message, 400)}`.replace(
        /^: /,
        '',
      ),
    ),
    ...(rest > 0 ? [`… ${counted(rest, 'compile error')} more in the details`] : []),
  ];
}

function buildTwin(report: TestRunReport): (problem: BuildProblem) => object {
  return ({ file, line, message }) => ({
    ...(file === null ? {} : { file: place(file, null, report.root) }),
    ...(line === null ? {} : { line }),
    message: shortened(message, 400),
  });
}

function failureItem(report: TestRunReport, failure: ReportedFailure): Item {
  return {
    text: failureText(report, failure, full),
    twin: failureTwin(report, failure, full),
    smaller: {
      text: failureText(report, failure, small),
      twin: failureTwin(report, failure, small),
    },
  };
}

function failureText(
  { root }: TestRunReport,
  { result, ownFrames, suggestedTraces, rerunCommand, isFlaky }: ReportedFailure,
  measure: Measure,
): string {
  const { failure } = result;
  const where = place(result.file, result.line, root);
  const named = where === '' || result.name.startsWith(where) ? '' : ` (${where})`;
  const lines = [`✗ ${result.name}${named}${isFlaky ? ' FLAKY: it also passed on this code' : ''}`];
  if (failure) {
    lines.push(...indented(shortened(failure.message, measure.message), '  '));
    if (failure.expected !== null && failure.actual !== null)
      lines.push(
        `  expected ${oneLine(failure.expected, measure.side)} · actual ${oneLine(failure.actual, measure.side)}`,
      );
    for (const frame of ownFrames.slice(0, measure.frames))
      lines.push(`  at ${frameText(frame, root)}`);
    const output = outputOf(failure.output, measure);
    if (output !== '') lines.push('  output:', ...indented(output, '  | '));
  }
  if (suggestedTraces.length > 0) lines.push(`  trace: ${suggestedTraces.join(', ')}`);
  lines.push(`  rerun: ${rerunCommand}`);
  return lines.join('\n');
}

function failureTwin(
  { root }: TestRunReport,
  { result, ownFrames, suggestedTraces, rerunCommand, isFlaky }: ReportedFailure,
  measure: Measure,
): object {
  const { failure } = result;
  const output = failure ? outputOf(failure.output, measure) : '';
  return {
    test: result.name,
    ...(result.file === null ? {} : { file: place(result.file, null, root) }),
    ...(result.line === null ? {} : { line: result.line }),
    message: shortened(failure?.message ?? '', measure.message),
    ...(failure?.expected == null ? {} : { expected: oneLine(failure.expected, measure.side) }),
    ...(failure?.actual == null ? {} : { actual: oneLine(failure.actual, measure.side) }),
    stackTrace: ownFrames.slice(0, measure.frames).map((frame) => frameText(frame, root)),
    ...(output === '' ? {} : { output }),
    ...(isFlaky ? { flaky: true } : {}),
    suggestedTraces,
    rerunCommand,
  };
}

function frameText(frame: TestFrame, root: string): string {
  return `${place(frame.file, frame.line, root)}${frame.function === null ? '' : ` ${frame.function}`}`;
}

function outputOf(output: string, { output: most, outputLines }: Measure): string {
  if (most === 0 || output.trim() === '') return '';
  const lines = output.trimEnd().split('\n');
  const text = lines.slice(-outputLines).join('\n');
  return text.length <= most ? text : `…${text.slice(-most)}`;
}

function oneLine(text: string, most: number): string {
  return shortened(text.replaceAll('\n', '\\n'), most);
}

function indented(text: string, by: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `${by}${line}`);
}

function omittedLine(report: TestRunReport, shown: number): string[] {
  const rest = report.counts.failed - shown;
  return rest > 0 && report.failures.length > 0
    ? [`… ${counted(rest, 'failure')} more: in the details`]
    : [];
}

/** Output explains what results do not. */
function tailOf({ state, failures, buildProblems, troubles, outputTail }: TestRunReport): string {
  if (state.kind === 'running' || state.verdict === 'passed') return '';
  const isExplained = failures.length > 0 || buildProblems.length > 0 || troubles.length > 0;
  if (isExplained || outputTail.trim() === '') return '';
  const text = outputTail.trimEnd();
  return text.length <= mostTail ? text : `…${text.slice(-mostTail)}`;
}

function tailLines(report: TestRunReport): string[] {
  const tail = tailOf(report);
  return tail === '' ? [] : ['output:', ...indented(tail, '  | ')];
}

function nextSteps(report: TestRunReport): NextStep[] {
  const { state } = report;
  if (state.kind === 'running') {
    return [
      {
        tool: 'debug_test',
        arguments: { action: 'wait', testRunId: report.id },
        why: 'until it ends',
      },
    ];
  }
  const diagnosed = report.diagnoses.find(({ steps }) => steps.length > 0);
  if (diagnosed) return [...diagnosed.steps];
  if (report.sessionId !== null) {
    return [
      {
        tool: 'debug_query',
        arguments: { sessionId: report.sessionId, view: 'tree' },
        why: 'what the traced functions did',
      },
    ];
  }
  const [first] = report.failures;
  if (first && first.suggestedTraces.length > 0 && isNative(report)) {
    return [
      {
        tool: 'debug_test',
        arguments: {
          projectRoot: report.projectRoot,
          test: first.result.name,
          diagnose: true,
        },
        why: 'the same test, traced and compared with one that passes',
      },
    ];
  }
  if (state.verdict === 'noTests' && report.isPart) {
    return [
      {
        tool: 'debug_test',
        arguments: { projectRoot: report.projectRoot },
        why: `all of the project; this ran: ${shortened(commandText(report.command), 120)}`,
      },
    ];
  }
  return [];
}

function isNative({ language }: TestRunReport): boolean {
  return language === 'C++' || language === 'Rust';
}

/** Earlier runs of a project. */
export function renderTestRunList(runs: readonly TestRunSummary[], nowMs: number): ToolAnswer {
  const steps: NextStep[] =
    runs[0] === undefined
      ? []
      : [
          {
            tool: 'debug_test',
            arguments: { action: 'status', testRunId: runs[0].id },
            why: 'the whole of it',
          },
        ];
  return {
    text: [
      runs.length === 0 ? 'No test run of this project is known.' : counted(runs.length, 'run'),
      ...runs.map(
        (run) =>
          `${run.id} · ${run.verdict ?? run.state} · ${run.failed} failed, ${run.passed} passed · ${run.framework} · ${duration(run.durationMs * 1e6)} · ${duration((nowMs - run.startedAtMs) * 1e6)} ago · ${shortened(run.command, 80)}`,
      ),
      ...nextLines(steps),
    ].join('\n'),
    structured: {
      action: 'list',
      runs: runs.map((run) => ({
        testRunId: run.id,
        framework: run.framework,
        state: run.state === 'itself' ? 'completed' : run.state,
        ...(run.verdict === null ? {} : { verdict: run.verdict }),
        passed: run.passed,
        failed: run.failed,
        skipped: run.skipped,
        durationMs: run.durationMs,
        startedAt: new Date(run.startedAtMs).toISOString(),
      })),
      nextSteps: steps.map(callText),
    },
  };
}
