import { escaped } from '../../../base/visible.ts';
import type { StoreSummary } from '../../../model/questions/query.ts';
import {
  type ClientKind,
  type InputReport,
  type ListReport,
  type SessionView,
  type StatusReport,
  type WaitReport,
} from '../../../model/session.ts';
import type { OutputLine } from '../../../model/outputRecord.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { assemble } from '../answers/assemble.ts';
import { fit, richest } from '../answers/budget.ts';
import { callText, type CallStyle } from '../text/callText.ts';
import { crashNotes } from '../../../model/endings/crashLine.ts';
import { countersLine, endOf, exitOf, hooksText, sessionLine } from '../answers/header.ts';
import { hooksLines, hooksTwin } from './hookLines.ts';
import { lookLines, lookTwin } from './threadLines.ts';
import { shortNames } from '../text/nameText.ts';
import {
  callText as stepText,
  chosen,
  nextLines,
  nextTexts,
  type NextStep,
} from '../answers/nextSteps.ts';
import { counted, grouped, listed } from '../text/groupedNumber.ts';
import { complaintStep, outputLineTexts } from '../views/output.ts';
import { commandText } from '../text/placeText.ts';
import { processesTwin, processLines } from './processLines.ts';
import { excerpt, shortened } from '../answers/clip.ts';
import { decimalsFor, duration, stamp, type Decimals } from '../text/timeText.ts';
import { detailLevels, traceStatus } from './traceAnswer.ts';

/** Answer of debug_session status. */
export function renderStatus(report: StatusReport, budget = 2000): ToolAnswer {
  return richest(budget, detailLevels, (level, room) => statusAt(report, level, room));
}

function statusAt(
  { session, summary, trace, outputTail, look }: StatusReport,
  level: number,
  room: number,
): ToolAnswer {
  const detail = { level, projectRoot: session.projectRoot };
  const steps = chosen(sessionSteps(session, summary, outputTail), room);
  const notes = sessionNotes(session);
  const threads = summary.threads.first.slice(0, 1 + 3 * level);
  const looked = 2 + 4 * level;
  return {
    text: [
      sessionLine(session),
      countersLine(session, summary),
      `${counted(summary.calls, 'call')}, ${grouped(summary.openCalls)} not returned · ${counted(summary.outputLines, 'line')} of output · ${session.runtime} · ${ownerText(session)}`,
      ...textNotes(session).map((note) => `! ${escaped(note)}`),
      ...(trace
        ? [
            traceStatus(trace),
            ...trace.warnings.map((warning) => `! ${escaped(warning)}`),
            ...hooksLines(trace, detail),
          ]
        : patternsLine(session)),
      ...processLines(session, level),
      ...(look === null ? threadLines(summary, threads.length) : []),
      ...lookLines(look, session.projectRoot, looked),
      ...tailLines(session, summary, outputTail, level),
      ...nextLines(steps),
    ].join('\n'),
    structured: {
      action: 'status',
      session: sessionTwin(session),
      counters: summary.counters,
      hooks: trace ? hooksTwin(trace, detail) : bareHooks(session),
      output: tailOf(outputTail, level).map(lineTwin),
      threads: threads.map((thread) => ({ tid: thread.tid, name: thread.name })),
      ...lookTwin(look, session.projectRoot, looked),
      ...processesTwin(session, level),
      notes,
      nextSteps: nextTexts(steps),
    },
  };
}

function bareHooks(session: SessionView): object {
  const { hooks } = session;
  return {
    activePatterns: [],
    matchedFunctions: hooks.matched,
    hookedFunctions: hooks.hooked,
    refusals: [],
  };
}

function patternsLine(session: SessionView): string[] {
  const { patterns } = session.hooks;
  return patterns.length === 0
    ? []
    : [`traced: ${patterns.slice(0, 8).join(', ')} (${hooksText(session)})`];
}

const owners = {
  mcp: 'an MCP client',
  cli: 'a terminal',
  run: 'a `strobe run`',
} as const satisfies Record<ClientKind, string>;

function ownerText(session: SessionView): string {
  if (session.owner.mine && !session.ownerIsGone) return 'yours';
  return `owned by ${owners[session.owner.kind]}${session.ownerIsGone ? ', which has gone' : ''}`;
}

function threadLines(summary: StoreSummary, most: number): string[] {
  const { count, first } = summary.threads;
  if (count === 0) return [];
  const named = first.slice(0, most).map((thread) => `${escaped(thread.name)} (${thread.tid})`);
  const rest = count - named.length;
  return [`traced threads: ${named.join(', ')}${rest > 0 ? `, … ${grouped(rest)} more` : ''}`];
}

