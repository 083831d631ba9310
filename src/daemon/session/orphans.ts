import { readdirSync } from 'node:fs';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { sessionOf, startTimeOf } from '../../base/proc.ts';
import type { StopReport } from '../../model/session.ts';

const LOOK_AGAIN_MS = 20;
const REAP_LIMIT_MS = 2000;

/** A launched program: unless it has its caller's terminal, it leads a session (setsid(2)) of its own. */
export interface Leader {
  readonly pid: number;
  /** Of /proc/<pid>/stat, so that another process with its number is not taken for it. */
  readonly startTime: string | null;
}

/** Ends what a killed supervisor left of a program's tree: TERM, then KILL after the grace. */
export async function endOrphans(leader: Leader, graceMs: number): Promise<StopReport['how']> {
  if (orphansOf(leader).length === 0) return 'hadEnded';
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) signalAll(leader, signal);
  if (await untilNone(leader, graceMs)) return 'terminated';
  signalAll(leader, 'SIGKILL');
  await untilNone(leader, REAP_LIMIT_MS);
  return 'killed';
}

/**
 * Living processes of the leader's session. Its number is given to nobody while one of them lives;
 * what began before the leader is of another session that had or, since the machine was started
 * anew, has the number.
 */
export function orphansOf({ pid, startTime }: Leader): number[] {
  const now = startTimeOf(pid);
  if (startTime === null || (now !== null && now !== startTime)) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      const session = sessionOf(each);
      if (Number(startTimeOf(each)) < Number(startTime)) return false;
      return session === pid || (each === pid && session !== null);
    });
}

function signalAll(leader: Leader, signal: NodeJS.Signals): void {
  for (const pid of orphansOf(leader)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has just ended.
    }
  }
}

async function untilNone(leader: Leader, limitMs: number): Promise<boolean> {
  const end = monotonicMs() + limitMs;
  while (orphansOf(leader).length > 0) {
    if (monotonicMs() > end) return false;
    await pause(LOOK_AGAIN_MS);
  }
  return true;
}
