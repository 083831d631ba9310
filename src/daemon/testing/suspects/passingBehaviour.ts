import type { CallView } from '../../../model/questions/query.ts';
import type { PassingTest } from '../passingTests.ts';
import { lastName } from './callName.ts';
import { CallRecord } from './callRecord.ts';

/** What functions did in tests that passed. */
export class PassingBehaviour {
  readonly tests: number;
  readonly #tests = new Map<string, number>();
  readonly #orders = new Map<string, Set<string>>();

  constructor(tests: readonly PassingTest[]) {
    this.tests = tests.length;
    for (const test of tests) {
      const record = new CallRecord(test);
      for (const name of new Set(test.map((call) => call.function)))
        this.#tests.set(name, (this.#tests.get(name) ?? 0) + 1);
      for (const call of test) {
        const known = this.#orders.get(call.function);
        const order = orderIn(record, call);
        if (known) known.add(order);
        else this.#orders.set(call.function, new Set([order]));
      }
    }
  }

  /** In how many of them it was called. */
  testsOf(name: string): number {
    return this.#tests.get(name) ?? 0;
  }

  /** It called in an order in which it never did there. */
  isNewOrder(record: CallRecord, call: CallView): boolean {
    return this.#orders.get(call.function)?.has(orderIn(record, call)) === false;
  }
}

/** What a call called, repetitions left out: it took this way through its code. */
function orderIn(record: CallRecord, call: CallView): string {
  const names = record.childrenOf(call).map((child) => lastName(child));
  return names.filter((name, at) => name !== names[at - 1]).join(' ');
}
