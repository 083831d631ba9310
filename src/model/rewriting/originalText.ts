import type { Insert } from './rewrittenModule.ts';
import { keyPlaceholder } from './rewrittenModule.ts';

/** A module as it is and as it runs. */
export interface RunningText {
  readonly original: string;
  readonly rewritten: string;
  readonly inserts: readonly Insert[];
  readonly key: string;
}

/** The original of a piece of a rewritten text, such as a function gives of itself; null: it is no piece of it. */
export function originalText(
  piece: string,
  { original, rewritten, inserts, key }: RunningText,
): string | null {
  const start = rewritten.indexOf(piece);
  if (start < 0) return null;
  const end = start + piece.length;
  let [from, to, moved] = [start, end, 0];
  for (const { position, text } of inserts) {
    const begins = position + moved;
    if (begins >= end) break;
    moved += text.replaceAll(keyPlaceholder, () => key).length;
    const shift = position + moved;
    if (begins < start) from = shift <= start ? start - moved : position;
    to = shift <= end ? end - moved : position;
  }
  return original.slice(from, to);
}
