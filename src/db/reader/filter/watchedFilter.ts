import { firstAtOrAfter } from '../../../base/sorted.ts';
import { nearest } from '../../../base/nearest.ts';
import { StrobeError } from '../../../model/errors.ts';
import { watchFlags } from '../../../model/eventColumns.ts';
import type { Value, WatchedFilter } from '../../../model/query.ts';
import type { WatchDefinition } from '../../../model/watch.ts';
import { openCallAt } from '../changeSuspects.ts';
import { samplesInOrder, type Sample } from '../samplesInOrder.ts';
import type { SessionTables } from '../sessionTables.ts';
import { sampledValue } from '../watchTable.ts';
import { writesInOrder, writtenValue, type WrittenRow } from '../writtenChanges.ts';
import type { CallSet, OrdinalSet } from './subtree.ts';
import { decodedTest } from './valueFilter.ts';

/** Values of which it is remembered whether they fit. */
const mostRemembered = 65_536;

/** Watches by number; throws BAD_PARAMETER when none has the label. Null: all. */
export function watchesNamed(
  tables: SessionTables,
  label: string | null,
): ReadonlyMap<number, WatchDefinition> {
  const all = tables.watches.definitions();
  if (label === null) return all;
  const wanted = new Map([...all].filter(([, watch]) => watch.label === label));
  if (wanted.size > 0) return wanted;
  const labels = [...new Set([...all.values()].map((watch) => watch.label))];
  const near = nearest(label, labels, 3);
  throw new StrobeError(
    'BAD_PARAMETER',
    labels.length === 0 ? 'Nothing was watched in this session.' : `There is no watch "${label}".`,
    labels.length === 0
      ? 'Add one: debug_trace {"watches": {"add": [{"expr": "gTotal"}]}}; it is sampled at traced calls.'
      : `${near.length > 0 ? `Nearest: ${near.join(', ')}. ` : ''}There are ${labels.join(', ')}.`,
  );
}

/** Which samples and writes fit. */
export class WatchedTest {
  readonly #watches: ReadonlyMap<number, WatchDefinition>;
  readonly #fits: (value: Value) => boolean;
  /** Numbers that were looked at, by watch: most are seen many times. */
  readonly #numbers = new Map<number, Map<bigint, boolean>>();

  /** Throws BAD_PARAMETER for a label that no watch has, or a bound that is not a number. */
  constructor(tables: SessionTables, { label, ...filter }: WatchedFilter) {
    this.#watches = watchesNamed(tables, label ?? null);
    this.#fits = decodedTest('watched', filter);
  }

  sample({ from, at }: Pick<Sample, 'from' | 'at'>): boolean {
    const number = from.watch[at] ?? -1;
    const watch = this.#watches.get(number);
    if (!watch) return false;
    const isNumber = ((from.flags[at] ?? 0) & (watchFlags.text | watchFlags.unreadable)) === 0;
    if (!isNumber) return this.#fits(sampledValue(watch, from, at));
    let known = this.#numbers.get(number);
    if (!known || known.size > mostRemembered) {
      known = new Map();
      this.#numbers.set(number, known);
    }
    const value = from.value[at] ?? 0n;
    let isFitting = known.get(value);
    if (isFitting === undefined) {
      isFitting = this.#fits(sampledValue(watch, from, at));
      known.set(value, isFitting);
    }
    return isFitting;
  }

  write(row: WrittenRow): boolean {
    const watch = this.#watches.get(row.watch);
    return watch !== undefined && this.#fits(writtenValue(watch, row.now));
  }
}

/** Calls at whose entry or return a watch saw such a value, or in which one was written, up to `until`. */
export function watchedCalls(tables: SessionTables, filter: WatchedFilter, until: number): CallSet {
  const test = new WatchedTest(tables, filter);
  const found = new Map<number, Set<number>>();
  const add = (thread: number, ordinal: number): void => {
    const known = found.get(thread);
    if (known) known.add(ordinal);
    else found.set(thread, new Set([ordinal]));
  };
  for (const sample of samplesInOrder(tables, 0, until))
    if (test.sample(sample)) add(sample.from.thread, sample.from.ordinal[sample.at] ?? -1);
  for (const row of writesInOrder(tables, { pid: null }, until)) {
    const call = test.write(row) ? openCallAt(tables, row, row.time_ns) : null;
    if (call) add(call.block.thread, call.block.first + call.row);
  }
  const sets = new Map([...found].map(([thread, ordinals]) => [thread, ordinalSet(ordinals)]));
  return { of: (thread) => sets.get(thread) ?? null };
}

function ordinalSet(ordinals: ReadonlySet<number>): OrdinalSet {
  const sorted = Float64Array.from(ordinals).toSorted();
  return {
    has: (ordinal) => ordinals.has(ordinal),
    mayHold: (from, to) =>
      (sorted[firstAtOrAfter(sorted, from, 0, sorted.length)] ?? Number.POSITIVE_INFINITY) < to,
  };
}
