import { StrobeError } from '../../../model/errors.ts';
import type { TracedFunction } from '../../../model/eventColumns.ts';
import type { Value } from '../../../model/questions/query.ts';
import { checkStored, isMet } from '../../../model/watches/evaluate.ts';
import { eachPart, parseExpression, type Expression } from '../../../model/watches/expression.ts';
import type { Block } from '../block.ts';
import type { SessionTables } from '../sessionTables.ts';
import { decodeArguments, decodeReturn } from '../values/capturedValues.ts';
import { checkArgument } from './knownArguments.ts';

/** A relation of a call's arguments and its result. */
export interface WherePlan {
  readonly expression: Expression;
  readonly usesResult: boolean;
}

/** Names of which an expression has its own meaning. */
const own: ReadonlySet<string> = new Set(['return', 'args']);

/** Throws BAD_EXPRESSION, and BAD_PARAMETER for a name that no traced function has. */
export function planWhere(source: string, tables: SessionTables): WherePlan {
  const expression = parseExpression(source);
  checkStored(source, expression);
  for (const name of namesIn(expression)) if (!own.has(name)) checkArgument({ name }, tables);
  for (const index of indexesIn(expression)) checkArgument({ index }, tables);
  return { expression, usesResult: namesIn(expression).has('return') };
}

/** Whether calls of a function have all that the relation names. */
export function mayMeet({ expression, usesResult }: WherePlan, fn: TracedFunction): boolean {
  if (usesResult && fn.returns.kind === 'void') return false;
  const captured = new Set(fn.captured.map(({ name }) => name));
  return [...namesIn(expression)].every((name) => own.has(name) || captured.has(name));
}

/** No function can meet it: that would look like a finding. */
export function whereMeansNothing(source: string): StrobeError {
  return new StrobeError(
    'BAD_PARAMETER',
    `No traced function has all that where "${source}" names.`,
    'Ask about the arguments of one function; "return" is its result, void functions have none.',
  );
}

/** Tests the rows of a block. `isReturned`: whether the result of a row's call is known. */
export function whereTest(
  { expression, usesResult }: WherePlan,
  tables: Pick<SessionTables, 'fn'>,
  block: Block,
  isReturned: (row: number) => boolean,
): (row: number) => boolean {
  const functions = Array.from(block.dictionary.fn, (fn) => tables.fn(fn));
  return (row) => {
    const fn = functions[block.entry[row] ?? 0];
    if (!fn || (usesResult && !isReturned(row))) return false;
    const given = decodeArguments(fn, block.enterPayload(row), block.names);
    const returned = usesResult
      ? decodeReturn(fn, 'returned', block.returnPayload(row), block.names)
      : undefined;
    const value = (name: string): Value | undefined =>
      name === 'return' ? returned : given.find((one) => one.name === name)?.value;
    return isMet(expression, { value, argument: (index) => given[index]?.value });
  };
}

/** Of `args[0]`. */
function indexesIn(expression: Expression): number[] {
  const found: number[] = [];
  eachPart(expression, (one) => {
    if (one.kind !== 'index' || one.of.kind !== 'name' || one.of.name !== 'args') return;
    if (one.at.kind === 'integer') found.push(Number(one.at.value));
  });
  return found;
}

function namesIn(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  eachPart(expression, (one) => {
    if (one.kind === 'name') names.add(one.name);
  });
  return names;
}
