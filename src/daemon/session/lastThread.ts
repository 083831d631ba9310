import { readFileSync } from 'node:fs';

/** Each look reads one small file of the kernel's. */
const LOOK_MS = 500;

/**
 * Looks whether the main thread of a process has ended while others go on, and tells `onEnd` its
 * wait status at each look until that answers true. A process whose last own thread ends would
 * live on for those of ours.
 */
export function watchMainThread(
  pid: number,
  onEnd: (status: number) => Promise<boolean>,
): Disposable {
  let asking = false;
  const timer = setInterval(() => {
    const status = asking ? null : mainThreadStatus(pid);
    if (status === null) return;
    asking = true;
    onEnd(status).then(
      (done) => {
        if (done) clearInterval(timer);
        asking = false;
      },
      () => clearInterval(timer), // The process or our hold on it is gone.
    );
  }, LOOK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** proc_pid_stat(5): state and exit_code. Null while it lives. */
function mainThreadStatus(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? Number(fields[49] ?? 0) : null;
  } catch {
    return null; // It is gone.
  }
}
