import { processFacts } from '../../base/proc.ts';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import { inspectProcess, isOurs, type AttachableProcess } from './inspectProcess.ts';

/** How long a Strobe may take to leave a process: its agent goes last, when its daemon may have ended already. */
const RELEASE_MS = 5_000;
const LOOK_MS = 20;

/**
 * What inspectProcess answers. A process that another Strobe observes is waited for: it may be leaving just now.
 * Throws what inspectProcess does; `waits` is called once, before the wait.
 */
export async function inspectReleased(
  pid: number,
  signal: AbortSignal,
  waits: () => void,
): Promise<AttachableProcess> {
  const late = monotonicMs() + RELEASE_MS;
  for (let looks = 0; ; looks++) {
    try {
      return await inspectProcess(pid);
    } catch (error) {
      const isObserved = error instanceof StrobeError && error.code === 'ALREADY_OBSERVED';
      if (!isObserved || !mayBeLeft(pid) || signal.aborted || monotonicMs() > late) throw error;
      if (looks === 0) waits();
    }
    await pause(LOOK_MS, signal);
  }
}

/** Whether no debugger holds it, but at most a part of Strobe. */
function mayBeLeft(pid: number): boolean {
  const tracer = processFacts(pid)?.tracer ?? 0;
  return tracer === 0 || isOurs(tracer) || processFacts(tracer)?.isTracer !== false;
}
