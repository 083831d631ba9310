import { stampOf } from '../../base/paths.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { PatternMatch } from '../../model/functions/traceable.ts';
import type { Outcome } from '../../model/problem.ts';

type Matches = Outcome<PatternMatch<FoundFunction>>;

/** Fewer are found again in less time than it takes to compare files. */
const LEAST_FUNCTIONS = 200;
/** Of all that is kept. */
const MOST_FUNCTIONS = 10_000;

/**
 * What patterns meant that mean many functions, as long as the files are the same: to describe thousands and to hand
 * them from thread to thread takes longer than to hook them.
 */
export class KeptMatches {
  readonly #kept = new Map<string, { readonly stamp: string; readonly matches: Matches }>();

  /** What is kept of a question about these files, or what `find` gives. */
  async get(key: string, files: readonly string[], find: () => Promise<Matches>): Promise<Matches> {
    const kept = this.#kept.get(key);
    if (kept && (await versionOf(files)) === kept.stamp) return kept.matches;
    this.#kept.delete(key);
    const stamp = await versionOf(files);
    const matches = await find();
    if (matches.value.functions.length >= LEAST_FUNCTIONS) this.#keep(key, { stamp, matches });
    return matches;
  }

  clear(): void {
    this.#kept.clear();
  }

  #keep(key: string, one: { readonly stamp: string; readonly matches: Matches }): void {
    this.#kept.set(key, one);
    let count = 0;
    for (const { matches } of this.#kept.values()) count += matches.value.functions.length;
    for (const [oldest, { matches }] of this.#kept) {
      if (count <= MOST_FUNCTIONS) return;
      this.#kept.delete(oldest);
      count -= matches.value.functions.length;
    }
  }
}

async function versionOf(files: readonly string[]): Promise<string> {
  return (await Promise.all(files.map(stampOf))).join('\n');
}
