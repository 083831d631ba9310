import type { CallView, Value } from '../../model/questions/query.ts';
import {
  cluesIn,
  nearness,
  type CallRecord,
  type Clue,
  type Difference,
  type Nearness,
} from './clues.ts';

/** A call whose function may be at fault. */
export interface Suspect {
  readonly call: CallView;
  /** As the end of a sentence. */
  readonly why: string;
}

/** What the calls of a test are weighed by. */
export interface Grounds {
  /** Calls of the project's functions. */
  readonly own: readonly CallView[];
  /** Returned the wrong value, or is what the failed assertion is about. */
  readonly start: CallView | undefined;
  readonly startWhy: string;
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

  constructor(record: CallRecord, grounds: Grounds) {
    this.#record = record;
    this.#grounds = grounds;
    this.#near = grounds.start ? nearness(record, grounds.start) : new Map<string, Nearness>();
    for (const clue of cluesIn(record, grounds.difference)) {
      const known = this.#clues.get(clue.call.id);
      if (known) known.push(clue);
      else this.#clues.set(clue.call.id, [clue]);
    }
    for (const clues of this.#clues.values()) clues.sort((a, b) => b.weight - a.weight);
  }

  /** Of each function the heaviest call, the heaviest first. */
  suspects(): Suspect[] {
    const found = new Map<string, Suspect & { readonly weight: number }>();
    for (const call of this.#grounds.own) {
      const weight = this.#clueWeight(call) + this.#placeWeight(call) + this.#resultWeight(call);
      const known = found.get(call.function);
      if (known && known.weight > weight) continue;
      found.set(call.function, { call, why: this.#why(call), weight });
    }
    return [...found.values()].toSorted((a, b) => b.weight - a.weight);
  }

  #clueWeight({ id }: CallView): number {
    const [first, second] = this.#clues.get(id) ?? [];
    return (first?.weight ?? 0) + (second?.weight ?? 0) / 2;
  }

  #placeWeight(call: CallView): number {
    const { start, passedOn, changed } = this.#grounds;
    const near = this.#near.get(call.id);
    return (
      (near === undefined ? -1 : 1.5 - near.steps / 5) +
      (call.id === start?.id ? 1.5 : 0) +
      (passedOn.has(call.id) ? -2 : 0) +
      (changed.has(call.file ?? '') ? 4 : 0) +
      (this.#record.childrenOf(call).length > 0 ? 0 : innermost(call))
    );
  }

  #resultWeight({ returns }: CallView): number {
    const { gap } = this.#grounds;
    const number = numberOf(returns);
    if (number === null) return 0;
    return (number === 0 ? 0.75 : 0) + (Math.abs(number) === gap ? 2 : 0);
  }

  #why({ id }: CallView): string {
    const [clue] = this.#clues.get(id) ?? [];
    if (clue && clue.why !== '') return clue.why;
    const { start, startWhy } = this.#grounds;
    return id === start?.id ? startWhy : (this.#near.get(id)?.why ?? 'called in the test');
  }
}

/** What calls nothing computes something, unless it only keeps what it is given. */
function innermost({ function: name }: CallView): number {
  return name.endsWith('.__init__') ? -1 : 0.5;
}

export function numberOf(value: Value): number | null {
  if (value.kind === 'int') return Number(value.text);
  return value.kind === 'float' ? value.value : null;
}
