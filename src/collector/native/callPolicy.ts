import { policyEntry } from '../../protocol/record.ts';

/** Which calls of a function are recorded; the others are counted and timed. */
export interface CallPolicy {
  /** One call in so many; 0: all, until they come too fast. */
  readonly every: number;
  /** The first so many calls in a process; 0: no end. */
  readonly first: number;
  /** What a call must take to be recorded, ns, unless one inside it is; 0: nothing. */
  readonly leastNs: number;
  /** None below so many open recorded calls of functions with such a limit; 0: no limit. */
  readonly depth: number;
  /** Those that meet it (compileCondition); empty: all. */
  readonly condition: readonly bigint[];
  /** A call that meets it starts the recording of its process, or stops it; null: none does. */
  readonly start: readonly bigint[] | null;
  readonly stop: readonly bigint[] | null;
}

/** What holds for a function of which nothing was said. */
export const usualPolicy: CallPolicy = {
  every: 0,
  first: 0,
  leastNs: 0,
  depth: 0,
  condition: [],
  start: null,
  stop: null,
};

/** Whether two say the same. */
export function isSamePolicy(a: CallPolicy, b: CallPolicy): boolean {
  return textOf(a) === textOf(b);
}

function textOf({ every, first, leastNs, depth, condition, start, stop }: CallPolicy): string {
  const words = [condition, start, stop].map((code) => (code === null ? 'none' : code.join()));
  return [every, first, leastNs, depth, ...words].join(' ');
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
    view.setBigUint64(at + policyEntry.least, BigInt(Math.ceil(policy.leastNs)), true);
    view.setUint32(at + policyEntry.depth, policy.depth, true);
    view.setUint32(at + policyEntry.words, policy.condition.length, true);
    const { start, stop } = policy;
    const triggers = (start ? policyEntry.startTrigger : 0) | (stop ? policyEntry.stopTrigger : 0);
    view.setUint32(at + policyEntry.triggers, triggers, true);
    view.setUint32(at + policyEntry.startWords, start?.length ?? 0, true);
    view.setUint32(at + policyEntry.stopWords, stop?.length ?? 0, true);
    const put = (where: number, words: readonly bigint[]): void => {
      for (const [i, word] of words.entries()) view.setBigUint64(at + where + i * 8, word, true);
    };
    put(policyEntry.code, policy.condition);
    put(policyEntry.startCode, start ?? []);
    put(policyEntry.stopCode, stop ?? []);
  }
  return bytes;
}
