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
  /** Texts that something is compared with. */
  readonly compared: readonly string[];
  readonly hasDefaultExport: boolean;
}

const roots = ['src', 'agent', 'editors', 'tests'];

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

/** The syntax tree of a file; an error names the file. */
export function parseSource(path: string, text: string): object {
  const plugins = ['typescript' as const, 'explicitResourceManagement' as const];
  try {
    return parse(text, { sourceType: 'module', plugins }).program;
  } catch (error) {
    throw new Error(`${path} cannot be parsed: ${String(error)}`, { cause: error });
  }
}

/** Reads one file; `path` is from the root and decides what relative imports mean. */
export function readSource(path: string, text: string): SourceFile {
  const found: Findings = {
    imports: [],
    typeNames: [],
    globals: [],
    compared: [],
    hasDefaultExport: false,
  };
  walk(parseSource(path, text), (node) => {
    readers[node.type]?.(node, found);
  });
  const imports = found.imports.map(({ to, isTypeOnly }) => ({
    to: to.startsWith('.') ? normalize(join(dirname(path), to)) : to,
    isTypeOnly,
  }));
  return { ...found, path, imports };
}

interface Findings {
  readonly imports: ImportEdge[];
  readonly typeNames: string[];
  readonly globals: string[];
  readonly compared: string[];
  hasDefaultExport: boolean;
}

type Reader = (node: Node, found: Findings) => void;

const readImport: Reader = (node, found) => {
  const to = textOf(node, 'source', 'value');
  const isTypeOnly = (node['importKind'] ?? node['exportKind']) === 'type';
  if (to !== undefined) found.imports.push({ to, isTypeOnly });
};

const readTypeName: Reader = (node, found) => {
  const name = textOf(node, 'id', 'name');
  if (name !== undefined) found.typeNames.push(name);
};

/** What each kind of syntax tells. */
const readers: Readonly<Record<string, Reader>> = {
  ImportDeclaration: readImport,
  ExportNamedDeclaration: readImport,
  ExportAllDeclaration: readImport,
  CallExpression(node, found) {
    const to = textOf(node, 'arguments', '0', 'value');
    if (textOf(node, 'callee', 'type') === 'Import' && to !== undefined) {
      found.imports.push({ to, isTypeOnly: false });
    }
  },
  TSImportType(node, found) {
    const to = textOf(node, 'argument', 'value') ?? textOf(node, 'argument', 'literal', 'value');
    if (to !== undefined) found.imports.push({ to, isTypeOnly: true });
  },
  BinaryExpression(node, found) {
    const isComparison = /^[!=]==?$/.test(textOf(node, 'operator') ?? '');
    const sides = [textOf(node, 'left', 'value'), textOf(node, 'right', 'value')];
    if (isComparison) found.compared.push(...sides.flatMap((side) => side ?? []));
  },
  SwitchCase(node, found) {
    const value = textOf(node, 'test', 'value');
    if (value !== undefined) found.compared.push(value);
  },
  ExportDefaultDeclaration(_node, found) {
    found.hasDefaultExport = true;
  },
  ClassDeclaration: readTypeName,
  TSInterfaceDeclaration: readTypeName,
  TSTypeAliasDeclaration: readTypeName,
  MemberExpression(node, found) {
    const [object, property] = [textOf(node, 'object', 'name'), textOf(node, 'property', 'name')];
    if (object !== undefined && property !== undefined) found.globals.push(`${object}.${property}`);
  },
  NewExpression(node, found) {
    const isNow =
      textOf(node, 'callee', 'name') === 'Date' && fieldOf(node['arguments'], 'length') === 0;
    if (isNow) found.globals.push('new Date()');
  },
};

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
