import type { Expression } from '../../../model/watches/expression.ts';
import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import { policyEntry } from '../../../protocol/record.ts';
import { ExpressionCompiler } from './expressionCompiler.ts';
import { CannotCompile } from './fieldPlace.ts';
import { isKept, type CompiledIn } from './passedValues.ts';

/** Words for the engine (protocol/record `condition`), or why there are none. */
export type CompiledCondition =
  | { readonly words: readonly bigint[] }
  /** A whole sentence's end: "… has no parameter `size`". */
  | { readonly why: string };

/**
 * A condition of one function, by the places of its parameters. What a parameter points to can be
 * looked at when it was resolved with its fields (`depth: 1`). `hasResult`: it is decided where the call returns.
 */
export function compileCondition(
  expression: Expression,
  fn: CompiledIn,
  hasResult = false,
): CompiledCondition {
  try {
    const compiler = new ExpressionCompiler(fn, { hasResult });
    const meaning = compiler.value(expression);
    const lost = hasResult
      ? compiler.used.find((parameter) => !isKept(parameter, fn.isOfGo))
      : undefined;
    if (lost) throw new CannotCompile(`${lost.name} is not kept until the call returns`);
    if (meaning.kind === 'text') throw new CannotCompile('a text is neither true nor false');
    const { words } = compiler;
    if (words.length > policyEntry.maxWords) throw new CannotCompile('the condition is too long');
    return { words };
  } catch (error) {
    if (error instanceof CannotCompile) return { why: error.message };
    throw error;
  }
}

/** Why a condition cannot be decided in a function, as a clause; null: it can. */
export function whyUndecided(
  when: Expression,
  fn: FoundFunction,
  atReturn: boolean,
): string | null {
  const compiled = compileCondition(when, fn, atReturn);
  return 'why' in compiled ? compiled.why : null;
}
