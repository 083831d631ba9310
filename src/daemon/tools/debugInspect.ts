import type { DebugInspectInput } from '../../protocol/tools/debugInspect.ts';
import { renderInspected } from '../report/session/stopAnswer.ts';
import type { ToolHandler } from '../request.ts';
import type { Sessions } from '../session/sessions.ts';

/** debug_inspect: a thread that stands still. */
export function makeDebugInspect(
  sessions: Sessions,
  answerBudget: number,
): ToolHandler<DebugInspectInput> {
  return async (input, { client }) => {
    const session = sessions.resolveLive(input.sessionId, client);
    const { stops } = session.tracing;
    const id = input.stop ?? stops.meant(undefined, input.thread).id;
    const stop = stops.find(id);
    const look = input.view === 'threads' ? await session.look() : null;
    return renderInspected(
      input.view,
      { view: session.view(client), stop, frame: input.frame, look, held: stops.held },
      answerBudget,
    );
  };
}
