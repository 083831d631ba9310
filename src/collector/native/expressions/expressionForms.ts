import type { Expression } from '../../../model/watches/expression.ts';

/** The literal with its sign turned. */
export function negated(of: Expression): Expression {
  if (of.kind === 'integer') return { kind: 'integer', value: -of.value };
  return of.kind === 'decimal' ? { kind: 'decimal', value: -of.value } : of;
}

/** Whether it names a place in memory, or a parameter. */
export function namesPlace({ kind, ...rest }: Expression): boolean {
  if (kind === 'unary') return 'operator' in rest && rest.operator === '*';
  return kind === 'name' || kind === 'member' || kind === 'index';
}

/** Whether it is the list of arguments. */
export function isArgs(of: Expression): boolean {
  return of.kind === 'name' && of.name === 'args';
}
