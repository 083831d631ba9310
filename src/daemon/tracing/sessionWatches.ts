import type { TracedNow, WantedWatch } from '../../collector/tracer.ts';
import type { RuntimeName } from '../../model/functions/traceable.ts';
import {
  watchLabel,
  type WatchChange,
  type WatchReport,
  type WatchRequest,
} from '../../model/watches/watch.ts';
import { WatchList, type KeptWatches } from './watchList.ts';

/** What is traced of each runtime. */
export type TracedBy = (runtime: RuntimeName) => TracedNow;

/** Applies watches in all processes, or in one; answers a report each. */
type ApplyWatches = (
  watches: readonly WantedWatch[],
  tracedBy: TracedBy,
  only?: number,
) => Promise<readonly WatchReport[]>;

/** The watches of a session, brought in line with what it traces. */
export class SessionWatches {
  readonly #apply: ApplyWatches;
  readonly #list = new WatchList();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(apply: ApplyWatches) {
    this.#apply = apply;
  }

  get requests(): readonly WatchRequest[] {
    return this.#list.requests;
  }

  /** Answers what of it could not be done; throws what `WatchList.change` does. */
  change(change: WatchChange): string[] {
    return this.#list.change(change).map((label) => {
      const labels = this.requests.map(watchLabel);
      const there = labels.length > 0 ? `there are ${labels.join(', ')}` : 'there are none';
      return `There was no watch "${label}": ${there}.`;
    });
  }

  kept(): KeptWatches {
    return this.#list.kept();
  }

  /** Undoes a change; they are to be applied again. */
  restore(kept: KeptWatches, change: WatchChange): void {
    this.#list.restore(kept, change);
  }

  reports(): readonly WatchReport[] {
    return this.#list.reports();
  }

  /**
   * Answers what became of each, also of those that were refused and are gone. One at a time, by what is traced
   * when its turn comes: what was resolved earlier must not be sampled later.
   */
  async apply(traced: () => TracedBy, only?: number): Promise<readonly WatchReport[]> {
    const turn = this.#turn.then(
      () => this.#applyNow(traced(), only),
      () => this.#applyNow(traced(), only),
    );
    this.#turn = turn;
    return await turn;
  }

  async #applyNow(tracedBy: TracedBy, only?: number): Promise<readonly WatchReport[]> {
    const watches = this.#list.all;
    const reports = await this.#apply(watches, tracedBy, only);
    this.#list.setReports(watches, reports);
    return reports.length > 0 ? reports : this.#list.reports();
  }
}
