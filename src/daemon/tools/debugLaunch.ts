import { resolve } from 'node:path';
import { nextStart } from '../../collector/attach/nextStart.ts';
import { StrobeError } from '../../model/errors.ts';
import type { LaunchReport } from '../../model/session.ts';
import type {
  AttachInput,
  AttachNextInput,
  DebugLaunchInput,
  LaunchInput,
} from '../../protocol/tools/debugLaunch.ts';
import { renderLaunch, tailLines } from '../report/session/launchAnswer.ts';
import { alreadyObserved, attachSession, type AttachRequest } from '../session/attachSession.ts';
import { coreSession } from '../postMortem/coreSession.ts';
import { launchSession, type LaunchRequest, type LaunchParts } from '../session/launchSession.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { outputTail } from '../session/outputTail.ts';
import { patternRequest, withDepth } from '../tracing/patternRequest.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Staged } from '../session/staging.ts';
import type { QueryClient } from '../../db/queryClient.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import { requestOf } from './askedBreakpoint.ts';
import { followLaunch, isFollowed, type FollowParts } from './launchFollowed.ts';

/**
 * debug_launch: starts a program, or attaches to one, with the staged and the given patterns in place; of a short one
 * it answers what it did.
 */
export function makeDebugLaunch(
  services: LaunchParts,
  sessions: Sessions,
  following: FollowParts,
): ToolHandler<DebugLaunchInput> {
  const { queries, answerBudget } = following;
  /** Pids that are being attached to. */
  const attaching = new Set<number>();

  async function attach(request: AttachRequest, context: RequestContext): Promise<LiveSession> {
    const { pid } = request;
    const observer = sessions.observing(pid);
    if (observer) throw alreadyObserved(pid, observer, context.client);
    if (attaching.has(pid)) {
      throw new StrobeError(
        'ALREADY_OBSERVED',
        `Process ${pid} is being attached to by another call.`,
        'debug_session {"action":"list","scope":"all"} shows its session.',
      );
    }
    attaching.add(pid);
    try {
      return await attachSession(services, request, context);
    } finally {
      attaching.delete(pid);
    }
  }

  async function start(
    input: LaunchInput | AttachInput | AttachNextInput,
    staged: Staged,
    context: RequestContext,
  ): Promise<LiveSession> {
    const depth = input.serializationDepth;
    const shared = {
      patterns: [
        ...staged.patterns.map((one) => withDepth(one, depth)),
        ...input.patterns.map((one) => patternRequest(one, depth)),
      ],
      watches: staged.watches,
      pendingPatterns: staged.patterns.length,
      redact: input.redact,
      requestId: input.requestId ?? null,
    };
    const session =
      'command' in input
        ? await launchSession(services, { ...shared, ...launchRequest(input, context) }, context)
        : await attach({ ...shared, ...(await attachRequest(input, context)) }, context);
    if ('next' in input) session.notes.push(LATE);
    session.tracing.depth = depth ?? null;
    return session;
  }

  return async (input, context) => {
    if ('core' in input) {
      const request = { ...input, cwd: input.cwd ?? null };
      const session = await coreSession(services, request, context);
      return await launchAnswer(session, { reused: false }, queries, answerBudget, context);
    }
    const requestId = input.requestId ?? null;
    const { session, reused } = await sessions.once(requestId, context.client, async () => {
      const root = input.projectRoot === undefined ? null : resolve(input.projectRoot);
      const staged = sessions.staging.take(context.client.id, root);
      try {
        return await start(input, staged, context);
      } catch (error) {
        staged.giveBack();
        throw error;
      }
    });
    if (isFollowed(input)) return await followLaunch(session, input, following, context);
    const elsewhere = sessions.staging.projects(context.client.id);
    return await launchAnswer(session, { reused, elsewhere }, queries, answerBudget, context);
  };
}

type Shared = 'patterns' | 'watches' | 'pendingPatterns' | 'redact' | 'requestId';

function launchRequest(input: LaunchInput, context: RequestContext): Omit<LaunchRequest, Shared> {
  return {
    command: input.command,
    args: input.args,
    cwd: input.cwd ?? null,
    env: input.env,
    envMode: input.envMode,
    stdin: input.stdin,
    tty: input.tty,
    ui: input.ui,
    projectRoot: input.projectRoot,
    follow: input.follow,
    probes: input.breakpoints.map(requestOf),
    onClientExit: input.onClientExit ?? (context.client.kind === 'mcp' ? 'stop' : 'keep'),
  };
}

/** Said of a program that was waited for. */
const LATE =
  'It ran already when it was attached to: its first calls are missing. debug_launch traces from before main.';

/** How long a start is waited for. */
const START_MS = 50_000;

async function pidOf(input: AttachInput | AttachNextInput, context: RequestContext) {
  if ('pid' in input) return input.pid;
  const { next, waitMs = START_MS } = input;
  context.progress(`waiting for ${next} to begin`, 0, 3);
  const pid = await nextStart(next, context.client.cwd, waitMs, context.signal);
  if (pid !== null) return pid;
  throw new StrobeError(
    'TIMED_OUT',
    `No process began to run ${next} within ${waitMs} ms; one that ran it before is none.`,
    `Wait again by the same call, or start it yourself: debug_launch {"command":${JSON.stringify(next)}}.`,
  );
}

async function attachRequest(
  input: AttachInput | AttachNextInput,
  context: RequestContext,
): Promise<Omit<AttachRequest, Shared>> {
  return {
    pid: await pidOf(input, context),
    projectRoot: input.projectRoot ?? null,
    onClientExit: input.onClientExit ?? 'detach',
  };
}

/** What is told of a session that was just launched. */
export async function launchAnswer(
  session: LiveSession,
  told: Pick<LaunchReport, 'reused' | 'elsewhere'>,
  queries: QueryClient,
  answerBudget: number,
  context: RequestContext,
): Promise<ToolAnswer> {
  const report = session.launchReport;
  if (!report) throw new StrobeError('INTERNAL', 'A launched session has no report.');
  const settled = session.isLive ? null : await session.settle();
  const output = session.isLive
    ? []
    : await outputTail(queries, session.facts.storePath, tailLines, settled);
  const view = session.view(context.client);
  const breakpoints = session.tracing.probes.reports();
  return renderLaunch({ ...report, session: view, breakpoints, ...told, output }, answerBudget);
}
