import { statFields } from './proc.ts';

/** What became of a program: another of its process, by exec, or the process has ended. */
type ProgramState = 'runs' | 'replaced' | 'ended';

/** One program of one process: another process of its number is not it, nor what it becomes by exec. */
export class ProgramMark {
  readonly #pid: number;
  readonly #startTicks: string;
  /** Where its stack begins, which an exec changes; '0' where the kernel does not say. */
  readonly #stackStart: string;

  private constructor(pid: number, startTicks: string, stackStart: string) {
    this.#pid = pid;
    this.#startTicks = startTicks;
    this.#stackStart = stackStart;
  }

  /**
   * The program a process runs now, or, of one that `parent` forked, what it ran at first: a fork keeps
   * its parent's stack. Null when the process has ended.
   */
  static of(pid: number, parent: ProgramMark | null = null): ProgramMark | null {
    const now = marksOf(pid);
    const stackStart = parent === null ? now?.stackStart : parent.#stackStart;
    return now && new ProgramMark(pid, now.startTicks, stackStart ?? now.stackStart);
  }

  /** Whether both are of one program of one process. */
  isSame(other: ProgramMark | null): boolean {
    return (
      other !== null &&
      other.#pid === this.#pid &&
      other.#startTicks === this.#startTicks &&
      other.#stackStart === this.#stackStart
    );
  }

  state(): ProgramState {
    const now = marksOf(this.#pid);
    if (now?.startTicks !== this.#startTicks) return 'ended';
    // A process that gave up privileges does not tell it any more.
    const isHidden = [now.stackStart, this.#stackStart].includes('0');
    return isHidden || now.stackStart === this.#stackStart ? 'runs' : 'replaced';
  }
}

function marksOf(pid: number): { startTicks: string; stackStart: string } | null {
  const fields = statFields(pid);
  if (fields === null) return null;
  const [state = ''] = fields;
  const threads = Number(fields[20 - 3]);
  // Of a process whose first thread has ended, others may run on.
  if (/^[ZX]/.test(state) && !(threads > 1)) return null;
  return { startTicks: fields[22 - 3] ?? '', stackStart: fields[28 - 3] ?? '0' };
}
