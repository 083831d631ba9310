import { readFileSync } from 'node:fs';

/** Each look reads one small file of the kernel's. */
const LOOK_MS = 500;

/** How the main thread of a process ended while the process did not. */
export interface MainThreadEnd {
  /** As of wait(2). */
  readonly status: number;
  /** It had a sandbox, in which a C library cannot end a process: it ended itself by system call. */
  readonly sandboxed: boolean;
}

/**
 * Looks whether the main thread of a process has ended while others go on, and tells `onEnd` at
 * each look until that answers true. A process whose last own thread ends would live on for ours.
 */
export function watchMainThread(
  pid: number,
  onEnd: (end: MainThreadEnd) => Promise<boolean>,
): Disposable {
  let asking = false;
  const timer = setInterval(() => {
    const end = asking ? null : mainThreadEnd(pid);
    if (!end) return;
    asking = true;
    onEnd(end).then(
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

/** proc_pid_stat(5): state and exit_code; proc_pid_status(5): Seccomp. Null while it lives. */
function mainThreadEnd(pid: number): MainThreadEnd | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .trimEnd()
      .split(' ');
    if (fields[0] !== 'Z') return null;
    const sandbox = /^Seccomp:\s+(\d)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return { status: Number(fields[49] ?? 0), sandboxed: sandbox !== undefined && sandbox !== '0' };
  } catch {
    return null; // It is gone.
  }
}
