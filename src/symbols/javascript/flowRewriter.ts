import type {
  AwaitExpression,
  CatchClause,
  ForOfStatement,
  Node,
  ReturnStatement,
  ThrowStatement,
  TryStatement,
  YieldExpression,
} from '@babel/types';
import type { FunctionContext } from './functionContext.ts';
import type { InsertedTexts } from './insertedTexts.ts';
import type { InsertList, OpenInsert } from './insertList.ts';
import { endOf, startOf } from './syntaxNodes.ts';

/** Who walks on into what a statement holds. */
interface Walker {
  walk(node: Node): void;
  /** Functions and classes met so far. */
  definitions(): number;
}

/** What tells how the code of a function goes: its results, what it throws and catches, and where it waits. */
export class FlowRewriter {
  readonly #inserts: InsertList;
  readonly #texts: InsertedTexts;
  readonly #walker: Walker;

  constructor(inserts: InsertList, texts: InsertedTexts, walker: Walker) {
    this.#inserts = inserts;
    this.#texts = texts;
    this.#walker = walker;
  }

  /** False for a node that is none of these. `label`: where the labels begin that stand before it, if any do. */
  rewrite(node: Node, context: FunctionContext, label: number | null): boolean {
    switch (node.type) {
      case 'ReturnStatement':
        this.#return(node, context);
        return true;
      case 'ThrowStatement':
        this.#throw(node, context);
        return true;
      case 'TryStatement':
        this.#try(node, context);
        return true;
      case 'AwaitExpression':
        if (context.isAsync) this.#await(node, context);
        return context.isAsync;
      case 'YieldExpression':
        if (context.isGenerator) this.#yield(node, context);
        return context.isGenerator;
      case 'ForOfStatement':
        if (node.await) this.#forAwait(node, context, label ?? startOf(node));
        return node.await;
      default:
        return false;
    }
  }

  #add(context: FunctionContext, position: number, text = ''): OpenInsert {
    const insert = this.#inserts.add(position, text);
    context.inserts.push(insert);
    return insert;
  }

  #return(statement: ReturnStatement, context: FunctionContext): void {
    const { argument } = statement;
    if (!argument) {
      this.#returnNothing(statement, context);
      return;
    }
    const open = this.#add(context, startOf(argument));
    const definitions = this.#walker.definitions();
    this.#walker.walk(argument);
    const holdsFunctions = this.#walker.definitions() > definitions;
    open.text = this.#texts.openResult(holdsFunctions);
    this.#add(context, endOf(argument), this.#texts.closeResult(holdsFunctions));
  }

  /** An async generator waits a tick for what it returns: it must go on returning nothing. */
  #returnNothing(statement: ReturnStatement, context: FunctionContext): void {
    const result = this.#texts.result(context.returnResult);
    const start = startOf(statement);
    if (context.isAsync && context.isGenerator) {
      this.#add(context, start, `{${result};`);
      this.#add(context, endOf(statement), '}');
    } else this.#add(context, start + 'return'.length, result);
  }

  #throw({ argument }: ThrowStatement, context: FunctionContext): void {
    this.#add(context, startOf(argument), this.#texts.openRaise());
    this.#walker.walk(argument);
    this.#add(context, endOf(argument), '))');
  }

  #try({ block, handler, finalizer }: TryStatement, context: FunctionContext): void {
    this.#walker.walk(block);
    if (handler) this.#catch(handler, context);
    if (!finalizer) return;
    if (finalizer.body.length === 0) return;
    const mayWait = context.isAsync || context.isGenerator;
    this.#add(context, startOf(finalizer) + 1, this.#texts.openFinally(mayWait));
    this.#walker.walk(finalizer);
    this.#add(context, endOf(finalizer) - 1, this.#texts.closeFinally());
  }

  #catch({ param, body }: CatchClause, context: FunctionContext): void {
    const caught = this.#texts.caughtName();
    if (param) this.#walker.walk(param);
    else this.#add(context, startOf(body), `(${caught})`);
    const name = param ? (param.type === 'Identifier' ? param.name : null) : caught;
    this.#add(context, startOf(body) + 1, this.#texts.handled(name));
    this.#walker.walk(body);
  }

  #await({ start, end, argument }: AwaitExpression, context: FunctionContext): void {
    this.#add(context, start ?? 0, this.#texts.openResume());
    this.#add(context, startOf(argument), this.#texts.openAwait());
    this.#walker.walk(argument);
    this.#add(context, endOf(argument), '))');
    this.#add(context, end ?? 0, this.#texts.closeResume(false));
  }

  #yield({ start, end, argument }: YieldExpression, context: FunctionContext): void {
    this.#add(context, start ?? 0, this.#texts.openResume());
    const open = argument ? startOf(argument) : (end ?? 0);
    this.#add(context, open, this.#texts.openYield());
    if (argument) this.#walker.walk(argument);
    const close = argument ? endOf(argument) : open;
    this.#add(context, close, `${argument ? '' : 'void 0'}${this.#texts.closeYield()}`);
    this.#add(context, end ?? 0, this.#texts.closeResume(true));
  }

  /** It waits before each round, and when it is left. */
  #forAwait(loop: ForOfStatement, context: FunctionContext, begin: number): void {
    this.#add(context, begin, '{');
    this.#walker.walk(loop.left);
    this.#add(context, startOf(loop.right), this.#texts.openAwait());
    this.#walker.walk(loop.right);
    this.#add(context, endOf(loop.right), '))');
    const { body } = loop;
    const isBlock = body.type === 'BlockStatement';
    const round = `${this.#texts.resumes()}try{`;
    this.#add(context, startOf(body) + (isBlock ? 1 : 0), isBlock ? round : `{${round}`);
    this.#walker.walk(body);
    const end = `}finally{${this.#texts.suspends()}}`;
    this.#add(context, endOf(body) - (isBlock ? 1 : 0), isBlock ? end : `${end}}`);
    this.#add(context, endOf(loop), `${this.#texts.resumes()}}`);
  }
}
