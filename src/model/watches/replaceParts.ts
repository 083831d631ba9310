import type { Expression } from './expression.ts';

/** The expression with some of its parts replaced, the whole before its parts; `by`: null leaves one as it is. */
export function replaceParts(
  expression: Expression,
  by: (one: Expression) => Expression | null,
): Expression {
  const replaced = by(expression);
  if (replaced !== null) return replaced;
  const inside = (one: Expression): Expression => replaceParts(one, by);
  switch (expression.kind) {
    case 'member':
    case 'unary':
    case 'cast':
      return { ...expression, of: inside(expression.of) };
    case 'index':
      return { ...expression, of: inside(expression.of), at: inside(expression.at) };
    case 'binary':
      return { ...expression, left: inside(expression.left), right: inside(expression.right) };
    case 'call':
      return { ...expression, args: expression.args.map(inside) };
    case 'forall': {
      const { head, step, test } = expression;
      return { ...expression, head: inside(head), step: inside(step), test: inside(test) };
    }
    default:
      return expression;
  }
}
