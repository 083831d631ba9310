import { rm } from 'node:fs/promises';
import { Supervisor } from '../../collector/supervisor/supervisorClient.ts';
import { encodeLaunchSpec } from '../../collector/supervisor/launchSpec.ts';
import { checkLaunchAnswer } from '../../collector/supervisor/startSupervisor.ts';
import { StrobeError } from '../../model/errors.ts';
import type { RunEnded, RunPrepareRequest, RunWaitRequest } from '../../protocol/runCommand.ts';
import type { DebugQueryInput } from '../../protocol/tools/debugQuery.ts';
import { crashNotes, isCrashNote } from '../../model/endings/crashLine.ts';
import { hooklessLines } from '../report/session/hookLines.ts';
import { untracedLines } from '../report/session/processLines.ts';
import type { RunHandlers } from '../daemon.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import {
  prepareLaunch,
  takeUp,
  type LaunchRequest,
  type LaunchParts,
  type PreparedLaunch,
} from '../session/launchSession.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Sessions } from '../session/sessions.ts';
import { oneAnswer } from './oneAnswer.ts';
import { runLive } from './runLive.ts';
import { patternRequest } from '../tracing/patternRequest.ts';

/** A change wakes the wait; this only bounds how long a missed one could matter. */
const WAIT_TURN_MS = 1000;
const STATS_SHARE = 0.3;

interface Prepared {
  readonly launch: PreparedLaunch;
  readonly request: LaunchRequest;
  readonly clientId: string;
}

/** Runs whose supervisors are still to be started, each by the client that asked for it. */
class PreparedRuns {
  readonly #byId = new Map<string, Prepared>();

  add(prepared: Prepared): void {
    this.#byId.set(prepared.launch.session.facts.id, prepared);
  }

  take(id: string, clientId: string): Prepared {
    const found = this.#byId.get(id);
    if (found?.clientId !== clientId)
      throw new StrobeError('UNKNOWN_SESSION', `No run ${id} was prepared.`);
    this.#byId.delete(id);
    return found;
  }

