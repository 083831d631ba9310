import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { CallPolicy, Trigger } from '../../model/functions/traceable.ts';
import type { Expression } from '../../model/watches/expression.ts';
import { policyEntry } from '../../protocol/record.ts';
import { compileCondition } from './expressions/compileCondition.ts';

/** A policy as the engine reads it. */
export interface CompiledPolicy extends Omit<CallPolicy, 'when' | 'whenReturn' | 'start' | 'stop'> {
  /** Words of compileCondition; empty: all calls meet it. */
  readonly condition: readonly bigint[];
  readonly atReturn: readonly bigint[];
  /** The same; null: no call does. */
  readonly start: readonly bigint[] | null;
  readonly stop: readonly bigint[] | null;
}

/** What the engine does with a function of which nothing was said. */
export const usualCompiled: CompiledPolicy = {
  every: 0,
  first: 0,
  leastNs: 0,
  depth: 0,
  condition: [],
  atReturn: [],
  start: null,
  stop: null,
};

/** No call meets it. */
const never = [1n, 0n];

/** By the places of the function's parameters. What cannot be decided in it, no call meets. */
export function compilePolicy(policy: CallPolicy, fn: FoundFunction): CompiledPolicy {
  const { every, first, leastNs, depth, when, whenReturn, start, stop } = policy;
  const wordsOf = (expression: Expression, hasResult = false): readonly bigint[] => {
    const compiled = compileCondition(expression, fn, hasResult);
    return 'words' in compiled ? compiled.words : never;
  };
  const triggerOf = (trigger: Trigger): readonly bigint[] | null => {
    if (typeof trigger === 'boolean') return trigger ? [] : null;
    return wordsOf(trigger);
  };
  const condition = when === null ? [] : wordsOf(when);
  const atReturn = whenReturn ? wordsOf(whenReturn, true) : [];
  const limits = { every, first, leastNs, depth };
  return { ...limits, condition, atReturn, start: triggerOf(start), stop: triggerOf(stop) };
}

/** Whether it compiles to the same words in every function: nothing in it names a parameter. */
export function isOfAnyFunction({ when, whenReturn, start, stop }: CallPolicy): boolean {
  return when === null && !whenReturn && typeof start === 'boolean' && typeof stop === 'boolean';
}

/** Whether two say the same. */
export function isSamePolicy(a: CompiledPolicy, b: CompiledPolicy): boolean {
  return (
    a === b ||
    (a.every === b.every &&
      a.first === b.first &&
      a.leastNs === b.leastNs &&
      a.depth === b.depth &&
      areSameWords(a.condition, b.condition) &&
      areSameWords(a.atReturn, b.atReturn) &&
      areSameWords(a.start, b.start) &&
      areSameWords(a.stop, b.stop))
  );
}

function areSameWords(a: readonly bigint[] | null, b: readonly bigint[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

/** The binary table of the engine's policy call (protocol/record `policyEntry`). */
export function encodePolicyTable(
  policies: readonly { readonly number: number; readonly policy: CompiledPolicy }[],
): Uint8Array {
  const bytes = new Uint8Array(policies.length * policyEntry.bytes);
  const view = new DataView(bytes.buffer);
  for (const [index, { number, policy }] of policies.entries()) {
    const at = index * policyEntry.bytes;
    view.setUint32(at + policyEntry.fn, number, true);
    view.setUint32(at + policyEntry.every, policy.every, true);
    view.setUint32(at + policyEntry.first, policy.first, true);
    view.setBigUint64(at + policyEntry.least, BigInt(Math.ceil(policy.leastNs)), true);
    view.setUint32(at + policyEntry.depth, policy.depth, true);
    view.setUint32(at + policyEntry.words, policy.condition.length, true);
    const { start, stop } = policy;
    const triggers = (start ? policyEntry.startTrigger : 0) | (stop ? policyEntry.stopTrigger : 0);
    view.setUint32(at + policyEntry.triggers, triggers, true);
    view.setUint32(at + policyEntry.startWords, start?.length ?? 0, true);
    view.setUint32(at + policyEntry.stopWords, stop?.length ?? 0, true);
    view.setUint32(at + policyEntry.returnWords, policy.atReturn.length, true);
    const put = (where: number, words: readonly bigint[]): void => {
      for (const [i, word] of words.entries()) view.setBigUint64(at + where + i * 8, word, true);
    };
    put(policyEntry.code, policy.condition);
    put(policyEntry.startCode, start ?? []);
    put(policyEntry.stopCode, stop ?? []);
    put(policyEntry.returnCode, policy.atReturn);
  }
  return bytes;
}
