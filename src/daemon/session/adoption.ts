import { existsSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { processFacts } from '../../base/proc.ts';
import { Supervisor } from '../../collector/supervisor/supervisorClient.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import { hasWrites } from '../../model/watches/watch.ts';
import type { Client } from '../request.ts';
import { patternRequest, type PatternRequest } from '../tracing/patternRequest.ts';
import type { IndexClient } from '../indexing/indexClient.ts';
import { openIndex, type LaunchParts } from './launchSession.ts';
import { adoptSupervisor } from './leftOver.ts';
import { LiveSession } from './liveSession.ts';
import type { LeftSession, PastSessions } from './pastSessions.ts';
import type { SessionFacts } from './sessionFacts.ts';
import type { Sessions } from './sessions.ts';
import { seconds } from './sessionTime.ts';
import { isPassing } from './sessionView.ts';

/** Reading what the target did meanwhile may hold up the first question this long. */
const CATCH_UP_MS = 2000;
const LOOK_MS = 20;

/** Only the row of the catalogue exists. */
class NeverRan extends Error {}

/** Goes on with every session that a daemon before this one left unfinished; answers who owns them. */
export async function adoptAll(
  services: LaunchParts,
  sessions: Sessions,
  past: PastSessions,
): Promise<readonly Client[]> {
  const adopted = past.unfinished().map(async (left) => {
    try {
      const session = await adopt(services, left);
      sessions.remember(session);
      services.log.warn('session', 'went on with a session of a daemon that died', {
        session: session.facts.id,
      });
      return [session.facts.owner];
    } catch (error) {
      if (error instanceof NeverRan) await forget(services, past, left);
      else
        past.giveUp(
          left,
          error instanceof Error ? error.message.replace(/\.$/, '') : String(error),
        );
      return [];
    }
  });
  return (await Promise.all(adopted)).flat();
}

/**
 * Goes on with the session of a daemon that died: its supervisor, its store, its rings, and, in the
 * background, its hooks. When this resolves the session is registered and can be asked.
 * Throws NeverRan when its program was not started.
 */
async function adopt(services: LaunchParts, left: LeftSession): Promise<LiveSession> {
  const facts = factsOf(left);
  if (!existsSync(join(facts.directory, 'output.log')))
    throw new NeverRan('its daemon ended before its program was started');
  const session = new LiveSession(facts, services, services.onState);
  session.notes.push(...left.view.notes.filter((note) => !isPassing(note)));
  session.ownerIsGone = left.view.ownerIsGone ?? false;
  // This daemon may die as well, before it has taken them up.
  const { watches = [], depth = null } = left.heritage;
  const patterns = left.heritage.patterns.map((one) => patternRequest(one));
  const expected = session.tracing.expect(patterns, watches);
  const switchedOff = session.tracing.probes.inherit(left.heritage.breakpoints ?? []);
  const supervisor = await supervisorOf(facts.directory, left.view.pid);
  const index = openIndex(services, session, true);
  session.goOn(supervisor, index, { ...left.view, startTime: left.heritage.startTime });
  services.register(session, null);
  if (switchedOff.length > 0) {
    const names = switchedOff.map(({ id, label }) => `${id} ${label}`).join(', ');
    const change = switchedOff.map(({ id }) => ({ id, enabled: true }));
    const them = switchedOff.length === 1 ? 'it' : 'them';
    session.note(
      `The daemon crashed, which let stopped threads run on and switched off what stops them: ${names}. Switch ${them} on again: debug_breakpoint ${JSON.stringify({ change })}.`,
    );
  }
  session.launched({
    session: session.view(facts.owner),
    reused: false,
    pendingPatternsApplied: 0,
    trace: null,
    debugInfo: { found: [], missing: [], advice: null, buildSystem: null },
    output: [],
    tookMs: 0,
  });
  await index.caughtUp(CATCH_UP_MS);
  const takeUp = async (): Promise<void> => {
    await supervisor?.reached();
    await takeUpTracing(services, session, index, left, patterns);
  };
  if (supervisor)
    void takeUp().finally(() => {
      expected[Symbol.dispose]();
      session.tracing.depth ??= depth;
    });
  return session;
}

/** Null when there is none any more; one that does not answer now may do so later. */
async function supervisorOf(directory: string, pid: number | null): Promise<Supervisor | null> {
  try {
    return await adoptSupervisor(directory);
  } catch (error) {
    if (pid === null) throw error;
    return Supervisor.awaited(directory, pid);
  }
}

/** As when a launch fails: nothing of it is left. */
async function forget(
  services: LaunchParts,
  past: PastSessions,
  { row }: LeftSession,
): Promise<void> {
  services.log.warn('session', 'its daemon died before the program was started', {
    session: row.id,
  });
  past.forget(row.id);
  await rm(dirname(row.path), { recursive: true, force: true });
}

function factsOf({ row, view, ownerKind, heritage }: LeftSession): SessionFacts {
  // What a client brings along (its environment) is never written down: it comes with the client.
  const owner: Client = { id: row.owner, kind: ownerKind, cwd: row.cwd, env: {}, umask: 0o077 };
  return {
    id: row.id,
    command: [row.command, ...row.args],
    cwd: row.cwd,
    projectRoot: row.projectRoot,
    directory: dirname(row.path),
    storePath: row.path,
    startNs: row.monotonicStartNs,
    startedAtMs: row.startedWallMs,
    owner,
    onClientExit: view.onClientExit,
    stdin: view.stdin,
    image: heritage.image,
    requestId: heritage.requestId,
    follow: heritage.follow,
    capturesOutput: heritage.capturesOutput,
    isAttached: heritage.isAttached,
    limits: heritage.limits,
  };
}

/** Agent and hooks went with the daemon and its host: new ones take their place. Never rejects. */
async function takeUpTracing(
  services: LaunchParts,
  session: LiveSession,
  index: IndexClient,
  { view, heritage }: LeftSession,
  patterns: readonly PatternRequest[],
): Promise<void> {
  let missingFrom = 0;
  const now = (): SessionNs => (session.state.kind === 'ended' ? session.state.at : session.now());
  const tellGap = async (): Promise<void> => {
    session.note(
      `The daemon crashed. A new one continued. Calls between ${seconds(missingFrom)} and ${seconds(now())} may be missing, and calls open at that time may have no end; output is complete.`,
    );
    await index.tracedAgain();
  };
  try {
    const { functions, nextWatch, indexedTo } = await index.known();
    missingFrom = indexedTo;
    session.tracing.continueFrom(functions, nextWatch);
    const untraced = view.tracing.kind === 'unavailable' && view.tracing.code !== 'TRACER_LOST';
    if (untraced)
      session.tracing.cannotTrace(view.tracing.code, view.tracing.message, view.tracing.hint);
    const { watches = [] } = heritage;
    const { probes } = session.tracing;
    const isIdle = patterns.length === 0 && probes.isEmpty && !hasWrites(watches);
    if (isIdle || (untraced && heritage.follow === 'none')) return;
    // Told at once: this daemon may die as well, and the program end before its hooks are back.
    index.untracedFrom(missingFrom, now);
    if (session.isLive) {
      await untilLetGo(session, services.runtimes.leaveMs);
      refuseReplaced(session);
      if (!probes.isEmpty)
        await session.tracing.changeProbes({ add: [], change: [], remove: [], takesUp: true });
      await session.tracing.begin(patterns, watches);
    }
    await tellGap();
  } catch (error) {
    if (!session.isLive) return await tellGap();
    refused(services, session, error);
    await index.tracedAgain();
  } finally {
    await session.resume().catch(() => undefined);
    session.running();
  }
}

/** A tracer of the daemon before may still be on its way into the program. */
async function untilLetGo(session: LiveSession, limitMs: number): Promise<void> {
  const end = monotonicMs() + limitMs;
  while ((processFacts(session.pid ?? 0)?.tracer ?? 0) !== 0 && monotonicMs() < end)
    await pause(LOOK_MS);
}

/** Hooks are placed by the file's symbols: they must be those of what runs. */
function refuseReplaced(session: LiveSession): void {
  if (session.pid === null || !readlinkSync(`/proc/${session.pid}/exe`).endsWith(' (deleted)'))
    return;
  throw new StrobeError(
    'INSTRUMENTATION_FAILED',
    `${session.facts.image} was replaced since the program was started.`,
    'Launch it again to trace the new one.',
  );
}

function refused(services: LaunchParts, session: LiveSession, error: unknown): void {
  const known =
    error instanceof StrobeError ? error : new StrobeError('INSTRUMENTATION_FAILED', String(error));
  session.tracing.cannotTrace(known.code, known.message, known.hint);
  session.note(
    `The daemon crashed. A new one recovered output and exit status but could not resume tracing. ${known.text}`,
  );
  services.log.warn('session', 'tracing was not taken up', { session: session.facts.id, error });
}
