import { expect, test } from 'vitest';
import { callFilter } from '../../../src/daemon/tools/queryRequest.ts';
import {
  callParameters,
  rangeParameters,
  threadParameters,
} from '../../../src/protocol/tools/parameters.ts';
import { debugQuery } from '../../../src/protocol/tools/debugQuery.ts';
import { debugSession } from '../../../src/protocol/tools/debugSession.ts';

/*
 * From the contract to the store: what a client asks for is what the views are asked for. That each view honours each
 * member of `CallFilter` is shown against a plain reference (tests/integration/db/randomFilters.ts does not compile
 * without one of them).
 */

/** A value of each filter. */
const samples: Readonly<Record<string, unknown>> = {
  function: { pattern: 'bank::*' },
  sourceFile: { glob: '**/bank.cpp' },
  returnValue: { lt: 0 },
  argument: [{ name: 'cents', gt: 100 }],
  where: 'return != cents',
  watched: { label: 'total', equals: 3 },
  minDurationNs: 5000,
  text: 'overdraft',
  within: 'c1.2',
  parent: 'c1.3',
  pid: 4711,
  timeFrom: 10,
  timeTo: 20,
  threadId: 4712,
  threadName: { contains: 'worker' },
};

/** Is made into a range of time on a thread before (daemon/testing). */
const ofTests = 'test';
const names = Object.keys({ ...rangeParameters, ...callParameters, ...threadParameters }).filter(
  (name) => name !== ofTests,
);

test.each(['events', 'stats'] as const)(
  '[query.filter] every filter of view %s reaches the store',
  (view) => {
    expect(Object.keys(samples).toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      const input = debugQuery.input.parse({ view, [name]: samples[name] });
      if (input.view !== view) throw new Error('It is another view.');
      expect(callFilter(input, 1000, {})).toEqual({ [name]: samples[name] });
    }
  },
);

test('[query.filter] every filter of an export reaches the store', () => {
  for (const name of names) {
    const asked = { action: 'export', format: 'jsonl', [name]: samples[name] };
    const input = debugSession.input.parse(asked);
    if (input.action !== 'export') throw new Error('It is another action.');
    expect(callFilter(input, 1000, {})).toEqual({ [name]: samples[name] });
  }
});

test('[query.filter] every filter of view tree reaches the store; its thread is a number or a name', () => {
  const asked = (wanted: Readonly<Record<string, unknown>>) => {
    const input = debugQuery.input.parse({ view: 'tree', ...wanted });
    if (input.view !== 'tree') throw new Error('It is another view.');
    return callFilter(input, 1000, {});
  };
  for (const name of names.filter((one) => !(one in threadParameters)))
    expect(asked({ [name]: samples[name] })).toEqual({ [name]: samples[name] });
  expect(asked({ thread: 4712 })).toEqual({ threadId: 4712 });
  expect(asked({ thread: 'main' })).toEqual({ threadName: { equals: 'main' } });
});
