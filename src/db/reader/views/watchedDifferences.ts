import { watchFlags } from '../../../model/eventColumns.ts';
import type { EventView } from '../../../model/questions/eventView.ts';
import type { Value } from '../../../model/questions/query.ts';
import type { DiffQuery, WriteDiff } from '../../../model/questions/diffResult.ts';
import type { Block } from '../block.ts';
import { comparable } from './differences.ts';
import { beginning } from '../positions.ts';
import type { SessionTables } from '../sessionTables.ts';
import { SnapshotRows } from '../snapshotRows.ts';
import { sampledValue } from '../storedWatches.ts';

/** What was seen in a call, by label and moment: the last of each. */
type Seen = ReadonlyMap<string, Value>;

/** Samples of one side of a diff, those of one block after the other. */
class WatchedSide {
  readonly #tables: SessionTables;
  readonly #until: number;
  #block: Block | null = null;
  #seen = new Map<number, Map<string, Value>>();

  constructor(tables: SessionTables, until: number) {
    this.#tables = tables;
    this.#until = until;
  }

  /** By row. */
  of(block: Block): ReadonlyMap<number, Seen> {
    if (this.#block === block) return this.#seen;
    this.#block = block;
    this.#seen = new Map();
    const definitions = this.#tables.watches.definitions();
    const { thread, first, calls } = block;
    for (const samples of this.#tables.watches.ofCalls(thread, first, first + calls)) {
      for (let at = 0; at < samples.count; at++) {
        const row = (samples.ordinal[at] ?? -1) - first;
        const watch = definitions.get(samples.watch[at] ?? -1);
        if (!watch || row < 0 || row >= calls || (samples.time[at] ?? 0) > this.#until) continue;
        const isReturn = ((samples.flags[at] ?? 0) & watchFlags.atReturn) !== 0;
        const name = `${watch.label} at ${isReturn ? 'return' : 'enter'}`;
        const known = this.#seen.get(row) ?? new Map<string, Value>();
        this.#seen.set(
          row,
          known.set(name, sampledValue(watch, samples, at, this.#tables.names(thread))),
        );
      }
    }
    return this.#seen;
  }
}

/** Compares what watches of the same label saw in two calls; what only one side sampled is no difference. */
export class WatchedDifferences {
  readonly #here: WatchedSide;
  readonly #there: WatchedSide;
  readonly #areAny: boolean;

  constructor(
    here: { readonly tables: SessionTables; readonly until: number },
    there: { readonly tables: SessionTables; readonly until: number },
  ) {
    this.#here = new WatchedSide(here.tables, here.until);
    this.#there = new WatchedSide(there.tables, there.until);
    this.#areAny = !here.tables.watches.isEmpty && !there.tables.watches.isEmpty;
  }

  /** `total at return`: what differs in the two calls. */
  names(
    a: { readonly block: Block; readonly row: number },
    b: { readonly block: Block; readonly row: number },
  ): string[] {
    if (!this.#areAny) return [];
    return differing(this.#here.of(a.block).get(a.row), this.#there.of(b.block).get(b.row));
  }

  /** Whether calls in the same rows of two blocks saw the same. */
  areAlike(block: Block, other: Block): boolean {
    if (!this.#areAny) return true;
    const there = this.#there.of(other);
    for (const [row, seen] of this.#here.of(block))
      if (differing(seen, there.get(row)).length > 0) return false;
    return true;
  }
}

function differing(here: Seen | undefined, there: Seen | undefined): string[] {
  const found: string[] = [];
  for (const [name, value] of here ?? []) {
    const match = there?.get(name);
    if (match && comparable(value) !== comparable(match)) found.push(name);
  }
  return found;
}

type Written = Extract<EventView, { readonly type: 'variable_snapshot' }>;

/** Where the writes to each place that both sides watched first differ; those alone that do. */
export function differentWrites(
  here: { readonly tables: SessionTables } & DiffQuery['here'],
  there: { readonly tables: SessionTables } & DiffQuery['here'],
  deadline: number,
): { readonly writes: readonly WriteDiff[]; readonly complete: boolean } {
  const sides = [writesOf(here, deadline), writesOf(there, deadline)] as const;
  const writes: WriteDiff[] = [];
  for (const [label, ours] of sides[0].byLabel) {
    const theirs = sides[1].byLabel.get(label);
    if (!theirs) continue;
    let alike = 0;
    while (alike < ours.length && alike < theirs.length && isSame(ours[alike], theirs[alike]))
      alike++;
    if (alike === ours.length && alike === theirs.length) continue;
    writes.push({ label, alike, here: ours[alike] ?? null, there: theirs[alike] ?? null });
  }
  return { writes, complete: sides.every(({ complete }) => complete) };
}

function isSame(a: Written | undefined, b: Written | undefined): boolean {
  return a !== undefined && b !== undefined && textOf(a) === textOf(b);
}

function textOf({ watched }: Written): string {
  return comparable(watched.value);
}

/** All writes that pass, in order, by label; labels without any are there, too. */
function writesOf(
  { tables, filter, until }: { readonly tables: SessionTables } & DiffQuery['here'],
  deadline: number,
): { readonly byLabel: ReadonlyMap<string, Written[]>; readonly complete: boolean } {
  const byLabel = new Map<string, Written[]>();
  for (const { label, isWritten } of tables.watches.definitions().values())
    if (isWritten === true) byLabel.set(label, []);
  let complete = true;
  if (byLabel.size === 0) return { byLabel, complete };
  const types = new Set(['variable_snapshot'] as const);
  const rows = new SnapshotRows(tables, { filter, until, types });
  const all = { after: beginning, order: 'time' } as const;
  for (const { view } of rows.rows(all, deadline, () => (complete = false)))
    if (view.type === 'variable_snapshot' && view.isWritten)
      byLabel.get(view.watched.label)?.push(view);
  return { byLabel, complete };
}
