import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import type { DetachedProcess } from '../../base/process.ts';
import { sessionOf } from '../../base/proc.ts';
import { escaped } from '../../base/visible.ts';
import { StrobeError } from '../../model/errors.ts';

/** A process that let go of its connection because it ended is gone by then, */
const endMs = 250;
/** and its status is here. */
const statusMs = 2000;
const longestWords = 500;

/** Whose end is asked about, as far as they are known. */
export interface LostSupervisor {
  readonly sessionDir: string;
  readonly supervisorPid: number | null;
  /** What was started: the standby, which takes over from a supervisor that is killed. */
  readonly standby: Pick<DetachedProcess, 'pid' | 'ended'> | null;
}

export function isSupervisorLost(error: unknown): error is StrobeError {
  return error instanceof StrobeError && error.code === 'SUPERVISOR_LOST';
}

/** An error with how its supervisor ended, when it is SUPERVISOR_LOST. */
export async function withEnd(error: unknown, lost: LostSupervisor): Promise<unknown> {
  return isSupervisorLost(error) ? lostBecause(error, await howItEnded(lost)) : error;
}

export function lostBecause(error: StrobeError, end: string): StrobeError {
  return end === ''
    ? error
    : new StrobeError('SUPERVISOR_LOST', `${error.message} ${end}`, error.hint);
}

/** `Supervisor 4712 is gone. Standby 4711 was ended by SIGKILL. …`, with its last words; empty when nothing is known. */
export async function howItEnded({
  sessionDir,
  supervisorPid,
  standby,
}: LostSupervisor): Promise<string> {
  const told: string[] = [];
  if (supervisorPid !== null)
    told.push(
      `Supervisor ${supervisorPid} ${(await isGone(supervisorPid)) ? 'is gone' : 'lives'}.`,
    );
  if (standby) {
    const end = (await isGone(standby.pid)) ? await statusOf(standby) : 'lives';
    told.push(`Standby ${standby.pid} ${end}.`);
  }
  const words = lastWords(sessionDir);
  if (words !== '') told.push(words);
  return told.join(' ');
}

async function isGone(pid: number): Promise<boolean> {
  const until = monotonicMs() + endMs;
  while (sessionOf(pid) !== null && monotonicMs() < until) await pause(2);
  return sessionOf(pid) === null;
}

async function statusOf(standby: Pick<DetachedProcess, 'ended'>): Promise<string> {
  const end = await Promise.race([standby.ended, pause(statusMs)]);
  if (!end) return 'is gone';
  return end.signal ? `was ended by ${end.signal}` : `ended with status ${end.code}`;
}

/** What native/supervisor/words.c left. */
export function lastWords(sessionDir: string): string {
  try {
    const said = readFileSync(join(sessionDir, 'supervisor.err'), 'utf8').trim();
    return escaped(said.slice(-longestWords).replaceAll('\n', ' '));
  } catch {
    return ''; // Nothing was said, or nobody was there yet.
  }
}
