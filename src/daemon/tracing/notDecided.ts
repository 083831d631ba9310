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
  return reports.flatMap((report) => (report.state === 'refused' ? [refusedWatch(report)] : []));
}

/** Of one: its name once, also where the reason begins with it. */
function refusedWatch({ label, notes }: Pick<WatchReport, 'label' | 'notes'>): string {
  const why = notes.join(' ');
  return why.startsWith(`${label} cannot be watched`)
    ? `Watch ${why}`
    : `Watch ${label} is refused: ${why}`;
}
