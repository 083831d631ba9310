import { isOwnOf } from '../../base/clientId.ts';
import type { SessionId, SessionNs } from '../../model/ids.ts';
import type { SessionState, SessionView } from '../../model/session.ts';
import type { Client } from '../request.ts';
import type { SessionProcesses } from './sessionProcesses.ts';
import type { SessionFacts } from './sessionFacts.ts';
import type { SessionTracing } from '../tracing/tracing.ts';

const silentNote =
  'Its supervisor process does not answer: it is stopped, or gets no memory or processor time. The program runs on, and waits for it only where a pipe is full or where it executes another program.';

/** What is told of a session. */
interface Told {
  readonly facts: SessionFacts;
  readonly tracing: SessionTracing;
  readonly processes: SessionProcesses;
  readonly notes: readonly string[];
  readonly ownerIsGone: boolean;
  readonly state: SessionState;
  readonly pid: number | null;
  now(): SessionNs;
}

/** A session as a client sees it. `isSilent`: its supervisor is there and does not answer. */
export function viewOf(told: Told, client: Client, isSilent: boolean): SessionView {
  const { facts, tracing, processes, notes, state, pid } = told;
  processes.lookWhoEnded(told.now());
  return {
    notes: isSilent ? [...notes, silentNote] : notes,
    state,
    pid,
    now: told.now(),
    id: facts.id,
    command: facts.command,
    cwd: facts.cwd,
    projectRoot: facts.projectRoot,
    startedAtMs: facts.startedAtMs,
    runtime: tracing.symbols.runtime,
    tracing: tracing.state,
    hooks: tracing.hooks,
    processes: processes.view(),
    owner: {
      clientId: facts.owner.id,
      kind: facts.owner.kind,
      mine: isOwnOf(client.id, facts.owner.id),
    },
    ...(told.ownerIsGone ? { ownerIsGone: true } : {}),
    onClientExit: facts.onClientExit,
    stdin: facts.stdin,
    ...(facts.capturesOutput ? {} : { outputPassesBy: true }),
    ...(facts.limits.secretNames.length === 0 ? { capturesSecrets: true } : {}),
    ...(facts.isAttached ? { attached: true } : {}),
    ...knownTo(client, facts.id),
  };
}

/** What the client has read of the session, as a member of its view. */
export function knownTo({ memory }: Client, id: SessionId): Pick<SessionView, 'known'> {
  const known = memory?.of(id);
  return known ? { known } : {};
}
