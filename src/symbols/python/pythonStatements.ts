import { parser } from '@lezer/python';
import type { SourceStatement } from '../../model/functions/sourceStatement.ts';
import type { DefinedInSource } from '../sourceLanguage.ts';
import { functionsIn, mostLevels, type SyntaxNode } from './parsePython.ts';
import { boundNames } from './pythonNames.ts';

/** Code of its own: a function, the body of a class, or (null) the module. */
type Holder = NonNullable<SourceStatement['holder']>;

interface Scope {
  readonly holder: Holder | null;
  /** Variables of it and of the functions around it, as far as its text names those. */
  readonly locals: readonly string[];
  /** What functions inside it see. */
  readonly inner: readonly string[];
}

/** Clauses that have a line of their own which runs. */
const clauses = new Set(['elif', 'except', 'case']);
/** They say something to the compiler, and nothing runs. */
const silent = new Set(['ScopeStatement', 'StatementGroup']);

/** Statements that run, in the order of the text: of those of one function that begin in one line the first. */
export function pythonStatements(text: string): readonly SourceStatement[] {
  const reader = new StatementReader(text);
  reader.read();
  return reader.found.toSorted((a, b) => a.offset - b.offset);
}

class StatementReader {
  readonly found: SourceStatement[] = [];
  readonly #text: string;
  readonly #lines: readonly string[];
  readonly #functions: ReadonlyMap<number, DefinedInSource>;
  readonly #seen = new Set<string>();
  #globals: readonly string[] = [];
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lines = text.split('\n');
    this.#functions = new Map(functionsIn(text).map((fn) => [fn.offset, fn]));
  }

  read(): void {
    const top = parser.parse(this.#text).topNode;
    this.#globals = boundNames(top, this.#text, true);
    this.#inside(top, { holder: null, locals: [], inner: [] }, 0);
  }

  #inside(node: SyntaxNode, scope: Scope, level: number): void {
    if (level > mostLevels) return;
    for (let child = node.firstChild; child; child = child.nextSibling)
      this.#node(child, scope, level + 1);
  }

  #node(node: SyntaxNode, scope: Scope, level: number): void {
    if (isPlace(node, scope)) this.#add(node, scope);
    switch (node.name) {
      case 'FunctionDefinition':
      case 'LambdaExpression':
        this.#function(node, scope, level);
        return;
      case 'ClassDefinition':
        this.#class(node, scope, level);
        return;
      default:
        this.#inside(node, scope, level);
    }
  }

  /** Default values and annotations belong to the code outside. */
  #function(node: SyntaxNode, outer: Scope, level: number): void {
    const fn = this.#functions.get(node.from);
    if (!fn) return;
    const inner = this.#scopeOf(node, fn, outer.inner);
    const isLambda = node.name === 'LambdaExpression';
    for (let child = node.firstChild; child; child = child.nextSibling) {
      const isOwn = isLambda ? child.name !== 'ParamList' : child.name === 'Body';
      if (isLambda && child === node.lastChild) this.#add(child, inner, true);
      this.#node(child, isOwn ? inner : outer, level + 1);
    }
  }

  #scopeOf(node: SyntaxNode, fn: DefinedInSource, outer: readonly string[]): Scope {
    const own = [...new Set([...fn.parameters, ...boundNames(node, this.#text, false)])];
    const { from, to } = node.getChild('Body') ?? node;
    const words = this.#text.slice(from, to).match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
    const named = new Set(words);
    const locals = [...new Set([...own, ...outer.filter((name) => named.has(name))])];
    return { holder: holderOf(fn), locals, inner: locals };
  }

  /** What functions in a class see lies outside of it. */
  #class(node: SyntaxNode, outer: Scope, level: number): void {
    const name = node.getChild('VariableName');
    const word = name ? this.#text.slice(name.from, name.to) : '?';
    const { line } = this.#at(node.parent?.name === 'DecoratedStatement' ? node.parent : node);
    const prefix = prefixIn(outer.holder, this.#functions);
    const holder: Holder = {
      name: `${prefix}${word}`,
      qualifiedName: `${prefix}${word}`,
      firstLine: line,
      offset: node.from,
      parameters: [],
    };
    const inner: Scope = { holder, locals: [], inner: outer.inner };
    for (let child = node.firstChild; child; child = child.nextSibling)
      this.#node(child, child.name === 'Body' ? inner : outer, level + 1);
  }

  #add(node: SyntaxNode, { holder, locals }: Scope, isResult = false): void {
    const { line, column } = this.#at(node);
    const code = `${line} ${holder?.offset ?? -1}`;
    if (this.#seen.has(code)) return;
    this.#seen.add(code);
    const word = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(this.#text.slice(node.from, node.from + 40));
    this.found.push({
      offset: node.from,
      line,
      column,
      word: word?.[0] ?? '',
      isResult,
      holder,
      locals,
      globals: this.#globals,
    });
  }

  /** Asked in the order of the text, but for a little. */
  #at({ from }: SyntaxNode): { readonly line: number; readonly column: number } {
    while (this.#line > 1 && this.#lineStart > from) {
      this.#line--;
      this.#lineStart -= this.#widthOf(this.#line);
    }
    while (this.#line < this.#lines.length && this.#lineStart + this.#widthOf(this.#line) <= from) {
      this.#lineStart += this.#widthOf(this.#line);
      this.#line++;
    }
    return { line: this.#line, column: from - this.#lineStart + 1 };
  }

  #widthOf(line: number): number {
    return (this.#lines[line - 1]?.length ?? 0) + 1;
  }
}

function holderOf({ qualifiedName, firstLine, offset, parameters }: DefinedInSource): Holder {
  return { name: qualifiedName, qualifiedName, firstLine, offset, parameters };
}

function prefixIn(holder: Holder | null, functions: ReadonlyMap<number, unknown>): string {
  if (!holder) return '';
  return functions.has(holder.offset)
    ? `${holder.qualifiedName}.<locals>.`
    : `${holder.qualifiedName}.`;
}

function isPlace(node: SyntaxNode, { holder }: Scope): boolean {
  const { name, parent, firstChild } = node;
  if (clauses.has(name)) return true;
  const isDefinition = name === 'FunctionDefinition' || name === 'ClassDefinition';
  if (parent?.name === 'DecoratedStatement') return false;
  if (!isDefinition && !/(?:Statement|TypeDefinition)$/.test(name)) return false;
  if (silent.has(name)) return false;
  if (name === 'ExpressionStatement') return firstChild?.name !== 'String' || hasMore(firstChild);
  // Only the body of a module or of a class keeps an annotation.
  return name !== 'AssignStatement' || !holder || node.getChild('AssignOp') !== null;
}

function hasMore({ nextSibling }: SyntaxNode): boolean {
  return nextSibling !== null;
}