  takeAll(clientId: string): Prepared[] {
    const found = [...this.#byId.values()].filter((one) => one.clientId === clientId);
    for (const { launch } of found) this.#byId.delete(launch.session.facts.id);
    return found;
  }
}

/** The daemon's side of `strobe run`: the program keeps the caller's own terminal. */
export function makeRun(
  services: LaunchParts,
  sessions: Sessions,
  query: ToolHandler<DebugQueryInput>,
): RunHandlers {
  const prepared = new PreparedRuns();

  async function discard(session: LiveSession): Promise<void> {
    await session.abandon();
    services.forget(session);
    await rm(session.facts.directory, { recursive: true, force: true });
  }

  return {
    async prepare(wanted, context) {
      const request = launchRequest(wanted);
      const launch = await prepareLaunch(services, request, context.client, 'inherit');
      const { session } = launch;
      const { ignoredSignals, closedStreams = 0 } = wanted;
      const spec = { ...launch.spec, ignoredSignals, closedStreams };
      services.register(session, null);
      prepared.add({ launch, request, clientId: context.client.id });
      return {
        sessionId: session.facts.id,
        sessionDir: session.facts.directory,
        supervisor: {
          path: services.supervisorPath,
          args: [session.facts.directory],
          spec: encodeLaunchSpec(spec).toString('base64'),
        },
      };
    },

    async start(wanted, context) {
      const { launch, request } = prepared.take(wanted.sessionId, context.client.id);
      const { session, spec } = launch;
      try {
        checkLaunchAnswer(
          Buffer.from(wanted.supervisorAnswer, 'base64'),
          spec,
          session.facts.directory,
        );
        const supervisor = await Supervisor.adopt(session.facts.directory);
        await takeUp(services, launch, supervisor, request, context);
      } catch (error) {
        await discard(session);
        throw error;
      }
      return { pid: session.pid ?? 0, notes: session.notes };
    },

    async live({ sessionId, after }, context) {
      const session = sessions.resolveLive(sessionId, context.client);
      return await runLive(session, async (input) => await query(input, context), after, context);
    },

    async wait(wanted, context) {
      const session = sessions.resolveLive(wanted.sessionId, context.client);
      while (!session.isFinished && !context.signal.aborted) {
        await session.changes.next(WAIT_TURN_MS, context.signal);
      }
      return {
        exit: exitOf(session),
        // The report begins with the crash.
        notes: session.notes.filter((note) => !isCrashNote(note)),
        ...(await report(session, query, wanted, context)),
      };
    },

    async abandon(wanted, context) {
      await discard(prepared.take(wanted.sessionId, context.client.id).launch.session);
    },

    async clientGone(clientId) {
      for (const { launch } of prepared.takeAll(clientId)) await discard(launch.session);
    },
  };
}

/** Throws SESSION_ENDED when it is not known. */
function exitOf({ state }: LiveSession): RunEnded['exit'] {
  if (state.kind !== 'ended' || state.exit.kind === 'unknown')
    throw new StrobeError('SESSION_ENDED', `The run ended without an exit status (${state.kind}).`);
  return state.exit;
}

function launchRequest(wanted: RunPrepareRequest): LaunchRequest {
  return {
    command: wanted.command,
    args: wanted.args,
    cwd: wanted.cwd,
    env: wanted.env,
    envMode: 'replace',
    stdin: 'closed',
    tty: false,
    projectRoot: wanted.projectRoot,
    patterns: wanted.patterns.map((one) => patternRequest(one)),
    watches: [],
    pendingPatterns: 0,
    redact: true,
    follow: wanted.follow,
    onClientExit: 'keep',
    requestId: null,
  };
}

/** Why it crashed, stats, the call tree: what a person wants to read after a run. */
async function report(
  session: LiveSession,
  query: ToolHandler<DebugQueryInput>,
  { budget, views = ['stats', 'tree'] }: RunWaitRequest,
  context: RequestContext,
): Promise<{ report: string; structured: object }> {
  const sessionId = session.facts.id;
  const ask = (input: DebugQueryInput): Promise<ToolAnswer> => query(input, context);
  const forStats = views.includes('tree')
    ? Math.max(200, Math.round(budget * STATS_SHARE))
    : budget;
  const questions = {
    stats: {
      view: 'stats',
      sessionId,
      budget: forStats,
      limit: 12,
      sortBy: 'total',
      groupBy: 'function',
    },
    tree: {
      view: 'tree',
      sessionId,
      budget: views.includes('stats') ? Math.max(200, budget - forStats) : budget,
      limit: 50,
      maxDepth: 12,
      selfTime: false,
    },
  } as const satisfies Record<string, DebugQueryInput>;
  const [story, ...answers] = await Promise.all([
    crashStory(session, ask, context),
    ...[...new Set(views)].map(async (view) => await ask(questions[view])),
  ]);
  const trace = session.tracing.report();
  const hookless = trace
    ? hooklessLines(trace, { level: 1, projectRoot: session.facts.projectRoot })
    : [];
  const untraced = hookless.length > 0 ? untracedLines(session.view(context.client)) : [];
  // Of what crashed with nothing traced the story says all.
  const shown = story !== null && trace === null ? [] : answers.map(({ text }) => text);
  const text = oneAnswer(story === null ? shown : [story, ...shown]);
  return {
    report: [...hookless, ...untraced, text].join('\n').replaceAll(readCrash, ''),
    structured: Object.fromEntries<object>(
      answers.map(({ structured }, at) => [views[at] ?? at, structured]),
    ),
  };
}

/** Where the story stands above it need not be said how to read it. */
const readCrash = ' Read it with debug_query {"view": "crash"}.';

/** Null: all of it ended well, and nothing is known of its end but its status. */
async function crashStory(
  session: LiveSession,
  ask: (input: DebugQueryInput) => Promise<ToolAnswer>,
  { client }: RequestContext,
): Promise<string | null> {
  const { state } = session;
  const { processes, ...view } = session.view(client);
  const hasFailed =
    state.kind === 'ended' && !(state.exit.kind === 'exited' && state.exit.code === 0);
  const isCrash = crashNotes(view).length > 0;
  // What a child failed by matters also where the program made up for it.
  if (!isCrash && !hasFailed && processes.failed === 0) return null;
  const { text, structured } = await ask({ view: 'crash', sessionId: session.facts.id });
  const uncaught = 'uncaught' in structured ? structured.uncaught : [];
  return isCrash || (Array.isArray(uncaught) && uncaught.length > 0) ? text : null;
}
