import type { DebugInspectInput } from '../../protocol/tools/debugInspect.ts';
import type { StopView } from '../../model/debug/stop.ts';
import { parseExpression, type Expression } from '../../model/watches/expression.ts';
import { StrobeError } from '../../model/errors.ts';
import { renderInspected, type InspectedValue } from '../report/session/stopAnswer.ts';
import type { ToolHandler } from '../request.ts';
import type { Sessions } from '../session/sessions.ts';
import type { SessionStops } from '../stops/sessionStops.ts';
import type { WholeStack } from '../stops/stoppedTasks.ts';

/** debug_inspect: a thread that stands still. */
export function makeDebugInspect(
  sessions: Sessions,
  answerBudget: number,
): ToolHandler<DebugInspectInput> {
  return async (input, { client }) => {
    const session = sessions.resolveLive(input.sessionId, client);
    const { stops } = session.tracing;
    const { frame, count, thread } = input;
    const [task, tid] = typeof thread === 'string' ? [thread] : [null, thread];
    const id = input.stop ?? stops.meant(undefined, tid).id;
    if (task === null) await stops.read(id, frame);
    const stop = stops.find(id);
    // Where a task is suspended is all there is to it.
    const view = task !== null && input.view === 'context' ? 'stack' : input.view;
    if (task !== null && !viewsOfTasks.has(view))
      throw new StrobeError(
        'BAD_PARAMETER',
        `${task} is a task, and has no ${view}.`,
        `Views of a task: ${[...viewsOfTasks].join(', ')}.`,
      );
    const stack = viewsOfTasks.has(view) ? await stackOf(stops, stop, task) : stop.thread;
    if (view === 'registers' && stop.thread.registers.length === 0)
      throw new StrobeError(
        'BAD_PARAMETER',
        `No registers are known at ${stop.id}: its thread stands in source text, or they could not be read.`,
        'Its variables: debug_inspect {"view":"locals"}.',
      );
    const look = view === 'threads' ? await session.look() : null;
    const value = view === 'value' ? await valueAt(stops, stop, stack, input) : null;
    const code = view === 'disassembly' ? await stops.disassemble(stop.id, frame, count) : null;
    return renderInspected(
      view,
      {
        view: session.view(client),
        stop,
        stack,
        task,
        frame,
        look,
        value,
        code,
        held: stops.held,
      },
      answerBudget,
    );
  };
}

const viewsOfTasks: ReadonlySet<string> = new Set(['stack', 'locals', 'value']);

async function stackOf(
  { tasks }: SessionStops,
  stop: StopView,
  task: string | null,
): Promise<WholeStack> {
  return await (task === null ? tasks.whole(stop) : tasks.stack(stop, task));
}

async function valueAt(
  stops: SessionStops,
  { id }: StopView,
  { frames }: WholeStack,
  { expression, frame: number, count }: DebugInspectInput,
): Promise<InspectedValue> {
  if (expression === undefined)
    throw new StrobeError(
      'BAD_PARAMETER',
      'view "value" needs "expression".',
      'Give "expression": "order->total".',
    );
  const parsed = parsedOf(expression, stops.memory.runsCode(id));
  const of = frames[number]?.task;
  const evaluated = await stops.memory.evaluate(id, {
    frame: of?.frame ?? number,
    ...(of ? { task: of.head } : {}),
    expression: parsed,
    elements: count,
  });
  if (evaluated.why !== undefined)
    throw new StrobeError(
      'BAD_EXPRESSION',
      `"${expression}" has no value: ${evaluated.why}.`,
      stops.memory.runsCode(id)
        ? runHint(expression)
        : `What is there: debug_inspect {"view":"locals"}.`,
    );
  return { expression, evaluated };
}

/** Throws BAD_EXPRESSION. */
function parsedOf(expression: string, runsCode: boolean): Expression {
  try {
    return parseExpression(expression);
  } catch (error) {
    if (!(error instanceof StrobeError) || !runsCode) throw error;
    throw new StrobeError(error.code, error.message, runHint(expression));
  }
}

function runHint(expression: string): string {
  const step = { evaluate: expression, sideEffects: true };
  return `Run it in the frame, which may change the program: debug_memory ${JSON.stringify({ do: [step] })}.`;
}
