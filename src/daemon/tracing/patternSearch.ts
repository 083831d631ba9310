import type { RuntimeName, Traceable } from '../../model/functions/traceable.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import { usualDepth } from '../../model/values/shape.ts';
import type { PatternRequest } from './patternRequest.ts';
import type { LoadedUnits } from './sessionSymbols.ts';
import type { FindFunctions, FoundFunctions, TraceState } from './traceState.ts';

type Units = Pick<LoadedUnits, 'units'>;
type FindIn<L extends Units> = (
  request: PatternRequest,
  loaded: readonly L[],
) => Promise<FoundFunctions>;

/** Looks for what patterns mean in what is loaded. */
export class PatternSearch<L extends Units> {
  readonly #trace: TraceState;
  readonly #find: FindIn<L>;
  readonly #loaded: () => readonly L[];
  /** Units in which all patterns were looked for. */
  #searched: ReadonlySet<string> = new Set();
  #turn: Promise<unknown> = Promise.resolve();

  /** `loaded`: what is and was loaded, now. */
  constructor(trace: TraceState, find: FindIn<L>, loaded: () => readonly L[]) {
    this.#trace = trace;
    this.#find = find;
    this.#loaded = loaded;
  }

  async add(patterns: readonly PatternRequest[]): Promise<void> {
    await this.#inTurn(async () => {
      const loaded = this.#loaded();
      if (this.#trace.texts.length === 0) this.#searched = unitsOf(loaded);
      await this.#trace.add(patterns, this.#findIn(loaded));
    });
  }

  /** Looks for all of them once more where something came. Answers whether something did. */
  async again(): Promise<boolean> {
    return await this.#inTurn(async () => {
      const loaded = this.#loaded();
      const units = unitsOf(loaded);
      if ([...units].every((unit) => this.#searched.has(unit))) return false;
      this.#searched = units;
      await this.#trace.refresh(this.#findIn(loaded));
      return true;
    });
  }

  /** Of the wanted functions those a pattern means, read again where their values are needed deeper. */
  async deeper(
    of: { readonly name: RuntimeName; readonly wanted: readonly Traceable[] },
    pattern: Pattern | null,
    depth: number,
  ): Promise<readonly Traceable[]> {
    if (pattern === null && depth === 0) return of.wanted;
    const ids = new Set(of.wanted.map(({ id }) => id));
    const found = new Map<string, Traceable>();
    const requests = pattern === null ? this.#trace.requests : [requestOf(pattern)];
    const find = this.#findIn(this.#loaded());
    for (const request of requests) {
      const levels = Math.max(depth, request.asked.depth ?? usualDepth.levels);
      const { match } = await find({ ...request, asked: { ...request.asked, depth: levels } });
      for (const fn of match.functions)
        if (fn.runtime === of.name && ids.has(fn.id)) found.set(fn.id, fn);
    }
    return [...found.values()];
  }

  #findIn(loaded: readonly L[]): FindFunctions {
    return async (request) => this.#find(request, loaded);
  }

  /** One after the other: a look at what was loaded before, ending last, would undo that at what came since. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn;
    return await turn;
  }
}

function unitsOf(loaded: readonly Units[]): ReadonlySet<string> {
  return new Set(loaded.flatMap(({ units }) => units));
}

function requestOf(pattern: Pattern): PatternRequest {
  return {
    asked: { pattern: pattern.text },
    pattern,
    when: null,
    whenReturn: null,
    invariant: null,
  };
}
