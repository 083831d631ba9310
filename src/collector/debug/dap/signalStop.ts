import { statFields } from '../../../base/proc.ts';

/** Whether a signal has stopped a process before an adapter comes: an adapter that is killed may leave the one by which it attached. */
export class SignalStop {
  readonly #pid: number;
  readonly #wasStopped: boolean;

  constructor(pid: number) {
    this.#pid = pid;
    this.#wasStopped = isStopped(pid);
  }

  /** The process runs on, unless it was stopped before. */
  undo(): void {
    if (this.#wasStopped || !isStopped(this.#pid)) return;
    try {
      process.kill(this.#pid, 'SIGCONT');
    } catch {
      // It has ended.
    }
  }
}

function isStopped(pid: number): boolean {
  return statFields(pid)?.[0] === 'T';
}
