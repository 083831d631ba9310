import { StrobeError } from '../../model/errors.ts';
import type { BinaryOperator, Expression } from '../../model/watches/expression.ts';

const words: Partial<Readonly<Record<BinaryOperator, string>>> = { '&&': 'and', '||': 'or' };

/** An expression as Python writes it. Throws BAD_EXPRESSION for what Python has not. */
export function pythonText(expression: Expression): string {
  switch (expression.kind) {
    case 'integer':
    case 'decimal':
      return String(expression.value);
    case 'text':
      return JSON.stringify(expression.value);
    case 'name':
      return expression.name;
    case 'member':
      return `${pythonText(expression.of)}.${expression.field}`;
    case 'index':
      return `${pythonText(expression.of)}[${pythonText(expression.at)}]`;
    case 'unary': {
      const { operator, of } = expression;
      if (operator === '!') return `(not ${pythonText(of)})`;
      if (operator === '-' || operator === '~') return `(${operator}${pythonText(of)})`;
      throw notPython(operator);
    }
    case 'binary': {
      const { operator, left, right } = expression;
      return `(${pythonText(left)} ${words[operator] ?? operator} ${pythonText(right)})`;
    }
    case 'call':
      return called(expression.name, expression.args.map(pythonText));
    case 'cast':
    case 'forall':
      throw notPython(expression.kind);
  }
}

function called(name: string, [first = '', second = '']: readonly string[]): string {
  if (name === 'contains') return `(${second} in ${first})`;
  return name === 'isNull' ? `(${first} is None)` : `${name}(${first})`;
}

function notPython(what: string): StrobeError {
  return new StrobeError('BAD_EXPRESSION', `Python has no "${what}".`);
}

/** A value as Python writes it. */
export function pythonLiteral(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  // Escapes of JSON are those of Python.
  return JSON.stringify(value);
}
