import { escaped } from '../../../base/visible.ts';
import { engineRefusal, type LaunchReport } from '../../../model/session.ts';
import type { TraceReport } from '../../../model/functions/hookReport.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { exitOf, sessionLine } from '../answers/header.ts';
import { breakpointLines, breakpointTwin, mayStop } from './breakpointAnswer.ts';
import { hooksLines, hooksTwin } from './hookLines.ts';
import { watchLines } from '../text/watchText.ts';
import {
  chosen,
  nextLines,
  nextTexts,
  tracesProject,
  type NextStep,
} from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { outputLineTexts } from '../views/output.ts';
import { lineTwin } from '../text/lineTwin.ts';
import { fileName } from '../text/placeText.ts';
import { detailLevels, traceStatus } from './traceAnswer.ts';

const PROJECTS_SHOWN = 4;
/** Lines of output that a launch reads of a program that has ended: fewer are all it wrote. */
export const tailLines = 20;

/** Answer of debug_launch. */
export function renderLaunch(report: LaunchReport, budget = 2000): ToolAnswer {
  return richest(budget, detailLevels, (level, room) => atLevel(report, level, room));
}

/** What of a launch stands before what was waited for: only what is not there again. */
export function renderLaunchBefore(report: LaunchReport, budget: number): ToolAnswer {
  const { text: _text, structured } = renderLaunch(report, budget);
  const { session, trace } = report;
  const detail = { level: 1, projectRoot: session.projectRoot };
  const lines = [
    // What is not seen of a program that ran already; of others the answer that follows says it.
    ...(session.attached ? session.notes.map((note) => `! ${escaped(note)}`) : []),
    ...(trace?.notDone ?? []).map((why) => `! ${escaped(why)}`),
    ...debugInfoLines(report, 0).filter((line) => line.startsWith('!')),
    ...(trace
      ? [
          ...trace.warnings.map((warning) => `! ${escaped(warning)}`),
          ...hooksLines(trace, detail),
          ...watchLines(trace.watches),
        ]
      : []),
    ...breakpointsOf(report, 1),
  ];
  return { text: lines.join('\n'), structured };
}

function atLevel(report: LaunchReport, level: number, room: number): ToolAnswer {
  const { session, breakpoints = [] } = report;
  const trace = waitsForOthers(report) ? withoutNearest(report.trace) : report.trace;
  const detail = { level, projectRoot: session.projectRoot };
  const warnings = trace?.warnings ?? [];
  const isSaid = (note: string): boolean => warnings.some((warning) => warning.endsWith(note));
  const notes = launchNotes(report);
  const output = level === 0 ? report.output.slice(-1) : report.output.slice(-3 * level);
  const steps = chosen(launchSteps(report), room);
  return {
    text: [
      ...(trace?.notDone ?? []).map((why) => `! ${escaped(why)}`),
      sessionLine(session),
      `${session.runtime} · project ${escaped(session.projectRoot)} · ${report.reused ? 'was already running' : `ready in ${grouped(report.tookMs)} ms`}`,
      ...debugInfoLines(report, level),
      ...(trace
        ? [
            traceStatus(trace),
            ...warnings.map((warning) => `! ${escaped(warning)}`),
            ...hooksLines(trace, detail),
            ...watchLines(trace.watches),
          ]
        : untracedLines(report)),
      ...breakpointsOf(report, level),
      ...notes.filter((note) => !isSaid(note)).map((note) => `! ${escaped(note)}`),
      ...(output.length > 0
        ? [`the last ${counted(output.length, 'line')} it wrote:`, ...outputLineTexts(output)]
        : []),
      ...nextLines(steps),
    ].join('\n'),
    structured: {
      sessionId: session.id,
      pid: session.pid,
      state: session.state.kind,
      exit: exitOf(session),
      runtime: session.runtime,
      projectRoot: session.projectRoot,
      debugInfo: {
        found: report.debugInfo.found.slice(0, 1 + 2 * level).map(moduleText),
        missing: report.debugInfo.missing.slice(0, 1 + 2 * level),
        advice: report.debugInfo.advice,
      },
      pendingPatternsApplied: report.pendingPatternsApplied,
      hooks: trace
        ? {
            ...hooksTwin(trace, detail),
            ...(trace.watches.length > 0 ? { activeWatches: trace.watches } : {}),
          }
        : { activePatterns: [], matchedFunctions: 0, hookedFunctions: 0, refusals: [] },
      ...(breakpoints.length > 0
        ? { breakpoints: breakpoints.map((one) => breakpointTwin(one, one.counts, session)) }
        : {}),
      outputTail: outputLineTexts(output),
      output: output.map(lineTwin),
      notes: [
        ...(trace?.notDone ?? []),
        ...(session.state.kind === 'failed'
          ? [`${session.state.code}: ${session.state.message} ${session.state.hint}`]
          : []),
        ...notes,
      ],
      nextSteps: nextTexts(steps),
    },
  };
}

