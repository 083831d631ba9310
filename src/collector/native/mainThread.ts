import { monotonicMs } from '../../base/clock.ts';
import { statFields } from '../../base/proc.ts';

/** Each look reads one small file of the kernel's, but wakes the daemon: seldomer the longer the process has run. */
const LOOK_MS = 500;
const SELDOM_MS = 2000;
const SHARE_OF_AGE = 1 / 30;

/**
 * Looks whether the main thread of a process has ended while others go on, and tells `onEnd` its
 * wait status at each look until that answers true. A process whose last own thread ends would
 * live on for those of ours.
 */
export function watchMainThread(
  pid: number,
  onEnd: (status: number) => Promise<boolean>,
): Disposable {
  const beganMs = monotonicMs();
  const lookIn = (ms: number): NodeJS.Timeout => setTimeout(look, ms).unref();
  const look = (): void => {
    const status = mainThreadStatus(pid);
    const ageMs = monotonicMs() - beganMs;
    if (status === null) {
      timer = lookIn(Math.min(SELDOM_MS, Math.max(LOOK_MS, ageMs * SHARE_OF_AGE)));
      return;
    }
    onEnd(status).then(
      (done) => {
        if (!done && !isOver) timer = lookIn(LOOK_MS);
      },
      () => undefined, // The process or our hold on it is gone.
    );
  };
  let isOver = false;
  let timer = lookIn(LOOK_MS);
  const dispose = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  return { [Symbol.dispose]: dispose };
}

/** proc_pid_stat(5): state and exit_code. Null while it lives, or when it is gone. */
function mainThreadStatus(pid: number): number | null {
  const fields = statFields(pid);
  return fields?.[0] === 'Z' ? Number(fields[49] ?? 0) : null;
}
