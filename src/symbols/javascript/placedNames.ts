import type { Node } from '@babel/types';

/** What a function or class is called by the place where it stands. */
export interface PlacedName {
  /** Names of what encloses it, with a point behind each. */
  readonly prefix: string;
  readonly name: string;
}

/** As stack traces call what has no name. */
export const anonymous = '<anonymous>';

/** The name of a property, method or field. */
export function keyName(key: Node, isComputed: boolean): string {
  switch (key.type) {
    case 'Identifier':
      return isComputed ? `[${key.name}]` : key.name;
    case 'PrivateName':
      return `#${key.id.name}`;
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BigIntLiteral':
      return String(key.value);
    default: {
      const path = pathOf(key);
      return path === null ? '[computed]' : `[${path}]`;
    }
  }
}

/** `a.b.c` of a chain of members; null for what is no such chain. */
function pathOf(node: Node): string | null {
  switch (node.type) {
    case 'Identifier':
      return node.name;
    case 'ThisExpression':
      return 'this';
    case 'ParenthesizedExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
      return pathOf(node.expression);
    case 'MemberExpression': {
      const object = pathOf(node.object);
      return object === null ? null : `${object}.${keyName(node.property, node.computed)}`;
    }
    default:
      return null;
  }
}

/** What is assigned to this target is called so. `ofThis`: the prefix of members of `this`. */
export function targetName(target: Node, prefix: string, ofThis: string): PlacedName | null {
  const path = pathOf(target);
  if (path === null) return null;
  if (path.startsWith('this.')) return { prefix: ofThis, name: path.slice('this.'.length) };
  const name = path.replace(/^(?:module\.)?exports\.(?=.)/, '').replace(/\.prototype(?=\.|$)/, '');
  return { prefix, name };
}

/** The prefix of what a named object holds; what a module exports as a whole is no part of names. */
export function prefixIn(place: PlacedName | null, prefix: string): string {
  if (place === null) return prefix;
  const { name } = place;
  return name === 'module.exports' || name === 'default' || name === 'exports'
    ? place.prefix
    : `${place.prefix}${name}.`;
}