function tailOf(lines: readonly OutputLine[], level: number): readonly OutputLine[] {
  return lines.slice(-Math.max(1, 3 * level));
}

function lineTwin(line: OutputLine): object {
  return {
    timestampNs: line.time,
    stream: line.stream,
    text: excerpt(line.text, 400, line.foundAt ?? 0),
  };
}

export function tailLines(
  session: SessionView,
  summary: StoreSummary,
  lines: readonly OutputLine[],
  level: number,
): string[] {
  const shown = tailOf(lines, level);
  const [first] = shown;
  if (!first) return [session.state.kind === 'running' ? 'no output yet' : 'no output'];
  return [
    `output, the last ${grouped(shown.length)} of ${counted(summary.outputLines, 'line')}:`,
    ...outputLineTexts(shown, decimalsFor(shown.map(({ time }) => time))),
  ];
}

/** A failure, what cannot be traced, and the session's own notes; all whole sentences. */
export function sessionNotes(session: SessionView): string[] {
  const { state } = session;
  return [
    ...(state.kind === 'failed' ? [`${state.code}: ${state.message} ${state.hint}`] : []),
    ...textNotes(session),
  ];
}

/** The same for the readable form, whose first line tells of the failure. */
export function textNotes(session: SessionView): string[] {
  const notes: string[] = [];
  if (session.tracing.kind === 'unavailable')
    notes.push(`${session.tracing.code}: ${session.tracing.message} ${session.tracing.hint}`);
  return [...notes, ...session.notes];
}

/** A session as the output schemas have it. */
export function sessionTwin(session: SessionView): object {
  const end = endOf(session);
  return {
    sessionId: session.id,
    state: session.state.kind,
    exit: exitOf(session),
    pid: session.pid,
    runtime: session.runtime,
    command: shortened(commandText(session.command), 200),
    projectRoot: session.projectRoot,
    startedAt: new Date(session.startedAtMs).toISOString(),
    ageMs: Math.round(session.now / 1e6),
    endedMsAgo: end === null ? null : Math.round((session.now - end) / 1e6),
    mine: session.owner.mine,
  };
}

/** Of a session in a list: where it crashed. */
function crashText(session: SessionView): string {
  const [note] = crashNotes(session);
  return note === undefined
    ? ''
    : ` · ${escaped(shortened(note.replace(/\. Read it .*$/s, ''), crashShown))}`;
}

const crashShown = 120;

/** Answer of debug_session list. */
export function renderList(report: ListReport, budget = 2000): ToolAnswer {
  const steps = listSteps(report);
  const elsewhere =
    report.others === 0
      ? ''
      : `${report.total === 0 ? ', ' : '; '}${grouped(report.others)} of other clients`;
  const whose = report.scope === 'mine' ? 'of yours' : 'of this user';
  return fit(budget, (room) =>
    assemble(
      room,
      report.sessions.map((session) => ({
        text: `${sessionLine(session)} · ${hooksText(session)}${report.scope === 'all' ? ` · ${ownerText(session)}` : ''}${crashText(session)}`,
        twin: sessionTwin(session),
      })),
      {
        keep: 'first',
        before: (shown) => [
          report.total === 0
            ? `No session ${whose}${elsewhere}.`
            : `${grouped(shown.count)} of ${counted(report.total, 'session')} ${whose}, latest first${elsewhere}:`,
        ],
        after: (shown) => [
          ...(shown.count < shown.of
            ? [
                `… ${grouped(shown.of - shown.count)} more: the next are ${listed(report.sessions.slice(shown.count, shown.count + 3).map((one) => one.id))}`,
              ]
            : []),
          ...(report.cursor === null
            ? []
            : [
                `… more: ${stepText({ tool: 'debug_session', arguments: { action: 'list', scope: report.scope, cursor: report.cursor } })}`,
              ]),
          ...nextLines(steps),
        ],
        structured: (twins, shown) => ({
          action: 'list',
          sessions: twins,
          totalCount: report.total,
          hasMore: report.cursor !== null || shown.count < shown.of,
          cursor: report.cursor,
          nextSteps: nextTexts(steps),
        }),
      },
    ),
  );
}

