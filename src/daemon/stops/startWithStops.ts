import type { Supervisor } from '../../collector/supervisor/supervisorClient.ts';
import type { SessionProbes } from '../tracing/sessionProbes.ts';
import type { SessionStops } from './sessionStops.ts';

/** What is known of a session's breakpoints. */
interface Breakpoints {
  readonly stops: SessionStops;
  readonly probes: Pick<SessionProbes, 'stops'>;
}

/**
 * Lets a process go that is held at its start. Where breakpoints stop its threads by a debugger that comes only into
 * what runs, it stands still until they are there: it may be at its end otherwise. `supervisor` lets it run should the daemon
 * end meanwhile. `letGo` answers whether its threads can be stopped from then on.
 */
export async function startWithStops(
  { stops, probes }: Breakpoints,
  pid: number,
  supervisor: Pick<Supervisor, 'stand'>,
  letGo: () => Promise<boolean>,
): Promise<void> {
  const isMeant = stops.process.now?.pid === pid;
  const hasCome = isMeant && probes.stops ? await stops.comesLate(pid) : null;
  const stands = hasCome !== null && (await supervisor.stand(pid, true));
  try {
    if (!(await letGo())) return;
    const placed = stops.begin();
    if (stands) await placed;
  } finally {
    // Its debugger lets it run, unless that could not come.
    if (stands && !hasCome()) letRun(pid);
    if (stands) await supervisor.stand(pid, false);
  }
}

function letRun(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}
