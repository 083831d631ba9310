import { parser } from '@lezer/python';
import type { SourceFunctionKind } from '../../model/functions/sourceFunction.ts';
import type { DefinedInSource } from '../sourceLanguage.ts';

/** Nodes in nodes that are looked into; deeper code is machine-made. */
export const mostLevels = 400;
const MOST_FUNCTIONS = 100_000;

export type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** Every function and lambda of a source text, in the order of their definitions. Damage costs what it damages. */
export function functionsIn(text: string): DefinedInSource[] {
  const reader = new SourceReader(text);
  reader.read(parser.parse(text).topNode);
  return reader.found.toSorted((a, b) => a.offset - b.offset);
}

/** What encloses a definition: names of classes, and of functions with `<locals>` behind them. */
interface Scope {
  readonly prefix: string;
  /** The function whose `yield` is met, or null. */
  readonly body: { yields: boolean } | null;
}

class SourceReader {
  readonly found: DefinedInSource[] = [];
  readonly #text: string;
  /** Where each line begins. */
  readonly #lines: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
      this.#lines.push(at + 1);
  }

  read(top: SyntaxNode): void {
    this.#inside(top, { prefix: '', body: null }, 0);
  }

  #inside(node: SyntaxNode, scope: Scope, level: number): void {
    if (level > mostLevels || this.found.length >= MOST_FUNCTIONS) return;
    for (let child = node.firstChild; child; child = child.nextSibling)
      this.#node(child, scope, level + 1);
  }

  #node(node: SyntaxNode, scope: Scope, level: number): void {
    switch (node.name) {
      case 'DecoratedStatement':
        this.#decorated(node, scope, level);
        return;
      case 'FunctionDefinition':
        this.#function(node, node.from, scope, level);
        return;
      case 'ClassDefinition':
        this.#class(node, scope, level);
        return;
      case 'LambdaExpression':
        this.#lambda(node, scope, level);
        return;
      case 'yield':
        if (scope.body) scope.body.yields = true;
        return;
      default:
        this.#inside(node, scope, level);
    }
  }

  #decorated(node: SyntaxNode, scope: Scope, level: number): void {
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.name === 'FunctionDefinition') this.#function(child, node.from, scope, level);
      else this.#node(child, scope, level + 1);
    }
  }

  #class(node: SyntaxNode, scope: Scope, level: number): void {
    const name = this.#nameOf(node);
    const inner = { prefix: `${scope.prefix}${name}.`, body: null };
    for (let child = node.firstChild; child; child = child.nextSibling)
      if (child.name === 'Body') this.#inside(child, inner, level + 1);
      else this.#node(child, scope, level + 1);
  }

  /** `first`: where its first decorator, or itself, begins. */
  #function(node: SyntaxNode, first: number, scope: Scope, level: number): void {
    const name = `${scope.prefix}${this.#nameOf(node)}`;
    const isAsync = this.#text.startsWith('async', node.from);
    const body = { yields: false };
    const inner = { prefix: `${name}.<locals>.`, body };
    const parameters = this.#parts(node, scope, inner, level);
    const kind: SourceFunctionKind = isAsync
      ? body.yields
        ? 'asyncGenerator'
        : 'coroutine'
      : body.yields
        ? 'generator'
        : 'function';
    this.#add(name, { first, from: node.from }, kind, parameters);
  }

  #lambda(node: SyntaxNode, scope: Scope, level: number): void {
    const name = `${scope.prefix}<lambda>`;
    const body = { yields: false };
    const inner = { prefix: `${name}.<locals>.`, body };
    let parameters: string[] = [];
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.name === 'ParamList') parameters = this.#parameters(child, scope, level);
      else this.#node(child, inner, level + 1);
    }
    const places = { first: node.from, from: node.from };
    this.#add(name, places, body.yields ? 'generator' : 'lambda', parameters);
  }

  /** Default values and annotations belong to the scope outside. */
  #parts(node: SyntaxNode, outer: Scope, inner: Scope, level: number): string[] {
    let parameters: string[] = [];
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.name === 'ParamList') parameters = this.#parameters(child, outer, level);
      else if (child.name === 'Body') this.#inside(child, inner, level + 1);
      else this.#node(child, outer, level + 1);
    }
    return parameters;
  }

  /** In the order of the interpreter's locals: those of `*` and `**` come last. */
  #parameters(list: SyntaxNode, outer: Scope, level: number): string[] {
    const plain: string[] = [];
    const starred: string[] = [];
    let stars = 0;
    let isBeginning = true;
    for (let child = list.firstChild; child; child = child.nextSibling) {
      if (child.name === ',' || child.name === '(') {
        isBeginning = true;
        stars = 0;
      } else if (child.name === '*' || child.name === '**') stars = child.name.length;
      else if (child.name === 'VariableName' && isBeginning) {
        (stars > 0 ? starred : plain).push(this.#textOf(child));
        isBeginning = false;
      } else this.#node(child, outer, level + 1);
    }
    return [...plain, ...starred];
  }

  #add(
    qualifiedName: string,
    { first, from }: { readonly first: number; readonly from: number },
    kind: SourceFunctionKind,
    parameters: readonly string[],
  ): void {
    const line = this.#lineAt(from);
    const column = from - (this.#lines[line - 1] ?? 0) + 1;
    const firstLine = this.#lineAt(first);
    this.found.push({ qualifiedName, firstLine, line, column, offset: from, kind, parameters });
  }

  #nameOf(node: SyntaxNode): string {
    const name = node.getChild('VariableName');
    return name ? this.#textOf(name) : '?';
  }

  #textOf(node: SyntaxNode): string {
    return this.#text.slice(node.from, node.to);
  }

  /** 1-based. */
  #lineAt(offset: number): number {
    let low = 0;
    let high = this.#lines.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? Infinity) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}
