import { StrobeError } from '../../model/errors.ts';
import type { WatchReport } from '../../model/watches/watch.ts';

/** A request of which a part cannot be: nothing of it is done. */
export function notDecided(reasons: readonly string[]): StrobeError {
  return new StrobeError(
    'BAD_EXPRESSION',
    reasons.join(' '),
    'Nothing was changed: correct it, or leave it out.',
  );
}

/** Why watches were refused; whole sentences. */
export function refusedWatches(reports: readonly WatchReport[]): string[] {
  return reports.flatMap(({ state, label, notes }) =>
    state === 'refused' ? [`Watch ${label} is refused: ${notes.join(' ')}`] : [],
  );
}
