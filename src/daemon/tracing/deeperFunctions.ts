import type { RuntimeName, Traceable } from '../../model/functions/traceable.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import { usualDepth } from '../../model/values/shape.ts';
import type { PatternRequest } from './patternRequest.ts';
import type { FindFunctions } from './traceState.ts';

/** Of the wanted functions those a pattern means, read anew where their values are needed deeper. */
export async function deeperFunctions(
  finder: () => FindFunctions,
  of: {
    readonly name: RuntimeName;
    readonly wanted: readonly Traceable[];
    readonly patterns: readonly PatternRequest[];
  },
  pattern: Pattern | null,
  depth: number,
): Promise<readonly Traceable[]> {
  if (pattern === null && depth === 0) return of.wanted;
  const ids = new Set(of.wanted.map(({ id }) => id));
  const found = new Map<string, Traceable>();
  const requests =
    pattern === null
      ? of.patterns
      : [
          {
            asked: { pattern: pattern.text },
            pattern,
            when: null,
            whenReturn: null,
            invariant: null,
          },
        ];
  const find = finder();
  for (const request of requests) {
    const levels = Math.max(depth, request.asked.depth ?? usualDepth.levels);
    const { match } = await find({ ...request, asked: { ...request.asked, depth: levels } });
    for (const fn of match.functions)
      if (fn.runtime === of.name && ids.has(fn.id)) found.set(fn.id, fn);
  }
  return [...found.values()];
}
