import type { CallFilter, CallView } from '../../model/questions/query.ts';
import type { Asserted, AssertedValue } from '../../testing/asserted.ts';
import { canonicalText } from '../../testing/canonicalText.ts';
import { namesIn } from '../../testing/testSource.ts';
import { valueText } from '../report/text/valueText.ts';
import type { Queries } from '../queries.ts';
import { callPages } from './callPages.ts';
import { lastName } from './suspects/callName.ts';

/** Calls whose results are compared by their texts. */
const mostCompared = 5000;
/** Values of a failure that calls are looked for by. */
const mostValues = 4;
/** Smaller numbers are results by chance. */
const leastTelling = 10;

/** The calls that returned a value the failure complains of, each in the one before. */
export interface Source {
  readonly value: string;
  readonly calls: readonly CallView[];
}

/** Where it is searched for. */
interface Searched {
  readonly storePath: string;
  /** The calls that belong to the test. */
  readonly filter: CallFilter;
  readonly asserted: Asserted;
  readonly events: readonly CallView[];
}

/** Of the calls that returned a value of the failure the last, behind those around it that returned it too. */
export async function sourceOf(
  queries: Queries,
  until: number,
  test: Searched,
): Promise<Source | null> {
  const asserted = assertedCalls(test);
  for (const value of test.asserted.values.slice(0, mostValues)) {
    const found = new Map<string, CallView>();
    for (const call of await callsReturning(queries, until, test, value)) found.set(call.id, call);
    for (const last of [...found.values()].toReversed()) {
      const calls: CallView[] = [];
      for (let one: CallView | undefined = last; one; one = found.get(one.parent ?? ''))
        calls.unshift(one);
      if (!isCommon(value) || asserted.has(calls[0]?.id ?? '')) return { value: value.text, calls };
    }
  }
  return null;
}

/** Many calls return such a value, by chance: it is that of the failure where the assertion has it from a call. */
function isCommon({ plain }: AssertedValue): boolean {
  return (
    typeof plain === 'boolean' || (typeof plain === 'number' && Math.abs(plain) < leastTelling)
  );
}

/** The calls that the failed assertion names, else those that made what it compares. */
function assertedCalls({
  asserted: { text, assigned = '' },
  events,
}: Pick<Searched, 'asserted' | 'events'>): ReadonlySet<string> {
  for (const statement of [text, assigned]) {
    const names = namesIn(statement);
    const named = events.filter((call) => names.has(lastName(call)));
    if (named.length > 0) return new Set(named.map(({ id }) => id));
  }
  return new Set();
}

async function callsReturning(
  queries: Queries,
  until: number,
  test: Pick<Searched, 'storePath' | 'filter'>,
  { text, plain }: AssertedValue,
): Promise<CallView[]> {
  const wanted = plain === null ? canonicalText(text) : null;
  const returnValue = plain === null ? { isNull: false } : { equals: plain };
  const calls: CallView[] = [];
  let looked = 0;
  const store = { storePath: test.storePath, until };
  for await (const page of callPages(queries, store, { ...test.filter, returnValue })) {
    looked += page.length;
    calls.push(...page.filter((call) => wanted === null || isWrittenAs(call, wanted)));
    if (wanted === null || looked >= mostCompared) break;
  }
  return calls;
}

function isWrittenAs({ returns }: CallView, wanted: string): boolean {
  return canonicalText(valueText(returns, { verbose: true })) === wanted;
}
