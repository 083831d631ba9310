import { InsertedOffsets, type RunningText } from './insertedOffsets.ts';

/** The original of a piece of a rewritten text, such as a function gives of itself; null: it is no piece of it. */
export function originalText(piece: string, running: RunningText): string | null {
  const start = running.rewritten.indexOf(piece);
  if (start < 0) return null;
  const offsets = new InsertedOffsets(running);
  const [from, to] = [offsets.original(start), offsets.original(start + piece.length, true)];
  return running.original.slice(from.offset, to.offset);
}
