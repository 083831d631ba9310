import type { CallView } from '../../../model/questions/query.ts';
import type { TreeNode } from '../../../model/questions/treeResult.ts';
import { callsIn, namesIn } from '../../../testing/testSource.ts';
import { isConstructor, isDynamicLanguage, isSelf, lastName, namedAround } from './callName.ts';
import { CallRecord } from './callRecord.ts';
import { NativeEvidence } from './nativeEvidence.ts';
import { numberOf } from './numberClues.ts';
import { PassingBehaviour } from './passingBehaviour.ts';
import { Weigher, type Suspect } from './suspectWeights.ts';
import { tellingCall } from './tellingCall.ts';
import type { TestAdapter } from '../../../testing/adapter.ts';
import type { Difference } from './clues.ts';
import type { PassingTest } from '../passingTests.ts';
import type { NewLines } from '../ranLines.ts';
import type { TracedTest } from '../tracedTest.ts';

export const mostSuspects = 3;
/** Calls of one assertion. */
const mostAsserted = 6;

/** Frameworks that a build fetches into the project are not what is tested. */
const foreign =
  /\/(?:_deps|third_party|external|vendor)\/|\/(?:googletest|googlemock|Catch2)\/(?:src|include)\//;

/** What suspects are found by. */
type Searched = Pick<
  TracedTest,
  'tree' | 'body' | 'source' | 'asserted' | 'adapter' | 'events' | 'result' | 'crash'
>;

/** What is known beside a failed test. */
export interface KnownBeside {
  /** Files that were changed since all tests passed. */
  readonly changed: readonly string[];
  /** Calls of other tests. */
  readonly before: readonly CallView[];
  readonly passing: readonly PassingTest[];
  /** Lines that ran in it and in no passing test, by function. */
  readonly newLines: ReadonlyMap<string, NewLines>;
}

/** Native programs, of which it was learnt what speaks for a function to be at fault: also tests that pass. */
export function isLearnt({ language }: Pick<TestAdapter, 'language'>): boolean {
  return language === 'C++' || language === 'Rust';
}

/**
 * Functions of the project that may be at fault, the likeliest first: where an exception began that ended the test; what
 * returned the value that is complained of; where other exceptions began; what called them; what the failed assertion
 * names; what was called last. Functions of the tests come behind all others, unless they are what `before`, calls of
 * other tests, left behind.
 */
export function suspectsOf(
  test: Searched,
  beside: KnownBeside,
  most: number = mostSuspects,
): Suspect[] {
  const { changed, before } = beside;
  const roots = test.tree.threads.flatMap((thread) => thread.roots);
  const nodes = flat(roots).filter(({ call }) => call.id !== test.body?.id && isOwn(call));
  const { left, caught } = thrown(roots, test);
  const { chain, below } = returning(test, nodes, changed);
  const [likeliest, ...others] = weighed(test, left, beside);
  const ranked = [
    ...(isLearnt(test.adapter) ? [] : left),
    ...(likeliest ? [likeliest] : []),
    ...leftBehind(test, before),
    ...others,
    ...chain,
    ...caught,
    ...below,
    ...named(test, nodes),
    ...last(test, nodes),
  ];
  const seen = new Set<string>();
  const suspects = ranked.filter(({ call }) => {
    const name = namedAround(call.function);
    const isNew = !seen.has(name);
    seen.add(name);
    return isNew;
  });
  return [
    ...suspects.filter(({ call }) => before.includes(call) || !isOfTests(call, test)),
    ...suspects.filter(({ call }) => !before.includes(call) && isOfTests(call, test)),
  ].slice(0, most);
}

/**
 * What tests before it called and it did not, called for what it changes, as it gives nothing back. What changes its own
 * object comes behind what changes something else; the last first.
 */
function leftBehind({ events }: Searched, before: readonly CallView[]): Suspect[] {
  const called = new Set(events.map((call) => call.function));
  const callers = new Set(before.map(({ parent }) => parent));
  const isMethod = (call: CallView): boolean => isSelf(call.arguments[0]?.name ?? '');
  return before
    .filter(
      (call) =>
        isOwn(call) &&
        // A test's own function is called by nobody here.
        call.parent !== null &&
        call.end === 'returned' &&
        call.returns.kind === 'word' &&
        call.returns.isNull === true &&
        !called.has(call.function) &&
        !isConstructor(call) &&
        !callers.has(call.id),
    )
    .toSorted((a, b) => Number(isMethod(a)) - Number(isMethod(b)) || b.time - a.time)
    .map((call) => ({ call, why: 'a test before it called it, and it gives nothing back' }));
}

