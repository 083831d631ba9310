import type { WantedWatch } from '../../collector/tracer.ts';
import { StrobeError } from '../../model/errors.ts';
import type { RuntimeName } from '../../model/functions/traceable.ts';
import { parsePattern } from '../../model/names/pattern.ts';
import { parseExpression } from '../../model/watches/expression.ts';
import {
  mostWatches,
  watchLabel,
  watchReport,
  type WatchChange,
  type WatchReport,
  type WatchRequest,
} from '../../model/watches/watch.ts';

const nothingFound = { type: null, functions: 0, notes: [] };

/** Of a runtime that has no watches. */
export function unwatchable(request: WatchRequest, runtime: RuntimeName): WatchReport {
  const notes = [`Programs of ${runtime} have no watches.`];
  return watchReport(request, 'refused', { type: null, functions: 0, notes });
}

/** Reads a watch. Throws BAD_EXPRESSION, BAD_PATTERN or BAD_PARAMETER. */
export function readWatch(request: WatchRequest): WantedWatch {
  const { address, type, at } = request;
  const expression = request.expr === undefined ? null : parseExpression(request.expr);
  const on = request.on === undefined ? null : parsePattern(request.on);
  if (at === 'write' && on !== null)
    throw new StrobeError(
      'BAD_PARAMETER',
      `Writes are seen wherever they happen; "on" says in which calls a watch is sampled: ${JSON.stringify(request)}.`,
      'Leave "on" out, and ask debug_query {"view": "changes"}.',
    );
  const isAddress = type !== undefined && /^0x[0-9a-f]{1,16}$/i.test(address ?? '');
  if (address !== undefined && !isAddress)
    throw new StrobeError(
      'BAD_PARAMETER',
      `A watch of an address has a hexadecimal address and a type: ${JSON.stringify(request)}.`,
      'For example {"address": "0x7ffe12345678", "type": "int"}.',
    );
  return { request, expression, on };
}

interface Active {
  readonly watch: WantedWatch;
  report: WatchReport;
}

/** The watches of a session at some time. */
export type KeptWatches = ReadonlyMap<string, Active>;

/** What was asked for, and what became of each. */
export class WatchList {
  readonly #watches = new Map<string, Active>();
  #refused: WatchReport[] = [];

  get all(): readonly WantedWatch[] {
    return [...this.#watches.values()].map(({ watch }) => watch);
  }

  get requests(): readonly WatchRequest[] {
    return this.all.map(({ request }) => request);
  }

  /**
   * Adds and removes; answers labels that were not there. Throws what `readWatch` does, and of too many
   * BAD_PARAMETER.
   */
  change({ add, remove }: WatchChange): string[] {
    const read = add.map(readWatch);
    const left = new Set([...this.#watches.keys()].filter((label) => !remove.includes(label)));
    for (const request of add) left.add(watchLabel(request));
    if (left.size > mostWatches)
      throw new StrobeError(
        'BAD_PARAMETER',
        `A session has at most ${mostWatches} watches; it would have ${left.size}.`,
        `Remove some: debug_trace {"watches": {"remove": [${JSON.stringify([...left][0])}]}}.`,
      );
    const unknown = remove.filter((label) => !this.#watches.delete(label));
    if (add.length > 0 || remove.length > 0) this.#refused = [];
    for (const watch of read) {
      const report = watchReport(watch.request, 'pending', nothingFound);
      this.#watches.set(watchLabel(watch.request), { watch, report });
    }
    return unknown;
  }

  /** All of it, to go back to. */
  kept(): KeptWatches {
    return new Map([...this.#watches].map(([label, active]) => [label, { ...active }]));
  }

  /** What a change did to these labels is undone. */
  restore(kept: KeptWatches, { add, remove }: WatchChange): void {
    this.#refused = [];
    for (const label of [...add.map(watchLabel), ...remove]) {
      const active = kept.get(label);
      if (active) this.#watches.set(label, active);
      else this.#watches.delete(label);
    }
  }

  /** Also of those that were refused since the last change. */
  reports(): readonly WatchReport[] {
    return [...[...this.#watches.values()].map(({ report }) => report), ...this.#refused];
  }

  /** What became of watches; the refused ones are gone. */
  setReports(watches: readonly WantedWatch[], reports: readonly WatchReport[]): void {
    for (const [i, watch] of watches.entries()) {
      const active = this.#watches.get(watchLabel(watch.request));
      const report = reports[i];
      if (!report || active?.watch !== watch) continue;
      active.report = report;
      if (report.state !== 'refused') continue;
      this.#watches.delete(report.label);
      this.#refused.push(report);
    }
  }
}

/** Of watches that wait for the next launch. */
export function stagedWatches(requests: readonly WatchRequest[]): WatchReport[] {
  return requests.map((request) => watchReport(request, 'staged', nothingFound));
}
