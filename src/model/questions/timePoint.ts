import type { SessionNs } from '../ids.ts';

/** `3s`, `+8.558368s` as answers write it: since the session began; `-5s`, `-1.5m`: back from the end of what is known. */
export const timeText = /^([+-]?)(\d{1,12}(?:\.\d{1,9})?)(ns|us|µs|ms|s|m|h)$/;

const unitNs = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);

/**
 * The session time a client means: a number is nanoseconds since the session began, a text what `timeText` says; one
 * that counts back from `end` (now, or the end of an ended session) never goes before 0. Null when it is neither.
 */
export function timePoint(wanted: number | string, end: SessionNs): SessionNs | null {
  if (typeof wanted === 'number') return wanted;
  const [found, sign, count, unit = ''] = timeText.exec(wanted) ?? [];
  if (found === undefined) return null;
  const ns = Math.round(Number(count) * (unitNs.get(unit) ?? 0));
  return sign === '-' ? Math.max(0, end - ns) : ns;
}
