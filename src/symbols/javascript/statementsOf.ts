import type { Node } from '@babel/types';
import type { SourceStatement } from '../../model/functions/sourceStatement.ts';
import type { ScriptFunction } from '../../model/rewriting/rewrittenModule.ts';
import { namesIn } from './functionContext.ts';
import { ModuleReader } from './moduleReader.ts';
import { parseTolerantly } from './parseScript.ts';
import { eachChild, endOf, startOf } from './syntaxNodes.ts';

/** What has no place of its own at which an engine could stop. */
const withoutPlace = new Set([
  'BlockStatement',
  'EmptyStatement',
  'LabeledStatement',
  'TryStatement',
  'WithStatement',
]);

interface Scope {
  readonly names: readonly Name[];
  /** The function it is of; null: it is the module's. */
  readonly holder: ScriptFunction | null;
}

interface Name {
  readonly name: string;
  /** Where in the text it gets a value; 0: it has one from the beginning. */
  readonly from: number;
}

/** Statements that run, in the order of the text. Throws SyntaxError and RangeError for what cannot be read. */
export function statementsOf(text: string, path: string): readonly SourceStatement[] {
  const { program } = parseTolerantly(text, path);
  const { functions } = new ModuleReader(text, 'module').read(program);
  const found: SourceStatement[] = [];
  const byOffset = new Map(functions.map((fn) => [fn.offset, fn]));
  const walk = (node: Node, scopes: readonly Scope[], holder: ScriptFunction | null): void => {
    if (isPlace(node)) found.push(statement(text, node, scopes, holder, false));
    const own = 'params' in node ? byOffset.get(startOf(node)) : undefined;
    const within = own ?? holder;
    const names = own ? functionNames(node) : blockNames(node);
    const inner = names.length > 0 ? [{ names, holder: within }, ...scopes] : scopes;
    if (node.type === 'ArrowFunctionExpression' && node.body.type !== 'BlockStatement' && own)
      found.push(statement(text, node.body, inner, own, true));
    // What a loop begins with runs with it.
    eachChild(node, (child) => {
      if (node.type !== 'ForStatement' || child !== node.init) walk(child, inner, within);
      else eachChild(child, (part) => walk(part, inner, within));
    });
  };
  walk(program, [], null);
  return found.toSorted((a, b) => a.offset - b.offset);
}

function isPlace(node: Node): boolean {
  if (node.type === 'VariableDeclaration')
    return node.declare !== true && node.declarations.some(({ init }) => init);
  return node.type.endsWith('Statement') && !withoutPlace.has(node.type);
}

function statement(
  text: string,
  node: Node,
  scopes: readonly Scope[],
  holder: ScriptFunction | null,
  isResult: boolean,
): SourceStatement {
  const { line, column } = node.loc?.start ?? { line: 1, column: 0 };
  const begin = startOf(node);
  const namesOf = (isModule: boolean): string[] => [
    ...new Set(
      scopes
        .filter((one) => (one.holder === null) === isModule)
        .flatMap((one) => one.names.filter(({ from }) => one.holder !== holder || from <= begin))
        .map(({ name }) => name),
    ),
  ];
  return {
    offset: begin,
    line,
    column: column + 1,
    word: /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u.exec(text.slice(begin, begin + 40))?.[0] ?? '',
    isResult,
    holder: holder && {
      name: holder.qualifiedName,
      qualifiedName: holder.qualifiedName,
      firstLine: holder.line,
      offset: holder.offset,
      parameters: holder.parameters,
    },
    locals: namesOf(false),
    globals: namesOf(true),
  };
}

/** Parameters, and what `var` anywhere in the function names. */
function functionNames(node: Node): readonly Name[] {
  if (!('params' in node) || !('body' in node)) return [];
  const names = node.params.flatMap((parameter) => namesIn(parameter));
  const inside = (child: Node): void => {
    if (child.type === 'VariableDeclaration' && child.kind === 'var')
      for (const { id } of child.declarations) names.push(...namesIn(id));
    if (!('params' in child)) eachChild(child, inside);
  };
  eachChild(node, inside);
  return fromTheBeginning(names);
}

function fromTheBeginning(names: readonly string[]): Name[] {
  return names.map((name) => ({ name, from: 0 }));
}

/** What a block, a loop or a module names. */
function blockNames(node: Node): readonly Name[] {
  switch (node.type) {
    case 'Program':
    case 'BlockStatement':
    case 'StaticBlock':
      return node.body.flatMap(declaredBy);
    case 'SwitchStatement':
      return node.cases.flatMap(({ consequent }) => consequent.flatMap(declaredBy));
    case 'ForStatement':
      return node.init ? declaredBy(node.init) : [];
    case 'ForInStatement':
    case 'ForOfStatement':
      return declaredBy(node.left);
    case 'CatchClause':
      return fromTheBeginning(node.param ? namesIn(node.param) : []);
    default:
      return [];
  }
}

function declaredBy(node: Node): Name[] {
  switch (node.type) {
    case 'VariableDeclaration': {
      const from = node.kind === 'var' ? 0 : endOf(node);
      return node.declarations.flatMap(({ id }) => namesIn(id)).map((name) => ({ name, from }));
    }
    case 'FunctionDeclaration':
      return fromTheBeginning(node.id ? [node.id.name] : []);
    case 'ClassDeclaration':
      return node.id ? [{ name: node.id.name, from: endOf(node) }] : [];
    case 'ImportDeclaration':
      return fromTheBeginning(node.specifiers.map(({ local }) => local.name));
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return node.declaration ? declaredBy(node.declaration) : [];
    default:
      return [];
  }
}
