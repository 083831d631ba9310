import { parse } from '@babel/parser';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { packageRoot } from './strobe.ts';

export interface ImportEdge {
  /** A path from the root for our own files, else the package's or Node's name. */
  readonly to: string;
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string;
  readonly imports: readonly ImportEdge[];
  /** Names of the classes, interfaces and type aliases declared here. */
  readonly typeNames: readonly string[];
  /** Global members used, such as `process.exit`, and `new Date()` without arguments. */
  readonly globals: readonly string[];
  readonly hasDefaultExport: boolean;
}

const roots = ['src', 'agent', 'tests'];

/** Every TypeScript file of the project, parsed. */
export function readSourceTree(): SourceFile[] {
  return roots.flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => `${folder}/${name}`)
      .filter((path) => !path.includes('node_modules/'))
      .map((path) => readSource(path, readFileSync(join(packageRoot, path), 'utf8'))),
  );
}

/** Parses one file; `path` is from the root and decides what relative imports mean. */
export function readSource(path: string, text: string): SourceFile {
  const imports: ImportEdge[] = [];
  const typeNames: string[] = [];
  const globals: string[] = [];
  let hasDefaultExport = false;
  const addImport = (from: string, isTypeOnly: boolean): void => {
    const to = from.startsWith('.') ? normalize(join(dirname(path), from)) : from;
    imports.push({ to, isTypeOnly });
  };
  const tree = parse(text, {
    sourceType: 'module',
    plugins: ['typescript', 'explicitResourceManagement'],
  });
  walk(tree.program, (node) => {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration': {
        const from = textOf(node, 'source', 'value');
        if (from !== undefined)
          addImport(from, (node['importKind'] ?? node['exportKind']) === 'type');
        break;
      }
      case 'CallExpression':
        if (textOf(node, 'callee', 'type') === 'Import') {
          const from = Array.isArray(node['arguments'])
            ? fieldOf(node['arguments'][0], 'value')
            : undefined;
          if (typeof from === 'string') addImport(from, false);
        }
        break;
      case 'TSImportType': {
        const from =
          textOf(node, 'argument', 'value') ?? textOf(node, 'argument', 'literal', 'value');
        if (from !== undefined) addImport(from, true);
        break;
      }
      case 'ExportDefaultDeclaration':
        hasDefaultExport = true;
        break;
      case 'ClassDeclaration':
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration': {
        const name = textOf(node, 'id', 'name');
        if (name !== undefined) typeNames.push(name);
        break;
      }
      case 'MemberExpression':
        globals.push(
          `${textOf(node, 'object', 'name') ?? '?'}.${textOf(node, 'property', 'name') ?? '?'}`,
        );
        break;
      case 'NewExpression':
        if (
          textOf(node, 'callee', 'name') === 'Date' &&
          Array.isArray(node['arguments']) &&
          node['arguments'].length === 0
        ) {
          globals.push('new Date()');
        }
        break;
    }
  });
  return { path, imports, typeNames, globals, hasDefaultExport };
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof fieldOf(value, 'type') === 'string';
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(node: unknown, ...path: readonly string[]): string | undefined {
  const found = path.reduce(fieldOf, node);
  return typeof found === 'string' ? found : undefined;
}

function walk(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const child of node) walk(child, visit);
    return;
  }
  if (!isNode(node)) return;
  visit(node);
  for (const [name, child] of Object.entries(node)) {
    if (name !== 'loc' && typeof child === 'object') walk(child, visit);
  }
}
