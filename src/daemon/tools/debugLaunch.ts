import { StrobeError } from '../../model/errors.ts';
import type { DebugLaunchInput } from '../../protocol/tools/debugLaunch.ts';
import { renderLaunch } from '../report/launch.ts';
import { launchSession, type LaunchRequest, type LaunchParts } from '../session/launch.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { outputTail } from '../session/outputTail.ts';
import { patternRequest } from '../session/traceState.ts';
import type { Sessions } from '../session/sessions.ts';
import type { QueryClient } from '../../db/queryClient.ts';
import type { RequestContext, ToolAnswer, ToolHandler } from './handler.ts';

/**
 * debug_launch: starts a program, with the staged and the given patterns in place.
 * `answerBudget`: tokens of an answer.
 */
export function makeDebugLaunch(
  services: LaunchParts,
  sessions: Sessions,
  queries: QueryClient,
  answerBudget: number,
): ToolHandler<DebugLaunchInput> {
  return async (input, context) => {
    const staged = sessions.staged(context.client);
    const request: LaunchRequest = {
      command: input.command,
      args: input.args,
      cwd: input.cwd ?? null,
      env: input.env,
      envMode: input.envMode,
      stdin: input.stdin,
      tty: input.tty,
      projectRoot: input.projectRoot,
      patterns: [...staged, ...input.patterns.map(patternRequest)],
      pendingPatterns: staged.length,
      redact: input.redact,
      follow: input.follow,
      onClientExit: input.onClientExit ?? (context.client.kind === 'mcp' ? 'stop' : 'keep'),
      requestId: input.requestId ?? null,
    };
    const { session, reused } = await sessions.once(request.requestId, context.client, () =>
      launchSession(services, request, context),
    );
    if (!reused) sessions.unstage(context.client, () => false);
    return await launchAnswer(session, reused, queries, answerBudget, context);
  };
}

/** What is told of a session that was just launched. */
export async function launchAnswer(
  session: LiveSession,
  reused: boolean,
  queries: QueryClient,
  answerBudget: number,
  context: RequestContext,
): Promise<ToolAnswer> {
  const report = session.launchReport;
  if (!report) throw new StrobeError('INTERNAL', 'A launched session has no report.');
  const settled = session.isLive ? null : await session.settle();
  const output = session.isLive
    ? []
    : await outputTail(queries, session.facts.storePath, 20, settled);
  const view = session.view(context.client);
  return await renderLaunch({ ...report, session: view, reused, output }, answerBudget);
}
