import { readFileSync } from 'node:fs';
import type { SourceExcerpt, StackFrame } from '../../model/endings/crashReport.ts';

/** Lines before and after. */
const around = 3;

/** Around where a stack is: its newest frame of the program's own, else its newest. */
export function excerptOf(frames: readonly StackFrame[]): SourceExcerpt | null {
  const frame = frames.find(({ isOwn }) => isOwn) ?? frames[0];
  const { file, line } = frame ?? { file: null, line: null };
  if (file === null || line === null) return null;
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const first = Math.max(1, line - around);
    return { file, line, first, lines: lines.slice(first - 1, line + around) };
  } catch {
    return null; // It is not there any more, or is in no file.
  }
}

/** As the kernel has it; empty: it has just ended. */
export function threadName(pid: number, tid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trimEnd();
  } catch {
    return '';
  }
}
