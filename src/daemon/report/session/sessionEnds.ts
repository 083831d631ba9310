import { crashNotes } from '../../../model/endings/crashLine.ts';
import { escaped } from '../../../base/visible.ts';
import type { StoreSummary } from '../../../model/questions/query.ts';
import {
  NOT_LEFT,
  type RetainReport,
  type SessionView,
  type StopReport,
} from '../../../model/session.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { exitOf, headLines, lagLines, sessionLine } from '../answers/header.ts';
import { chosen, nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';
import { grouped } from '../text/groupedNumber.ts';
import { sessionNotes, sessionSteps, tailLines, textNotes } from './sessionAnswers.ts';
import { detailLevels } from './traceAnswer.ts';

/** Answer of debug_session stop. */
export function renderStop(report: StopReport, budget = 2000): ToolAnswer {
  const { session, summary, outputTail } = report;
  const until = new Date(report.keptUntilMs).toISOString();
  const notes = sessionNotes(session);
  return richest(budget, detailLevels, (level, room) => {
    const steps = chosen(sessionSteps(session, summary, outputTail), room);
    return {
      text: [
        ...headLines(session, summary),
        ...lagLines(session, report.indexedTo),
        `${stopText(report)} What was captured can be queried until ${until.slice(0, 16)}Z.`,
        ...textNotes(session).map((note) => `! ${escaped(note)}`),
        ...tailLines(report, level),
        ...nextLines(steps),
      ].join('\n'),
      structured: {
        action: 'stop',
        sessionId: session.id,
        state: session.state.kind,
        exit: exitOf(session),
        how: report.how,
        retained: report.retained,
        retainedUntil: until,
        counters: summary.counters,
        notes,
        nextSteps: nextTexts(steps),
      },
    };
  });
}

const stopTexts = {
  hadEnded: 'It had ended before.',
  terminated: 'It ended on TERM.',
  killed: 'TERM was not enough: its whole process tree was killed.',
} as const satisfies Record<StopReport['how'], string>;

function stopText({ how, session: { state } }: StopReport): string {
  const hadEnded = state.kind === 'ended' && state.by === 'itself';
  if (!hadEnded || how === 'hadEnded') return stopTexts[how];
  return `It had ended before; what it had left running ${how === 'killed' ? 'did not end on TERM and was killed' : 'ended on TERM'}.`;
}

/** Answer of debug_session detach. */
export function renderDetach(session: SessionView, summary: StoreSummary): ToolAnswer {
  const steps: NextStep[] = [...sessionSteps(session, summary, []), afterDetach(session)];
  return {
    text: [...headLines(session, summary), detachText(session), ...nextLines(steps)].join('\n'),
    structured: {
      action: 'detach',
      sessionId: session.id,
      pid: session.pid,
      state: session.state.kind,
      counters: summary.counters,
      nextSteps: nextTexts(steps),
    },
  };
}

function afterDetach({ id, pid, attached }: SessionView): NextStep {
  return attached
    ? { tool: 'debug_launch', arguments: { pid }, why: 'attaches again, in a new session' }
    : {
        tool: 'debug_session',
        arguments: { action: 'stop', sessionId: id },
        why: 'ends the program after all',
      };
}

function detachText({ state, pid, attached, notes }: SessionView): string {
  if (state.kind !== 'released') return 'The program ended before it was let go.';
  const remark = notes.find((note) => note.startsWith(NOT_LEFT));
  if (remark !== undefined) return remark;
  const lives = `All hooks are removed; process ${pid ?? '?'} keeps running`;
  return attached
    ? `${lives} as it was before.`
    : `${lives}. What it writes from now on is read, so that it is not held up, and not kept; its exit status will not be known.`;
}

/** Answer of debug_session retain. */
export function renderRetain({ session, keptUntilMs, days }: RetainReport): ToolAnswer {
  const until = keptUntilMs === null ? null : new Date(keptUntilMs).toISOString();
  const steps: NextStep[] = [
    {
      tool: 'debug_session',
      arguments: { action: 'status', sessionId: session.id },
      why: 'what it holds',
    },
  ];
  return {
    text: [
      sessionLine(session),
      ...crashNotes(session).map((note) => `! ${escaped(note)}`),
      until === null
        ? `What is captured is kept for ${grouped(days)} days after its end.`
        : `What was captured is kept until ${until.slice(0, 16)}Z.`,
      ...nextLines(steps),
    ].join('\n'),
    structured: {
      action: 'retain',
      sessionId: session.id,
      retainedUntil: until,
      nextSteps: nextTexts(steps),
    },
  };
}

/** Answer of debug_session delete. */
export function renderDelete(session: SessionView): ToolAnswer {
  const steps: NextStep[] = [
    { tool: 'debug_session', arguments: { action: 'list' }, why: 'the sessions that are left' },
  ];
  return {
    text: [`${session.id} and everything it held is deleted.`, ...nextLines(steps)].join('\n'),
    structured: { action: 'delete', sessionId: session.id, nextSteps: nextTexts(steps) },
  };
}