/** Files of tests are named so, or the failed assertion stands there; in Rust it often stands beside what it tests. */
function isOfTests(
  { file, function: name }: CallView,
  { adapter, body, result }: Pick<Searched, 'adapter' | 'body' | 'result'>,
): boolean {
  if (file === null) return false;
  if (adapter.inCode?.testFiles?.test(file) === true) return true;
  if (adapter.language === 'Rust') return name === body?.function || testModule.test(name);
  if (adapter.language !== 'C++') return false;
  return file === body?.file || file === result?.failure?.frames[0]?.file;
}

/** `shell::tests::split_ok`. */
const testModule = /(?:^|::|<)(?:tests?|test_\w+|\w+_tests?)::/;

function isOwn({ file }: CallView): boolean {
  return file !== null && !/^\/(?:usr|rustc)\//.test(file) && !foreign.test(file);
}

function flat(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes.flatMap((node) => [node, ...flat(node.children)]);
}

interface Thrown {
  /** Their exceptions left all calls of the test. */
  readonly left: Suspect[];
  /** Some call around them ended as usual. */
  readonly caught: Suspect[];
}

/** The innermost calls that an exception left, or in which the program died. */
function thrown(roots: readonly TreeNode[], test: Searched): Thrown {
  const { body, crash } = test;
  const isOver = (call: CallView): boolean =>
    call.end === 'unwound' ||
    (crash !== null && call.end === 'open' && call.tid === crash.report.threads[0]?.tid);
  const found: Thrown = { left: [], caught: [] };
  const visit = ({ call, children }: TreeNode, isCaught: boolean): void => {
    const isBody = call.id === body?.id;
    const isInnermost = !children.some((child) => isOver(child.call) && isOwn(child.call));
    if (isOver(call) && !isBody && isOwn(call) && isInnermost) {
      if (call.end === 'open') found.left.push({ call, why: 'the program died in it' });
      else if (isCaught)
        found.caught.push({ call, why: 'an exception began in it and was caught' });
      else found.left.push({ call, why: 'an exception began in it' });
    }
    const isCaughtBelow = !isBody && (isCaught || call.end === 'returned');
    for (const child of children) visit(child, isCaughtBelow);
  };
  for (const root of roots) visit(root, false);
  return found;
}

/** What returned the value, from the innermost on, and what that called. */
function returning(
  test: Searched,
  nodes: readonly TreeNode[],
  changed: readonly string[],
): { readonly chain: Suspect[]; readonly below: Suspect[] } {
  const calls = test.source?.calls ?? [];
  const inner = calls.at(-1);
  if (!inner) return { chain: [], below: [] };
  const chain = calls
    .toReversed()
    .filter((call) => isOwn(call))
    .map((call) => ({ call, why: 'returned the value that is complained of' }));
  const node =
    nodes.find(({ call }) => call.id === inner.id) ??
    nodes.find(({ call }) => call.function === inner.function);
  const called = node ? flat(node.children).filter(({ call }) => isOwn(call)) : [];
  const gap = gapOf(test);
  const weight = ({ call }: TreeNode): number =>
    (changed.includes(call.file ?? '') ? 4 : 0) +
    (gap !== null && Math.abs(numberOf(call.returns) ?? Number.NaN) === gap ? 2 : 0) +
    (numberOf(call.returns) === 0 ? 1 : 0);
  const below = called
    .toSorted((a, b) => weight(b) - weight(a) || b.call.time - a.call.time)
    .map(({ call }) => ({ call, why: 'called by it' }));
  return { chain, below };
}

/** By what speaks against each function, and by how far it is from the call that returned the wrong value. */
function weighed(
  test: Searched,
  left: readonly Suspect[],
  { changed, passing, newLines }: KnownBeside,
): Suspect[] {
  const { source, body, result } = test;
  const record = new CallRecord(test.events.filter(({ id }) => id !== body?.id));
  const messages = messagesIn(record, test);
  const own = record.calls.filter((call) => isOwn(call) && !messages.has(call.id));
  const ended = endedBy(test, left);
  const asserted = source || ended ? [] : assertedCalls(test, own);
  const start = ended?.call ?? source?.calls.at(-1) ?? asserted[0];
  const suspects = new Weigher(record, {
    own,
    start,
    startWhy:
      ended?.why ??
      (source ? 'returned the value that is complained of' : 'the failed assertion is about it'),
    after: isDynamicLanguage(test.adapter.language) ? [] : asserted.slice(1),
    difference: differenceOf(result),
    passedOn: new Set(source?.calls.slice(0, -1).map(({ id }) => id)),
    changed: new Set(changed),
    gap: gapOf(test),
  }).suspects();
  if (!isLearnt(test.adapter)) return suspects;
  const grounds = {
    record,
    own: own.filter((call) => !isOfTests(call, test)),
    start,
    ended: left.map(({ call }) => call),
    asserted: namesIn(test.asserted.text),
    passing: new PassingBehaviour(passing),
    newLines,
    changed: new Set(changed),
    bodyDepth: body?.depth ?? 0,
  };
  return byEvidence(suspects, new NativeEvidence(grounds)).map((suspect) => ({
    ...suspect,
    call: tellingCall(grounds, suspect.call),
  }));
}

