import type { Node, Program } from '@babel/types';
import { eachChild, isForAssembler, startOf } from './syntaxNodes.ts';

/** A breakpoint that is to be written into a text. */
export interface TextProbe {
  /** Where its statement begins, in characters. */
  readonly offset: number;
  /** It is at the expression that an arrow function gives. */
  readonly isResult: boolean;
  /** Variables that it reads; null: the text does not have one. */
  readonly names: readonly (string | null)[];
}

/** What is put around a statement or an expression: the calls of its breakpoints. */
export interface AroundStatement {
  readonly open: string;
  readonly close: string;
}

/** The statements of a module that breakpoints are written at. */
export class ProbedStatements {
  readonly #around = new Map<Node, AroundStatement>();
  /** Of each breakpoint whether it is written. */
  readonly isWritten: readonly boolean[];

  /** `call`: the code that calls the breakpoint with this number. */
  constructor(
    program: Program,
    probes: readonly TextProbe[],
    call: (index: number, names: TextProbe['names']) => string,
  ) {
    const places = probes.length === 0 ? new Map<number, Place>() : placesIn(program, probes);
    const calls = new Map<Place, string[]>();
    this.isWritten = probes.map(({ offset, isResult, names }, index) => {
      const place = places.get(offset);
      if (place === undefined || (place.kind === 'result') !== isResult) return false;
      calls.set(place, [...(calls.get(place) ?? []), call(index, names)]);
      return true;
    });
    for (const [place, texts] of calls) this.#around.set(place.node, aroundOf(place, texts));
  }

  get hasAny(): boolean {
    return this.#around.size > 0;
  }

  around(node: Node): AroundStatement | undefined {
    return this.#around.get(node);
  }
}

/** `body`: the only statement of what holds it, which has no braces. */
interface Place {
  readonly node: Node;
  readonly kind: 'statement' | 'body' | 'result';
}

function aroundOf({ kind }: Place, calls: readonly string[]): AroundStatement {
  if (kind === 'result') return { open: `(${calls.join()},`, close: ')' };
  const open = `${calls.join(';')};`;
  return kind === 'body' ? { open: `{${open}`, close: '}' } : { open, close: '' };
}

function placesIn(program: Program, probes: readonly TextProbe[]): ReadonlyMap<number, Place> {
  const asked = new Set(probes.map(({ offset }) => offset));
  const places = new Map<number, Place>();
  const walk = (node: Node, parent: Node | null): void => {
    const kind = asked.has(startOf(node)) ? kindOf(node, parent) : null;
    if (kind !== null) places.set(startOf(node), { node, kind });
    if (!closed.has(node.type) && !isForAssembler(node))
      eachChild(node, (child) => walk(child, node));
  };
  walk(program, null);
  return places;
}

/**
 * What nothing is put into: in one, names can be members of an object; V8 counts how often the other ran, as a part of
 * its class.
 */
const closed = new Set(['WithStatement', 'StaticBlock']);

/** An engine stops at these once each time they run; at a loop it stops in each round. */
const simple = new Set([
  'BreakStatement',
  'ContinueStatement',
  'DebuggerStatement',
  'ExpressionStatement',
  'IfStatement',
  'ReturnStatement',
  'SwitchStatement',
  'ThrowStatement',
  'VariableDeclaration',
]);
const lists = new Set(['Program', 'BlockStatement', 'SwitchCase']);

/** Null: nothing can be put in front of it. */
function kindOf(node: Node, parent: Node | null): Place['kind'] | null {
  if (parent === null) return null;
  if (parent.type === 'ArrowFunctionExpression')
    return parent.body === node && node.type !== 'BlockStatement' ? 'result' : null;
  if (!simple.has(node.type)) return null;
  if (lists.has(parent.type)) return 'statement';
  return isOnlyIn(parent, node) ? 'body' : null;
}

function isOnlyIn(parent: Node, node: Node): boolean {
  if (parent.type === 'IfStatement') return parent.consequent === node || parent.alternate === node;
  return parent.type.startsWith('For') || parent.type.endsWith('WhileStatement')
    ? 'body' in parent && parent.body === node
    : false;
}
