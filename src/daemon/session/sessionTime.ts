import type { SessionNs } from '../../model/ids.ts';

/** A session time in notes: `+1.25 s`. */
export function seconds(ns: SessionNs): string {
  return `+${(ns / 1e9).toFixed(2)} s`;
}
