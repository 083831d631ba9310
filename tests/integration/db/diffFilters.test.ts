import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import type { DiffResult } from '../../../src/model/questions/diffResult.ts';
import type { CallFilter, Value } from '../../../src/model/questions/query.ts';
import { callId } from '../../../src/model/ids.ts';
import { endAt, passes } from './plainReference.ts';
import { few, filters, scaled } from './randomFilters.ts';
import { RandomSession, TemporaryFolder, type KnownCall } from './randomSession.ts';

/** What a diff is of, as its maker knows it. */
interface Side {
  readonly calls: readonly KnownCall[];
  readonly all: readonly KnownCall[];
  readonly until: number;
}

/** Addresses differ from run to run; of all else what is seen counts. */
function seen(value: Value): string {
  switch (value.kind) {
    case 'pointer':
      return value.isNull ? 'null' : 'pointer';
    case 'unreadable':
      return '';
    case 'int':
      return value.text;
    case 'enum':
      return value.name ?? value.text;
    case 'string':
      return JSON.stringify(value.text);
    case 'list':
      return `${value.items.map(seen).join()} of ${value.total}`;
    case 'char':
      return `'${value.code}'`;
    case 'bool':
      return String(value.value);
    case 'float':
      return String(value.value);
    default:
      return 'null';
  }
}

/** The names of what differs in two calls of one function. */
function differing(here: Side, there: Side, a: KnownCall, b: KnownCall): string[] {
  const found = a.arguments
    .slice(0, a.function.captured.length)
    .filter(({ value }, i) => seen(value) !== seen(b.arguments[i]?.value ?? { kind: 'void' }))
    .map(({ name }) => name);
  const [end, other] = [endAt(a, here.until), endAt(b, there.until)];
  if (end !== other) found.push('end');
  else if (end === 'returned' && seen(a.returns) !== seen(b.returns)) found.push('return');
  const watched = ({ until }: Side, call: KnownCall): Map<string, string> =>
    new Map(
      call.watched
        .filter(({ time }) => time <= until)
        .map(({ label, atReturn, value }) => [
          `${label} at ${atReturn ? 'return' : 'enter'}`,
          seen(value),
        ]),
    );
  const theirs = watched(there, b);
  for (const [name, value] of watched(here, a)) {
    const match = theirs.get(name);
    if (match !== undefined && match !== value) found.push(name);
  }
  return found;
}

interface Expected {
  readonly name: string;
  readonly here: number | null;
  readonly there: number | null;
  readonly compared: number;
  readonly order: readonly (string | null)[] | null;
  readonly values: readonly (string | null)[] | null;
}

const idOf = (call: KnownCall | undefined): string | null =>
  call ? callId(call.thread.key, call.ordinal) : null;

/** Compared call by call. */
function compared(
  here: Side,
  there: Side,
  ours: KnownCall[],
  theirs: KnownCall[],
): Partial<Expected> {
  let values: Expected['values'] = null;
  const apart = (ours[0]?.depth ?? 0) - (theirs[0]?.depth ?? 0);
  for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
    const [a, b] = [ours[i], theirs[i]];
    if (!a || !b || a.function !== b.function || a.depth - b.depth !== apart)
      return { compared: i, order: [String(i), idOf(a), idOf(b)], values };
    const names = differing(here, there, a, b);
    if (names.length > 0) values ??= [String(i), idOf(a), idOf(b), ...names];
  }
  return { compared: ours.length, order: null, values };
}

function grouped<K>(
  calls: readonly KnownCall[],
  keyOf: (call: KnownCall) => K,
): Map<K, KnownCall[]> {
  const groups = new Map<K, KnownCall[]>();
  for (const call of calls) groups.set(keyOf(call), [...(groups.get(keyOf(call)) ?? []), call]);
  return groups;
}

/** The calls of each thread that has some, the first to begin first. */
function threadsOf({ calls, all }: Side): KnownCall[][] {
  const began = (key: number): number => all.find(({ thread }) => thread.key === key)?.start ?? 0;
  return [...grouped(calls, ({ thread }) => thread.key)]
    .toSorted(([a], [b]) => began(a) - began(b) || a - b)
    .map(([, group]) => group);
}

