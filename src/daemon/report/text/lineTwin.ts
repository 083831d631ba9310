import type { OutputLine } from '../../../model/outputRecord.ts';
import type { SessionView } from '../../../model/session.ts';
import { excerpt } from '../answers/clip.ts';

/** Characters of a line in the structured form. */
const LINE_SHOWN = 400;

/** A line of output in the structured form. */
export function lineTwin({ time, stream, text, foundAt }: OutputLine) {
  return { timestampNs: time, stream, text: excerpt(text, LINE_SHOWN, foundAt ?? 0) };
}

/** What tells a line from all others, and from itself before it had grown. */
export function lineKey(timestampNs: number, text: string): string {
  return `${timestampNs} ${text}`;
}

/** Those that no answer has shown to the client; all of them when the one it saw last is not among them. */
export function unreadLines(
  { known }: SessionView,
  lines: readonly OutputLine[],
): readonly OutputLine[] {
  const last = known?.lastLine ?? null;
  if (last === null) return lines;
  const at = lines.findLastIndex((line) => lineKey(line.time, lineTwin(line).text) === last);
  return lines.slice(at + 1);
}