/** Patterns were given for the programs that it executes. */
function waitsForOthers({ isSystemProgram = false, trace, session }: LaunchReport): boolean {
  const runs = session.state.kind === 'running' || session.state.kind === 'starting';
  return isSystemProgram && runs && trace?.patterns.some((one) => one.hooked === 0) === true;
}

/** What matches nothing there is meant in a program that comes: the system's names are no help. */
function withoutNearest(trace: TraceReport | null): TraceReport | null {
  const patterns = trace?.patterns.map((one) =>
    one.hooked === 0 ? { ...one, nearest: [], notes: [] } : one,
  );
  return trace && { ...trace, patterns: patterns ?? [] };
}

function launchNotes(report: LaunchReport): string[] {
  const { session } = report;
  const notes: string[] = [];
  if (report.reused)
    notes.push(
      'The same requestId was used before: returning the session it started; no second process was launched.',
    );
  if (report.pendingPatternsApplied > 0)
    notes.push(
      `${counted(report.pendingPatternsApplied, 'staged pattern')} applied, for this launch only.`,
    );
  for (const project of report.elsewhere?.slice(0, PROJECTS_SHOWN) ?? [])
    notes.push(`Patterns staged for ${project} wait for a launch there.`);
  if (waitsForOthers(report))
    notes.push(
      'It is a program of the system: the patterns are looked for in each program of the project that it executes, before its main; debug_session status tells what was found.',
    );
  if (session.tracing.kind === 'unavailable')
    notes.push(`${session.tracing.code}: ${session.tracing.message} ${session.tracing.hint}`);
  if (session.stdin === 'terminal')
    notes.push(
      'It runs in a pseudo-terminal: stdout and stderr are one stream (shown as stdout), with input echoed and colours as escape sequences. debug_session input types into it: "\\n" is Enter, "\\u0003" Ctrl-C, eof Ctrl-D.',
    );
  return [...notes, ...session.notes];
}

function breakpointsOf({ session, breakpoints = [] }: LaunchReport, places: number): string[] {
  return breakpoints.flatMap((one) => breakpointLines(one, one.counts, session, places));
}

function untracedLines({ session }: LaunchReport): string[] {
  return session.tracing.kind === 'off'
    ? ['Nothing is traced yet (no patterns); output is captured.']
    : [];
}

type Module = LaunchReport['debugInfo']['found'][number];

function moduleText(module: Module): string {
  const kind =
    module.debugInfo === 'dwarf' ? `DWARF ${module.dwarfVersion ?? ''}`.trim() : 'symbols only';
  return `${fileName(module.path)}: ${grouped(module.functions)} functions, ${[kind, ...module.languages].join(', ')}`;
}

function debugInfoLines({ debugInfo }: LaunchReport, level: number): string[] {
  const lines: string[] = [];
  const found = debugInfo.found.slice(0, 1 + 2 * level);
  if (found.length > 0) {
    const rest = debugInfo.found.length - found.length;
    lines.push(
      `debug information: ${found.map(moduleText).join('; ')}${rest > 0 ? `; … ${grouped(rest)} more modules` : ''}`,
    );
  }
  if (debugInfo.missing.length > 0)
    lines.push(
      `no debug information: ${debugInfo.missing
        .slice(0, 1 + 2 * level)
        .map(fileName)
        .join(', ')}`,
    );
  if (debugInfo.advice !== null) lines.push(`! ${debugInfo.advice}`);
  return lines;
}

function launchSteps(report: LaunchReport): NextStep[] {
  const { session, trace, breakpoints = [] } = report;
  const sessionId = session.id;
  const output: NextStep = {
    tool: 'debug_query',
    arguments: { sessionId, view: 'output' },
    why: 'what it wrote: read this first',
  };
  const running = session.state.kind === 'running' || session.state.kind === 'starting';
  if (!running) {
    const rest = report.output.length === tailLines ? [output] : [];
    if (!trace || trace.hookedFunctions === 0) return rest;
    return [
      {
        tool: 'debug_query',
        arguments: { sessionId, view: 'tree' },
        why: 'what it did before it ended',
      },
      ...rest,
    ];
  }
  if (breakpoints.some(mayStop))
    return [
      {
        tool: 'debug_continue',
        arguments: { sessionId, action: 'wait', timeoutMs: 20_000 },
        why: 'returns at the first stop',
      },
    ];
  if (trace && trace.hookedFunctions > 0) {
    return [
      {
        tool: 'debug_query',
        arguments: { sessionId, view: 'tree' },
        why: 'calls with arguments and results',
      },
      output,
    ];
  }
  const hookable =
    session.tracing.kind !== 'unavailable' &&
    engineRefusal(session) === null &&
    report.debugInfo.found.length > 0 &&
    report.isSystemProgram !== true &&
    !tracesProject(session);
  return [
    output,
    ...(hookable
      ? [
          {
            tool: 'debug_trace',
            arguments: { sessionId, add: ['@usercode'] },
            why: 'hook the functions of the project; a class or file is better',
          } as const,
        ]
      : []),
    {
      tool: 'debug_session',
      arguments: { action: 'wait', sessionId, for: ['exit', 'output'] },
      why: 'until it writes or ends',
    },
  ];
}
