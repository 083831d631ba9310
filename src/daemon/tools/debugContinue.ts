import { StrobeError } from '../../model/errors.ts';
import { parsePattern } from '../../model/names/pattern.ts';
import type { WantedProbe } from '../../collector/wantedProbe.ts';
import type { DebugContinueInput } from '../../protocol/tools/debugContinue.ts';
import { renderContinued } from '../report/session/stopAnswer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Sessions } from '../session/sessions.ts';
import { placeOf } from './askedPlace.ts';

/** debug_continue: threads that stand still go on, others are stopped or waited for. */
export function makeDebugContinue(
  sessions: Sessions,
  answerBudget: number,
): ToolHandler<DebugContinueInput> {
  return async (input, context) => {
    const session = sessions.resolveLive(input.sessionId, context.client);
    const { stops } = session.tracing;
    if (input.action !== 'wait') sessions.requireOwner(session, context.client, input.takeOver);
    const warnings = await begin(session, input, context);
    const isNews = (): boolean => stops.hasUnread || !session.isLive;
    if (warnings.length === 0) await session.changes.until(isNews, input.timeoutMs, context.signal);
    const unread = stops.takeUnread();
    return renderContinued(
      {
        view: session.view(context.client),
        stops: unread,
        goals: stops.goals,
        warnings,
        held: stops.held,
      },
      answerBudget,
    );
  };
}

/** Answers why it was not done, in whole sentences; empty: it was. */
async function begin(
  session: LiveSession,
  input: DebugContinueInput,
  { client }: RequestContext,
): Promise<string[]> {
  const { stops } = session.tracing;
  const { action, stop, to } = input;
  if (action === 'wait') return [];
  const { thread: whose } = input;
  const thread = typeof whose === 'string' ? stops.tasks.threadOf(stops.meant(stop), whose) : whose;
  if (action === 'pause') {
    await stops.pause(thread, client.id);
    return [];
  }
  // A stop that nobody has seen is told before anything is passed.
  if (stop === undefined) await stops.whole();
  if (stops.hasUnread && stop === undefined)
    return ['Nothing was moved: this stop came before your request.'];
  if (action === 'continue') await stops.go(stop, thread, client.kind);
  else if (action === 'until') await stops.until(stop, thread, targetOf(to), client.id);
  else await stops.step(stop, thread, action, client.id);
  return [];
}

function targetOf(to: string | undefined): WantedProbe {
  if (to === undefined)
    throw new StrobeError('BAD_PARAMETER', 'until needs "to".', 'Give "to": "file.c:22".');
  const where = placeOf(to);
  return {
    id: 'until',
    request: { where, values: [], locals: false, isEnabled: true },
    pattern: where.kind === 'function' ? parsePattern(where.pattern) : null,
    condition: null,
    invariant: null,
    values: [],
  };
}
