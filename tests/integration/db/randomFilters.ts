import fc from 'fast-check';
import { callId } from '../../../src/model/ids.ts';
import type { CallFilter } from '../../../src/model/questions/query.ts';
import type { KnownCall } from './randomSession.ts';

/** Filters for random sessions (randomSession.ts): most of them fit something in one. */

const number = fc.constantFrom<number | string>(
  -1,
  0,
  1,
  2,
  99,
  '-2',
  '0x1',
  1.5,
  '18446744073709551615',
  '9223372036854775809',
  899,
  900,
  -900,
  -2.5,
  '9007199254740993',
);
/** Of a captured value. */
export const valueFilter = fc.oneof(
  fc.record({
    equals: fc.constantFrom<string | number | boolean | null>(
      1,
      0,
      -1,
      true,
      false,
      null,
      'red',
      'a',
      'alpha 1',
      'seldom 0',
      'seldom 1',
      900,
      901,
      -900,
      -2.5,
      12345,
      '9007199254740993',
      '0x7f0000000010',
      2.5,
      '9223372036854775809',
    ),
  }),
  fc.record({ isNull: fc.boolean() }),
  fc.record({ lt: number }),
  fc.record({ gt: number }),
  fc.record({ gt: fc.constantFrom(-2, 0), lt: number }),
  fc.record({ contains: fc.constantFrom('a', 'ALPHA', '1', 'nul', '7f', "'b", 'Seld', 'never') }),
);
/** Of a function's name. */
export const nameFilter = fc.oneof(
  fc.record({ equals: fc.constantFrom('bank::open0', 'net::Draw5', '_Z7', 'nothing') }),
  fc.record({ contains: fc.constantFrom('bank', 'DRAW', 'zz') }),
  fc.record({ matches: fc.constantFrom('^bank', 'open\\d', '[').filter((text) => text !== '[') }),
  fc.record({ pattern: fc.constantFrom('bank::*', 'audio::mix::*') }),
  fc.record({ contains: fc.constant('bank'), matches: fc.constant('4|8|0') }),
);

/** One for each member there is: another does not compile before it is here. */
type OfEachFilter = {
  readonly [name in keyof Required<CallFilter>]: fc.Arbitrary<Required<CallFilter>[name]>;
};

const ofEach: OfEachFilter = {
  function: nameFilter,
  lines: fc.constant(true as const),
  sourceFile: fc.oneof(
    fc.record({ equals: fc.constantFrom('file1.cpp', '/home/me/app/src/net/file2.cpp') }),
    fc.record({ contains: fc.constantFrom('BANK', 'net/') }),
    fc.record({ glob: fc.constantFrom('**/net/*.cpp', '**/audio/*.cpp') }),
  ),
  returnValue: valueFilter,
  argument: fc.array(
    fc
      .tuple(
        valueFilter,
        fc.constantFrom(
          {},
          { name: 'amount' },
          { name: 'name' },
          { index: 1 },
          { index: 0, name: 'amount' },
        ),
      )
      .map(([value, which]) => ({ ...value, ...which })),
    { minLength: 1, maxLength: 2 },
  ),
  where: fc.constantFrom(
    'amount > 0',
    'return == amount || return > 900',
    'amount % 2 == 0 && amount != 12345',
    'contains(name, "alpha")',
    '!(return < amount + 3)',
  ),
  watched: fc
    .tuple(valueFilter, fc.constantFrom({}, { label: 'total' }, { label: 'name' }))
    .map(([value, which]) => ({ ...value, ...which })),
  threadId: fc.constantFrom(1000, 1001, 7),
  threadName: fc.oneof(
    fc.record({ equals: fc.constantFrom('main', 'worker-1') }),
    fc.record({ contains: fc.constantFrom('WORK', 'x') }),
  ),
  strand: fc.constant('nowhere'),
  pid: fc.constantFrom(100, 101, 5),
  minDurationNs: fc.constantFrom(0, 1, 900, 5000, 60_000),
  text: fc.constantFrom('alpha', 'over', 'draw', 'delta gam', 'bank::', 'ÜMLAUT', 'nowhere'),
  within: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.nat(40)).map(([t, o]) => callId(t, o)),
  parent: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.nat(40)).map(([t, o]) => callId(t, o)),
  timeFrom: fc.nat(1000),
  timeTo: fc.nat(1000),
};

/** Each member alone and in company. Times are thousandths of the session (`scaled`). */
export function filters(): fc.Arbitrary<CallFilter> {
  return fc.record(ofEach, { requiredKeys: [] });
}

/** Most questions have one to three filters: with more of them nothing is ever found. */
export function few(all: fc.Arbitrary<CallFilter>): fc.Arbitrary<CallFilter> {
  const names = Object.keys(ofEach);
  const order = fc.shuffledSubarray(names, { minLength: names.length });
  return fc.tuple(all, order, fc.integer({ min: 1, max: 3 })).map(([filter, shuffled, count]) => {
    const kept = new Set(shuffled.filter((name) => name in filter).slice(0, count));
    return Object.fromEntries(Object.entries(filter).filter(([name]) => kept.has(name)));
  });
}

/** The filter with its times as nanoseconds of a session, and without calls that are not in it. */
export function scaled(
  { timeFrom, timeTo, within, parent, ...rest }: CallFilter,
  session: { readonly time: number; readonly calls: readonly KnownCall[] },
): CallFilter {
  const time = (share: number): number => Math.floor((share * session.time) / 1000);
  const isThere = (id: string): boolean =>
    session.calls.some(({ thread, ordinal }) => callId(thread.key, ordinal) === id);
  return {
    ...rest,
    ...(within !== undefined && isThere(within) ? { within } : {}),
    ...(parent !== undefined && isThere(parent) ? { parent } : {}),
    ...(timeFrom === undefined ? {} : { timeFrom: time(timeFrom) }),
    ...(timeTo === undefined ? {} : { timeTo: time(timeTo) }),
  };
}
