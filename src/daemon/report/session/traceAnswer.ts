import { escaped } from '../../../base/visible.ts';
import { engineRefusal, type SessionView } from '../../../model/session.ts';
import type { TraceReport } from '../../../model/functions/hookReport.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { crashNotes } from '../../../model/endings/crashLine.ts';
import { endOf, sessionLine } from '../answers/header.ts';
import { hooksLines, hooksTwin } from './hookLines.ts';
import { chosen, nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { watchLines } from '../text/watchText.ts';

/** Levels of detail, richest first. */
export const detailLevels: readonly number[] = [8, 5, 3, 2, 1, 0];

/** Answer of debug_trace; `session` is null in mode `pending`. */
export function renderTrace(
  report: TraceReport,
  session: SessionView | null,
  budget = 2000,
): ToolAnswer {
  const projectRoot = session?.projectRoot ?? '';
  return richest(budget, detailLevels, (level, room) => {
    const detail = { level, projectRoot };
    const status = traceStatus(report);
    const steps = chosen(traceSteps(report, session), room);
    const warnings = [...(session ? crashNotes(session) : []), ...report.warnings];
    return {
      text: [
        ...(session ? [sessionLine(session)] : []),
        status,
        ...warnings.map((warning) => `! ${escaped(warning)}`),
        ...hooksLines(report, detail),
        ...(report.inside ?? []).map((line) => escaped(line)),
        ...watchLines(report.watches),
        ...nextLines(steps),
      ].join('\n'),
      structured: {
        mode: report.mode,
        sessionId: report.sessionId,
        ...hooksTwin(report, detail),
        activeWatches: report.watches,
        ...(report.inside?.length ? { inside: report.inside } : {}),
        warnings,
        eventLimit: report.eventLimit,
        status,
        nextSteps: nextTexts(steps),
      },
    };
  });
}

/** A limit of fewer events may well be reached; one that was is said with what it lost. */
const tightLimit = 1_000_000;

/** One sentence: what is traced now. */
export function traceStatus(report: TraceReport): string {
  const patterns = counted(report.patterns.length, 'pattern');
  if (report.mode === 'pending')
    return `${patterns} staged for your next launch${report.projectRoot === undefined ? '' : ` in ${report.projectRoot}`}; nothing is hooked yet.`;
  if (report.patterns.length === 0) return 'Nothing is traced.';
  const took = report.tookMs === null ? '' : ` in ${grouped(report.tookMs)} ms`;
  const waiting = report.patterns.reduce(
    (sum, pattern) => sum + pattern.waiting.reduce((all, one) => all + one.functions, 0),
    0,
  );
  const isTight = report.eventLimit !== null && report.eventLimit < tightLimit;
  const limit = isTight ? ` At most ${grouped(report.eventLimit)} events are kept.` : '';
  return `${grouped(report.hookedFunctions)} of ${counted(report.matchedFunctions, 'matched function')} hooked${took} by ${patterns}${waiting > 0 ? `, ${grouped(waiting)} waiting to be loaded` : ''}.${limit}`;
}

function traceSteps(report: TraceReport, session: SessionView | null): NextStep[] {
  if (!session) {
    return [
      {
        tool: 'debug_launch',
        arguments: { command: '<program>', projectRoot: '<folder>' },
        why: 'starts with these patterns in place',
      },
    ];
  }
  const sessionId = session.id;
  if (endOf(session) !== null) return endedSteps(session);
  const steps: NextStep[] = [];
  const lost = report.patterns.find((pattern) => pattern.state === 'added' && pattern.hooked === 0);
  const better = lost
    ? [
        ...lost.nearest,
        ...lost.inlined.flatMap((fn) => fn.callers),
        ...lost.refused.flatMap((fn) => fn.instead),
      ].slice(0, 3)
    : [];
  if (lost && better.length > 0) {
    steps.push({
      tool: 'debug_trace',
      arguments: { sessionId, add: better, remove: [lost.pattern] },
      why: `in place of ${lost.pattern}`,
    });
  }
  if (report.hookedFunctions === 0) {
    if (report.patterns.length === 0 && engineRefusal(session) === null)
      steps.push({
        tool: 'debug_trace',
        arguments: { sessionId, add: ['@usercode'] },
        why: 'the functions of the project',
      });
    steps.push({
      tool: 'debug_query',
      arguments: { sessionId, view: 'output' },
      why: 'what it wrote',
    });
    return steps;
  }
  steps.push({
    tool: 'debug_session',
    arguments: { action: 'wait', sessionId, for: ['event', 'exit'] },
    why: 'trigger the behaviour; returns at the first call',
  });
  steps.push({
    tool: 'debug_query',
    arguments: { sessionId, view: 'tree', timeFrom: '-10s' },
    why: 'what was called, with arguments',
  });
  return steps;
}

/** Nothing can be hooked any more. */
function endedSteps(session: SessionView): NextStep[] {
  const views: readonly (readonly [view: string, why: string])[] = [
    ...(crashNotes(session).length > 0 ? [['crash', 'why it ended'] as const] : []),
    ['tree', 'who called whom'],
  ];
  return views.map(([view, why]) => ({
    tool: 'debug_query',
    arguments: { sessionId: session.id, view },
    why,
  }));
}
