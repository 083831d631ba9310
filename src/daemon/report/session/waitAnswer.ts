import type { WaitReport } from '../../../model/session.ts';
import { escaped } from '../../../base/visible.ts';
import { crashNotes } from '../../../model/endings/crashLine.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { endOf, exitOf, headLines, lagLines } from '../answers/header.ts';
import { chosen, nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';
import { callText, type CallStyle } from '../text/callText.ts';
import { counted, grouped, listed } from '../text/groupedNumber.ts';
import { lineTwin, unreadLines } from '../text/lineTwin.ts';
import { shortNames } from '../text/nameText.ts';
import { decimalsFor, duration, stamp, type Decimals } from '../text/timeText.ts';
import { outputLineTexts } from '../views/output.ts';
import { sessionSteps, tailOf } from './sessionAnswers.ts';
import { detailLevels } from './traceAnswer.ts';

/** Answer of debug_session wait. */
export function renderWait(report: WaitReport, budget = 2000): ToolAnswer {
  return richest(budget, detailLevels, (level, room) => waitAt(report, level, room));
}

function waitAt(report: WaitReport, level: number, room: number): ToolAnswer {
  const { session, summary, result } = report;
  const style = waitStyle(report);
  const shownCalls = report.calls.slice(0, 1 + level);
  const decimals = decimalsFor(shownCalls.map((call) => call.time));
  const calls = shownCalls.map(
    (call) => `${stamp(call.time, decimals)} ${callText(call, style)}  [${call.id}]`,
  );
  const shownLines = tailOf(report.output.lines, level);
  const isOver = endOf(session) !== null;
  const lines = waitedLines(
    report,
    level,
    calls.length > 0 ? decimals : decimalsFor(shownLines.map((line) => line.time)),
  );
  const steps = chosen(waitSteps(report), room);
  const notes = crashNotes(session);
  return {
    text: [
      ...headLines(session, summary),
      ...lagLines(session, report.indexedTo),
      ...notes.map((note) => `! ${escaped(note)}`),
      resultText(report),
      ...calls,
      ...lines,
      ...(isOver ? [] : [`cursor (give it as "after"): ${report.cursor}`]),
      ...nextLines(steps),
    ].join('\n'),
    structured: {
      action: 'wait',
      sessionId: session.id,
      happened: result.kind === 'happened' ? result.what : result.kind,
      calls,
      state: session.state.kind,
      exit: exitOf(session),
      waitedMs: report.waitedMs,
      cursor: report.cursor,
      counters: summary.counters,
      output: shownLines.map(lineTwin),
      outputLines: report.output.total,
      notes,
      nextSteps: nextTexts(steps),
    },
  };
}

function waitStyle({ session, calls }: WaitReport): CallStyle {
  return {
    verbose: false,
    shortName: shortNames(calls.map((call) => call.function)),
    projectRoot: session.projectRoot,
    endedAt: endOf(session),
    now: session.now,
  };
}

function waitedLines(
  { session, output, indexedTo }: WaitReport,
  level: number,
  decimals: Decimals,
): string[] {
  const name = { all: 'output', since: 'output meanwhile', fitting: 'that output' }[output.which];
  if (output.lines.length === 0) return [`no ${name}${indexedTo === null ? '' : ' yet'}`];
  const unread = output.which === 'fitting' ? output.lines : unreadLines(session, output.lines);
  const shown = tailOf(unread, level);
  if (shown.length === 0) return ['no new output'];
  return [
    `${name}, the last ${grouped(shown.length)} of ${counted(output.total, 'line')}:`,
    ...outputLineTexts(shown, decimals),
  ];
}

function resultText(report: WaitReport): string {
  const waited = duration(report.waitedMs * 1e6);
  const match = report.match === null ? '' : ` matching ${JSON.stringify(report.match)}`;
  switch (report.result.kind) {
    case 'happened':
      return happenedText(report, match, waited);
    case 'ended':
      return `The program has ended: ${listed(report.waitedFor)}${match} can no longer happen (waited ${waited}).`;
    case 'impossible':
      return `Nothing to wait for: ${report.result.why}.`;
    case 'timeout': {
      const isOver = endOf(report.session) !== null;
      const state = isOver ? 'the program has ended meanwhile' : 'the program is still running';
      return `Timed out after ${waited} without ${report.waitedFor.join(' or ')}${match}; ${state}.`;
    }
  }
}

/** An end long past was not waited for. */
function happenedText(
  { result, session, waitedMs }: WaitReport,
  match: string,
  waited: string,
): string {
  if (result.kind !== 'happened') return '';
  const { what } = result;
  const end = endOf(session);
  const before = end === null ? 0 : session.now - end - waitedMs * 1e6;
  if (what === 'exit' && before >= LONG_PAST_NS)
    return `exited ${duration(before)} before this call`;
  return `${what}${what === 'output' || what === 'event' ? match : ''} after ${waited}`;
}

const LONG_PAST_NS = 50e6;

function waitSteps(report: WaitReport): NextStep[] {
  const sessionId = report.session.id;
  const more: NextStep = {
    tool: 'debug_session',
    arguments: {
      action: 'wait',
      sessionId,
      for: report.waitedFor,
      ...(report.match === null ? {} : { match: report.match }),
      after: report.cursor,
      timeoutMs: report.timeoutMs,
    },
    why: 'keeps waiting from here',
  };
  const call = report.calls.find(({ probe }) => !probe);
  const steps = sessionSteps(report.session, report.summary, report.output.lines);
  if (call)
    steps.unshift({
      tool: 'debug_query',
      arguments: { sessionId, view: 'tree', root: call.id },
      why: 'inside this call',
    });
  if (endOf(report.session) !== null) return steps;
  if (report.result.kind === 'impossible')
    return [report.result.stops ? stopStep(report) : hookStep(report), ...steps];
  if (report.result.kind !== 'timeout') return [...steps, more];
  return [timeoutStep(report), more, ...steps];
}

function stopStep({ session, timeoutMs }: WaitReport): NextStep {
  return {
    tool: 'debug_continue',
    arguments: { sessionId: session.id, action: 'wait', timeoutMs },
    why: 'returns at the next stop',
  };
}

/** Without it there is no call to wait for. */
function hookStep({ session, match }: WaitReport): NextStep {
  return {
    tool: 'debug_trace',
    arguments: { sessionId: session.id, add: [match ?? '@usercode'] },
    why: match === null ? 'hooks the functions of the project' : 'hooks it, while the program runs',
  };
}

/** What tells why nothing came: what it is doing, else what it wrote, else that nothing is traced. */
function timeoutStep({ session, summary }: WaitReport): NextStep {
  const sessionId = session.id;
  const ask = (wanted: Readonly<Record<string, unknown>>, why: string): NextStep => ({
    tool: 'debug_query',
    arguments: { sessionId, ...wanted },
    why,
  });
  if (summary.openCalls > 0) return ask({ view: 'tree' }, 'where its threads are: … still running');
  if (summary.calls > 0) return ask({ view: 'events', timeFrom: '-10s' }, 'its last calls');
  if (summary.outputLines > 0) return ask({ view: 'output', tail: 20 }, 'what it wrote instead');
  return {
    tool: 'debug_session',
    arguments: { action: 'status', sessionId },
    why: 'its state, threads and hooks',
  };
}
