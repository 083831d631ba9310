import type { CallView, Value } from '../../../model/questions/query.ts';
import { lastName } from './callName.ts';
import type { CallRecord } from './callRecord.ts';
import type { NewLines } from '../ranLines.ts';
import { CodeWeights } from './codeWeight.ts';
import { numberOf } from './numberClues.ts';
import type { PassingBehaviour } from './passingBehaviour.ts';

/** What is known of a failed test of a native program. */
export interface NativeGrounds {
  readonly record: CallRecord;
  /** Calls of the project's functions; those of tests left out. */
  readonly own: readonly CallView[];
  /** Returned the wrong value, ended the test, or is what the failed assertion is about. */
  readonly start: CallView | undefined;
  /** In which the program died, or an exception began that ended the test. */
  readonly ended: readonly CallView[];
  /** Names that the failed assertion calls. */
  readonly asserted: ReadonlySet<string>;
  readonly passing: PassingBehaviour;
  /** Lines that ran in it and in no passing test, by function. */
  readonly newLines: ReadonlyMap<string, NewLines>;
  /** Files that were changed since all tests passed. */
  readonly changed: ReadonlySet<string>;
  /** Of the test's own function. */
  readonly bodyDepth: number;
}

/** What speaks for a function to be at fault, each from 0 to 1. */
type Evidence = Record<keyof typeof weights, number>;

/**
 * How much each counts: the logarithm of the odds. Learnt by softmax regression from 113 bugs, half of them made by
 * changing one place of a published package or of a project of ours so that its own tests fail; then, with these as what
 * is expected, from 74 of six sets of proof/diagnoseNative: learnt without the bugs of a project, 66 of them are found
 * among the first three of its functions.
 */
const weights = {
  /** No passing test calls it. */
  neverPassed: 1.55,
  /** The more passing tests call it, the less. */
  rarelyPassed: 1.75,
  /** It called others in an order that no passing test has. */
  newOrder: 1.87,
  /** A line of it ran that runs in no passing test. */
  newLine: 2.22,
  /** It returned what it returned in no passing test: an error, nothing, less than zero. */
  newResult: 1.37,
  /** A call of it was new, and all that it called was known from passing tests: the difference begins there. */
  begins: 0.48,
  /** Each of its calls was given and returned the same in a passing test. */
  allKnown: -0.97,
  /** Much is decided in it; it is long. */
  decides: 3.03,
  long: 1.89,
  /** How far below the test it was called, how often, and how late. */
  deep: -1.48,
  often: -0.21,
  late: 1.12,
  calledNone: 0.14,
  /** It was given an object of the wrong call before it: the last counts most. */
  touched: 0.31,
  returnedNone: 0.26,
  returnedZero: 0.67,
  asserted: -1.44,
  /** Its result is that of the last it called. */
  passesOn: -0.28,
  closure: -0.8,
  /** Not learnt: its file was changed since all tests passed. */
  changed: 4,
} as const;

const weightOf: ReadonlyMap<string, number> = new Map(Object.entries(weights));

export interface Scored {
  readonly score: number;
  /** As the end of a sentence; empty: nothing that is worth saying. */
  readonly why: string;
  /** The reason is a line of it, which tells more than the value it returned. */
  readonly isLine: boolean;
}

/** Of each function how likely it is at fault. */
export class NativeEvidence {
  readonly #grounds: NativeGrounds;
  readonly #places: ReadonlyMap<string, number>;
  readonly #touched: ReadonlyMap<string, number>;
  readonly #code = new CodeWeights();

  constructor(grounds: NativeGrounds) {
    this.#grounds = grounds;
    this.#places = new Map(grounds.record.calls.map(({ id }, at) => [id, at]));
    this.#touched = touchedBefore(grounds);
  }

