import type {
  BlockStatement,
  ClassDeclaration,
  ClassExpression,
  Node,
  Program,
} from '@babel/types';
import type {
  RewrittenModule,
  ScriptFormat,
  ScriptFunction,
} from '../../model/rewriting/rewrittenModule.ts';
import { FunctionContext, kindOf, namesIn, type FunctionNode } from './functionContext.ts';
import { FlowRewriter } from './flowRewriter.ts';
import { InsertedTexts } from './insertedTexts.ts';
import { InsertList, type OpenInsert } from './insertList.ts';
import { ProbedStatements, type TextProbe } from './probedStatements.ts';
import { anonymous, keyName, prefixIn, targetName, type PlacedName } from './placedNames.ts';
import { eachChild, endOf, isForAssembler, startOf } from './syntaxNodes.ts';
import { moduleVariables } from './moduleVariables.ts';
import { bodyOf, moduleStart, wrapperOf, type Wrapper } from './wrapper.ts';

/** So many parameters are handed over, `this` not counted. */
const MOST_PARAMETERS = 8;

/** Walks a module once: which functions it has, and what is put where so that they tell of their calls. */
export class ModuleReader {
  readonly #functions: ScriptFunction[] = [];
  readonly #inserts = new InsertList();
  readonly #texts: InsertedTexts;
  readonly #format: ScriptFormat;
  readonly #flowRewriter: FlowRewriter;
  /** The function whose code is walked; null: that of no traced function. */
  #context: FunctionContext | null = null;
  /** The nearest function around that has a `this` of its own; of a field of a class, the arrow function it is. */
  #thisContext: FunctionContext | null = null;
  #isField = false;
  #isDerivedClass = false;
  #prefix = '';
  /** Of what is assigned to members of `this`. */
  #thisPrefix = '';
  /** Functions and classes met so far. */
  #definitions = 0;
  /** Whether the hooks are there where the walk is. */
  #hasHooks = false;
  /** Why nothing here is rewritten; null: it is. */
  #refusal: string | null = null;
  /** Where the labels begin that stand directly before a statement. */
  #label: number | null = null;
  #wrapper: Wrapper | null = null;
  #wrapperPrelude: OpenInsert | null = null;
  /** At the ends of classes. */
  readonly #fieldReaders: OpenInsert[] = [];
  #probes: ProbedStatements | null = null;
  /** Names that functions use. */
  readonly #used = new Set<string>();

