import type { CallView, Value } from '../../model/questions/query.ts';
import type { TreeNode } from '../../model/questions/treeResult.ts';
import { asResult, actualValues } from '../../testing/actualValues.ts';
import { callsIn } from '../../testing/testSource.ts';
import type { TracedTest } from './tracedTest.ts';

/** A call whose function may be at fault. */
export interface Suspect {
  readonly call: CallView;
  /** As the end of a sentence. */
  readonly why: string;
}

export const mostSuspects = 3;

/** Frameworks that a build fetches into the project are not what is tested. */
const foreign =
  /\/(?:_deps|third_party|external|vendor)\/|\/(?:googletest|googlemock|Catch2)\/(?:src|include)\//;

/**
 * Functions of the project that may be at fault, the likeliest first: where an exception began; what returned the value
 * that is complained of, with what it called; what the failed assertion names; what was called last.
 */
export function suspectsOf(
  test: Pick<TracedTest, 'tree' | 'body' | 'sources' | 'result'>,
  changed: readonly string[],
): Suspect[] {
  const nodes = flat(test.tree.threads.flatMap(({ roots }) => roots)).filter(
    ({ call }) => call.id !== test.body?.id && isOwn(call),
  );
  const ranked = [
    ...thrown(nodes),
    ...returning(test, nodes, changed),
    ...named(test, nodes),
    ...last(test, nodes),
  ];
  const seen = new Set<string>();
  return ranked
    .filter(({ call }) => {
      const isNew = !seen.has(call.function);
      seen.add(call.function);
      return isNew;
    })
    .slice(0, mostSuspects);
}

function isOwn({ file }: CallView): boolean {
  return file !== null && !file.startsWith('/usr/') && !foreign.test(file);
}

function flat(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes.flatMap((node) => [node, ...flat(node.children)]);
}

/** The innermost calls that an exception left. */
function thrown(nodes: readonly TreeNode[]): Suspect[] {
  return nodes
    .filter(({ call, children }) => call.end === 'unwound' && !children.some(isUnwound))
    .map(({ call }) => ({ call, why: 'an exception began in it' }));
}

function isUnwound({ call }: TreeNode): boolean {
  return call.end === 'unwound';
}

/** What returned the value, from the innermost on, and what that called. */
function returning(
  { sources, result }: Pick<TracedTest, 'sources' | 'result'>,
  nodes: readonly TreeNode[],
  changed: readonly string[],
): Suspect[] {
  const inner = sources.at(-1);
  if (!inner) return [];
  const chain = sources
    .toReversed()
    .filter((call) => isOwn(call))
    .map((call) => ({ call, why: 'returned the value that is complained of' }));
  const node =
    nodes.find(({ call }) => call.id === inner.id) ??
    nodes.find(({ call }) => call.function === inner.function);
  const below = node ? flat(node.children).filter(({ call }) => isOwn(call)) : [];
  const gap = result?.failure ? gapOf(actualValues(result.failure)) : null;
  const weight = ({ call }: TreeNode): number =>
    (changed.includes(call.file ?? '') ? 4 : 0) +
    (gap !== null && Math.abs(numberOf(call.returns) ?? Number.NaN) === gap ? 2 : 0) +
    (numberOf(call.returns) === 0 ? 1 : 0);
  const called = below
    .toSorted((a, b) => weight(b) - weight(a) || b.call.time - a.call.time)
    .map(({ call }) => ({ call, why: 'called by it' }));
  return [...chain, ...called];
}

/** By how much the two values differ. */
function gapOf(values: readonly string[]): number | null {
  const numbers = values.map(asResult).filter((one) => typeof one === 'number');
  const [one, two] = numbers;
  return one === undefined || two === undefined ? null : Math.abs(one - two);
}

function numberOf(value: Value): number | null {
  if (value.kind === 'int') return Number(value.text);
  return value.kind === 'float' ? value.value : null;
}

/** What the text of the failed assertion calls: the last such call, then what it called. */
function named({ result }: Pick<TracedTest, 'result'>, nodes: readonly TreeNode[]): Suspect[] {
  const names = callsIn(result?.failure?.message ?? '').map(lastPart);
  return names.flatMap((name) => {
    const node = nodes.findLast(({ call }) => lastPart(call.function) === name);
    if (!node) return [];
    const inner = flat(node.children).filter(({ call }) => isOwn(call));
    return [
      { call: node.call, why: 'the failed assertion calls it' },
      ...inner.toReversed().map(({ call }) => ({ call, why: 'called by it' })),
    ];
  });
}

/** What the test called, the last first, each before what it called. */
function last({ body }: Pick<TracedTest, 'body'>, nodes: readonly TreeNode[]): Suspect[] {
  const direct = nodes.filter(({ call }) => call.parent === (body?.id ?? null));
  const of = direct.length > 0 ? direct : nodes;
  return of
    .toReversed()
    .flatMap((node) => [node, ...flat(node.children).toReversed()])
    .filter(({ call }) => isOwn(call))
    .map(({ call }) => ({ call, why: 'called last' }));
}

function lastPart(name: string): string {
  const plain = name.replace(/<[^<>]*(?:<[^<>]*>[^<>]*)*>$/, '');
  return plain.split('::').at(-1) ?? plain;
}
