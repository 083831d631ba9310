import type { Node } from '@babel/types';

/** What of a node runs, in the order of the text, without what says only types. */
const parts: Readonly<Record<string, readonly string[]>> = {
  ArrayExpression: ['elements'],
  ArrayPattern: ['elements'],
  AssignmentExpression: ['left', 'right'],
  AssignmentPattern: ['left', 'right'],
  AwaitExpression: ['argument'],
  BinaryExpression: ['left', 'right'],
  BlockStatement: ['body'],
  CallExpression: ['callee', 'arguments'],
  CatchClause: ['param', 'body'],
  ConditionalExpression: ['test', 'consequent', 'alternate'],
  DoWhileStatement: ['body', 'test'],
  ExportNamedDeclaration: ['declaration'],
  ExpressionStatement: ['expression'],
  ForInStatement: ['left', 'right', 'body'],
  ForOfStatement: ['left', 'right', 'body'],
  ForStatement: ['init', 'test', 'update', 'body'],
  IfStatement: ['test', 'consequent', 'alternate'],
  LogicalExpression: ['left', 'right'],
  NewExpression: ['callee', 'arguments'],
  ObjectExpression: ['properties'],
  ObjectPattern: ['properties'],
  ObjectProperty: ['key', 'value'],
  OptionalCallExpression: ['callee', 'arguments'],
  ParenthesizedExpression: ['expression'],
  Program: ['body'],
  RestElement: ['argument'],
  ReturnStatement: ['argument'],
  SequenceExpression: ['expressions'],
  SpreadElement: ['argument'],
  SwitchCase: ['test', 'consequent'],
  SwitchStatement: ['discriminant', 'cases'],
  TaggedTemplateExpression: ['tag', 'quasi'],
  TemplateLiteral: ['expressions'],
  ThrowStatement: ['argument'],
  TryStatement: ['block', 'handler', 'finalizer'],
  TSAsExpression: ['expression'],
  UnaryExpression: ['argument'],
  UpdateExpression: ['argument'],
  VariableDeclaration: ['declarations'],
  VariableDeclarator: ['id', 'init'],
  WhileStatement: ['test', 'body'],
};

/** What has nothing in it that runs. */
const empty = new Set([
  'BigIntLiteral',
  'BooleanLiteral',
  'BreakStatement',
  'ContinueStatement',
  'DebuggerStatement',
  'EmptyStatement',
  'ExportAllDeclaration',
  'Identifier',
  'ImportDeclaration',
  'MetaProperty',
  'NullLiteral',
  'NumericLiteral',
  'PrivateName',
  'RegExpLiteral',
  'StringLiteral',
]);

/** Of other nodes what holds no code that runs. */
const withoutCode = new Set([
  'loc',
  'extra',
  'leadingComments',
  'trailingComments',
  'innerComments',
  'errors',
  'comments',
  'tokens',
  'directives',
  'interpreter',
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'superTypeParameters',
  'implements',
]);

/** Calls `visit` with each node directly in a node that may run, in the order of the text. */
export function eachChild(node: Node, visit: (child: Node) => void): void {
  if (empty.has(node.type) || !hasFields(node)) return;
  if (node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression') {
    visit(node.object);
    if (node.computed) visit(node.property);
    return;
  }
  const known = parts[node.type];
  if (known) for (const key of known) visitAll(node[key], visit);
  else for (const key in node) if (!withoutCode.has(key)) visitAll(node[key], visit);
}

function visitAll(value: unknown, visit: (child: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    if (isNode(value)) visit(value);
  } else for (const element of value) if (isNode(element)) visit(element);
}

function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isNode(value: unknown): value is Node {
  return hasFields(value) && typeof value['type'] === 'string';
}

/** Where a node begins and ends: the parser sets both. */
export function startOf(node: Node): number {
  return node.start ?? 0;
}

export function endOf(node: Node): number {
  return node.end ?? 0;
}

/** A module for the compiler of asm.js stays as it is. */
export function isForAssembler(node: Node): boolean {
  if (!('params' in node) || !('body' in node) || !isNode(node.body)) return false;
  const { body } = node;
  return (
    body.type === 'BlockStatement' && body.directives.some(({ value }) => value.value === 'use asm')
  );
}
