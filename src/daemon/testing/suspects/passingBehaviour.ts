import type { CallView, Value } from '../../../model/questions/query.ts';
import type { PassingTest } from '../passingTests.ts';
import { lastName } from './callName.ts';
import { CallRecord } from './callRecord.ts';
import { numberOf } from './numberClues.ts';

/** What functions did in tests that passed. */
export class PassingBehaviour {
  readonly tests: number;
  readonly #tests = new Map<string, number>();
  readonly #orders = new Map<string, Set<string>>();
  readonly #calls = new Map<string, Set<string>>();
  readonly #results = new Map<string, Set<string>>();

  constructor(tests: readonly PassingTest[]) {
    this.tests = tests.length;
    for (const test of tests) {
      const record = new CallRecord(test);
      for (const name of new Set(test.map((call) => call.function)))
        this.#tests.set(name, (this.#tests.get(name) ?? 0) + 1);
      for (const call of test) {
        add(this.#orders, call.function, orderIn(record, call));
        add(this.#calls, call.function, withoutAddresses(record, call));
        add(this.#results, call.function, kindOfResult(call));
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

  /** It was given and returned the same there. */
  isKnown(record: CallRecord, call: CallView): boolean {
    return this.#calls.get(call.function)?.has(withoutAddresses(record, call)) === true;
  }

  /** It returned what it never did there: an error, nothing, less than zero. */
  isNewResult(call: CallView): boolean {
    return this.#results.get(call.function)?.has(kindOfResult(call)) === false;
  }
}

function add(known: Map<string, Set<string>>, key: string, value: string): void {
  const values = known.get(key);
  if (values) values.add(value);
  else known.set(key, new Set([value]));
}

/** Places differ from run to run. */
function withoutAddresses(record: CallRecord, call: CallView): string {
  return `${record.given(call)} = ${record.text(call.returns)}`.replaceAll(/0x[0-9a-f]+/g, '@');
}

function kindOfResult({ end, returns }: CallView): string {
  return end === 'returned' ? kindOf(returns) : end;
}

/** `Some Err`, `no text`, `-1`: of numbers the sign. */
function kindOf(value: Value): string {
  const number = numberOf(value);
  if (number !== null) return String(Math.sign(number));
  switch (value.kind) {
    case 'bool':
      return String(value.value);
    case 'pointer':
      return value.isNull ? 'null' : 'pointer';
    case 'variant':
      return value.value?.kind === 'variant' ? `${value.name} ${kindOf(value.value)}` : value.name;
    case 'enum':
      return value.text;
    case 'string':
      return value.text === '' ? 'no text' : 'text';
    case 'list':
      return value.total === 0 ? 'no element' : 'elements';
    default:
      return value.kind;
  }
}

/** What a call called, repetitions left out: it took this way through its code. */
function orderIn(record: CallRecord, call: CallView): string {
  const names = record.childrenOf(call).map((child) => lastName(child));
  return names.filter((name, at) => name !== names[at - 1]).join(' ');
}