function expectedThreads(here: Side, there: Side): Expected[] {
  const nameOf = (group: KnownCall[] | undefined): string => group?.[0]?.thread.name ?? '';
  const tidOf = (group: KnownCall[] | undefined): number | null => group?.[0]?.thread.tid ?? null;
  const [ours, theirs] = [threadsOf(here), threadsOf(there)];
  const isPair = ours.length === 1 && theirs.length === 1;
  const left = [...theirs];
  const pairs: [KnownCall[] | undefined, KnownCall[] | undefined][] = ours.map((group) => {
    const at = isPair ? 0 : left.findIndex((other) => nameOf(other) === nameOf(group));
    return [group, at < 0 ? undefined : left.splice(at, 1)[0]];
  });
  for (const group of left) pairs.push([undefined, group]);
  return pairs.map(([a, b]) => ({
    name: nameOf(a ?? b),
    here: tidOf(a),
    there: tidOf(b),
    compared: 0,
    order: null,
    values: null,
    ...(a && b ? compared(here, there, a, b) : {}),
  }));
}

/** Calls of each function that was called otherwise on the two sides. */
function expectedRows(here: Side, there: Side): Map<string, (number | null)[]> {
  const counts = ({ calls, until }: Side): Map<string, number[]> =>
    new Map(
      [...grouped(calls, (call) => call.function.signature)].map(([key, group]) => [
        key,
        [group.length, group.filter((call) => endAt(call, until) === 'unwound').length],
      ]),
    );
  const [ours, theirs] = [counts(here), counts(there)];
  const rows = new Map<string, (number | null)[]>();
  for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
    const [a, b] = [ours.get(key), theirs.get(key)];
    if (a?.join() !== b?.join()) rows.set(key, [...(a ?? [null, null]), ...(b ?? [null, null])]);
  }
  return rows;
}

function toldThreads({ threads }: DiffResult): Expected[] {
  return threads.map(({ name, here, there, compared: count, order, values }) => ({
    name,
    here: here?.tid ?? null,
    there: there?.tid ?? null,
    compared: count,
    order: order && [String(order.alike), order.here?.id ?? null, order.there?.id ?? null],
    values: values && [
      String(values.alike),
      values.here?.id ?? null,
      values.there?.id ?? null,
      ...values.names,
    ],
  }));
}

function toldRows({ rows }: DiffResult): Map<string, (number | null)[]> {
  return new Map(
    rows
      .filter(({ here, there }) => here?.count !== there?.count || here?.unwound !== there?.unwound)
      .map(({ key, here, there }) => [
        key,
        [here?.count ?? null, here?.unwound ?? null, there?.count ?? null, there?.unwound ?? null],
      ]),
  );
}

test('[query.diff] [query.filter] every filter, alone and combined, compares the calls it takes and no other', () => {
  const question = fc.record({
    drawn: few(filters()),
    other: fc.option(few(filters()), { nil: undefined }),
    untilShare: fc.constantFrom(1, 0.5, 0.9),
  });
  let different = 0;
  fc.assert(
    fc.property(
      fc.integer(),
      fc.oneof(fc.constant(-1), fc.nat(4000)),
      fc.array(question, { minLength: 10, maxLength: 10 }),
      (seed, otherAt, questions) => {
        using folder = new TemporaryFolder();
        using one = new RandomSession(folder.file('here.db'), seed, { blockCalls: 16 });
        using other = new RandomSession(
          folder.file('there.db'),
          seed,
          { blockCalls: 16 },
          { otherAt },
        );
        for (const session of [one, other]) session.stepAndCommit(6, 90);
        using here = SessionReader.open(folder.file('here.db'));
        using there = SessionReader.open(folder.file('there.db'));
        for (const { drawn, other: second, untilShare } of questions) {
          const sideOf = (
            { calls, time }: RandomSession,
            filter: CallFilter,
          ): Side & { filter: CallFilter } => {
            const until = Math.floor(time * untilShare);
            const taken = calls.filter((call) => passes(call, filter, calls, until));
            return { calls: taken, all: calls, until, filter };
          };
          const ours = sideOf(one, scaled(drawn, one));
          const theirs = sideOf(other, scaled(second ?? drawn, other));
          const result = here.diff(there, {
            here: { filter: ours.filter, until: ours.until },
            there: { filter: theirs.filter, until: theirs.until },
            limit: 100,
            deadlineMs: 60_000,
          });
          expect(result.complete).toBe(true);
          expect(toldRows(result)).toEqual(expectedRows(ours, theirs));
          const expected = expectedThreads(ours, theirs);
          expect(toldThreads(result)).toEqual(expected);
          different += expected.filter(({ order, values }) => order ?? values).length;
        }
      },
    ),
    {
      numRuns: 20,
      // Calls that end after the moment of the question are open at it.
      examples: [[965_117_693, 1565, [{ drawn: {}, other: undefined, untilShare: 0.5 }]]],
    },
  );
  expect(different).toBeGreaterThan(0);
});
