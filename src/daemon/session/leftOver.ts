import { within } from '../../base/deadline.ts';
import { Supervisor } from '../../collector/supervisor/supervisorClient.ts';
import { StrobeError } from '../../model/errors.ts';
import type { StopReport } from '../../model/session.ts';

const REAP_LIMIT_MS = 10_000;

/** The supervisor of a session, or null when there is none any more. One that does not answer is there: TIMED_OUT. */
export async function adoptSupervisor(sessionDir: string): Promise<Supervisor | null> {
  try {
    return await Supervisor.adopt(sessionDir);
  } catch (error) {
    if (error instanceof StrobeError && error.code === 'TIMED_OUT') throw error;
    return null;
  }
}

/** Its supervisor may end with its program; when there is none any more, that is so already. */
export async function letSupervisorEnd(sessionDir: string): Promise<void> {
  try {
    await using supervisor = await Supervisor.adopt(sessionDir);
    await supervisor.quit();
  } catch {
    // It ended with the daemon's machine, or by itself.
  }
}

/** Whether a process of the session's tree still runs: its supervisor lives as long. */
export async function livesOn(sessionDir: string): Promise<boolean> {
  try {
    await using supervisor = await adoptSupervisor(sessionDir);
    return supervisor !== null && supervisor.state !== 'ended';
  } catch {
    return true; // It does not answer, but it is there.
  }
}

/**
 * Ends a program that lives on although its session is over: TERM, then KILL of its whole tree.
 * TIMED_OUT when its supervisor does not answer.
 */
export async function stopLeftOver(
  sessionDir: string,
  graceMs: number,
): Promise<StopReport['how']> {
  await using supervisor = await adoptSupervisor(sessionDir);
  // A supervisor lives as long as its tree.
  if (supervisor === null || supervisor.state === 'ended') return 'hadEnded';
  const ended = new Promise<void>((resolve) => {
    supervisor.onClosed(resolve);
    supervisor.onState((state) => {
      if (state === 'ended') resolve();
    });
  });
  await supervisor.quit();
  await supervisor.signal('SIGTERM', { group: true });
  try {
    await within(graceMs, ended, notEnded);
    return 'terminated';
  } catch {
    await supervisor.signal('SIGKILL', { group: true });
    await within(REAP_LIMIT_MS, ended, notEnded);
    return 'killed';
  }
}

export function notEnded(): StrobeError {
  return new StrobeError(
    'TIMED_OUT',
    'The program did not end after SIGKILL (uninterruptible sleep?).',
  );
}

/** A process that was attached to is not ours to end once it was let go. */
export function letGo(pid: number | null): StrobeError {
  return new StrobeError(
    'SESSION_ENDED',
    `Process ${pid ?? '?'} was attached to and let go: Strobe no longer traces it.`,
    `kill ${pid ?? 'PID'}, if you mean it.`,
  );
}
