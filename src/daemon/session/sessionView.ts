import { resolve } from 'node:path';
import { pagePipesOf } from '../../collector/ui/page/chromium.ts';
import { hasStage } from '../../collector/ui/stage.ts';
import { isOwnOf } from '../../base/clientId.ts';
import type { SessionId, SessionNs } from '../../model/ids.ts';
import type { TargetHolder } from '../../collector/supervisor/targetHolder.ts';
import type { SessionState, SessionView } from '../../model/session.ts';
import type { Client } from '../request.ts';
import type { SessionProcesses } from './sessionProcesses.ts';
import type { SessionFacts } from './sessionFacts.ts';
import type { SessionTracing } from '../tracing/tracing.ts';

/** How notes begin that hold as long as they are seen. */
const passing = {
  silent: 'Its supervisor process does not answer',
  adopted: 'The parent of process',
};

/** Whether a note says what may be over when it is read again. */
export function isPassing(note: string): boolean {
  return Object.values(passing).some((begin) => note.startsWith(begin));
}

const silentNote = `${passing.silent}: it is stopped, or gets no memory or processor time. The program runs on, and waits for it only where a pipe is full or where it executes another program.`;

/** It waits for what never comes. */
function adoptedNote(pid: number, supervisorPid: number): string {
  return `${passing.adopted} ${pid} has ended and Strobe's supervisor has adopted it, so that its end is seen: its getppid() is ${supervisorPid}, where it would be 1. A program that waits for 1 waits for ever; one that compares with the parent it began with does not.`;
}

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

/** A session as a client sees it. */
export function viewOf(
  told: Told,
  client: Client,
  supervisor: Pick<TargetHolder, 'isSilent' | 'supervisorPid'> | null,
): SessionView {
  const { facts, tracing, processes, notes, state, pid } = told;
  const refusal = tracing.symbols.engineRefusal;
  processes.lookWhoEnded(told.now());
  const { isSilent = false, supervisorPid = 0 } = supervisor ?? {};
  const adopted = supervisorPid === 0 ? null : processes.adoptedBy(supervisorPid, pid);
  return {
    notes: [
      ...notes,
      ...(refusal === null || notes.includes(refusal) ? [] : [refusal]),
      ...(isSilent ? [silentNote] : []),
      ...(adopted !== null ? [adoptedNote(adopted, supervisorPid)] : []),
    ],
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
    ...(hasTitle(facts) ? { image: facts.image } : {}),
    ...shownBy(facts.directory),
    ...knownTo(client, facts.id),
  };
}

/** Its command is what it wrote over its arguments (`commandOf`), not a program. */
function hasTitle({ isAttached, command, cwd, image }: SessionFacts): boolean {
  const [first = '', ...others] = command;
  return isAttached && others.length === 0 && first.includes(' ') && resolve(cwd, first) !== image;
}

function shownBy(folder: string): Pick<SessionView, 'shows'> {
  if (!hasStage(folder)) return {};
  return { shows: pagePipesOf(folder) === null ? 'windows' : 'pages' };
}

/** What the client has read of the session, as a member of its view. */
export function knownTo({ memory }: Client, id: SessionId): Pick<SessionView, 'known'> {
  const known = memory?.of(id);
  return known ? { known } : {};
}
