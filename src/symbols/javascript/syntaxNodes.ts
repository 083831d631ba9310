import type { Node } from '@babel/types';

/** Of a node what holds no code that runs. */
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

/** Calls `visit` with each node directly in a node, in the order of the text. */
export function eachChild(node: Node, visit: (child: Node) => void): void {
  if (!hasFields(node)) return;
  for (const key in node) {
    if (withoutCode.has(key)) continue;
    const value = node[key];
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const element of value) if (isNode(element)) visit(element);
    } else if (isNode(value)) visit(value);
  }
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
