import type { TracedFunction } from '../../model/eventColumns.ts';
import { codeId, type FoundFunction } from '../../model/functions/foundFunction.ts';
import type { ValueType } from '../../model/values/valueType.ts';
import { captureReturn, record } from '../../protocol/record.ts';
import type { NumberedFunction } from '../rings/numberedFunction.ts';
import { Walks } from './walkTable.ts';
import { payloadPlan, planCapture, type CapturePlan } from './armTable.ts';
import type { CaptureRules } from './captureRules.ts';

/** A function as all tracers of a session know it. */
export interface KnownFunction {
  readonly number: number;
  readonly fn: FoundFunction;
  readonly plan: CapturePlan;
}

/**
 * The numbers of one session's functions, the same in each of its processes. A function keeps its
 * number for the life of the session, so that records of an earlier trace stay readable; traced to another
 * depth it has another one.
 */
export class FunctionNumbers {
  readonly #rules: CaptureRules;
  readonly #announce: (functions: readonly NumberedFunction[]) => Promise<void>;
  /** What its functions' values lead to. */
  readonly walks = new Walks();
  /** By `id` and depth: what a record holds depends on both. */
  readonly #known = new Map<string, KnownFunction>();
  readonly #earlier = new Map<string, TracedFunction>();
  #next = 0;
  #announced: Promise<void> = Promise.resolve();

  /** `announce` is awaited before the first record of a function can be written. */
  constructor(options: {
    readonly rules: CaptureRules;
    readonly announce: (functions: readonly NumberedFunction[]) => Promise<void>;
  }) {
    this.#rules = options.rules;
    this.#announce = options.announce;
  }

  get stringBytes(): number {
    return this.#rules.stringBytes;
  }

  /** First step of the walk that copies values of a type; null: there are too many. */
  walkOf(type: Extract<ValueType, { kind: 'tree' }>): number | null {
    return this.walks.add(type, this.#rules);
  }

  /** Numbers given before: a function keeps its own as long as its records hold the same. */
  continueFrom(functions: readonly TracedFunction[]): void {
    for (const fn of functions) {
      // Those of runtimes are numbered in their processes.
      if (fn.number >= record.localFunctions) continue;
      if (fn.address !== null && !fn.probe) this.#earlier.set(codeId(fn.module, fn.address), fn);
      this.#next = Math.max(this.#next, fn.number + 1);
    }
  }

  /** The number of a statement, whose hits hold these values; announced before it is answered. */
  async statement(traced: Omit<TracedFunction, 'number'>): Promise<number> {
    const number = this.#next++;
    await this.define([{ ...traced, number }]);
    return number;
  }

  /** Statements as they are now known. */
  async define(statements: readonly TracedFunction[]): Promise<void> {
    const announced = statements.map((traced) => ({
      traced,
      payload: payloadPlan(traced, captureReturn.none),
    }));
    this.#announced = this.#announced.catch(() => undefined).then(() => this.#announce(announced));
    await this.#announced;
  }

  /** By `id`; new ones are given numbers and announced, and so are those somebody else asks for just now. */
  async number(wanted: readonly FoundFunction[]): Promise<ReadonlyMap<string, KnownFunction>> {
    const found = new Map<string, KnownFunction>();
    const fresh: KnownFunction[] = [];
    for (const fn of wanted) {
      const key = fn.id;
      const own = `${key}\0${fn.depth.levels} ${fn.depth.whole}`;
      let known = this.#known.get(own);
      if (!known) {
        const plan = planCapture(fn, this.#rules, this.walks);
        const earlier = this.#earlier.get(key);
        const isSame =
          earlier !== undefined &&
          holdsSame(earlier, plan) &&
          (earlier.endsUnseen === true) === fn.opensStack;
        known = { number: isSame ? earlier.number : this.#next++, fn, plan };
        this.#known.set(own, known);
        if (!isSame) fresh.push(known);
      }
      found.set(key, known);
    }
    if (fresh.length > 0) {
      const before = this.#announced;
      this.#announced = before
        .catch(() => undefined)
        .then(() => this.#announce(fresh.map(numbered)));
    }
    await this.#announced;
    return found;
  }
}

function numbered({ number, fn, plan }: KnownFunction): NumberedFunction {
  return {
    traced: {
      number,
      name: fn.name,
      signature: fn.signature,
      linkageName: fn.linkageName,
      module: fn.unit,
      address: fn.address,
      file: fn.file,
      line: fn.line,
      captured: plan.captured,
      uncaptured: plan.uncaptured,
      returns: plan.returns,
      ...(plan.secretReturn === undefined ? {} : { secretReturn: plan.secretReturn }),
      ...(fn.opensStack ? { endsUnseen: true } : {}),
    },
    payload: plan.payload,
  };
}

/** What was stored and what would be captured now, as JSON: only that comes back from a store. */
function holdsSame(earlier: TracedFunction, plan: CapturePlan): boolean {
  const values = [earlier.captured, earlier.returns, earlier.secretReturn];
  return (
    JSON.stringify(values) === JSON.stringify([plan.captured, plan.returns, plan.secretReturn])
  );
}
