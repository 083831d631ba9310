import type { BinaryOperator, Expression } from '../../../model/watches/expression.ts';
import { condition } from '../../../protocol/record.ts';
import type { Meaning } from './operandKind.ts';

export const comparisons = { '==': true, '!=': true, '<': true, '<=': true, '>': true, '>=': true };

/** Operations of the engine's stack machine; `a > b` is `b < a`. */
export const operations: Readonly<Record<Exclude<BinaryOperator, '&&' | '||'>, number>> = {
  '|': condition.bitOr,
  '^': condition.bitXor,
  '&': condition.bitAnd,
  '==': condition.equal,
  '!=': condition.equal,
  '<': condition.less,
  '<=': condition.lessOrEqual,
  '>': condition.less,
  '>=': condition.lessOrEqual,
  '<<': condition.shiftLeft,
  '>>': condition.shiftRight,
  '+': condition.add,
  '-': condition.subtract,
  '*': condition.multiply,
  '/': condition.divide,
  '%': condition.remainder,
};

/** How a result is shown: one beyond that is told as none. */
export function isSigned(
  operator: BinaryOperator,
  left: readonly [Meaning, Expression],
  right: readonly [Meaning, Expression],
): boolean {
  const isWide = ([{ kind }]: readonly [Meaning, Expression]): boolean =>
    kind === 'unsigned' || kind === 'address';
  if (operator === '-') return true;
  if (operator === '>>' || operator === '<<' || operator === '%') return !isWide(left);
  const some = [left, right].some(isWide);
  if (operator === '&' || !some) return !some;
  return [left, right].some((one) => !isWide(one) && one[1].kind !== 'integer');
}
