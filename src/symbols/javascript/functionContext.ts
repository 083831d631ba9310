import type {
  ArrowFunctionExpression,
  ClassMethod,
  ClassPrivateMethod,
  FunctionDeclaration,
  FunctionExpression,
  Node,
  ObjectMethod,
  Statement,
} from '@babel/types';
import type { SourceFunctionKind } from '../../model/functions/sourceFunction.ts';
import type { OpenInsert } from './insertList.ts';

export type FunctionNode =
  | FunctionDeclaration
  | FunctionExpression
  | ArrowFunctionExpression
  | ObjectMethod
  | ClassMethod
  | ClassPrivateMethod;

/** What is learnt of a function while its body is walked, and the inserts that are its own. */
export class FunctionContext {
  readonly node: FunctionNode;
  readonly index: number;
  readonly inserts: OpenInsert[] = [];
  readonly isConstructor: boolean;
  readonly #isDerived: boolean;
  /** Names that a function declaration at the top of the body has. */
  readonly #declared = new Set<string>();
  readonly #topLevel = new Set<Node>();
  readonly #variables = new Set<string>();
  #hasDuplicate = false;
  hasDirectEval = false;
  hasWith = false;
  usesThis = false;

  /** `isDerived`: the class around it, if it is a constructor, extends another. */
  constructor(node: FunctionNode, index: number, isDerived: boolean) {
    this.node = node;
    this.index = index;
    this.#isDerived = isDerived;
    this.isConstructor = node.type === 'ClassMethod' && node.kind === 'constructor';
    if (node.body.type === 'BlockStatement')
      for (const statement of node.body.body) this.#declare(statement);
  }

  get isAsync(): boolean {
    return this.node.async === true;
  }

  get isGenerator(): boolean {
    return this.node.generator === true;
  }

  /** What a call gives that comes to its end: a constructor, the object it made. */
  get endResult(): string {
    return this.isConstructor ? 'this' : 'void 0';
  }

  /** What it gives by a return without a value, where one that extends a class may have no `this` yet. */
  get returnResult(): string {
    return this.#isDerived ? 'void 0' : this.endResult;
  }

  /** Leaves the function as it is. */
  takeBack(): void {
    for (const insert of this.inserts) insert.text = '';
  }

  #declare(statement: Statement): void {
    let inner = statement;
    while (inner.type === 'LabeledStatement') inner = inner.body;
    if (inner.type !== 'FunctionDeclaration') return;
    const name = inner.id?.name ?? '';
    if (this.#declared.has(name)) this.#hasDuplicate = true;
    this.#declared.add(name);
    this.#topLevel.add(inner);
  }

  /** `name`: of a `var`, or of a function in a block, which sloppy code sees outside the block. */
  addVariable(name: string): void {
    this.#variables.add(name);
  }

  isAtTop(declaration: Node): boolean {
    return this.#topLevel.has(declaration);
  }

  /** Why the body cannot stand in a `try` block, where function declarations are lexical; null: it can. */
  refusal(): string | null {
    if (this.hasWith) return 'it contains a with statement';
    if (this.#declared.size === 0) return null;
    const parameters = new Set(this.node.params.flatMap((parameter) => namesIn(parameter)));
    const isShared = [...this.#declared].some(
      (name) => name === 'arguments' || this.#variables.has(name) || parameters.has(name),
    );
    if (this.#hasDuplicate || isShared)
      return 'a function declared in it shares its name with another declaration in it';
    return this.hasDirectEval ? 'it declares functions and calls eval' : null;
  }
}

export function kindOf(node: FunctionNode): SourceFunctionKind {
  if (node.async === true) return node.generator === true ? 'asyncGenerator' : 'coroutine';
  return node.generator === true ? 'generator' : 'function';
}

/** The names that a parameter, a variable or a part of one binds. */
export function namesIn(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : namesIn(element)));
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === 'RestElement' ? property : property.value),
      );
    case 'TSParameterProperty':
      return namesIn(pattern.parameter);
    case 'ParenthesizedExpression':
      return namesIn(pattern.expression);
    default:
      return [];
  }
}
