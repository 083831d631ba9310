import { policyEntry } from '../../protocol/record.ts';

/** Which calls of a function are recorded; the others are counted and timed. */
export interface CallPolicy {
  /** One call in so many; 0: all, until they come too fast. */
  readonly every: number;
  /** The first so many calls in a process; 0: no end. */
  readonly first: number;
  /** Those that meet it (compileCondition); empty: all. */
  readonly condition: readonly bigint[];
}

/** What holds for a function of which nothing was said. */
export const usualPolicy: CallPolicy = { every: 0, first: 0, condition: [] };

/** Whether two say the same. */
export function isSamePolicy(a: CallPolicy, b: CallPolicy): boolean {
  return a.every === b.every && a.first === b.first && a.condition.join() === b.condition.join();
}

/** The binary table of the engine's policy call (protocol/record `policyEntry`). */
export function encodePolicyTable(
  policies: readonly { readonly number: number; readonly policy: CallPolicy }[],
): Uint8Array {
  const bytes = new Uint8Array(policies.length * policyEntry.bytes);
  const view = new DataView(bytes.buffer);
  for (const [index, { number, policy }] of policies.entries()) {
    const at = index * policyEntry.bytes;
    view.setUint32(at + policyEntry.fn, number, true);
    view.setUint32(at + policyEntry.every, policy.every, true);
    view.setUint32(at + policyEntry.first, policy.first, true);
    view.setUint32(at + policyEntry.words, policy.condition.length, true);
    for (const [i, word] of policy.condition.entries())
      view.setBigUint64(at + policyEntry.code + i * 8, word, true);
  }
  return bytes;
}
