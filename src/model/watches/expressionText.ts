import type { Expression } from './expression.ts';

/** An expression as it would be written; operators have parentheses around what they join. */
export function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case 'integer':
    case 'decimal':
      return String(expression.value);
    case 'text':
      return JSON.stringify(expression.value);
    case 'name':
      return expression.name;
    case 'member':
      return `${expressionText(expression.of)}.${expression.field}`;
    case 'index':
      return `${expressionText(expression.of)}[${expressionText(expression.at)}]`;
    case 'unary':
      return `${expression.operator}${expressionText(expression.of)}`;
    case 'cast':
      return `(${expression.type}${'*'.repeat(expression.stars)})${expressionText(expression.of)}`;
    case 'binary':
      return `(${expressionText(expression.left)} ${expression.operator} ${expressionText(expression.right)})`;
    case 'call':
      return `${expression.name}(${expression.args.map(expressionText).join(', ')})`;
    case 'forall': {
      const { head, step, test } = expression;
      return `forall(${[head, step, test].map(expressionText).join(', ')})`;
    }
  }
}
