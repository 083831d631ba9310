import { escaped } from '../../../base/visible.ts';
import type { SessionView } from '../../../model/session.ts';
import type { Packed } from '../../export/packing.ts';
import type { ToolAnswer } from './answer.ts';
import { crashNotes } from '../../../model/endings/crashLine.ts';
import { sessionLine } from './header.ts';
import { nextLines, nextTexts, type NextStep } from './nextSteps.ts';
import { grouped } from '../text/groupedNumber.ts';
import { sessionNotes } from '../session/sessionAnswers.ts';

/** Answer of debug_session pack. */
export function renderPacked(session: SessionView, { path, bytes }: Packed): ToolAnswer {
  const steps: readonly NextStep[] = [
    {
      tool: 'debug_session',
      arguments: { action: 'open', path },
      why: 'there, with the path it has there',
    },
  ];
  return {
    text: [
      sessionLine(session),
      ...crashNotes(session).map((note) => `! ${escaped(note)}`),
      `packed, ${grouped(bytes)} bytes: ${escaped(path)}`,
      `It holds everything that was captured: output, arguments, command line, paths. ${secretsText(session)}`,
      ...nextLines(steps),
    ].join('\n'),
    structured: { action: 'pack', sessionId: session.id, path, bytes, nextSteps: nextTexts(steps) },
  };
}

function secretsText({ capturesSecrets }: SessionView): string {
  return capturesSecrets
    ? 'The session was launched with "redact": false, so values whose names look like secrets are in it.'
    : 'Values whose names look like secrets were not captured.';
}

/** Answer of debug_session open. */
export function renderOpened(session: SessionView, wasHere: boolean): ToolAnswer {
  const about = { sessionId: session.id };
  const steps: readonly NextStep[] = [
    { tool: 'debug_query', arguments: { ...about, view: 'output' }, why: 'what it wrote' },
    { tool: 'debug_query', arguments: { ...about, view: 'tree' }, why: 'who called whom' },
  ];
  return {
    text: [
      sessionLine(session),
      wasHere
        ? 'The session was already present; the pack was not imported again.'
        : 'opened: debug_query reads it',
      ...sessionNotes(session).map((note) => `! ${escaped(note)}`),
      ...nextLines(steps),
    ].join('\n'),
    structured: {
      action: 'open',
      sessionId: session.id,
      wasHere,
      state: session.state.kind,
      nextSteps: nextTexts(steps),
    },
  };
}
