import type { TraceReport } from '../../model/functions/hookReport.ts';
import { matchesDottedName, matchesName, parsePattern } from '../../model/names/pattern.ts';

/**
 * Why no call that fits can be recorded, as a clause; null where one may be: also where some of what is hooked, or will
 * be once it is loaded, is not known by name. `match`: a pattern; null: any call.
 */
export function whyNeverCalled(trace: TraceReport | null, match: string | null): string | null {
  if (trace === null) return 'no functions are traced';
  if (match === null || trace.hookedFunctions === 0) return null;
  const isWhole = trace.patterns.every(
    ({ hooked, examples, waiting }) => hooked === examples.length && waiting.length === 0,
  );
  const wanted = parsePattern(match);
  if (!isWhole || wanted.selection.kind !== 'name') return null;
  const isNamed = (name: string): boolean =>
    matchesName(wanted, name) || matchesDottedName(wanted, name);
  const isHooked = trace.patterns.some(({ examples }) =>
    examples.some((one) => isNamed(one.function)),
  );
  return isHooked ? null : `no hooked function matches ${JSON.stringify(match)}`;
}