/** The call that ended the test; outside native programs a wrong value that is known tells more. */
function endedBy(test: Searched, left: readonly Suspect[]): Suspect | undefined {
  if (isDynamicLanguage(test.adapter.language) || (test.source && !isLearnt(test.adapter)))
    return undefined;
  return left.findLast(({ call }) => !isOfTests(call, test));
}

function differenceOf(result: Searched['result']): Difference | null {
  const { actual, expected } = result?.failure ?? {};
  return actual && expected ? { actual, expected } : null;
}

/** The likeliest first, with a line or what was learnt as the reason where no clue is one. */
function byEvidence(suspects: readonly Suspect[], evidence: NativeEvidence): Suspect[] {
  const functions = evidence.functions();
  const scoreOf = ({ call }: Suspect): number => functions.get(call.function)?.score ?? -Infinity;
  return suspects
    .toSorted((a, b) => scoreOf(b) - scoreOf(a))
    .map((suspect) => {
      const { why = '', isLine = false } = functions.get(suspect.call.function) ?? {};
      return why === '' || (suspect.isClue === true && !isLine) ? suspect : { ...suspect, why };
    });
}

/** The last call that the failed assertion names and those after it, else the last of the test's own. */
function assertedCalls(test: Searched, own: readonly CallView[]): readonly CallView[] {
  const { body } = test;
  const { text, assigned = '' } = test.asserted;
  const ofTests = new Set(own.filter((call) => isOfTests(call, test)).map(({ id }) => id));
  const isDirect = ({ id, parent }: CallView): boolean =>
    !ofTests.has(id) && (parent === (body?.id ?? null) || (parent !== null && ofTests.has(parent)));
  const direct = own.filter(isDirect);
  const called = lastOf(direct, text);
  if (called >= 0) return direct.slice(called, called + mostAsserted);
  const made = lastOf(direct, assigned);
  // What came after changed it: the last first.
  return direct
    .slice(made < 0 ? -1 : made)
    .toReversed()
    .slice(0, mostAsserted);
}

/** Calls in which Rust made the text of the failure, or compared its sides. */
function messagesIn({ calls }: CallRecord, { body, asserted }: Searched): ReadonlySet<string> {
  const found = new Set<string>();
  if (/to_string|format!|write!/.test(asserted.text)) return found;
  for (const { id, parent, end, function: name } of calls) {
    // One that does not return is what failed.
    const isMessage =
      end === 'returned' &&
      parent === (body?.id ?? null) &&
      / as core::(?:fmt::\w+>::fmt|cmp::PartialEq.*>::(?:eq|ne))\b/.test(name);
    if (isMessage || (parent !== null && found.has(parent))) found.add(id);
  }
  return found;
}

/** The place of the last call that a text names; negative: it names none. */
function lastOf(calls: readonly CallView[], text: string): number {
  const names = namesIn(text);
  return calls.findLastIndex((call) => names.has(lastName(call)));
}

/** By how much the two values differ. */
function gapOf({ asserted, result, adapter }: Searched): number | null {
  const { actual, expected } = (isDynamicLanguage(adapter.language) ? null : result?.failure) ?? {};
  const sides = [actual ?? '', expected ?? ''].filter((text) => text !== '').map(Number);
  const told = asserted.values.map(({ plain }) => plain).filter((one) => typeof one === 'number');
  const [one = Number.NaN, two = Number.NaN] = sides.length === 2 ? sides : told;
  const gap = Math.abs(one - two);
  return Number.isNaN(gap) ? null : gap;
}

/** What the text of the failed assertion calls: the last such call, then what it called. */
function named({ asserted }: Searched, nodes: readonly TreeNode[]): Suspect[] {
  const names = callsIn(asserted.text).map((name) => name.split('::').at(-1) ?? name);
  return names.flatMap((name) => {
    const node = nodes.findLast(({ call }) => lastName(call) === name);
    if (!node) return [];
    const inner = flat(node.children).filter(({ call }) => isOwn(call));
    return [
      { call: node.call, why: 'the failed assertion calls it' },
      ...inner.toReversed().map(({ call }) => ({ call, why: 'called by it' })),
    ];
  });
}

/** What the test called, the last first, each before what it called. */
function last({ body }: Searched, nodes: readonly TreeNode[]): Suspect[] {
  const direct = nodes.filter(({ call }) => call.parent === (body?.id ?? null));
  const of = direct.length > 0 ? direct : nodes;
  return of
    .toReversed()
    .flatMap((node) => [node, ...flat(node.children).toReversed()])
    .filter(({ call }) => isOwn(call))
    .map(({ call }) => ({ call, why: 'called last' }));
}
