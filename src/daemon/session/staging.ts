import type { WatchRequest } from '../../model/watches/watch.ts';
import type { PatternRequest } from '../tracing/patternRequest.ts';

/** What a client wants traced in a launch to come. */
export interface Staged {
  readonly patterns: readonly PatternRequest[];
  readonly watches: readonly WatchRequest[];
}

/** What one launch uses. */
export interface TakenStaged extends Staged {
  /** The launch came to nothing: the next one gets it. */
  giveBack(): void;
}

const nothing: Staged = { patterns: [], watches: [] };

/**
 * What waits for launches, by client and project (null: for its next launch in any). It is used once: of
 * launches at the same time by the first, and what is staged while one is under way waits for the next.
 */
export class Staging {
  readonly #byClient = new Map<string, Map<string | null, Staged>>();

  /** Something waits for a launch. */
  get any(): boolean {
    return this.#byClient.size > 0;
  }

  of(clientId: string, projectRoot: string | null): Staged {
    return this.#byClient.get(clientId)?.get(projectRoot) ?? nothing;
  }

  /** Replaces what waits. */
  stage(clientId: string, projectRoot: string | null, staged: Staged): void {
    const all = this.#byClient.get(clientId) ?? new Map<string | null, Staged>();
    if (staged.patterns.length + staged.watches.length > 0) all.set(projectRoot, staged);
    else all.delete(projectRoot);
    if (all.size > 0) this.#byClient.set(clientId, all);
    else this.#byClient.delete(clientId);
  }

  /** Takes what a launch in this project uses; null: its project is not known. */
  take(clientId: string, projectRoot: string | null): TakenStaged {
    const keys = projectRoot === null ? [null] : [null, projectRoot];
    const taken = keys.map((key) => ({ key, staged: this.of(clientId, key) }));
    for (const { key } of taken) this.stage(clientId, key, nothing);
    return {
      ...joined(taken.map(({ staged }) => staged)),
      giveBack: () => {
        for (const { key, staged } of taken)
          this.stage(clientId, key, joined([staged, this.of(clientId, key)]));
      },
    };
  }

  /** The projects in which launches are waited for. */
  projects(clientId: string): string[] {
    const all = this.#byClient.get(clientId) ?? new Map<string | null, Staged>();
    return [...all.keys()].filter((key) => key !== null);
  }

  /** The client has gone: nobody will launch what it staged. */
  forget(clientId: string): void {
    this.#byClient.delete(clientId);
  }
}

function joined(all: readonly Staged[]): Staged {
  return {
    patterns: all.flatMap(({ patterns }) => patterns),
    watches: all.flatMap(({ watches }) => watches),
  };
}
