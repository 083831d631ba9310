import type { SessionNs } from '../../model/ids.ts';

const TROUBLE = 'The store cannot be written: ';

/** The note of a session whose store cannot be written. */
export function troubleNote(why: string): string {
  return `${TROUBLE}${why}. The program runs on; what is stored can be queried.`;
}

/** Notes after the store could be written again. */
export function mendedNotes(notes: readonly string[], why: string, now: SessionNs): string[] {
  const mended = `The store could not be written for a while, until +${(now / 1e9).toFixed(2)} s (${why}): what was overwritten in the rings meanwhile is counted as lost.`;
  return [...notes.filter((text) => !text.startsWith(TROUBLE) && text !== mended), mended];
}
