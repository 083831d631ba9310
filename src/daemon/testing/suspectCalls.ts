import type { CallView } from '../../model/questions/query.ts';
import type { TreeNode } from '../../model/questions/treeResult.ts';
import { callsIn } from '../../testing/testSource.ts';
import { CallRecord } from './clues.ts';
import { numberOf, Weigher, type Suspect } from './suspectWeights.ts';
import type { TracedTest } from './tracedTest.ts';

export const mostSuspects = 3;

/** Frameworks that a build fetches into the project are not what is tested. */
const foreign =
  /\/(?:_deps|third_party|external|vendor)\/|\/(?:googletest|googlemock|Catch2)\/(?:src|include)\//;

/** What suspects are found by. */
type Searched = Pick<
  TracedTest,
  'tree' | 'body' | 'source' | 'asserted' | 'adapter' | 'events' | 'result'
>;

/**
 * Functions of the project that may be at fault, the likeliest first: where an exception began that ended the test; what
 * returned the value that is complained of; where other exceptions began; what called them; what the failed assertion
 * names; what was called last. Functions of the tests come behind all others.
 */
export function suspectsOf(test: Searched, changed: readonly string[]): Suspect[] {
  const roots = test.tree.threads.flatMap((thread) => thread.roots);
  const nodes = flat(roots).filter(({ call }) => call.id !== test.body?.id && isOwn(call));
  const { left, caught } = thrown(roots, test);
  const { chain, below } = returning(test, nodes, changed);
  const ranked = [
    ...left,
    ...weighed(test, changed),
    ...chain,
    ...caught,
    ...below,
    ...named(test, nodes),
    ...last(test, nodes),
  ];
  const seen = new Set<string>();
  const suspects = ranked.filter(({ call }) => {
    const isNew = !seen.has(call.function);
    seen.add(call.function);
    return isNew;
  });
  const isOfTests = ({ call }: Suspect): boolean =>
    test.adapter.inCode?.testFiles?.test(call.file ?? '') ?? false;
  return [
    ...suspects.filter((suspect) => !isOfTests(suspect)),
    ...suspects.filter(isOfTests),
  ].slice(0, mostSuspects);
}

function isOwn({ file }: CallView): boolean {
  return file !== null && !file.startsWith('/usr/') && !foreign.test(file);
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

/** The innermost calls that an exception left. */
function thrown(roots: readonly TreeNode[], { body }: Searched): Thrown {
  const found: Thrown = { left: [], caught: [] };
  const visit = ({ call, children }: TreeNode, isCaught: boolean): void => {
    const isBody = call.id === body?.id;
    if (call.end === 'unwound' && !isBody && isOwn(call) && !children.some(isUnwound)) {
      if (isCaught) found.caught.push({ call, why: 'an exception began in it and was caught' });
      else found.left.push({ call, why: 'an exception began in it' });
    }
    const isCaughtBelow = !isBody && (isCaught || call.end === 'returned');
    for (const child of children) visit(child, isCaughtBelow);
  };
  for (const root of roots) visit(root, false);
  return found;
}

function isUnwound({ call }: TreeNode): boolean {
  return call.end === 'unwound';
}

/** What returned the value, from the innermost on, and what that called. */
function returning(
  { source, asserted }: Searched,
  nodes: readonly TreeNode[],
  changed: readonly string[],
): { readonly chain: Suspect[]; readonly below: Suspect[] } {
  const calls = source?.calls ?? [];
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
  const gap = gapOf(asserted.values.map(({ plain }) => plain));
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
function weighed(test: Searched, changed: readonly string[]): Suspect[] {
  const { source, asserted, body, result } = test;
  const record = new CallRecord(test.events.filter(({ id }) => id !== body?.id));
  const own = record.calls.filter((call) => isOwn(call));
  const { actual, expected } = result?.failure ?? {};
  const start = source?.calls.at(-1) ?? assertedCall(test, own);
  const weigher = new Weigher(record, {
    own,
    start,
    startWhy: source
      ? 'returned the value that is complained of'
      : 'the failed assertion is about it',
    difference: actual && expected ? { actual, expected } : null,
    passedOn: new Set(source?.calls.slice(0, -1).map(({ id }) => id)),
    changed: new Set(changed),
    gap: gapOf(asserted.values.map(({ plain }) => plain)),
  });
  return weigher.suspects();
}

/** The last call that the failed assertion names, else the last of the test's own. */
function assertedCall(
  { asserted, body }: Searched,
  own: readonly CallView[],
): CallView | undefined {
  const names = new Set(callsIn(asserted.text).map((name) => name.split('.').at(-1) ?? name));
  const isDirect = (call: CallView): boolean => call.parent === (body?.id ?? null);
  return (
    own.findLast((call) => isDirect(call) && names.has(lastPart(call))) ?? own.findLast(isDirect)
  );
}

/** By how much the two values differ. */
function gapOf(values: readonly unknown[]): number | null {
  const [one, two] = values.filter((value) => typeof value === 'number');
  return one === undefined || two === undefined ? null : Math.abs(one - two);
}

/** What the text of the failed assertion calls: the last such call, then what it called. */
function named({ asserted }: Searched, nodes: readonly TreeNode[]): Suspect[] {
  const names = callsIn(asserted.text).map((name) => name.split('::').at(-1) ?? name);
  return names.flatMap((name) => {
    const node = nodes.findLast(({ call }) => lastPart(call) === name);
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

function lastPart({ function: name, file }: CallView): string {
  if (file?.endsWith('.py')) return name.split('.').at(-1) ?? name;
  const plain = name.replace(/<[^<>]*(?:<[^<>]*>[^<>]*)*>$/, '');
  return plain.split('::').at(-1) ?? plain;
}
