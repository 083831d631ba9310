import { monotonicMs } from '../../base/clock.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import type { DiffResult } from '../../model/questions/diffResult.ts';
import type { CallFilter, CallView } from '../../model/questions/query.ts';
import type { TreeNode, TreeResult } from '../../model/questions/treeResult.ts';
import type { SessionView } from '../../model/session.ts';
import type { TestResult } from '../../model/tests/testReport.ts';
import type { ChosenTest, TestAdapter } from '../../testing/adapter.ts';
import { nativeAsserted, type Asserted } from '../../testing/asserted.ts';
import type { Queries, QueryTarget } from '../queries.ts';
import { callPages } from './callPages.ts';
import { sourceOf, type Source } from './wrongValue.ts';
import { readSpans, spanFilter } from './testSpans.ts';

const deadlineMs = 4000;
const mostBodies = 300;
const mostNodes = 1500;
/** Calls in which clues are looked for. */
const mostEvents = 2000;
const mostDepth = 16;

/** One test as its traced session shows it. */
export interface TracedTest {
  readonly test: ChosenTest;
  /** How it ended there; null when nothing was told of it. */
  readonly result: TestResult | null;
  readonly adapter: TestAdapter;
  readonly session: SessionView;
  readonly storePath: string;
  /** The call of the test's own function; null when it was not traced. */
  readonly body: CallView | null;
  /** What belongs to it, where its framework told when it ran; null: what is below its own function. */
  readonly span: CallFilter | null;
  readonly tree: TreeResult;
  /** Calls below the test's own function, constructors and destructors left out. */
  readonly calls: number;
  /** Each of them by itself, in the order of time. */
  readonly events: readonly CallView[];
  readonly crash: StoredCrash | null;
  /** What its failure says. */
  readonly asserted: Asserted;
  readonly source: Source | null;
}

/** What a test is compared with, and what that came to. */
export interface Comparison {
  readonly other: TracedTest;
  readonly diff: DiffResult;
}

/** What of a session belongs to a test: what happened while it ran, or everything below its own function. */
export function callsOfTest({ body, span }: Pick<TracedTest, 'body' | 'span'>): CallFilter {
  return span ?? (body === null ? {} : { within: body.id });
}

/** Reads a test's calls from a session that has ended. */
export async function readTracedTest(
  queries: Queries,
  target: QueryTarget,
  of: { readonly test: ChosenTest; readonly result: TestResult | null; adapter: TestAdapter },
): Promise<TracedTest> {
  const { until } = await target.settle(AbortSignal.timeout(deadlineMs));
  const { storePath } = target;
  const { isTimed, markOf, startedBy } = of.adapter.inCode ?? {};
  const span =
    isTimed || markOf || startedBy !== undefined ? await spanOfTest(storePath, of.test) : null;
  const body = await findBody(queries, { storePath, until }, of, span ?? {});
  const [crash = null] = await queries.ask('crashes', storePath, null);
  const belonging = span ?? (body === null ? {} : spanOfBody(body));
  const whole = await queries.ask('tree', storePath, {
    filter: belonging,
    root: null,
    maxDepth: mostDepth,
    selfTime: false,
    maxNodes: mostNodes,
    maxRead: mostNodes,
    until,
    deadlineMs,
  });
  const tree = withoutPlumbing(whole, {
    body: span === null ? null : (body?.id ?? null),
    startedBy,
  });
  const own = body === null ? 0 : 1;
  const calls = tree.threads.reduce((sum, { roots }) => sum + callsIn(roots), 0) - own;
  const asserted = assertedBy(of);
  const { view: session } = target;
  const events = await allCalls(queries, { storePath, until }, belonging);
  const test = { ...of, session, storePath, body, span, tree, calls, events, crash, asserted };
  const isKnown = body !== null || span !== null;
  return {
    ...test,
    source: isKnown ? await sourceOf(queries, until, { ...test, filter: callsOfTest(test) }) : null,
  };
}

/** When it ran, as it was left beside the session; null: nothing was. */
async function spanOfTest(storePath: string, { name }: ChosenTest): Promise<CallFilter | null> {
  const span = (await readSpans(storePath))?.find(({ test }) => test === name);
  return span === undefined ? null : spanFilter(span);
}

function assertedBy({
  result,
  adapter,
}: {
  readonly result: TestResult | null;
  readonly adapter: TestAdapter;
}): Asserted {
  if (result === null) return { values: [], text: '' };
  return adapter.inCode?.asserted?.(result) ?? nativeAsserted(result);
}

/** Calls in the order of time, up to about a number. */
export async function allCalls(
  queries: Queries,
  { storePath, until }: Store,
  filter: CallFilter,
  most = mostEvents,
): Promise<CallView[]> {
  const calls: CallView[] = [];
  for await (const page of callPages(queries, { storePath, until }, filter)) {
    calls.push(...page);
    if (calls.length >= most) break;
  }
  return calls;
}

