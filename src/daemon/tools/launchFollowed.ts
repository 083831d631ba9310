import { StrobeError } from '../../model/errors.ts';
import { parseInput } from '../../protocol/parseInput.ts';
import {
  debugQuery as queryContract,
  type DebugQueryInput,
} from '../../protocol/tools/debugQuery.ts';
import type {
  AttachInput,
  AttachNextInput,
  LaunchInput,
} from '../../protocol/tools/debugLaunch.ts';
import { renderLaunchBefore } from '../report/session/launchAnswer.ts';
import type { QueryClient } from '../../db/queryClient.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { waitFor } from '../session/wait.ts';

/** What a launch may be asked to wait for and show. */
export type Following = Pick<
  LaunchInput | AttachInput | AttachNextInput,
  'waitFor' | 'waitMs' | 'view'
>;

export interface FollowParts {
  readonly queries: QueryClient;
  readonly debugQuery: ToolHandler<DebugQueryInput>;
  readonly answerBudget: number;
}

const usualWaitMs = 10_000;

/** Whether a launch does not answer at once. */
export function isFollowed({ waitFor: awaited, view }: Following): boolean {
  return awaited !== undefined || view !== undefined;
}

/** The answer of a launch that was waited for: what was hooked, how the wait ended, the view that was asked for. */
export async function followLaunch(
  session: LiveSession,
  { waitFor: awaited = 'exit', waitMs = usualWaitMs, view }: Following,
  { queries, debugQuery, answerBudget }: FollowParts,
  context: RequestContext,
): Promise<ToolAnswer> {
  const report = session.launchReport;
  if (!report) throw new StrobeError('INTERNAL', 'A launched session has no report.');
  const waited = await waitFor({
    found: { kind: 'live', session },
    queries,
    input: { action: 'wait', for: [awaited], timeoutMs: waitMs },
    context,
    answerBudget,
  });
  const launched = {
    ...report,
    session: session.view(context.client),
    breakpoints: session.tracing.probes.reports(),
    reused: false,
    output: [],
  };
  const before = renderLaunchBefore(launched, answerBudget);
  const { id } = session.facts;
  const asked =
    view === undefined
      ? null
      : await debugQuery(parseInput(queryContract, { view, sessionId: id }), context);
  const { structured } = waited;
  const isLate = 'happened' in structured && structured.happened === 'timeout';
  const late = `! ${awaited} did not come within ${waitMs} ms: the program runs on.`;
  const lines = [before.text, ...(isLate && asked ? [late] : []), asked?.text ?? waited.text];
  return {
    text: lines.filter((text) => text !== '').join('\n'),
    structured: {
      ...before.structured,
      waited: waited.structured,
      ...(asked ? { answer: asked.structured } : {}),
    },
  };
}