  constructor(text: string, format: ScriptFormat) {
    this.#texts = new InsertedTexts(text);
    this.#format = format;
    this.#flowRewriter = new FlowRewriter(this.#inserts, this.#texts, {
      walk: (node) => {
        this.#label = null;
        this.#walk(node);
      },
      definitions: () => this.#definitions,
    });
  }

  /** Breakpoints are not written into scripts, whose last value somebody may use. */
  read(program: Program, probes: readonly TextProbe[] = []): RewrittenModule {
    const possible = this.#format === 'script' ? [] : probes;
    const probed = new ProbedStatements(program, possible, (...of) => this.#texts.probe(...of));
    this.#probes = probed.hasAny ? probed : null;
    if (this.#format === 'script') this.#wrapper = wrapperOf(program);
    const prelude = this.#inserts.add(preludePosition(program));
    if (this.#format !== 'script') this.#hasHooks = true;
    for (const statement of program.body) this.#walk(statement);
    const { length } = program.directives;
    const body = this.#wrapper ? bodyOf(this.#wrapper) : program.body;
    const isModule = this.#format !== 'script' || this.#wrapper !== null;
    const variables = isModule ? moduleVariables(body, this.#used) : [];
    if (!this.#hasTracedFrom(0) && !probed.hasAny)
      for (const reader of this.#fieldReaders) reader.text = '';
    else {
      if (this.#format !== 'script')
        prelude.text = `${length > 0 ? ';' : ''}${this.#texts.prelude(true, variables, probed.hasAny)}`;
      else if (this.#wrapperPrelude)
        this.#wrapperPrelude.text = this.#texts.prelude(false, variables, false);
    }
    return {
      functions: this.#functions,
      inserts: this.#inserts.sorted(),
      variables,
      isWritten: probed.isWritten,
    };
  }

  #walk(node: Node, place: PlacedName | null = null): void {
    const around = this.#probes?.around(node);
    if (around) this.#inserts.add(startOf(node), around.open);
    this.#walkInto(node, place);
    if (around) this.#inserts.add(endOf(node), around.close);
  }

  #walkInto(node: Node, place: PlacedName | null): void {
    switch (node.type) {
      case 'FunctionDeclaration':
        this.#declaration(node, place);
        return;
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        this.#function(node, this.#ownName(node, place));
        return;
      case 'ObjectMethod':
        this.#function(node, { prefix: this.#prefix, name: keyName(node.key, node.computed) });
        return;
      case 'ClassDeclaration':
      case 'ClassExpression':
        this.#class(node, place);
        return;
      case 'Identifier':
        if (this.#context) this.#used.add(node.name);
        return;
      case 'ThisExpression':
      case 'Super':
        if (this.#thisContext) this.#thisContext.usesThis = true;
        return;
      case 'LabeledStatement':
        this.#label ??= startOf(node);
        this.#walk(node.body);
        this.#label = null;
        return;
      default:
        if (!this.#flow(node) && !this.#naming(node, place)) this.#children(node);
    }
  }

  #children(node: Node): void {
    this.#label = null;
    eachChild(node, (child) => this.#walk(child));
  }

  /** What matters to a traced function; true if it was walked with that. */
  #flow(node: Node): boolean {
    const context = this.#context;
    if (context === null) return false;
    if (this.#flowRewriter.rewrite(node, context, this.#label)) return true;
    switch (node.type) {
      case 'WithStatement':
        this.#with(node.object, node.body, context);
        return true;
      case 'VariableDeclaration':
        if (node.kind === 'var')
          for (const { id } of node.declarations)
            for (const name of namesIn(id)) context.addVariable(name);
        return false;
      case 'CallExpression':
        if (node.callee.type === 'Identifier' && node.callee.name === 'eval')
          context.hasDirectEval = true;
        return false;
      default:
        return false;
    }
  }

  /** Names in its body may be members of the object: our own must not be looked for there. */
  #with(object: Node, body: Node, context: FunctionContext): void {
    context.hasWith = true;
    this.#walk(object);
    const outer = this.#refusal;
    this.#refusal ??= 'it stands in a with statement';
    this.#walk(body);
    this.#refusal = outer;
  }

  /** What gives a name to the function that it holds; false for all else. */
  #naming(node: Node, place: PlacedName | null): boolean {
    switch (node.type) {
      case 'VariableDeclarator':
        this.#walk(node.id);
        if (node.init) this.#walk(node.init, this.#target(node.id));
        return true;
      case 'AssignmentExpression':
        this.#walk(node.left);
        this.#walk(node.right, this.#target(node.left) ?? place);
        return true;
      case 'AssignmentPattern':
        this.#walk(node.left);
        this.#walk(node.right, this.#target(node.left));
        return true;
      case 'ObjectExpression':
        this.#within(prefixIn(place, this.#prefix), () => this.#children(node));
        return true;
      case 'ObjectProperty':
        if (node.computed) this.#walk(node.key);
        this.#walk(node.value, { prefix: this.#prefix, name: keyName(node.key, node.computed) });
        return true;
      case 'ExportDefaultDeclaration':
        this.#walk(node.declaration, { prefix: this.#prefix, name: 'default' });
        return true;
      case 'ConditionalExpression':
        this.#walk(node.test);
        this.#walk(node.consequent, place);
        this.#walk(node.alternate, place);
        return true;
      case 'LogicalExpression':
        this.#walk(node.left, place);
        this.#walk(node.right, place);
        return true;
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
        this.#walk(node.expression, place);
        return true;
      default:
        return this.#typed(node);
    }
  }

  /** What only TypeScript has. */
  #typed(node: Node): boolean {
    switch (node.type) {
      case 'TSModuleDeclaration': {
        const inside = node.id.type === 'Identifier' ? `${this.#prefix}${node.id.name}.` : '';
        if (node.declare !== true) this.#within(inside, () => this.#children(node));
        return true;
      }
      case 'TSDeclareFunction':
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
        return true;
      default:
        return false;
    }
  }

  #target(node: Node): PlacedName | null {
    return targetName(node, this.#prefix, this.#thisPrefix);
  }

  #within(prefix: string, walk: () => void): void {
    const outer = this.#prefix;
    this.#prefix = prefix;
    walk();
    this.#prefix = outer;
  }

  #declaration(
    node: Extract<FunctionNode, { type: 'FunctionDeclaration' }>,
    place: PlacedName | null,
  ): void {
    if (node.id && this.#context && !this.#context.isAtTop(node))
      this.#context.addVariable(node.id.name);
    this.#function(node, this.#ownName(node, place));
  }

  #ownName(
    node: Extract<
      FunctionNode,
      { type: `${string}FunctionExpression` | 'FunctionDeclaration' | 'FunctionExpression' }
    >,
    place: PlacedName | null,
  ): PlacedName {
    const own = node.type === 'ArrowFunctionExpression' ? null : node.id;
    if (own) return { prefix: this.#prefix, name: own.name };
    return place ?? { prefix: this.#prefix, name: anonymous };
  }

  #class(node: ClassDeclaration | ClassExpression, place: PlacedName | null): void {
    if (node.type === 'ClassDeclaration' && node.declare === true) return;
    this.#definitions++;
    for (const decorator of node.decorators ?? []) this.#walk(decorator);
    if (node.superClass) this.#walk(node.superClass);
    const { prefix, thisPrefix, isDerived } = {
      prefix: this.#prefix,
      thisPrefix: this.#thisPrefix,
      isDerived: this.#isDerivedClass,
    };
    this.#prefix = node.id ? `${prefix}${node.id.name}.` : prefixIn(place, prefix);
    this.#thisPrefix = this.#prefix;
    this.#isDerivedClass = node.superClass !== null && node.superClass !== undefined;
    for (const member of node.body.body) this.#member(member);
    const fields = privateFieldsOf(node.body);
    const hasModule = this.#format !== 'script' || this.#wrapper !== null;
    if (fields.length > 0 && hasModule && this.#hasHooks && this.#refusal === null) {
      const text = this.#texts.privateFields(fields);
      this.#fieldReaders.push(this.#inserts.add(fieldReaderPosition(node.body), text));
    }
    this.#prefix = prefix;
    this.#thisPrefix = thisPrefix;
    this.#isDerivedClass = isDerived;
  }

  #member(member: ClassDeclaration['body']['body'][number]): void {
    switch (member.type) {
      case 'ClassMethod':
      case 'ClassPrivateMethod':
        this.#function(member, {
          prefix: this.#prefix,
          name: keyName(member.key, member.type === 'ClassMethod' && member.computed),
        });
        return;
      case 'ClassProperty':
      case 'ClassPrivateProperty':
      case 'ClassAccessorProperty': {
        const isComputed = member.type !== 'ClassPrivateProperty' && (member.computed ?? false);
        for (const decorator of member.decorators ?? []) this.#walk(decorator);
        if (isComputed) this.#walk(member.key);
        const { value } = member;
        const name = { prefix: this.#prefix, name: keyName(member.key, isComputed) };
        if (value) this.#outsideFunctions(true, () => this.#walk(value, name));
        return;
      }
      case 'StaticBlock':
        this.#outsideFunctions(false, () => {
          for (const statement of member.body) this.#walk(statement);
        });
        return;
      case 'TSDeclareMethod':
      case 'TSIndexSignature':
        return;
      default:
        return;
    }
  }

  /** Initial values of fields and static blocks are functions of their own, which are not traced. */
  #outsideFunctions(isField: boolean, walk: () => void): void {
    const outer = [this.#context, this.#thisContext, this.#isField] as const;
    this.#context = null;
    this.#thisContext = null;
    this.#isField = isField;
    walk();
    [this.#context, this.#thisContext, this.#isField] = outer;
  }

  #function(node: FunctionNode, place: PlacedName): void {
    this.#definitions++;
    if ('decorators' in node) for (const decorator of node.decorators ?? []) this.#walk(decorator);
    if ('key' in node && node.computed === true) this.#walk(node.key);
    if (isForAssembler(node)) return;
    const { name } = place;
    const index = this.#functions.length;
    const context = new FunctionContext(node, index, this.#isDerivedClass);
    const isWrapper = node === this.#wrapper;
    const qualifiedName = `${place.prefix}${name}`;
    if (!isWrapper) this.#functions.push(described(node, qualifiedName));
    const outer = {
      context: this.#context,
      thisContext: this.#thisContext,
      isField: this.#isField,
      prefix: this.#prefix,
      thisPrefix: this.#thisPrefix,
      hasHooks: this.#hasHooks,
    };
    this.#context = isWrapper ? null : context;
    if (node.type !== 'ArrowFunctionExpression' || this.#isField) this.#thisContext = context;
    this.#isField = false;
    if (name !== anonymous && !isWrapper) this.#prefix = `${qualifiedName}.`;
    if (node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression')
      this.#thisPrefix = this.#prefix;
    for (const parameter of node.params) this.#walk(parameter);
    this.#body(node, context, isWrapper);
    this.#context = outer.context;
    this.#thisContext = outer.thisContext;
    this.#isField = outer.isField;
    this.#prefix = outer.prefix;
    this.#thisPrefix = outer.thisPrefix;
    this.#hasHooks = outer.hasHooks;
  }

  /** The code of a function, and what stands before and behind it. */
  #body(node: FunctionNode, context: FunctionContext, isWrapper: boolean): void {
    const { body } = node;
    const isBlock = body.type === 'BlockStatement';
    const start = isBlock ? bodyStart(body) : startOf(body);
    const brace = this.#inserts.add(start, isBlock && body.directives.length > 0 ? ';' : '');
    const first = this.#wrapper && isWrapper ? moduleStart(this.#wrapper) : start;
    const prelude = this.#hasHooks ? null : this.#inserts.add(first);
    const head = this.#inserts.add(start);
    this.#hasHooks = true;
    const [definitions, functions] = [this.#definitions, this.#functions.length];
    if (isBlock) this.#children(body);
    else this.#walk(body);
    const holdsFunctions = this.#definitions > definitions;
    const tail = this.#inserts.add(isBlock ? endOf(body) - 1 : endOf(body));
    if (isWrapper) {
      this.#wrapperPrelude = prelude;
      return;
    }
    const refusal = this.#refusal ?? context.refusal();
    if (prelude && (refusal === null || this.#hasTracedFrom(functions)))
      prelude.text = this.#texts.prelude(false, [], false);
    const values = valuesOf(context);
    if (refusal !== null) context.takeBack();
    const hasPrelude = prelude !== null && prelude.text !== '';
    const texts = this.#texts.around(context, {
      values,
      refusal,
      hasPrelude,
      holdsFunctions,
      isBlock,
      isNeverLeft: isBlock && isNeverLeft(body),
    });
    brace.text += texts.brace;
    head.text = texts.head;
    tail.text = texts.tail;
    const known = this.#functions[context.index];
    if (known) this.#functions[context.index] = { ...known, parameters: values, refusal };
  }

  #hasTracedFrom(index: number): boolean {
    return this.#functions.slice(index).some(({ refusal }) => refusal === null);
  }
}

function privateFieldsOf({ body }: ClassDeclaration['body']): string[] {
  return body.flatMap((member) =>
    member.type === 'ClassPrivateProperty' && !member.static ? [`#${member.key.id.name}`] : [],
  );
}

/**
 * Where a static block may be put: V8 counts the static elements with values of a class as one function, from the first to
 * the last, and that is not to become longer.
 */
function fieldReaderPosition(body: ClassDeclaration['body']): number {
  const elements = body.body.filter(
    (member) =>
      member.type === 'StaticBlock' ||
      ((member.type === 'ClassProperty' || member.type === 'ClassPrivateProperty') &&
        member.static),
  );
  const last =
    elements.findLast((member) => !('value' in member) || member.value) ?? elements.at(-1);
  return last === undefined ? endOf(body) - 1 : startOf(last);
}

/** Where code may begin: behind the directives, or before the first statement. */
function preludePosition({ body, directives }: Program): number {
  const directive = directives.at(-1);
  if (directive) return endOf(directive);
  return Math.min(...body.slice(0, 1).map(firstPosition));
}

function firstPosition(statement: Node): number {
  const decorated =
    statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
      ? statement.declaration
      : statement;
  const decorators = decorated?.type === 'ClassDeclaration' ? (decorated.decorators ?? []) : [];
  return Math.min(startOf(statement), ...decorators.map(startOf));
}

function bodyStart(body: BlockStatement): number {
  const directive = body.directives.at(-1);
  return directive ? endOf(directive) : startOf(body) + 1;
}

/** Whether the end of a body is never reached. */
function isNeverLeft({ body }: BlockStatement): boolean {
  const last = body.at(-1)?.type;
  return last === 'ReturnStatement' || last === 'ThrowStatement';
}

/** What an enter hands over: names, which have their values without running anything. */
function valuesOf({ node, usesThis, isConstructor }: FunctionContext): string[] {
  const names = new Set(node.params.flatMap((parameter) => namesIn(parameter)));
  names.delete('this');
  const parameters = [...names].slice(0, MOST_PARAMETERS);
  return usesThis && !isConstructor ? ['this', ...parameters] : parameters;
}

const nowhere = { line: 1, column: 0 };

function described(node: FunctionNode, qualifiedName: string): ScriptFunction {
  // Decorators come before a method, and are no part of where one looks for it.
  const isDecorated = 'decorators' in node && (node.decorators ?? []).length > 0;
  const { line, column } = (isDecorated && 'key' in node ? node.key : node).loc?.start ?? nowhere;
  return {
    qualifiedName,
    kind: kindOf(node),
    line,
    column: column + 1,
    offset: startOf(node),
    end: endOf(node),
    body: startOf(node.body),
    parameters: [],
    refusal: null,
  };
}
