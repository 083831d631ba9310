import type { SessionProbes } from '../tracing/sessionProbes.ts';
import type { SessionStops } from './sessionStops.ts';

/** What is known of a session's breakpoints. */
interface Breakpoints {
  readonly stops: SessionStops;
  readonly probes: Pick<SessionProbes, 'stops'>;
}

/**
 * Lets a process go that is held at its start. Where breakpoints stop its threads by a debugger that comes only into
 * what runs, it stands still until they are there: it may be at its end otherwise. `letGo` answers whether its threads can
 * be stopped from then on.
 */
export async function startWithStops(
  { stops, probes }: Breakpoints,
  pid: number,
  letGo: () => Promise<boolean>,
): Promise<void> {
  const isMeant = stops.process.now?.pid === pid;
  const hasCome = isMeant && probes.stops ? await stops.comesLate(pid) : null;
  if (hasCome) signal(pid, 'SIGSTOP');
  try {
    if (!(await letGo())) return;
    const placed = stops.begin();
    if (hasCome) await placed;
  } finally {
    // Its debugger lets it run, unless that could not come.
    if (hasCome && !hasCome()) signal(pid, 'SIGCONT');
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
