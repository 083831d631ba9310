import type {
  ArrowFunctionExpression,
  BlockStatement,
  Expression,
  FunctionExpression,
  Node,
  Program,
  Statement,
} from '@babel/types';
import { endOf, startOf } from './syntaxNodes.ts';

export type Wrapper = FunctionExpression | ArrowFunctionExpression;

/**
 * The function that a test runner puts around a module before it runs it as a script: all that the script consists
 * of. Jest's stands in an object.
 */
export function wrapperOf({ body }: Program): Wrapper | null {
  const [statement] = body;
  if (body.length !== 1 || statement?.type !== 'ExpressionStatement') return null;
  const expression = bare(statement.expression);
  if (expression.type !== 'ObjectExpression') return functionOf(expression);
  const [property] = expression.properties;
  return expression.properties.length === 1 && property?.type === 'ObjectProperty'
    ? functionOf(property.value)
    : null;
}

function bare(expression: Expression): Expression {
  return expression.type === 'ParenthesizedExpression' ? bare(expression.expression) : expression;
}

function functionOf(node: Node): Wrapper | null {
  if (node.type === 'FunctionExpression') return node;
  return node.type === 'ArrowFunctionExpression' && node.body.type === 'BlockStatement'
    ? node
    : null;
}

/** The statements of the module in it. */
export function bodyOf(wrapper: Wrapper): readonly Statement[] {
  return blockOf(wrapper)?.body ?? [];
}

/** Where the code of the module begins. */
export function moduleStart(wrapper: Wrapper): number {
  const block = blockOf(wrapper);
  const directive = block?.directives.at(-1);
  return directive ? endOf(directive) : startOf(block ?? wrapper.body) + 1;
}

function blockOf({ body }: Wrapper): BlockStatement | null {
  if (body.type !== 'BlockStatement') return null;
  const [first] = body.body;
  // Vitest's has a block in it, which keeps its own names from the module's.
  return body.body.length === 1 && first?.type === 'BlockStatement' ? first : body;
}
