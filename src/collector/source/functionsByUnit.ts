import type { SourceFunction } from '../../model/functions/sourceFunction.ts';

const units = new WeakMap<readonly SourceFunction[], ReadonlyMap<string, SourceFunction[]>>();

/** The same functions by their unit, worked out once. */
export function functionsByUnit(
  functions: readonly SourceFunction[],
): ReadonlyMap<string, readonly SourceFunction[]> {
  const known = units.get(functions);
  if (known) return known;
  const found = new Map<string, SourceFunction[]>();
  for (const fn of functions) {
    const of = found.get(fn.unit);
    if (of) of.push(fn);
    else found.set(fn.unit, [fn]);
  }
  units.set(functions, found);
  return found;
}
