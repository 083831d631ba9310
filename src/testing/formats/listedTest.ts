import type { TestEvent } from '../../model/tests/testReport.ts';

/** A test that is named and not run. */
export function listedTest(id: string, name = id): TestEvent {
  const base = { id, name, file: null, line: null, durationMs: null };
  return {
    kind: 'finished',
    result: { ...base, outcome: 'skipped', reason: 'listed', failure: null },
  };
}
