/*
 * Which test a call belongs to: each test is a strand (src/protocol/definitions.ts), also where several run at a time.
 * Reporters of the runners (src/testing/reporters/strobeTests.cjs) say when a test begins; `$strobe(0)` gives them this.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { relative, sep } from 'node:path';
import { definitionKind, strandKind } from '../../../protocol/definitions.ts';
import { tellStrand } from './addon.ts';
import { beginFields, className, define, putText, putWord } from './names.ts';

interface Strand {
  readonly number: number;
}

/** What a reporter inside a process that runs tests calls. */
export interface Tests {
  begin(id: string): Strand;
  /** Its function, and what that starts, belongs to the test. */
  run<R>(test: Strand, body: () => R): R;
  end(test: Strand): void;
}

let storage: AsyncLocalStorage<Strand | undefined> | null = null;
const open = new Set<Strand>();
const known = new Map<string, Strand>();
/** The strand that the thread's ring was told last. */
let told = 0;

const tests: Tests = {
  begin(id) {
    const test = strandOf(id);
    open.add(test);
    return test;
  },
  run: (test, body) => (storage ? storage.run(test, body) : body()),
  end: (test) => void open.delete(test),
};

function strandOf(id: string): Strand {
  storage ??= new AsyncLocalStorage();
  const test = known.get(id) ?? { number: defineTest(id) };
  known.set(id, test);
  return test;
}

/** From now on, what runs in this asynchronous context belongs to a test; null: to none. */
export function enterTest(id: string | null): void {
  const test = id === null ? undefined : strandOf(id);
  storage?.enterWith(test);
}

export function testsOfReporters(): Tests {
  return tests;
}

function defineTest(id: string): number {
  beginFields();
  putWord(strandKind.test);
  putText(id);
  return define(definitionKind.strand, 0);
}

/** To be called as a call begins that is recorded. */
export function tellTest(): void {
  if (storage === null) return;
  const now = (storage.getStore() ?? onlyOpen())?.number ?? 0;
  if (now === told) return;
  told = now;
  tellStrand(now, strandKind.test);
}

/** What runs outside a test's function while it runs alone: its hooks. */
function onlyOpen(): Strand | undefined {
  if (open.size !== 1) return undefined;
  const [only] = open;
  return only;
}

/* ── node:test ── */

type Body = (...values: unknown[]) => unknown;

/** `AsyncResource`, as far as it is replaced. */
interface Scope {
  runInAsyncScope(this: Scope, body: Body, context: unknown, ...rest: unknown[]): unknown;
}

/** As far as it is used. */
interface TestContext {
  readonly fullName?: string;
  readonly filePath?: string;
}

/** Node runs each test, and its hooks, in an async scope with the test's context. */
export function tellNodeTests(): void {
  if (!process.env['NODE_TEST_CONTEXT'] && !process.execArgv.includes('--test')) return;
  const prototype = AsyncResource.prototype as unknown as Scope;
  const { runInAsyncScope } = prototype;
  const root = process.cwd();
  prototype.runInAsyncScope = function (body, context, ...rest) {
    const test = nodeTest(root, context);
    if (test === null) return Reflect.apply(runInAsyncScope, this, [body, context, ...rest]);
    const running: Body = (...values) =>
      tests.run(test, () => Reflect.apply(body, context, values));
    return Reflect.apply(runInAsyncScope, this, [running, context, ...rest]);
  };
}

/** As debug_test names it; `root`: where the tests were started. */
export function testId(root: string, path: string, name: string): string {
  return `${relative(root, path).split(sep).join('/')} > ${name}`;
}

function nodeTest(root: string, context: unknown): Strand | null {
  if (typeof context !== 'object' || context === null) return null;
  if (className(context) !== 'TestContext') return null;
  const { fullName, filePath = process.argv[1] ?? '' } = context as TestContext;
  if (fullName === undefined || fullName === '<root>') return null;
  const test = tests.begin(testId(root, filePath, fullName));
  tests.end(test);
  return test;
}
