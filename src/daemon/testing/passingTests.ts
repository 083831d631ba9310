import type { EventsPage } from '../../model/questions/eventView.ts';
import type { CallView } from '../../model/questions/query.ts';
import type { ChosenTest, TestAdapter } from '../../testing/adapter.ts';
import type { Queries, QueryTarget } from '../queries.ts';
import { allCalls, type TracedTest } from './tracedTest.ts';

/** Passing tests that a failed one is compared with. */
const mostBeside = 12;
const mostBodies = 300;
const mostCalls = 4000;
const deadlineMs = 4000;

/** The calls of one test that passed. */
export type PassingTest = readonly CallView[];

/** Those of the same file come first, and of them those that stand nearest. */
export function testsBeside(
  failed: ChosenTest,
  all: readonly (ChosenTest & { readonly outcome: string })[],
): ChosenTest[] {
  const at = all.findIndex(({ id }) => id === failed.id);
  return all
    .map((test, place) => ({ test, far: Math.abs(place - at) }))
    .filter(({ test }) => test.outcome === 'passed')
    .toSorted(
      (a, b) =>
        Number(b.test.file === failed.file) - Number(a.test.file === failed.file) || a.far - b.far,
    )
    .slice(0, mostBeside)
    .map(({ test }) => test);
}

/** What each test of a traced run in which all of them passed called. */
export async function passingCalls(
  queries: Queries,
  target: QueryTarget,
  adapter: TestAdapter,
  tests: readonly ChosenTest[],
): Promise<PassingTest[]> {
  const { until } = await target.settle(AbortSignal.timeout(deadlineMs));
  const { storePath } = target;
  const bodies = new Set<string>();
  for (const pattern of new Set(tests.flatMap((test) => adapter.inCode?.functions(test) ?? []))) {
    const page: EventsPage = await queries.ask('events', storePath, {
      filter: { function: { pattern } },
      eventTypes: ['call'],
      order: 'time',
      limit: mostBodies,
      cursor: null,
      until,
      deadlineMs,
    });
    for (const event of page.events) if ('call' in event) bodies.add(event.call.id);
  }
  return groups(await allCalls(queries, { storePath, until }, {}, mostCalls), bodies);
}

/**
 * Where one program runs all tests and tells only of itself: what stands beside the failed test in its file, and has
 * no failed assertion in it.
 */
export async function callsBeside(queries: Queries, test: TracedTest): Promise<PassingTest[]> {
  const { body, storePath, result } = test;
  if (body === null) return [];
  const until = Number.MAX_SAFE_INTEGER;
  const calls = await allCalls(queries, { storePath, until }, { pid: body.pid }, mostCalls);
  const siblings = calls.filter(
    ({ parent, file, function: name }) =>
      parent === body.parent && file === body.file && name !== body.function,
  );
  const lines = [...new Set([...siblings, body].map(({ line }) => line ?? 0))].toSorted(
    (a, b) => a - b,
  );
  const failedIn = new Set(
    (result?.failure?.frames ?? [])
      .filter(({ file }) => file === body.file)
      .map((frame) => lines.findLast((line) => line <= (frame.line ?? 0))),
  );
  const passed = siblings.filter(({ line, end }) => end === 'returned' && !failedIn.has(line ?? 0));
  return groups(calls, new Set(passed.map(({ id }) => id)));
}

/** The calls below each of some calls. */
function groups(calls: readonly CallView[], bodies: ReadonlySet<string>): PassingTest[] {
  const bodyOf = new Map<string, string>();
  const found = new Map<string, CallView[]>();
  for (const call of calls) {
    if (bodies.has(call.id)) {
      bodyOf.set(call.id, call.id);
      found.set(call.id, []);
      continue;
    }
    const body = bodyOf.get(call.parent ?? '');
    if (body === undefined) continue;
    bodyOf.set(call.id, body);
    found.get(body)?.push(call);
  }
  return [...found.values()].filter((test) => test.length > 0);
}
