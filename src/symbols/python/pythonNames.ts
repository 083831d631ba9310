import { mostLevels, type SyntaxNode } from './parsePython.ts';

/** Names that a function or a module gives values to, in the order of the text; what is inside has names of its own. */
export function boundNames(node: SyntaxNode, text: string, isModule: boolean): string[] {
  const names = new Set<string>();
  const foreign = new Set<string>();
  const shared = new Set<string>();
  const word = ({ from, to }: SyntaxNode): string => text.slice(from, to);
  const add = (one: SyntaxNode): void => {
    if (one.name === 'VariableName') names.add(word(one));
    else if (containers.has(one.name)) for (const child of childrenOf(one)) add(child);
  };
  const walk = (one: SyntaxNode, level: number, isInner: boolean): void => {
    if (level > mostLevels) return;
    const children = childrenOf(one);
    if (one.name === 'ScopeStatement') {
      const own = children.filter(({ name }) => name === 'VariableName').map(word);
      for (const name of own) foreign.add(name);
      if (children[0]?.name === 'global') for (const name of own) shared.add(name);
    }
    if (!isInner && one !== node) for (const target of targetsOf(one, children)) add(target);
    const isOther = definitions.has(one.name) && one !== node;
    if (isOther && !isModule) return;
    for (const child of children) walk(child, level + 1, isInner || isOther);
  };
  walk(node, 0, false);
  if (isModule) return [...new Set([...names, ...shared])];
  return [...names].filter((name) => !foreign.has(name));
}

const containers = new Set(['TupleExpression', 'ArrayExpression', 'ParenthesizedExpression']);
const definitions = new Set(['FunctionDefinition', 'ClassDefinition', 'LambdaExpression']);

/** Where a statement or a pattern names what gets a value. */
function targetsOf(node: SyntaxNode, children: readonly SyntaxNode[]): readonly SyntaxNode[] {
  switch (node.name) {
    case 'AssignStatement': {
      const last = children.findLastIndex(({ name }) => name === 'AssignOp');
      return last < 0 ? children.slice(0, 1) : children.slice(0, last);
    }
    case 'UpdateStatement':
    case 'NamedExpression':
    case 'CapturePattern':
      return children.slice(0, 1);
    case 'ForStatement': {
      const from = children.findIndex(({ name }) => name === 'for');
      return children.slice(
        from,
        children.findIndex(({ name }) => name === 'in'),
      );
    }
    case 'WithStatement':
    case 'TryStatement':
    case 'AsPattern':
      return children.filter((_child, i) => children[i - 1]?.name === 'as');
    case 'ImportStatement':
      return importedNames(children);
    case 'FunctionDefinition':
    case 'ClassDefinition':
    case 'TypeDefinition':
      return children.filter(({ name }) => name === 'VariableName').slice(0, 1);
    default:
      return [];
  }
}

/** `import a.b` binds `a`, and `x as y` binds `y`. */
function importedNames(children: readonly SyntaxNode[]): SyntaxNode[] {
  const from = children.findIndex(({ name }) => name === 'import');
  return children.filter(({ name }, i) => {
    if (i < from || name !== 'VariableName') return false;
    const before = children[i - 1]?.name;
    return before === 'as' || (before !== '.' && !isRenamed(children, i));
  });
}

function isRenamed(children: readonly SyntaxNode[], at: number): boolean {
  let next = at + 1;
  while (children[next]?.name === '.') next += 2;
  return children[next]?.name === 'as';
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
