import type { DebugInspectInput } from '../../protocol/tools/debugInspect.ts';
import { parseExpression } from '../../model/watches/expression.ts';
import { StrobeError } from '../../model/errors.ts';
import { renderInspected, type InspectedValue } from '../report/session/stopAnswer.ts';
import type { ToolHandler } from '../request.ts';
import type { Sessions } from '../session/sessions.ts';
import type { SessionStops } from '../stops/sessionStops.ts';

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
    const { frame, count } = input;
    const look = input.view === 'threads' ? await session.look() : null;
    const value = input.view === 'value' ? await valueAt(stops, stop.id, input) : null;
    const code =
      input.view === 'disassembly' ? await stops.disassemble(stop.id, frame, count) : null;
    return renderInspected(
      input.view,
      { view: session.view(client), stop, frame, look, value, code, held: stops.held },
      answerBudget,
    );
  };
}

async function valueAt(
  stops: SessionStops,
  id: string,
  { expression, frame, count }: DebugInspectInput,
): Promise<InspectedValue> {
  if (expression === undefined)
    throw new StrobeError(
      'BAD_PARAMETER',
      'view "value" needs "expression".',
      'Give "expression": "order->total".',
    );
  const parsed = parseExpression(expression);
  const evaluated = await stops.memory.evaluate(id, { frame, expression: parsed, elements: count });
  if (evaluated.why !== undefined)
    throw new StrobeError('BAD_EXPRESSION', `"${expression}" has no value: ${evaluated.why}.`);
  return { expression, evaluated };
}
