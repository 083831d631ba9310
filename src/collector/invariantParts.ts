import type { Expression } from '../model/watches/expression.ts';
import { expressionText } from '../model/watches/expressionText.ts';
import type { WantedProbe } from './wantedProbe.ts';

/** What an invariant is made of, to be shown where it does not hold: places, and the element that does not meet a walk's test. */
export function invariantParts(invariant: Expression): WantedProbe['values'] {
  const parts = new Map<string, Expression>();
  collect(invariant, parts);
  return [...parts].map(([text, expression]) => ({ text, expression }));
}

function collect(expression: Expression, parts: Map<string, Expression>): void {
  switch (expression.kind) {
    case 'name':
    case 'member':
    case 'index':
      parts.set(expressionText(expression), expression);
      return;
    case 'unary':
      if (expression.operator === '*') parts.set(expressionText(expression), expression);
      else collect(expression.of, parts);
      return;
    case 'cast':
      collect(expression.of, parts);
      return;
    case 'binary':
      collect(expression.left, parts);
      collect(expression.right, parts);
      return;
    case 'call':
      for (const one of expression.args) collect(one, parts);
      return;
    case 'forall':
      parts.set('it', { ...expression, meansElement: true });
      return;
    default:
  }
}
