import type { Evaluated } from '../../../model/debug/evaluated.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { DebugAdapter } from '../adapters/debugAdapter.ts';
import { evaluation, type DapCapabilities } from './dapAnswers.ts';
import { DapError, type DapLink } from './dapLink.ts';
import type { DapStacks } from './dapStacks.ts';
import { DapValues } from './dapValues.ts';
import type { Holds } from './sharedPlaces.ts';

/** An expression that names something, and computes nothing. */
const names = /^\(*[A-Za-z_$][\w$]*(?:(?:\)|->|\.|\[)\w*\]?)*$/;

/** Expressions and lines of a console, in a frame that stands still; undefined: there is none. */
export class DapExpressions {
  readonly #link: DapLink;
  readonly #adapter: DebugAdapter;
  readonly #stacks: DapStacks;
  readonly #secretNames: readonly string[];
  readonly #can: () => DapCapabilities | null;

  constructor(
    link: DapLink,
    adapter: DebugAdapter,
    stacks: DapStacks,
    secretNames: readonly string[],
    can: () => DapCapabilities | null,
  ) {
    this.#link = link;
    this.#adapter = adapter;
    this.#stacks = stacks;
    this.#secretNames = secretNames;
    this.#can = can;
  }

  /** `elements`: of a container. */
  async evaluate(
    frameId: number | undefined,
    expression: string,
    elements: number,
  ): Promise<Evaluated> {
    if (frameId === undefined) return { why: 'there is no such frame' };
    try {
      const args = { expression, frameId, context: 'watch' };
      const told = await this.#link.ask('evaluate', args, evaluation);
      const values = new DapValues(this.#link, this.#secretNames, this.#adapter);
      const value = await values.value('', { ...told, value: told.result }, 3, elements);
      const canBeSet = told.variablesReference === 0 && names.test(expression) && this.#canSet;
      const place = canBeSet ? ({ kind: 'named' } as const) : null;
      return { value, type: told.type ?? null, place, bytes: 0, scalar: null };
    } catch (error) {
      if (error instanceof DapError) return { why: error.message };
      throw error;
    }
  }

  async holds(frameId: number | undefined, condition: string): Promise<Holds> {
    const told = await this.evaluate(frameId, condition, 0);
    if (told.why !== undefined) return told.why;
    const { value } = told;
    if (value.kind === 'bool') return value.value;
    return value.kind === 'int' ? value.text !== '0' : 'it is neither true nor false';
  }

  /** Sets what an expression names, to what another one is. Throws BAD_EXPRESSION. */
  async assign(frameId: number | undefined, to: string, value: string): Promise<void> {
    try {
      if (frameId === undefined) throw new DapError('there is no such frame');
      if (this.#can()?.supportsSetExpression === true)
        await this.#link.tell('setExpression', { expression: to, value, frameId });
      else await this.#stacks.setVariable(frameId, to, value);
    } catch (error) {
      throw this.#badExpression(error);
    }
  }

  /** What a line of the adapter's console prints. Throws BAD_EXPRESSION. */
  async console(frameId: number | undefined, line: string): Promise<string> {
    try {
      const args = { expression: line, frameId, context: 'repl' };
      // lldb runs a line in the frame that was last asked about.
      if (frameId !== undefined) await this.#link.tell('scopes', { frameId });
      return (await this.#link.ask('evaluate', args, evaluation)).result;
    } catch (error) {
      throw this.#badExpression(error);
    }
  }

  get #canSet(): boolean {
    const can = this.#can();
    return can?.supportsSetExpression === true || can?.supportsSetVariable === true;
  }

  #badExpression(error: unknown): unknown {
    if (!(error instanceof DapError)) return error;
    return new StrobeError('BAD_EXPRESSION', `${this.#adapter.name}: ${error.message.trim()}.`);
  }
}
