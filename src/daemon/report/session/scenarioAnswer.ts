import { escaped } from '../../../base/visible.ts';
import type { ScenarioReport, StepResult } from '../../../model/scenario/scenarioReport.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';
import type { SessionView } from '../../../model/session.ts';
import { counted } from '../text/groupedNumber.ts';
import { duration } from '../text/timeText.ts';

/** How many lines of each list are shown: passed steps, elements, events. */
const levels: readonly number[] = [60, 25, 10, 4, 1];
const NS_OF_MS = 1_000_000;

/** Answer of debug_channel run. */
export function renderScenario(report: ScenarioReport, budget: number): ToolAnswer {
  const steps = nextOf(report);
  return richest(budget, levels, (most) => {
    const lines = [
      headline(report),
      ...failureLines(report, most),
      ...passedLines(report.passed, most),
      ...savedLines(report),
      ...nextLines(steps),
    ];
    const { session, state, passed, failed, total, ms, saved } = report;
    return {
      text: lines.map((line) => escaped(line)).join('\n'),
      structured: {
        action: 'run',
        sessionId: session.id,
        outcome: state,
        total,
        ms,
        passed: passed.slice(-most),
        passedCount: passed.length,
        ...(failed === null ? {} : { failed: failureTwin(failed, most) }),
        saved,
        nextSteps: nextTexts(steps),
      },
    };
  });
}

/** Answer of debug_channel record; without a path it has just begun. */
export function renderRecording({
  view,
  path,
  steps,
}: {
  readonly view: SessionView;
  readonly path: string | null;
  readonly steps: readonly object[];
}): ToolAnswer {
  const sessionId = view.id;
  const next: NextStep =
    path === null
      ? {
          tool: 'debug_channel',
          arguments: { action: 'record', sessionId, path: 'recorded.scenario.json' },
          why: 'writes them and ends the recording',
        }
      : {
          tool: 'debug_channel',
          arguments: { action: 'run', sessionId, path },
          why: `runs it here; in a terminal: strobe scenario ${path}`,
        };
  const text =
    path === null
      ? 'What you do in windows and send from now on is recorded as steps.'
      : `${counted(steps.length, 'step')} with their effects: ${path}. The environment is not in it.`;
  return {
    text: [escaped(text), ...nextLines([next])].join('\n'),
    structured: { action: 'record', sessionId, steps, path, nextSteps: nextTexts([next]) },
  };
}

function headline({ state, from, passed, failed, total, ms, session }: ScenarioReport): string {
  const took = duration(ms * NS_OF_MS);
  const part = from > 1 ? `, from step ${from}` : '';
  if (failed === null) return `passed: ${passed.length} of ${total} steps in ${took}${part}`;
  const runs =
    session.state.kind === 'running' && session.pid !== null
      ? `the program runs on (pid ${session.pid})`
      : `the program is ${session.state.kind}`;
  const word = state === 'failed' ? 'failed' : 'was not decided in the time of this call';
  return `step ${failed.number} of ${total} ${word} after ${took}${part}; ${runs}`;
}

function failureLines({ failed }: ScenarioReport, most: number): string[] {
  if (failed === null) return [];
  const { asked, evidence } = failed;
  const { seen, screenshot, tree, events } = evidence;
  return [
    `  ${JSON.stringify(asked)}`,
    ...cut(seen, most, 'lines').map((line, at) => `  ${at === 0 ? 'seen: ' : '      '}${line}`),
    ...(screenshot === null ? [] : [`screenshot: ${screenshot}`]),
    ...(tree.length === 0 ? [] : ['elements:', ...cut(tree, most, 'elements').map(indented)]),
    ...events.flatMap(({ channel, lines }) =>
      lines.length === 0
        ? [`last on ${channel}: nothing`]
        : [`last on ${channel}:`, ...lines.slice(-most).map(indented)],
    ),
  ];
}

function failureTwin(failed: NonNullable<ScenarioReport['failed']>, most: number): object {
  const { number, text, ms, asked, evidence } = failed;
  return {
    number,
    text,
    ms,
    step: asked,
    seen: evidence.seen.slice(0, most),
    screenshot: evidence.screenshot,
    tree: evidence.tree.slice(0, most),
    events: evidence.events.map(({ channel, lines }) => ({ channel, lines: lines.slice(-most) })),
  };
}

function passedLines(passed: readonly StepResult[], most: number): string[] {
  const shown = passed.slice(-most);
  const left = passed.length - shown.length;
  return [
    ...(left > 0 ? [`… ${left} steps before these passed`] : []),
    ...shown.map(({ number, text, note, ms }) => `${number} ${text} · ${note} · ${ms} ms`),
  ];
}

function savedLines({ saved }: ScenarioReport): string[] {
  const entries = Object.entries(saved).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return entries.length === 0 ? [] : [`saved: ${entries.join(' ')}`];
}

function cut(lines: readonly string[], most: number, what: string): string[] {
  const left = lines.length - most;
  return [...lines.slice(0, most), ...(left > 0 ? [`… ${left} more ${what}`] : [])];
}

function indented(line: string): string {
  return `  ${line}`;
}

function nextOf({ failed, session }: ScenarioReport): NextStep[] {
  if (failed === null) return [];
  const sessionId = session.id;
  const again: NextStep = {
    tool: 'debug_channel',
    arguments: { action: 'run', sessionId, from: failed.number },
    why: 'continues with this step',
  };
  if (session.state.kind !== 'running') return [];
  const look: NextStep = {
    tool: 'debug_query',
    arguments: { view: 'events', sessionId, timeFrom: '-5s' },
    why: 'what it wrote and called',
  };
  return [look, again];
}
