import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { WireExpression } from '../../protocol/nodeTracer.ts';
import type { CompiledWatch } from '../source/sampledWatches.ts';
import { eachPart, resultNotKnown, type Expression } from '../../model/watches/expression.ts';

import { wireExpression } from './wishes.ts';

const constants = new Set(['undefined', 'NaN', 'Infinity']);

/** Why a condition cannot be decided in a function, as a clause; null: it can. */
export function whyNodeUndecided(
  when: Expression,
  fn: SourceFunction,
  atReturn: boolean,
): string | null {
  if (atReturn && suspends.has(fn.kind))
    return 'it is a generator or an async function, whose calls are recorded while they wait: filter it with "where"';
  return whyMeaningless(when, (name) => whyUnknown(name, fn, atReturn));
}

export function compileNodeWatch(
  expression: Expression,
  fn: SourceFunction,
  atReturn: boolean,
): CompiledWatch<WireExpression> {
  // A name that is no parameter is a variable of the module.
  const why = whyMeaningless(expression, (name) =>
    name === 'return' ? whyUnknown(name, fn, atReturn) : null,
  );
  return why === null ? { code: wireExpression(expression) } : { why };
}

/** At a statement, whose scope says which names there are. */
export function compileNodeProbe(expression: Expression): CompiledWatch<WireExpression> {
  const why = whyMeaningless(expression, () => null);
  return why === null ? { code: wireExpression(expression) } : { why };
}

function whyMeaningless(
  expression: Expression,
  whyNot: (name: string) => string | null,
): string | null {
  let why: string | null = null;
  eachPart(expression, (one) => {
    if (one.kind === 'cast') why ??= 'JavaScript has no casts';
    if (one.kind === 'unary' && one.operator === '*') why ??= 'there are no pointers in JavaScript';
    if (one.kind === 'name') why ??= whyNot(one.name);
  });
  return why;
}

const suspends: ReadonlySet<SourceFunction['kind']> = new Set([
  'generator',
  'coroutine',
  'asyncGenerator',
]);

function whyUnknown(
  name: string,
  { parameters }: SourceFunction,
  atReturn: boolean,
): string | null {
  if (parameters.includes(name) || constants.has(name) || name === 'args') return null;
  if (name === 'return') return atReturn ? null : resultNotKnown;
  if (parameters.length === 0) return 'it has no parameters';
  return `it has no parameter \`${name}\`: there are ${parameters.join(', ')}`;
}
