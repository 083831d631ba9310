import type { SessionNs } from '../ids.ts';

/** `-5s`, `-500ms`, `-1.5m`: how far back from the end of what is known. */
export const timeBack = /^-(\d{1,12}(?:\.\d{1,9})?)(ns|us|ms|s|m|h)$/;

const unitNs = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);

/**
 * The session time a client means: a number is absolute, a text counts back from `end`
 * (now, or the end of an ended session) and never goes before 0. Null when it is neither.
 */
export function timePoint(wanted: number | string, end: SessionNs): SessionNs | null {
  if (typeof wanted === 'number') return wanted;
  const found = timeBack.exec(wanted);
  if (!found) return null;
  return Math.max(0, end - Number(found[1]) * (unitNs.get(found[2] ?? '') ?? 0));
}
