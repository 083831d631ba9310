import { rm } from 'node:fs/promises';
import { Supervisor } from '../../collector/supervisor/supervisorClient.ts';
import { encodeLaunchSpec } from '../../collector/supervisor/launchSpec.ts';
import { checkLaunchAnswer } from '../../collector/supervisor/startSupervisor.ts';
import { StrobeError } from '../../model/errors.ts';
import type { RunPrepareRequest } from '../../protocol/runCommand.ts';
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
} from './launchSession.ts';
import type { LiveSession } from './liveSession.ts';
import type { Sessions } from './sessions.ts';
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

    async wait(wanted, context) {
      const session = sessions.resolveLive(wanted.sessionId, context.client);
      while (!session.isFinished && !context.signal.aborted) {
        await session.changes.next(WAIT_TURN_MS, context.signal);
      }
      if (session.state.kind !== 'ended' || session.state.exit.kind === 'unknown') {
        throw new StrobeError(
          'SESSION_ENDED',
          `The run ended without an exit status (${session.state.kind}).`,
        );
      }
      return {
        exit: session.state.exit,
        // The report begins with the crash.
        notes: session.notes.filter((note) => !isCrashNote(note)),
        ...(await report(session, query, wanted.budget, context)),
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
  budget: number,
  context: RequestContext,
): Promise<{ report: string; structured: object }> {
  const sessionId = session.facts.id;
  const ask = (input: DebugQueryInput): Promise<ToolAnswer> => query(input, context);
  const forStats = Math.max(200, Math.round(budget * STATS_SHARE));
  const stats = await ask({
    view: 'stats',
    sessionId,
    budget: forStats,
    limit: 12,
    sortBy: 'total',
    groupBy: 'function',
  });
  const tree = await ask({
    view: 'tree',
    sessionId,
    budget: Math.max(200, budget - forStats),
    limit: 50,
    maxDepth: 12,
    selfTime: false,
  });
  const trace = session.tracing.report();
  const hookless = trace
    ? hooklessLines(trace, { level: 1, projectRoot: session.facts.projectRoot })
    : [];
  const untraced = hookless.length > 0 ? untracedLines(session.view(context.client)) : [];
  // Without calls both say why, in the same words but for the age of the session, in the first line.
  const isSame = withoutFirstLine(stats.text) === withoutFirstLine(tree.text);
  const story = await crashStory(session, ask, context);
  const alone = story.length > 0 ? [] : [stats.text];
  const calls = isSame ? alone : [stats.text, '', tree.text];
  const parts =
    story.length > 0 && calls.length > 0 ? [...story, '', ...calls] : [...story, ...calls];
  return {
    report: [...hookless, ...untraced, ...parts].join('\n').replaceAll(readCrash, ''),
    structured: { stats: stats.structured, tree: tree.structured },
  };
}

/** Where the story stands above it need not be said how to read it. */
const readCrash = ' Read it with debug_query {"view": "crash"}.';

async function crashStory(
  session: LiveSession,
  ask: (input: DebugQueryInput) => Promise<ToolAnswer>,
  { client }: RequestContext,
): Promise<string[]> {
  if (crashNotes(session.view(client)).length === 0) return [];
  const { text } = await ask({ view: 'crash', sessionId: session.facts.id });
  return [text];
}

function withoutFirstLine(text: string): string {
  return text.slice(text.indexOf('\n') + 1);
}
