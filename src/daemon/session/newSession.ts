import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { monotonicNs, wallMs } from '../../base/clock.ts';
import type { Outcome } from '../../model/problem.ts';
import type { Client } from '../request.ts';
import { LiveSession } from './liveSession.ts';
import type { SessionFacts, SessionLimits, SessionParts } from './sessionFacts.ts';
import { newSessionId } from './sessionName.ts';

/** What opening a session needs besides the session's own services. */
export interface OpenerParts extends SessionParts {
  readonly sessionsDirectory: string;
  /** The settings as they are now for a project. */
  readonly limitsFor: (projectRoot: string, client: Client) => Outcome<SessionLimits>;
  readonly onState: (session: LiveSession) => void;
}

/** What somebody who opens a session says of it. */
export interface NewSession extends Omit<
  SessionFacts,
  'id' | 'directory' | 'storePath' | 'startNs' | 'startedAtMs' | 'owner' | 'limits'
> {
  /** What its id begins with, as a path or a word. */
  readonly named: string;
  /** Leave values whose names look like secrets in the target. */
  readonly redact: boolean;
}

/** A session with a folder of its own in which nothing runs yet. */
export async function newSession(
  services: OpenerParts,
  client: Client,
  { named, redact, ...facts }: NewSession,
): Promise<LiveSession> {
  const limits = services.limitsFor(facts.projectRoot, client);
  const id = newSessionId(named);
  const directory = join(services.sessionsDirectory, id);
  await mkdir(directory, { mode: 0o700 });
  const session = new LiveSession(
    {
      ...facts,
      id,
      directory,
      storePath: join(directory, 'session.db'),
      startNs: monotonicNs(),
      startedAtMs: wallMs(),
      owner: client,
      limits: redact ? limits.value : { ...limits.value, secretNames: [] },
    },
    services,
    services.onState,
  );
  for (const { subject, detail } of limits.problems)
    session.notes.push(`Setting ${subject}: ${detail}.`);
  return session;
}
