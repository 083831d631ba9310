import type { CallView, Value } from '../../../model/questions/query.ts';
import { isBraced, isConstructor, isDynamic, lastName, namedAround } from './callName.ts';
import type { CallRecord, Clue } from './callRecord.ts';
import { cluesIn, nearness, type Difference, type Nearness } from './clues.ts';
import { CodeWeights } from './codeWeight.ts';
import { numberOf } from './numberClues.ts';
import { sharedParts } from './sharedParts.ts';

/** A call whose function may be at fault. */
export interface Suspect {
  readonly call: CallView;
  /** As the end of a sentence. */
  readonly why: string;
  /** A clue says why, not only the place of the call. */
  readonly isClue?: boolean;
}

/** What the calls of a test are weighed by. */
export interface Grounds {
  /** Calls of the project's functions. */
  readonly own: readonly CallView[];
  /** Returned the wrong value, or is what the failed assertion is about. */
  readonly start: CallView | undefined;
  readonly startWhy: string;
  /** Calls of the test between it and the failure. */
  readonly after: readonly CallView[];
  readonly difference: Difference | null;
  /** Calls that returned what a call of theirs had returned. */
  readonly passedOn: ReadonlySet<string>;
  /** Files that were changed since all tests passed. */
  readonly changed: ReadonlySet<string>;
  /** By how much two numbers differ. */
  readonly gap: number | null;
}

/** Weighs functions by clues, and by how near they are to the wrong value. */
export class Weigher {
  readonly #record: CallRecord;
  readonly #grounds: Grounds;
  readonly #near: ReadonlyMap<string, Nearness>;
  readonly #clues = new Map<string, Clue[]>();
  readonly #code = new CodeWeights();

  constructor(record: CallRecord, grounds: Grounds) {
    this.#record = record;
    this.#grounds = grounds;
    const { start, after } = grounds;
    this.#near = start ? nearness(record, start, after) : new Map<string, Nearness>();
    const clues = [...cluesIn(record, grounds.difference), ...sharedParts(record)];
    for (const clue of clues) {
      const known = this.#clues.get(clue.call.id);
      if (known) known.push(clue);
      else this.#clues.set(clue.call.id, [clue]);
    }
    for (const known of this.#clues.values()) known.sort((a, b) => b.weight - a.weight);
  }

  /** Of each function the heaviest call, the heaviest first. */
  suspects(): Suspect[] {
    const found = new Map<string, Suspect & { readonly weight: number }>();
    for (const call of this.#grounds.own) {
      const weight = this.#clueWeight(call) + this.#placeWeight(call) + this.#resultWeight(call);
      const name = namedAround(call.function);
      const known = found.get(name);
      if (known && known.weight > weight) continue;
      found.set(name, { ...this.#shown(call), weight });
    }
    return [...found.values()].toSorted((a, b) => b.weight - a.weight || b.call.time - a.call.time);
  }

  /** A function without a name tells less than what the function around it gave, where that called it. */
  #shown(call: CallView): Suspect {
    const own = { call, ...this.#why(call) };
    const around = this.#around(call);
    return around ? { ...own, call: around, why: `of ${lastName(call)} in it: ${own.why}` } : own;
  }

  /** The call of the function that a function without a name stands in, if this one was made below it. */
  #around(call: CallView): CallView | undefined {
    const name = namedAround(call.function);
    if (name === call.function) return undefined;
    for (let above = this.#record.parentOf(call); above; above = this.#record.parentOf(above))
      if (above.function === name) return above;
    return undefined;
  }

  #clueWeight({ id }: CallView): number {
    const [first, second] = this.#clues.get(id) ?? [];
    return (first?.weight ?? 0) + (second?.weight ?? 0) / 2;
  }

  #placeWeight(call: CallView): number {
    const { start, passedOn, changed } = this.#grounds;
    const near = this.#near.get(call.id);
    return (
      (near === undefined ? -1 : 1.5 - near.steps * 0.3) +
      (call.id === start?.id ? 1.5 : 0) +
      (passedOn.has(call.id) ? -2 : 0) +
      (changed.has(call.file ?? '') ? 4 : 0) +
      (this.#record.childrenOf(call).length > 0 ? 0 : innermost(call)) +
      (isDynamic(call) ? 0 : nativeWeight(call)) +
      (isBraced(call) ? this.#codeWeight(call) : 0)
    );
  }

  #codeWeight(call: CallView): number {
    return (this.#passesOn(call) ? -0.75 : 0) + this.#code.of(call) * 0.75;
  }

  /** Its result is that of the last it called, and that decided something. */
  #passesOn(call: CallView): boolean {
    const last = this.#record.childrenOf(call).at(-1);
    if (!last || call.returns.kind === 'void' || this.#code.of(last) < 0 || reports(last))
      return false;
    return this.#record.text(last.returns) === this.#record.text(call.returns);
  }

  #resultWeight({ returns }: CallView): number {
    const { gap } = this.#grounds;
    const number = isNone(returns) ? 0 : numberOf(returns);
    if (number === null) return 0;
    return (number === 0 ? 0.75 : 0) + (Math.abs(number) === gap ? 2 : 0);
  }

  #why({ id }: CallView): Pick<Suspect, 'why' | 'isClue'> {
    const [clue] = this.#clues.get(id) ?? [];
    if (clue && clue.why !== '') return { why: clue.why, isClue: true };
    const { start, startWhy } = this.#grounds;
    if (id === start?.id) return { why: startWhy, isClue: true };
    return { why: this.#near.get(id)?.why ?? 'called in the test' };
  }
}

function nativeWeight(call: CallView): number {
  return (changesGiven(call) ? 0.4 : 0) + (reports(call) ? -1 : 0);
}

/** `None` of Rust, a null pointer. */
function isNone(value: Value): boolean {
  return (
    (value.kind === 'variant' && value.name === 'None') ||
    (value.kind === 'pointer' && value.isNull)
  );
}

/** What calls nothing computes something, unless it only keeps what it is given. */
function innermost(call: CallView): number {
  return isConstructor(call) ? -1 : 0.5;
}

/** `SetError`, `fail`: it tells what another found. */
function reports(call: CallView): boolean {
  return /^_*(?:err|error|fail|warn|die|panic|abort|log)(?:[_A-Z]|s?$)|(?:Err(?:or)?|Fail(?:ure)?|Warn(?:ing)?|_err(?:or)?)$/.test(
    lastName(call),
  );
}

/** It has no result: what it does, it does to what it was given. */
function changesGiven({ returns, arguments: given }: CallView): boolean {
  return returns.kind === 'void' && given.some(({ value }) => value.kind === 'pointer');
}
