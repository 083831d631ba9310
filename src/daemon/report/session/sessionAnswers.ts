import { escaped } from '../../../base/visible.ts';
import type { StoreSummary } from '../../../model/questions/query.ts';
import {
  engineRefusal,
  type ClientKind,
  type InputReport,
  type ListReport,
  type SessionView,
  type StatusReport,
} from '../../../model/session.ts';
import type { OutputLine } from '../../../model/outputRecord.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { assemble } from '../answers/assemble.ts';
import { fit, richest } from '../answers/budget.ts';
import { crashNotes } from '../../../model/endings/crashLine.ts';
import {
  countersLine,
  endOf,
  exitOf,
  fullLine,
  hooksText,
  lagLines,
  sessionLine,
} from '../answers/header.ts';
import { hooksLines, hooksTwin } from './hookLines.ts';
import { lookLines, lookTwin } from './threadLines.ts';
import {
  callText as stepText,
  chosen,
  nextLines,
  nextTexts,
  tracesProject,
  type NextStep,
} from '../answers/nextSteps.ts';
import { counted, grouped } from '../text/groupedNumber.ts';
import { complaintStep, outputLineTexts } from '../views/output.ts';
import { commandText } from '../text/placeText.ts';
import { processesTwin, processLines } from './processLines.ts';
import { shortened } from '../answers/clip.ts';
import { lineTwin, unreadLines } from '../text/lineTwin.ts';
import { decimalsFor } from '../text/timeText.ts';
import { detailLevels, traceStatus } from './traceAnswer.ts';

/** Answer of debug_session status. */
export function renderStatus(report: StatusReport, budget = 2000): ToolAnswer {
  return richest(budget, detailLevels, (level, room) => statusAt(report, level, room));
}

function statusAt(
  { session, summary, trace, outputTail, look, indexedTo }: StatusReport,
  level: number,
  room: number,
): ToolAnswer {
  const detail = { level, projectRoot: session.projectRoot };
  const steps = chosen(sessionSteps(session, summary, outputTail), room);
  const notes = sessionNotes(session);
  const threads = summary.threads.first.slice(0, 1 + 3 * level);
  const looked = 2 + 4 * level;
  const { hits = 0 } = summary;
  return {
    text: [
      fullLine(session),
      countersLine(session, summary),
      `${counted(summary.calls - hits, 'call')}, ${grouped(summary.openCalls)} not returned${hits > 0 ? ` · ${counted(hits, 'hit')} of breakpoints, invariants and lines` : ''} · ${counted(summary.outputLines, 'line')} of output · ${session.runtime} · ${ownerText(session)}`,
      ...lagLines(session, indexedTo),
      ...textNotes(session).map((note) => `! ${escaped(note)}`),
      ...(trace
        ? [
            traceStatus(trace),
            ...trace.warnings.map((warning) => `! ${escaped(warning)}`),
            ...hooksLines(trace, detail),
          ]
        : patternsLine(session)),
      ...(look === null ? threadLines(summary, threads.length) : []),
      ...lookLines(look, session.projectRoot, looked),
      ...processLines(session, level),
      ...tailLines({ session, summary, outputTail, indexedTo }, level),
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
  mcp: 'a coding agent',
  cli: 'a terminal',
  run: 'a `strobe run`',
  editor: 'an editor',
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

/** So many last lines as a level of detail has. */
export function tailOf(lines: readonly OutputLine[], level: number): readonly OutputLine[] {
  return lines.slice(-Math.max(1, 3 * level));
}

/** The last lines that the client has not read. */
export function tailLines(
  {
    session,
    summary,
    outputTail,
    indexedTo,
  }: Pick<StatusReport, 'session' | 'summary' | 'outputTail' | 'indexedTo'>,
  level: number,
): string[] {
  if (outputTail.length === 0)
    return [session.state.kind === 'running' || indexedTo !== null ? 'no output yet' : 'no output'];
  const shown = tailOf(unreadLines(session, outputTail), level);
  if (shown.length === 0) return ['no new output'];
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
    : ` · ${escaped(shortened(note.replace(/\. (?:Read it|debug_query) .*$/s, ''), crashShown))}`;
}

const crashShown = 120;

/** Answer of debug_session list. */
export function renderList(report: ListReport, budget = 2000): ToolAnswer {
  const steps = listSteps(report);
  const elsewhere =
    report.others === 0
      ? ''
      : `${report.total === 0 ? ', ' : '; '}${grouped(report.others)} of other clients`;
  return fit(budget, (room) =>
    assemble(
      room,
      report.sessions.map((session) => ({
        text: `${fullLine(session)} · ${hooksText(session)}${report.scope === 'all' ? ` · ${ownerText(session)}` : ''}${crashText(session)}`,
        twin: sessionTwin(session),
      })),
      {
        keep: 'first',
        before: (shown) => [
          report.total === 0
            ? `${report.scope === 'mine' ? 'You have' : 'There are'} no ${kindOf(report, 'sessions')}${elsewhere}.`
            : `${grouped(shown.count)} of ${counted(report.total, `${report.scope === 'mine' ? 'own ' : ''}${kindOf(report, 'session')}`)}, latest first${elsewhere}:`,
        ],
        after: (shown) => [
          ...moreLine(report, cursorAfter(report, shown.count)),
          ...nextLines(steps),
        ],
        structured: (twins, shown) => ({
          action: 'list',
          sessions: twins,
          totalCount: report.total,
          hasMore: cursorAfter(report, shown.count) !== null,
          cursor: cursorAfter(report, shown.count),
          nextSteps: nextTexts(steps),
        }),
      },
    ),
  );
}

/** What asks for the sessions behind those that are shown; null: there are none. */
function cursorAfter({ sessions, cursor }: ListReport, shown: number): string | null {
  return shown < sessions.length ? (sessions[shown - 1]?.id ?? null) : cursor;
}

function moreLine(report: ListReport, cursor: string | null): string[] {
  if (cursor === null) return [];
  const step = {
    tool: 'debug_session',
    arguments: { ...listOf(report, report.scope), cursor },
  } as const;
  return [`… more: ${stepText(step)}`];
}

/** `running session`, where only those are asked for. */
function kindOf({ state }: ListReport, noun: string): string {
  return state === null ? noun : `${state} ${noun}`;
}

/** The same list of sessions, which its filter belongs to. */
function listOf({ state }: ListReport, scope: ListReport['scope']): NextStep['arguments'] {
  return { action: 'list', scope, ...(state === null ? {} : { state }) };
}

function listSteps(report: ListReport): NextStep[] {
  const {
    sessions: [first],
    others,
  } = report;
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
      arguments: listOf(report, 'all'),
      why: 'also the sessions of other clients',
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
  if (summary.outputLines > lines.length) steps.push(ask('output', 'what it wrote'));
  if (
    session.state.kind === 'running' &&
    session.tracing.kind !== 'unavailable' &&
    engineRefusal(session) === null &&
    session.hooks.hooked === 0 &&
    !tracesProject(session)
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
