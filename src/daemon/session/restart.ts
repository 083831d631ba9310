import type { ProbeWhere } from '../../model/probes/probe.ts';
import { StrobeError } from '../../model/errors.ts';
import type { StopReport } from '../../model/session.ts';
import { watchLabel, type WatchRequest } from '../../model/watches/watch.ts';
import type { RequestContext } from '../request.ts';
import {
  prepareLaunch,
  startPrepared,
  type LaunchParts,
  type LaunchRequest,
} from './launchSession.ts';
import type { LiveSession } from './liveSession.ts';
import type { AnySession, Sessions } from './sessions.ts';

const endingText = {
  hadEnded: 'which had ended',
  terminated: 'which ended on TERM',
  killed: 'which had to be killed',
} as const satisfies Record<StopReport['how'], string>;

export interface Restarted {
  readonly before: LiveSession;
  readonly session: LiveSession;
  /** What it took to end the one before. */
  readonly how: StopReport['how'];
}

/**
 * Ends a session and starts the same again: command, folder, environment, input, the patterns as they
 * are now, and what is known of programs that crashed. What can be checked is checked before the old program is ended.
 */
export async function restart(
  services: LaunchParts,
  sessions: Sessions,
  found: AnySession,
  graceMs: number,
  context: RequestContext,
): Promise<Restarted> {
  const { before, request } = restartable(sessions, found, context);
  const prepared = await prepareLaunch(services, request, context.client, 'pipes');
  let how: StopReport['how'];
  try {
    context.progress('stopping the program');
    how = await before.stop(graceMs, 'stop');
  } catch (error) {
    await sessions.discard(prepared.session);
    throw error;
  }
  const { session } = prepared;
  const left = before.tracing.watches.requests.filter((watch) => !isAnywhere(watch));
  if (left.length > 0)
    session.notes.push(
      `Watches of addresses are left behind, which mean nothing in another process: ${left.map(watchLabel).join(', ')}.`,
    );
  if (before.tracing.probes.requests.some(({ where }) => isOfProcess(where)))
    session.notes.push(
      'Breakpoints at addresses are left behind, which mean nothing in another process.',
    );
  session.notes.push(`Restarted from ${before.facts.id}, ${endingText[how]}.`);
  await startPrepared(services, prepared, request, context);
  session.tracing.depth = before.tracing.depth;
  before.notes.push(`Restarted as ${session.facts.id}.`);
  sessions.changed(before);
  return { before, session, how };
}

function restartable(
  sessions: Sessions,
  found: AnySession,
  context: RequestContext,
): { before: LiveSession; request: LaunchRequest } {
  const known = found.kind === 'live' ? sessions.launchOf(found.session.facts.id) : null;
  if (found.kind === 'live' && known) {
    const { tracing } = found.session;
    const patterns =
      tracing.state.kind === 'unavailable' && tracing.requests.length === 0
        ? known.patterns
        : tracing.requests;
    return {
      before: found.session,
      request: {
        ...known,
        patterns,
        watches: tracing.watches.requests.filter(isAnywhere),
        probes: tracing.probes.requests.filter(({ where }) => !isOfProcess(where)),
        pendingPatterns: 0,
        toExplain: [...tracing.programs.toExplain],
      },
    };
  }
  const { id, command, cwd, projectRoot, state } = found.session.view(context.client);
  const [program = '', ...args] = command;
  throw new StrobeError(
    'NOT_RESTARTABLE',
    found.kind === 'live' && state.kind !== 'failed'
      ? `Session ${id} was not started by debug_launch: its terminal or parent is not ours to give.`
      : `The environment of session ${id} is no longer known (it was only held in memory).`,
    `debug_launch ${JSON.stringify({ command: program, args, cwd, projectRoot })}`,
  );
}

function isAnywhere(watch: WatchRequest): boolean {
  return watch.address === undefined;
}

/** Its address means nothing in another process. */
function isOfProcess(where: ProbeWhere): boolean {
  return where.kind === 'address' || (where.kind === 'data' && where.at !== undefined);
}
