import { readFileSync, statSync } from 'node:fs';
import type { SourceExcerpt, StackFrame } from '../../model/endings/crashReport.ts';

/** Lines before and after. */
const around = 3;
const newline = 10;

/** Around where a stack is: its newest frame of the program's own, else its newest. */
export function excerptOf(frames: readonly StackFrame[]): SourceExcerpt | null {
  const frame = frames.find(({ isOwn }) => isOwn) ?? frames[0];
  const { file, line } = frame ?? { file: null, line: null };
  if (file === null || line === null) return null;
  try {
    const first = Math.max(1, line - around);
    return { file, line, first, lines: linesOf(contentOf(file), first, line + around) };
  } catch {
    return null; // It is not there any more, or is in no file.
  }
}

/** The file that was read last: of a program that is paused many threads stand in one. */
let latest = { file: '', stamp: '', content: Buffer.alloc(0) };

function contentOf(file: string): Buffer {
  const { mtimeNs, size, ino } = statSync(file, { bigint: true });
  const stamp = `${ino}.${size}.${mtimeNs}`;
  if (latest.file !== file || latest.stamp !== stamp)
    latest = { file, stamp, content: readFileSync(file) };
  return latest.content;
}

/** Lines `first` to `last`, as far as there are any. */
function linesOf(content: Buffer, first: number, last: number): readonly string[] {
  let at = 0;
  for (let line = 1; line < first; line++) {
    at = content.indexOf(newline, at) + 1;
    if (at === 0) return [];
  }
  let end = at - 1;
  for (let line = first; line <= last; line++) {
    end = content.indexOf(newline, end + 1);
    if (end < 0) break;
  }
  return content.toString('utf8', at, end < 0 ? content.length : end).split('\n');
}

/** As the kernel has it; empty: it has just ended. */
export function threadName(pid: number, tid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trimEnd();
  } catch {
    return '';
  }
}
