import type { EventsPage } from '../../model/questions/eventView.ts';
import type { TracedThread } from '../../model/eventColumns.ts';
import { readGoroutineName } from '../../model/functions/goroutineName.ts';
import type { CallView } from '../../model/questions/query.ts';
import type { TestResult } from '../../model/tests/testReport.ts';
import type { TestSpan } from '../../model/tests/testSpan.ts';
import type { TestAdapter } from '../../testing/adapter.ts';
import type { Tally } from '../../testing/tally.ts';
import type { Queries, QueryTarget } from '../queries.ts';
import type { TestRun } from './testRun.ts';

const pageSize = 500;
const mostTests = 20_000;
const deadlineMs = 4000;
const mainGoroutine = 1;
/** Bytes of a thread's name that the kernel keeps. */
const nameBytes = 15;

/** Which events of a session belong to which test of its run. */
export async function spansOf(
  queries: Queries,
  target: Pick<QueryTarget, 'storePath' | 'settle'>,
  { tally, process, facts }: Pick<TestRun, 'tally' | 'process' | 'facts'>,
): Promise<TestSpan[]> {
  const told = toldSpans(tally, process.startNs);
  if (told.length > 0) return told;
  const { until } = await target.settle(AbortSignal.timeout(deadlineMs));
  const store = { storePath: target.storePath, until };
  return await findSpans(queries, store, facts.adapter, [...tally.results.values()]);
}

/** As the reporter of a framework told it. `startNs`: of the session. */
function toldSpans(
  { spans, results }: Pick<Tally, 'spans' | 'results'>,
  startNs: bigint,
): TestSpan[] {
  return [...spans.values()].slice(0, mostTests).map(({ test, pid, fromNs, toNs }) => ({
    kind: 'time',
    test: results.get(test)?.name ?? test,
    pid,
    from: Number(fromNs - startNs),
    to: toNs === null ? null : Number(toNs - startNs),
  }));
}

/**
 * Which events belong to which test: what the events themselves say; else the framework's own calls at the start and end of a test, in
 * the order in which it told the results; else the threads that are named after tests.
 */
async function findSpans(
  queries: Queries,
  { storePath, until }: { readonly storePath: string; readonly until: number },
  adapter: TestAdapter,
  results: readonly TestResult[],
): Promise<TestSpan[]> {
  const { boundary, isThreadPerTest, markOf, startedBy } = adapter.inCode ?? {};
  if (markOf) return await marked(queries, { storePath, until }, results, markOf);
  if (startedBy !== undefined) {
    const starts = await allCalls(queries, storePath, until, startedBy);
    return goroutines(starts, await queries.ask('threads', storePath, null));
  }
  if (boundary) {
    const starts = await allCalls(queries, storePath, until, boundary.start);
    const ends = await allCalls(queries, storePath, until, boundary.end);
    return pairs(starts, ends, results);
  }
  return isThreadPerTest === true ? threads(results) : [];
}

async function allCalls(
  queries: Queries,
  storePath: string,
  until: number,
  pattern: string,
): Promise<CallView[]> {
  const calls: CallView[] = [];
  for (let cursor: string | null = null; calls.length < mostTests;) {
    const page: EventsPage = await queries.ask('events', storePath, {
      filter: { function: { pattern } },
      eventTypes: ['call'],
      order: 'time',
      limit: pageSize,
      cursor,
      until,
      deadlineMs,
    });
    for (const event of page.events) if ('call' in event) calls.push(event.call);
    if (!page.hasMore || page.cursor === null) break;
    ({ cursor } = page);
  }
  return calls;
}

/** None where the runner did not say which test ran. */
async function marked(
  queries: Queries,
  { storePath, until }: { readonly storePath: string; readonly until: number },
  results: readonly TestResult[],
  markOf: (id: string) => string,
): Promise<TestSpan[]> {
  const { events } = await queries.ask('events', storePath, {
    filter: {},
    eventTypes: ['strand'],
    order: 'time',
    limit: 1,
    cursor: null,
    until,
    deadlineMs,
  });
  if (events.length === 0) return [];
  return results.map(({ id, name }) => ({ kind: 'strand', test: name, strand: markOf(id) }));
}

/** The n-th start belongs to the n-th test that ran; a process forked by a test has no part. */
function pairs(
  starts: readonly CallView[],
  ends: readonly CallView[],
  results: readonly TestResult[],
): TestSpan[] {
  const pid = starts[0]?.pid ?? 0;
  const began = starts.filter((call) => call.pid === pid);
  const ended = ends.filter((call) => call.pid === pid);
  const ran = results.filter(({ reason }) => reason !== 'disabled');
  // A test that was told twice, or not at all, would move all that follow.
  if (began.length !== ran.length) return [];
  return began.map((call, at) => ({
    kind: 'time',
    test: ran[at]?.name ?? '',
    pid,
    from: call.time,
    to: ended[at]?.time ?? null,
  }));
}

/** Names that are cut to the same letters tell nothing. */
function threads(results: readonly TestResult[]): TestSpan[] {
  const named = results.map(({ name }) => ({
    test: name,
    threadName: Buffer.from(name).subarray(0, nameBytes).toString(),
  }));
  const times = new Map<string, number>();
  for (const { threadName } of named) times.set(threadName, (times.get(threadName) ?? 0) + 1);
  return named
    .filter(({ threadName }) => times.get(threadName) === 1)
    .map((one) => ({ kind: 'thread', ...one }));
}

/**
 * Each test has a goroutine, and those that it made, unless they are another test. Of one that was made by a goroutine
 * without calls it is not known; where one test alone ran it is that test's.
 */
function goroutines(starts: readonly CallView[], all: readonly TracedThread[]): TestSpan[] {
  const tests = starts.flatMap((call) => {
    const test = testNameIn(call);
    return test === null ? [] : [{ test, pid: call.pid, number: call.tid }];
  });
  const ofTest = new Map(tests.map(({ test, pid, number }) => [`${pid} ${number}`, test]));
  const creators = new Map<string, string>();
  for (const { pid, tid, name } of all)
    creators.set(`${pid} ${tid}`, `${pid} ${readGoroutineName(name)?.creator ?? 0}`);
  const names = new Map<string, string[]>();
  for (const { pid, tid, name } of all) {
    let at = `${pid} ${tid}`;
    for (let next; !ofTest.has(at) && (next = creators.get(at)) !== undefined;) at = next;
    const isOfRun = at === `${pid} 0` || at === `${pid} ${mainGoroutine}`;
    const test = ofTest.has(at) || isOfRun ? at : onlyTest(tests, pid);
    if (test !== null) names.set(test, [...(names.get(test) ?? []), name]);
  }
  return tests.map(({ test, pid, number }) => ({
    kind: 'threads',
    test,
    pid,
    threadNames: names.get(`${pid} ${number}`) ?? [],
  }));
}

/** The test of a process, when it is one alone with the tests that it is a part of. */
function onlyTest(
  tests: readonly { readonly test: string; readonly pid: number; readonly number: number }[],
  pid: number,
): string | null {
  const own = tests.filter((one) => one.pid === pid);
  const inner = own.filter(({ test }) => !own.some((one) => one.test.startsWith(`${test}/`)));
  const [only] = inner;
  return only && inner.length === 1 ? `${pid} ${only.number}` : null;
}

/** The first argument of what each test is started by; that of the whole run has no name. */
function testNameIn({ arguments: [test] }: CallView): string | null {
  const name = test?.value.kind === 'pointer' ? test.value.target : undefined;
  return name?.kind === 'string' && name.text !== '' ? name.text : null;
}
