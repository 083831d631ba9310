/*
 * Which test of Deno a call belongs to. Deno runs the tests of a file one at a time and shows all frames below a test's
 * function, so none of ours may be there: the function is a proxy without a trap, and the getter by which Deno looks for
 * the trap says which test begins.
 */
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { hide } from './standIns.ts';
import { enterTest, testId } from './tests.ts';

type Any = (...words: unknown[]) => unknown;

/** `Deno`, as far as it is replaced. */
interface DenoTests {
  test?: Any;
  readonly mainModule: string;
}

/** Deno takes the place of a test from the first frame that is none of its own, which it knows by their name. */
const OWN_NAME = 'ext:strobe/tests.js';
const OWN_TEXT =
  '(target, change, result) => new Proxy(target, { apply: (of, self, words) => result(Reflect.apply(of, self, change(words))) })';

type Change = (words: readonly unknown[]) => readonly unknown[];
type MakeProxy = (target: Any, change: Change, result: (made: unknown) => unknown) => Any;

export function tellDenoTests(): void {
  const deno = (globalThis as unknown as { readonly Deno: DenoTests }).Deno;
  const file = mainFile(deno);
  if (typeof deno.test !== 'function' || file === null) return;
  const root = process.cwd();
  const makeProxy = new vm.Script(OWN_TEXT, {
    filename: OWN_NAME,
  }).runInThisContext() as MakeProxy;

  function replaced(target: Any, change: Change, result = (made: unknown) => made): Any {
    const made = makeProxy(target, change, result);
    hide(made, target);
    return made;
  }

  /** Takes a test: its name, options and function in any order. */
  const test = (target: Any): Any =>
    replaced(target, (words) => {
      const name = nameOf(words);
      const id = name === '' ? null : testId(root, file, name);
      return words.map((word) => owned(word, id));
    });

  /** What runs around tests, or has its name from its cases, belongs to none. */
  const ofNoTest = (target: Any): Any =>
    replaced(target, (words) => words.map((word) => owned(word, null)));

  const each = (target: Any): Any =>
    replaced(
      target,
      (words) => words,
      (made) => (typeof made === 'function' ? ofNoTest(made as Any) : made),
    );

  for (const name of ['beforeAll', 'beforeEach', 'afterAll'])
    replaceMember(deno.test, name, ofNoTest);
  for (const name of ['only', 'ignore']) {
    replaceMember(memberOf(deno.test, name), 'each', each);
    replaceMember(deno.test, name, test);
  }
  replaceMember(deno.test, 'each', each);
  deno.test = test(deno.test);
}

/** Null: there is none, or the program may not know it. */
function mainFile({ mainModule }: DenoTests): string | null {
  try {
    return fileURLToPath(mainModule);
  } catch {
    return null;
  }
}

function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'function' ? (holder as unknown as Record<string, unknown>)[name] : null;
}

function replaceMember(holder: unknown, name: string, make: (target: Any) => Any): void {
  const known = memberOf(holder, name);
  if (typeof known === 'function') Reflect.set(holder as object, name, make(known as Any));
}

function nameOf(words: readonly unknown[]): string {
  for (const word of words) {
    if (typeof word === 'string') return word;
    if (isOptions(word) && typeof word.name === 'string') return word.name;
  }
  const body = words.flatMap((word) => bodyOf(word) ?? [])[0];
  return body?.name ?? '';
}

interface Options {
  readonly name?: unknown;
  readonly fn?: unknown;
}

function isOptions(word: unknown): word is Options {
  return typeof word === 'object' && word !== null;
}

function bodyOf(word: unknown): Any | null {
  const body = isOptions(word) ? word.fn : word;
  return typeof body === 'function' ? (body as Any) : null;
}

/** A function, or options with one, that says whose it is as it is called. */
function owned(word: unknown, id: string | null): unknown {
  const body = bodyOf(word);
  if (body === null) return word;
  const handler = Object.defineProperty({}, 'apply', { get: () => enterTest(id) });
  const made = new Proxy(body, handler);
  hide(made, body);
  return isOptions(word) ? { ...word, fn: made } : made;
}