  functions(): ReadonlyMap<string, Scored> {
    const byFunction = new Map<string, CallView[]>();
    for (const call of this.#grounds.own) {
      const known = byFunction.get(call.function);
      if (known) known.push(call);
      else byFunction.set(call.function, [call]);
    }
    return new Map([...byFunction].map(([name, calls]) => [name, this.#scored(name, calls)]));
  }

  #scored(name: string, calls: readonly CallView[]): Scored {
    const evidence = {
      ...this.#ofCode(name, calls),
      ...this.#ofCalls(calls),
      ...this.#ofPassing(name, calls),
    };
    const score = Object.entries(evidence).reduce(
      (sum, [key, value]) => sum + value * (weightOf.get(key) ?? 0),
      0,
    );
    const why = this.#why(name, evidence, calls);
    return { score, why, isLine: why.startsWith('line ') };
  }

  #ofCode(name: string, calls: readonly CallView[]): Partial<Evidence> {
    const [first] = calls;
    const shape = first ? this.#code.shapeOf(first) : null;
    return {
      decides: share(shape?.decisions ?? unknownDecisions, mostDecisions),
      long: shape === null ? unknownLength : share(shape.lines, mostLines),
      closure: name.includes('{closure') ? 1 : 0,
      changed: this.#grounds.changed.has(first?.file ?? '') ? 1 : 0,
    };
  }

  #ofCalls(calls: readonly CallView[]): Partial<Evidence> {
    const { record, asserted, bodyDepth } = this.#grounds;
    const some = (test: (call: CallView) => boolean): number => (calls.some(test) ? 1 : 0);
    const most = (value: (call: CallView) => number): number => Math.max(...calls.map(value));
    return {
      deep: Math.min(1, Math.min(...calls.map(({ depth }) => depth - bodyDepth)) / deepest),
      often: share(calls.length - 1, mostCalls),
      late: most(({ id }) => (this.#places.get(id) ?? 0) / record.calls.length),
      calledNone: calls.every((call) => record.childrenOf(call).length === 0) ? 1 : 0,
      touched: most(({ id }) => this.#touched.get(id) ?? 0),
      asserted: some((call) => asserted.has(lastName(call))),
      returnedNone: some(({ returns }) => isNone(returns)),
      returnedZero: some(({ returns }) => numberOf(returns) === 0),
      passesOn: some((call) => this.#passesOn(call)),
    };
  }

  #ofPassing(name: string, calls: readonly CallView[]): Partial<Evidence> {
    const { record, passing, newLines } = this.#grounds;
    if (passing.tests === 0) return {};
    // The more there are, the more it means.
    const sure = passing.tests / (passing.tests + 1);
    const times = passing.testsOf(name);
    return {
      neverPassed: times === 0 ? sure : 0,
      rarelyPassed: 1 / Math.sqrt(1 + times),
      newOrder: calls.some((call) => passing.isNewOrder(record, call)) ? sure : 0,
      newResult: calls.some((call) => passing.isNewResult(call)) ? sure : 0,
      newLine: newLines.has(name) ? sure : 0,
      begins: calls.some((call) => this.#isFirstNew(call)) ? sure : 0,
      allKnown: calls.every((call) => passing.isKnown(record, call)) ? sure : 0,
    };
  }

  #isFirstNew(call: CallView): boolean {
    const { record, passing } = this.#grounds;
    return (
      !passing.isKnown(record, call) &&
      record.childrenOf(call).every((child) => passing.isKnown(record, child))
    );
  }

  #passesOn(call: CallView): boolean {
    const { record } = this.#grounds;
    const last = record.childrenOf(call).at(-1);
    if (!last || call.returns.kind === 'void') return false;
    return record.text(last.returns) === record.text(call.returns);
  }

  #why(name: string, evidence: Partial<Evidence>, calls: readonly CallView[]): string {
    const { neverPassed = 0, newResult = 0, newOrder = 0, touched = 0 } = evidence;
    const { ended, start, passing, newLines } = this.#grounds;
    const [line] = newLines.get(name)?.lines ?? [];
    const died = ended.find((call) => calls.includes(call));
    if (died) return died.end === 'open' ? 'the program died in it' : 'an exception began in it';
    if (neverPassed > 0) return `no passing test of ${passing.tests} calls it`;
    if (line) return `line ${line.line} ran in no passing test: ${shortened(line.text)}`;
    if (newResult > 0) return 'it returned what it never did in tests that pass';
    if (newOrder > 0) return 'it took another way than in tests that pass';
    return touched > 0 && start ? `it had what ${lastName(start)} was given` : '';
  }
}

function shortened(text: string): string {
  const line = text.trim();
  return line.length > lineShown ? `${line.slice(0, lineShown)}…` : line;
}

/** Characters of a line. */
const lineShown = 60;
const unknownDecisions = 3;
const mostDecisions = 31;
const unknownLength = 0.3;
const mostLines = 63;
const mostCalls = 63;
const deepest = 6;

/** 0 to 1, by the logarithm. */
function share(count: number, most: number): number {
  return Math.min(1, Math.log2(1 + count) / Math.log2(1 + most));
}

/** Calls before the start that were given an object it was given; 1 of the last, ½ of that before it, and so on. */
function touchedBefore({ record, start }: NativeGrounds): ReadonlyMap<string, number> {
  if (!start) return new Map();
  const places = new Set(start.arguments.flatMap(({ value }) => placeOf(value)));
  const around = new Set<string>();
  for (let one = record.parentOf(start); one; one = record.parentOf(one)) around.add(one.id);
  const touching = record.calls.filter(
    (call) =>
      call.time < start.time &&
      call.function !== start.function &&
      !around.has(call.id) &&
      call.arguments.some(({ value }) => placeOf(value).some((place) => places.has(place))),
  );
  return new Map(touching.toReversed().map(({ id }, at) => [id, 1 / (at + 1)]));
}

function placeOf(value: Value): string[] {
  return value.kind === 'pointer' && !value.isNull ? [value.address] : [];
}

/** `None` of Rust, a null pointer. */
function isNone(value: Value): boolean {
  return (
    (value.kind === 'variant' && value.name === 'None') ||
    (value.kind === 'pointer' && value.isNull)
  );
}
