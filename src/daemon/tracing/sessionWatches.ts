import type { FunctionWatches } from '../../collector/native/watchTable.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { PatternMatch } from '../../model/functions/traceable.ts';
import { usualDepth } from '../../model/values/shape.ts';
import {
  watchLabel,
  type WatchChange,
  type WatchReport,
  type WatchRequest,
} from '../../model/watches/watch.ts';
import { patternRequest, type PatternRequest } from './patternRequest.ts';
import type { WriteWatches } from './writeWatches.ts';
import { WatchState, type WatchSurroundings } from './watchState.ts';

/** What a session's watches ask of its tracing. */
export interface WatchParts extends Pick<
  WatchSurroundings,
  'secretNames' | 'variables' | 'announce' | 'placesIn'
> {
  readonly writes: WriteWatches;
  find(request: PatternRequest): Promise<PatternMatch<FoundFunction>>;
  /** Has these sampled and no others, in one process or in all. */
  sample(watches: FunctionWatches, only?: number): Promise<void>;
}

/** What is traced now. */
export interface TracedNow {
  readonly wanted: readonly FoundFunction[];
  readonly hooked: ReadonlySet<string>;
  readonly patterns: readonly PatternRequest[];
  /** Of the main process, whose addresses are meant; null: it is gone. */
  readonly pid: number | null;
}

/** The watches of a session, brought in line with what it traces. */
export class SessionWatches {
  readonly #parts: WatchParts;
  readonly #state = new WatchState();
  #turn: Promise<unknown> = Promise.resolve();
  /** The engines may have watches. */
  #isSampled = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Those of writes. */
  get writes(): WriteWatches {
    return this.#parts.writes;
  }

  get requests(): readonly WatchRequest[] {
    return this.#state.requests;
  }

  continueFrom(next: number): void {
    this.#state.continueFrom(next);
  }

  /** Answers what of it could not be done; throws what `WatchState.change` does. */
  change(change: WatchChange): string[] {
    return this.#state.change(change).map((label) => {
      const labels = this.requests.map(watchLabel);
      const there = labels.length > 0 ? `there are ${labels.join(', ')}` : 'there are none';
      return `There was no watch "${label}": ${there}.`;
    });
  }

  reports(): readonly WatchReport[] {
    return this.#state.reports();
  }

  /**
   * Answers what became of each, also of those that were refused. One at a time, by what is traced
   * when its turn comes: what was resolved earlier must not be sampled later.
   */
  async apply(traced: () => TracedNow, only?: number): Promise<readonly WatchReport[]> {
    const turn = this.#turn.then(
      () => this.#applyNow(traced(), only),
      () => this.#applyNow(traced(), only),
    );
    this.#turn = turn;
    return await turn;
  }

  async #applyNow(now: TracedNow, only?: number): Promise<readonly WatchReport[]> {
    if (this.#state.isEmpty && !this.#isSampled) return [];
    const reports = await this.#state.resolve({
      ...this.#parts,
      ...now,
      variables: (name, depth) => this.#parts.variables(name, depth),
      announce: (watches) => this.#parts.announce(watches),
      placesIn: (modules) => this.#parts.placesIn(modules),
      spot: (wanted) => this.#parts.writes.watch(wanted),
      functions: (pattern, depth) => this.#functions(now, pattern, depth),
    });
    this.#isSampled = !this.#state.isEmpty;
    await this.#parts.sample(this.#state.plan(), only);
    return reports;
  }

  /** Of the wanted functions those a pattern means, read anew where their values are needed deeper. */
  async #functions(
    { wanted, patterns }: TracedNow,
    pattern: string | null,
    depth: number,
  ): Promise<readonly FoundFunction[]> {
    if (pattern === null && depth === 0) return wanted;
    const keys = new Set(wanted.map((fn) => fn.id));
    const found = new Map<string, FoundFunction>();
    const requests: readonly PatternRequest[] =
      pattern === null ? patterns : [patternRequest(pattern)];
    for (const request of requests) {
      const match = await this.#parts.find({
        ...request,
        asked: {
          ...request.asked,
          depth: Math.max(depth, request.asked.depth ?? usualDepth.levels),
        },
      });
      for (const fn of match.functions) {
        if (keys.has(fn.id)) found.set(fn.id, fn);
      }
    }
    return [...found.values()];
  }
}