function listSteps({ sessions: [first], others }: ListReport): NextStep[] {
  const latest: NextStep[] = first
    ? [
        {
          tool: 'debug_session',
          arguments: { action: 'status', sessionId: first.id },
          why: 'the most recent one',
        },
      ]
    : [];
  if (others > 0)
    latest.push({
      tool: 'debug_session',
      arguments: { action: 'list', scope: 'all' },
      why: 'those of other clients, too',
    });
  if (latest.length > 0) return latest;
  return [
    {
      tool: 'debug_launch',
      arguments: { command: '<program>', projectRoot: '<folder>' },
      why: 'starts one',
    },
  ];
}

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
  const lines = waitedLines(
    report,
    level,
    calls.length > 0 ? decimals : decimalsFor(shownLines.map((line) => line.time)),
  );
  const steps = chosen(waitSteps(report), room);
  const notes = crashNotes(session);
  return {
    text: [
      sessionLine(session),
      countersLine(session, summary),
      ...notes.map((note) => `! ${escaped(note)}`),
      resultText(report),
      ...calls,
      ...lines,
      `cursor (give it as "after"): ${report.cursor}`,
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

function waitedLines({ output }: WaitReport, level: number, decimals: Decimals): string[] {
  const shown = tailOf(output.lines, level);
  const name = { all: 'output', since: 'output meanwhile', fitting: 'that output' }[output.which];
  if (shown.length === 0) return [`no ${name}`];
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
      return `${report.result.what}${report.result.what === 'output' || report.result.what === 'event' ? match : ''} after ${waited}`;
    case 'ended':
      return `The program has ended: ${listed(report.waitedFor)}${match} cannot happen any more (waited ${waited}).`;
    case 'timeout':
      return `Timeout: no ${report.waitedFor.join(' or ')}${match} within ${waited}. The program goes on.`;
  }
}

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
    why: 'goes on waiting from here',
  };
  const [call] = report.calls;
  const steps = sessionSteps(report.session, report.summary, report.output.lines);
  if (call)
    steps.unshift({
      tool: 'debug_query',
      arguments: { sessionId, view: 'tree', root: call.id },
      why: 'inside this call',
    });
  if (endOf(report.session) !== null) return steps;
  if (report.result.kind !== 'timeout') return [...steps, more];
  return [timeoutStep(report), more, ...steps];
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

/** Answer of debug_session input. */
export function renderInput(report: InputReport): ToolAnswer {
  const { session } = report;
  const steps: NextStep[] = [
    {
      tool: 'debug_session',
      arguments: {
        action: 'wait',
        sessionId: session.id,
        for: ['output', 'exit'],
        after: report.cursor,
      },
      why: 'for its reaction',
    },
  ];
  return {
    text: [sessionLine(session), inputText(report), ...nextLines(steps)].join('\n'),
    structured: {
      action: 'input',
      sessionId: session.id,
      bytes: report.bytes,
      eof: report.eof,
      cursor: report.cursor,
      nextSteps: nextTexts(steps),
    },
  };
}

function inputText({ session, bytes, eof }: InputReport): string {
  return session.stdin === 'terminal'
    ? `${counted(bytes, 'byte')} typed into its terminal${eof ? ', then the end of input (Ctrl-D)' : ''}.`
    : `${counted(bytes, 'byte')} written to its stdin${eof ? ', then closed' : ''}.`;
}

/** What to look at next, from what the session has. */
export function sessionSteps(
  session: SessionView,
  summary: StoreSummary,
  lines: readonly OutputLine[],
): NextStep[] {
  const sessionId = session.id;
  const ask = (view: string, why: string): NextStep => ({
    tool: 'debug_query',
    arguments: { sessionId, view },
    why,
  });
  const steps: NextStep[] = [];
  if (session.state.kind === 'running' && session.ownerIsGone)
    steps.push({
      tool: 'debug_session',
      arguments: { action: 'stop', sessionId, ...(session.owner.mine ? {} : { takeOver: true }) },
      why: 'ends the program that was left running',
    });
  const complaint = summary.calls > 0 ? complaintStep(sessionId, lines) : null;
  if (crashNotes(session).length > 0) steps.push(ask('crash', 'why it died'));
  if (complaint) steps.push(complaint);
  if (summary.calls > 0)
    steps.push(
      ask('tree', 'calls with arguments and results'),
      ask('stats', 'counts and times per function'),
    );
  if (summary.outputLines > 0) steps.push(ask('output', 'what it wrote'));
  if (
    session.state.kind === 'running' &&
    session.tracing.kind !== 'unavailable' &&
    session.hooks.hooked === 0
  ) {
    steps.push({
      tool: 'debug_trace',
      arguments: { sessionId, add: ['@usercode'] },
      why: 'hook the functions of the project; narrower is better',
    });
  }
  if (session.state.kind === 'running') {
    steps.push({
      tool: 'debug_session',
      arguments: { action: 'wait', sessionId, for: ['output', 'exit'] },
      why: 'until it writes or ends',
    });
  }
  return steps;
}
