import { monotonicMs } from '../../base/clock.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import type { DiffResult } from '../../model/questions/diffResult.ts';
import type { CallFilter, CallView } from '../../model/questions/query.ts';
import type { TreeNode, TreeResult } from '../../model/questions/treeResult.ts';
import type { SessionView } from '../../model/session.ts';
import type { TestResult } from '../../model/tests/testReport.ts';
import { actualValues, asResult } from '../../testing/actualValues.ts';
import type { ChosenTest, TestAdapter } from '../../testing/adapter.ts';
import type { Queries, QueryTarget } from '../queries.ts';

const deadlineMs = 4000;
const mostBodies = 300;
const mostNodes = 1500;
const mostSources = 500;
const mostDepth = 16;
/** Values of a failure that calls are looked for by. */
const mostValues = 4;

/** One test as its traced session shows it. */
export interface TracedTest {
  readonly test: ChosenTest;
  /** How it ended there; null when nothing was told of it. */
  readonly result: TestResult | null;
  readonly session: SessionView;
  readonly storePath: string;
  /** The call of the test's own function; null when it was not traced. */
  readonly body: CallView | null;
  readonly tree: TreeResult;
  /** Calls below the test's own function, constructors and destructors left out. */
  readonly calls: number;
  readonly crash: StoredCrash | null;
  /** The calls that returned the value the failure complains of, each in the one before; empty: none did. */
  readonly sources: readonly CallView[];
}

/** What a test is compared with, and what that came to. */
export interface Comparison {
  readonly other: TracedTest;
  readonly diff: DiffResult;
}

/** What of a session belongs to a test: everything below its own function. */
export function callsOfTest({ body }: Pick<TracedTest, 'body'>): CallFilter {
  return body === null ? {} : { within: body.id };
}

/** Reads a test's calls from a session that has ended. */
export async function readTracedTest(
  queries: Queries,
  target: QueryTarget,
  of: { readonly test: ChosenTest; readonly result: TestResult | null; adapter: TestAdapter },
): Promise<TracedTest> {
  const { until } = await target.settle(AbortSignal.timeout(deadlineMs));
  const { storePath } = target;
  const body = await findBody(queries, { storePath, until }, of);
  const [crash = null] = await queries.ask('crashes', storePath, null);
  const whole = await queries.ask('tree', storePath, {
    filter: body === null ? {} : spanOf(body),
    root: null,
    maxDepth: mostDepth,
    selfTime: false,
    maxNodes: mostNodes,
    maxRead: mostNodes,
    until,
    deadlineMs,
  });
  const tree = withoutPlumbing(whole);
  const own = body === null ? 0 : 1;
  const calls = tree.threads.reduce((sum, { roots }) => sum + callsIn(roots), 0) - own;
  const sources = body === null ? [] : await sourcesOf(queries, { storePath, until }, of, body);
  return { ...of, session: target.view, storePath, body, tree, calls, crash, sources };
}

/** Of the calls that returned the actual value the last, behind those around it that returned it too. */
async function sourcesOf(
  queries: Queries,
  { storePath, until }: Store,
  { result }: { readonly result: TestResult | null },
  body: CallView,
): Promise<CallView[]> {
  const values = result?.failure ? actualValues(result.failure) : [];
  for (const value of values.slice(0, mostValues)) {
    const page = await queries.ask('events', storePath, {
      filter: { within: body.id, returnValue: { equals: asResult(value) } },
      eventTypes: ['call'],
      order: 'time',
      limit: mostSources,
      cursor: null,
      until,
      deadlineMs,
    });
    const found = new Map<string, CallView>();
    for (const event of page.events) if ('call' in event) found.set(event.call.id, event.call);
    const chain: CallView[] = [];
    for (let one = [...found.values()].at(-1); one !== undefined; one = found.get(one.parent ?? ''))
      chain.unshift(one);
    if (chain.length > 0) return chain;
  }
  return [];
}

/** While the test ran, on whatever thread. */
function spanOf({ time, durationNs, pid }: CallView): CallFilter {
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
): Promise<CallView | null> {
  const found: CallView[] = [];
  const by = monotonicMs() + deadlineMs;
  for (const pattern of adapter.inCode?.functions(test) ?? []) {
    const page = await queries.ask('events', storePath, {
      filter: { function: { pattern } },
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

/** Constructors and destructors that only did what such functions do. */
function withoutPlumbing(tree: TreeResult): TreeResult {
  const threads = tree.threads
    .map((thread) => ({ ...thread, roots: thread.roots.flatMap(pruned) }))
    .filter(({ roots }) => roots.length > 0);
  return { ...tree, threads };
}

function pruned(node: TreeNode): TreeNode[] {
  const children = node.children.flatMap(pruned);
  if (children.length === 0 && node.call.end === 'returned' && isPlumbing(node.call.function))
    return [];
  return [{ ...node, children }];
}

/** `Box<int>::Box`, `Box::~Box`. */
function isPlumbing(name: string): boolean {
  const plain = name.replace(/<[^<>]*(?:<[^<>]*>[^<>]*)*>/g, '');
  return /(?:^|::)(\w+)::~?\1$/.test(plain);
}

function callsIn(nodes: readonly TreeNode[]): number {
  return nodes.reduce((sum, { times, omitted, children }) => {
    return sum + times + omitted + callsIn(children);
  }, 0);
}
