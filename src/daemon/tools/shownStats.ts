import type { CallFilter, CallView, Value } from '../../model/questions/query.ts';
import { withShown } from '../../model/questions/shownValues.ts';
import type { StatsRow } from '../../model/questions/statsResult.ts';
import type { Queries } from '../queries.ts';
import { valueText } from '../report/text/valueText.ts';
import { shownNotes } from './shownNotes.ts';

const mostRows = 10;
const mostCalls = 500;
const mostValues = 3;
const mostText = 60;

/** What the calls behind a row had under the names that are asked for: `cents=1..36`, `kind=card ×3, cash ×1`. */
export type ShownOfRows = ReadonlyMap<number, string>;

/** Reads them from the first calls of the first rows; `notes`: why some are in none of those. */
export async function shownOfRows(
  queries: Queries,
  { storePath, until, deadlineMs }: { storePath: string; until: number; deadlineMs: number },
  rows: readonly StatsRow[],
  { filter, show }: { readonly filter: CallFilter; readonly show: readonly string[] },
): Promise<{ readonly shown: ShownOfRows; readonly notes: readonly string[] }> {
  const found = new Map<number, string>();
  const looked: CallView[] = [];
  for (const row of rows.slice(0, mostRows)) {
    if (row.function === null) continue;
    const page = await queries.ask('events', storePath, {
      filter: { ...filter, function: { equals: row.function } },
      eventTypes: ['call'],
      order: 'time',
      limit: mostCalls,
      cursor: null,
      until,
      deadlineMs,
    });
    const calls = page.events.flatMap((event) =>
      'call' in event && event.call.fn === row.number ? [event.call] : [],
    );
    looked.push(...calls);
    const text = distributionText(calls.map((call) => withShown(call, show)));
    const left = page.total - page.events.length;
    if (text !== '')
      found.set(row.number, left > 0 ? `${text}; of its first ${calls.length}` : text);
  }
  return { shown: found, notes: shownNotes(looked, show) };
}

function distributionText(calls: readonly CallView[]): string {
  const values = new Map<string, Value[]>();
  const add = (name: string, value: Value): void => {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  };
  for (const { arguments: given, returns } of calls) {
    for (const { name, value } of given) add(name, value);
    if (returns.kind === 'object')
      for (const { name, value } of returns.object.fields) add(`return.${name}`, value);
    else if (returns.kind !== 'void') add('return', returns);
  }
  return [...values].map(([name, all]) => `${name}=${spread(all)}`).join(', ');
}

/** `1..36` of numbers, else the most frequent ones. */
function spread(values: readonly Value[]): string {
  const times = new Map<string, number>();
  for (const value of values) {
    const text = valueText(value, { verbose: false }).slice(0, mostText);
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  const [only] = times.keys();
  if (times.size === 1 && only !== undefined) return only;
  const numbers = values.map((value) =>
    value.kind === 'int' ? Number(value.text) : value.kind === 'float' ? value.value : Number.NaN,
  );
  if (times.size > mostValues && !numbers.some(Number.isNaN))
    return `${Math.min(...numbers)}..${Math.max(...numbers)} (${times.size} different)`;
  const most = [...times].toSorted((a, b) => b[1] - a[1]);
  const shown = most.slice(0, mostValues).map(([text, count]) => `${text} ×${count}`);
  return most.length > mostValues
    ? `${shown.join('|')}|… ${most.length - mostValues} more`
    : shown.join('|');
}
