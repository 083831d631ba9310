import { isAbsolute, resolve } from 'node:path';
import { StrobeError, type ErrorCode } from '../../model/errors.ts';
import { engineRefusal } from '../../model/session.ts';
import type { TraceReport } from '../../model/functions/hookReport.ts';
import type { DebugTraceInput } from '../../protocol/tools/debugTrace.ts';
import { renderTrace } from '../report/session/traceAnswer.ts';
import type { Sessions } from '../session/sessions.ts';
import { listedText, patternRequest, type PatternRequest } from '../tracing/patternRequest.ts';
import { stagedReport } from '../tracing/stagedReport.ts';
import { readWatch, stagedWatches, WatchList } from '../tracing/watchList.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';

/** Nothing runs whose tracing could be changed. */
const withoutProgram: ReadonlySet<ErrorCode> = new Set(['SESSION_ENDED', 'NO_SESSION']);

/**
 * debug_trace: changes what a running program records, or stages it for the next launch.
 * `answerBudget`: tokens of an answer.
 */
export function makeDebugTrace(
  sessions: Sessions,
  answerBudget: number,
): ToolHandler<DebugTraceInput> {
  return async (input, context) => {
    const add = input.add.map((one) => patternRequest(one, stagedDepth(input)));
    if (input.pending) return renderTrace(stage(sessions, input, add, context), null, answerBudget);
    try {
      return await change(input, add, context);
    } catch (error) {
      if (!(error instanceof StrobeError) || !withoutProgram.has(error.code)) throw error;
      const staged = 'With "pending": true the same is staged for your next debug_launch.';
      throw new StrobeError(error.code, error.message, `${staged} ${error.hint}`);
    }
  };

  async function change(
    input: DebugTraceInput,
    add: readonly PatternRequest[],
    context: RequestContext,
  ): Promise<ToolAnswer> {
    const session = sessions.resolveLive(input.sessionId, context.client);
    const watches = input.watches ?? { add: [], remove: [] };
    for (const wanted of watches.add) readWatch(wanted);
    const changed = [input.add, input.remove, watches.add, watches.remove];
    const changes =
      input.clear ||
      input.serializationDepth !== undefined ||
      changed.some((list) => list.length > 0);
    if (changes) sessions.requireOwner(session, context.client, input.takeOver);
    context.progress('resolving patterns and arming hooks');
    const report = await session.tracing.change({
      add,
      depth: input.serializationDepth ?? null,
      remove: input.remove,
      clear: input.clear,
      watches,
    });
    const view = session.view(context.client);
    refuseWhenNothingMatched(input, report, engineRefusal(view)?.hint ?? null);
    return renderTrace(report, view, answerBudget);
  }
}

/** A request whose every pattern matched nothing is an error; a partly useful one is an answer. */
function refuseWhenNothingMatched(
  input: DebugTraceInput,
  report: TraceReport,
  refusal: string | null,
): void {
  if (input.add.length === 0) return;
  const added = report.patterns.filter((pattern) => pattern.state === 'added');
  const useful = added.some((pattern) => pattern.matched > 0 || pattern.inlined.length > 0);
  if (useful || added.length === 0) return;
  const nearest = [...new Set(added.flatMap((pattern) => pattern.nearest))].slice(0, 8);
  const names = added.map((pattern) => `"${pattern.pattern}"`).join(', ');
  const problems = added.map((pattern) => pattern.problem?.detail ?? '');
  const notes = added.flatMap((pattern) => pattern.notes);
  const why = [...problems, ...notes, ...report.warnings].find((detail) => detail !== '');
  const wider =
    'Try "@usercode", or a wider pattern such as "**name**"; a library needs its name: "libfoo.so!name".';
  throw new StrobeError(
    'NOTHING_MATCHED',
    `${names} matches no function of the program${why ? ` (${why})` : ''}. ` +
      'It stays active for libraries that are loaded and programs that are executed later.',
    nearest.length > 0
      ? `Nearest names: ${nearest.join(', ')}. Patterns: a::* (one level), a::** (all below), *name*.`
      : (refusal ?? wider),
  );
}

/** The project whose launch is waited for; null: any. */
function stagedFor({ projectRoot }: DebugTraceInput): string | null {
  if (projectRoot === undefined) return null;
  if (isAbsolute(projectRoot)) return resolve(projectRoot);
  throw new StrobeError('BAD_PARAMETER', `projectRoot must be absolute: ${projectRoot}`);
}

/** Of a running session its own depth counts. */
function stagedDepth({ pending, serializationDepth }: DebugTraceInput): number | undefined {
  return pending ? serializationDepth : undefined;
}

function stage(
  sessions: Sessions,
  input: DebugTraceInput,
  add: readonly PatternRequest[],
  context: RequestContext,
): TraceReport {
  const { client } = context;
  const projectRoot = stagedFor(input);
  const before = sessions.staging.of(client.id, projectRoot);
  const texts = before.patterns.map(listedText);
  const gone = new Set(input.clear ? texts : input.remove);
  const removed = [...gone].map((pattern) => ({
    pattern,
    unhooked: 0,
    found: texts.includes(pattern),
  }));
  if (input.watches?.add.some(({ address }) => address !== undefined))
    throw new StrobeError(
      'BAD_PARAMETER',
      'An address means something in a running process only, not in the next launch.',
      'Watch an expression, or the address once the program runs.',
    );
  const watches = new WatchList();
  watches.change({ add: before.watches, remove: [] });
  const unknown = watches.change(input.watches ?? { add: [], remove: [] });
  const kept = before.patterns.filter((request) => !gone.has(listedText(request)));
  const staged = {
    patterns: [...kept, ...add],
    watches: watches.requests,
  };
  sessions.staging.stage(client.id, projectRoot, staged);
  const warnings = unknown.map((label) => `No watch "${label}" was staged.`);
  const report = stagedReport(staged.patterns, removed, stagedWatches(staged.watches), warnings);
  return projectRoot === null ? report : { ...report, projectRoot };
}
