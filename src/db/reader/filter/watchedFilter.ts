import { firstAtOrAfter } from '../../../base/sorted.ts';
import { nearest } from '../../../base/nearest.ts';
import { StrobeError } from '../../../model/errors.ts';
import { watchFlags } from '../../../model/eventColumns.ts';
import type { Value, WatchedFilter } from '../../../model/questions/query.ts';
import type { WatchDefinition } from '../../../model/watches/watch.ts';
import type { Block } from '../block.ts';
import { openCallAt } from '../views/changeSuspects.ts';
import type { Sample } from '../samplesInOrder.ts';
import type { SessionTables } from '../sessionTables.ts';
import { sampledValue, type SampleRow } from '../storedWatches.ts';
import { writesOnThread, writtenValue, type WrittenRow } from '../views/writtenChanges.ts';
import type { CallSet, OrdinalSet } from './subtree.ts';
import { decodedTest } from './wantedValue.ts';

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
  readonly #tables: SessionTables;
  readonly #watches: ReadonlyMap<number, WatchDefinition>;
  readonly #fits: (value: Value) => boolean;
  /** Numbers that were looked at, by watch: most are seen many times. */
  readonly #numbers = new Map<number, Map<bigint, boolean>>();

  /** Throws BAD_PARAMETER for a label that no watch has, or a bound that is not a number. */
  constructor(tables: SessionTables, { label, ...filter }: WatchedFilter) {
    this.#tables = tables;
    this.#watches = watchesNamed(tables, label ?? null);
    this.#fits = decodedTest('watched', filter);
  }

  sample({ from, at }: Pick<Sample, 'from' | 'at'>): boolean {
    const number = from.watch[at] ?? -1;
    const watch = this.#watches.get(number);
    if (!watch) return false;
    const isNumber = ((from.flags[at] ?? 0) & (watchFlags.text | watchFlags.unreadable)) === 0;
    const names = this.#tables.names(from.thread);
    if (!isNumber) return this.#fits(sampledValue(watch, from, at, names));
    let known = this.#numbers.get(number);
    if (!known || known.size > mostRemembered) {
      known = new Map();
      this.#numbers.set(number, known);
    }
    const value = from.value[at] ?? 0n;
    let isFitting = known.get(value);
    if (isFitting === undefined) {
      isFitting = this.#fits(sampledValue(watch, from, at, names));
      known.set(value, isFitting);
    }
    return isFitting;
  }

  write(row: Pick<WrittenRow, 'watch' | 'now'>): boolean {
    const watch = this.#watches.get(row.watch);
    return watch !== undefined && this.#fits(writtenValue(watch, row.now));
  }
}

/** Calls at whose entry or return a watch saw such a value, or in which one was written, up to `until`. */
export function watchedCalls(tables: SessionTables, filter: WatchedFilter, until: number): CallSet {
  const test = new WatchedTest(tables, filter);
  const sets = new Map<number, WatchedOrdinals>();
  return {
    of: (thread) => {
      let set = sets.get(thread);
      if (!set) {
        set = new WatchedOrdinals({ tables, test, thread, until });
        sets.set(thread, set);
      }
      return set;
    },
  };
}

interface Watched {
  readonly tables: SessionTables;
  readonly test: WatchedTest;
  readonly thread: number;
  readonly until: number;
}

/**
 * Of one thread. Samples and writes are read when the calls of their block are asked about: whoever asks has
 * a deadline.
 */
class WatchedOrdinals implements OrdinalSet {
  readonly #watched: Watched;
  /** Calls of samples that fit, in order, by the row that holds those. */
  readonly #fitting = new Map<number, Float64Array>();
  /** Calls in which such a value was written, in order, by the first of their block. */
  readonly #writing = new Map<number, Float64Array>();
  /** The calls among [from, to), which were asked for last. */
  #members = new Set<number>();
  #from = 0;
  #to = 0;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  mayHold(from: number, to: number): boolean {
    for (const ordinals of this.#lists(from, to))
      if ((ordinals[firstFrom(ordinals, from)] ?? Number.POSITIVE_INFINITY) < to) return true;
    return false;
  }

  has(ordinal: number): boolean {
    if (ordinal < this.#from || ordinal >= this.#to) this.#collect(ordinal);
    return this.#members.has(ordinal);
  }

  #collect(ordinal: number): void {
    const block = this.#watched.tables.blocks.find(this.#watched.thread, ordinal)?.block;
    this.#from = block?.first ?? ordinal;
    this.#to = this.#from + (block?.calls ?? 1);
    this.#members = new Set();
    for (const ordinals of this.#lists(this.#from, this.#to))
      for (let at = firstFrom(ordinals, this.#from); at < ordinals.length; at++) {
        const member = ordinals[at] ?? 0;
        if (member >= this.#to) break;
        this.#members.add(member);
      }
  }

  *#lists(from: number, to: number): Iterable<Float64Array> {
    const { tables, thread, until } = this.#watched;
    const block = tables.blocks.find(thread, from)?.block;
    if (block) yield this.#writingIn(block);
    for (const row of tables.watches.rowsOfCalls(thread, from, to))
      if (row.start_ns <= until) yield this.#fittingIn(row);
  }

  #writingIn(block: Block): Float64Array {
    const known = this.#writing.get(block.first);
    if (known) return known;
    const { tables, test, thread, until } = this.#watched;
    const to = block.open > 0 ? until : Math.min(until, Math.max(block.lastNs, block.endNs));
    const found = new Set<number>();
    for (const row of writesOnThread(tables, tables.thread(thread), { from: block.startNs, to })) {
      const call = test.write(row) ? openCallAt(tables, row, row.time_ns) : null;
      if (call?.block === block) found.add(block.first + call.row);
    }
    const writing = Float64Array.from(found).toSorted();
    this.#writing.set(block.first, writing);
    return writing;
  }

  #fittingIn(row: SampleRow): Float64Array {
    const known = this.#fitting.get(row.id);
    if (known) return known;
    const { tables, test, until } = this.#watched;
    const from = tables.watches.read(row);
    const found: number[] = [];
    for (let at = 0; at < from.count; at++)
      if ((from.time[at] ?? 0) <= until && test.sample({ from, at }))
        found.push(from.ordinal[at] ?? -1);
    const fitting = Float64Array.from(found).toSorted();
    this.#fitting.set(row.id, fitting);
    return fitting;
  }
}

function firstFrom(sorted: Float64Array, least: number): number {
  return firstAtOrAfter(sorted, least, 0, sorted.length);
}
