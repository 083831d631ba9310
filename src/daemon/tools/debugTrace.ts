import { StrobeError } from '../../model/errors.ts';
import type { TraceReport } from '../../model/trace.ts';
import type { DebugTraceInput } from '../../protocol/tools/debugTrace.ts';
import { renderTrace } from '../report/trace.ts';
import type { Sessions } from '../session/sessions.ts';
import { checkPattern, patternRequest, patternText, stagedReport } from '../session/traceState.ts';
import type { RequestContext, ToolHandler } from './handler.ts';

/**
 * debug_trace: changes what a running program records, or stages it for the next launch.
 * `answerBudget`: tokens of an answer.
 */
export function makeDebugTrace(
  sessions: Sessions,
  answerBudget: number,
): ToolHandler<DebugTraceInput> {
  return async (input, context) => {
    for (const wanted of input.add) checkPattern(patternRequest(wanted));
    if (input.pending) return renderTrace(stage(sessions, input, context), null, answerBudget);
    const session = sessions.resolveLive(input.sessionId, context.client);
    const changes = input.add.length > 0 || input.remove.length > 0 || input.clear;
    if (changes) sessions.requireOwner(session, context.client, input.takeOver);
    context.progress('resolving patterns and arming hooks');
    const report = await session.tracing.change({
      add: input.add.map(patternRequest),
      remove: input.remove,
      clear: input.clear,
    });
    refuseWhenNothingMatched(input, report);
    return renderTrace(report, session.view(context.client), answerBudget);
  };
}

/** A request whose every pattern matched nothing is an error; a partly useful one is an answer. */
function refuseWhenNothingMatched(input: DebugTraceInput, report: TraceReport): void {
  if (input.add.length === 0) return;
  const added = report.patterns.filter((pattern) => pattern.state === 'added');
  const useful = added.some((pattern) => pattern.matched > 0 || pattern.inlined.length > 0);
  if (useful || added.length === 0) return;
  const nearest = [...new Set(added.flatMap((pattern) => pattern.nearest))].slice(0, 8);
  const names = added.map((pattern) => `"${pattern.pattern}"`).join(', ');
  const problems = added.map((pattern) => pattern.problem?.detail ?? '');
  const why = [...problems, ...report.warnings].find((detail) => detail !== '');
  throw new StrobeError(
    'NOTHING_MATCHED',
    `${names} matches no function of the program${why ? ` (${why})` : ''}. ` +
      'It stays active for libraries that are loaded and programs that are executed later.',
    nearest.length > 0
      ? `Nearest names: ${nearest.join(', ')}. Patterns: a::* (one level), a::** (all below), *name*.`
      : 'Try "@usercode", or a wider pattern such as "**name**"; a library needs its name: "libfoo.so!name".',
  );
}

function stage(sessions: Sessions, input: DebugTraceInput, context: RequestContext): TraceReport {
  const { client } = context;
  const removed: { pattern: string; unhooked: number; found: boolean }[] = [];
  const before = sessions.staged(client).map(patternText);
  const gone = new Set(input.clear ? before : input.remove);
  for (const text of gone)
    removed.push({ pattern: text, unhooked: 0, found: before.includes(text) });
  sessions.unstage(client, (request) => !gone.has(patternText(request)));
  const staged = sessions.stage(client, input.add.map(patternRequest));
  return stagedReport(staged, removed, []);
}