/** Calls that other tests made before it began, in the same process. */
export async function callsBefore(
  queries: Queries,
  { body, storePath }: Pick<TracedTest, 'body' | 'storePath'>,
): Promise<readonly CallView[]> {
  if (body === null) return [];
  const until = Number.MAX_SAFE_INTEGER;
  return await allCalls(queries, { storePath, until }, { pid: body.pid, timeTo: body.time });
}

/** While the test ran, on whatever thread. */
function spanOfBody({ time, durationNs, pid }: CallView): CallFilter {
  return {
    pid,
    timeFrom: time,
    ...(durationNs === null ? {} : { timeTo: time + durationNs }),
  };
}

interface Store {
  readonly storePath: string;
  readonly until: number;
}

/** The call that is the test; of several that may be it, the one at the test's own line. */
async function findBody(
  queries: Queries,
  { storePath, until }: Store,
  { test, result, adapter }: { test: ChosenTest; result: TestResult | null; adapter: TestAdapter },
  span: CallFilter,
): Promise<CallView | null> {
  const found: CallView[] = [];
  const by = monotonicMs() + deadlineMs;
  if (adapter.inCode?.isByPlace === true) {
    const around = await aroundFailure(queries, { storePath, until }, result);
    if (around) return around;
  }
  for (const pattern of adapter.inCode?.functions(test) ?? []) {
    const page = await queries.ask('events', storePath, {
      filter: { ...span, function: { pattern } },
      eventTypes: ['call'],
      order: 'time',
      limit: mostBodies,
      cursor: null,
      until,
      deadlineMs: Math.max(1, by - monotonicMs()),
    });
    for (const event of page.events) if ('call' in event) found.push(event.call);
  }
  return found.find(({ line }) => line === result?.line) ?? found[0] ?? null;
}

/** The call of the function in which the assertion stands that failed: the last that begins above it in its file. */
async function aroundFailure(
  queries: Queries,
  { storePath, until }: Store,
  result: TestResult | null,
): Promise<CallView | null> {
  const { file, line: failedAt = null } = result?.failure?.frames[0] ?? {};
  if (file === undefined || failedAt === null) return null;
  const page = await queries.ask('events', storePath, {
    filter: { sourceFile: { equals: file } },
    eventTypes: ['call'],
    order: 'time',
    limit: mostBodies,
    cursor: null,
    until,
    deadlineMs,
  });
  const calls = page.events.flatMap((event) => ('call' in event ? [event.call] : []));
  return (
    calls
      .filter(({ line }) => line !== null && line <= failedAt)
      .toSorted((a, b) => (b.line ?? 0) - (a.line ?? 0) || b.time - a.time)[0] ?? null
  );
}

/** Constructors and destructors that only did what such functions do, and texts that a framework had made of values. */
function withoutPlumbing(tree: TreeResult, of: Plumbing): TreeResult {
  const threads = tree.threads
    .map((thread) => ({ ...thread, roots: thread.roots.flatMap((node) => pruned(node, of)) }))
    .filter(({ roots }) => roots.length > 0);
  return { ...tree, threads };
}

interface Plumbing {
  /** The call of the test, of which the failure tells the rest. */
  readonly body: string | null;
  readonly startedBy: string | undefined;
}

function pruned(node: TreeNode, of: Plumbing): TreeNode[] {
  const { body, startedBy } = of;
  const children = node.children.flatMap((child) => pruned(child, of));
  if (node.call.function === startedBy) return children;
  if (children.length === 0 && node.call.end === 'returned' && isPlumbing(node.call.function))
    return [];
  const call =
    node.call.id === body
      ? plainBody(node.call, startedBy === undefined ? 'self' : 't')
      : node.call;
  return [{ ...node, call, children }];
}

/** Without the test case it is a method of or is given, and without the message of its exception. */
function plainBody(call: CallView, testCase: string): CallView {
  const { exception } = call;
  return {
    ...call,
    arguments: call.arguments.filter(({ name }) => name !== testCase),
    ...(exception?.kind === 'variant' ? { exception: { ...exception, value: null } } : {}),
  };
}

/** `Box<int>::Box`, `Box::~Box`, `Box.__repr__`. */
function isPlumbing(name: string): boolean {
  if (name.endsWith('.__repr__')) return true;
  const plain = name.replace(/<[^<>]*(?:<[^<>]*>[^<>]*)*>/g, '');
  return /(?:^|::)(\w+)::~?\1$/.test(plain);
}

function callsIn(nodes: readonly TreeNode[]): number {
  return nodes.reduce((sum, { times, omitted, children }) => {
    return sum + times + omitted + callsIn(children);
  }, 0);
}
