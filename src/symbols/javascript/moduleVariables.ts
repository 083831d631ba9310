import type { Statement } from '@babel/types';
import { namesIn } from './functionContext.ts';

const MOST_VARIABLES = 500;

/**
 * The variables of a module that its functions use. Others are left out: to read them from a function would make
 * the code that uses them slower, and what is imported may be a type.
 */
export function moduleVariables(
  body: readonly Statement[],
  used: ReadonlySet<string>,
): readonly string[] {
  const names = new Set<string>();
  for (const statement of body)
    for (const name of declaredBy(statement)) if (used.has(name)) names.add(name);
  return [...names].slice(0, MOST_VARIABLES);
}

function declaredBy(statement: Statement): string[] {
  if (statement.type === 'ExportNamedDeclaration')
    return statement.declaration ? declaredBy(statement.declaration) : [];
  if (statement.type !== 'VariableDeclaration' || statement.declare === true) return [];
  return statement.declarations.flatMap(({ id }) => namesIn(id));
}
