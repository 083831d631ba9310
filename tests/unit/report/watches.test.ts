import { expect, test } from 'vitest';
import { watchedTwin } from '../../../src/daemon/report/text/watchText.ts';
import type { Value } from '../../../src/model/questions/query.ts';
import { call } from './samples.ts';

test('[watch.events] a null pointer that a watch saw is null, at entry and at return', () => {
  const none: Value = { kind: 'null' };
  const of = (...seen: readonly boolean[]): unknown => {
    const watched = seen.map((atReturn) => ({ label: 'p', atReturn, value: none }));
    return watchedTwin(call(0, 'look', { watched }), { verbose: false });
  };
  for (const seen of [of(false), of(true), of(false, true)])
    expect(seen).toStrictEqual({ watchValues: { p: null } });
});
