import { StrobeError } from '../errors.ts';
import { separator } from './functionName.ts';
import type { FunctionName } from './functionName.ts';

/** The wildcards among the tokens of a pattern; other tokens are codes to meet. */
export const token = {
  /** `*`: any codes but separators. */
  segment: -1,
  /** `**`, or `*` inside brackets: any codes. */
  any: -2,
  /** The next two tokens may be left out: `<Foo as …>` also names `<bank::Foo as …>`. */
  optionalPair: -3,
  /** `?`: one code but a separator. */
  one: -4,
} as const;

/** Codes with a column of their own in the table of steps: ASCII, then the separator. */
const columns = 129;
const separatorColumn = 128;
/** A pattern of a thousand characters stays below. */
const maxStates = 1 << 14;

/**
 * Runs the tokens of a pattern over names. A state is a set of places in the pattern, numbered when it is first met
 * with the step it takes, so that each code of a name costs one look into a table.
 */
export class NameAutomaton {
  readonly start: number;
  /** The state of no place, which no name leaves. */
  readonly dead: number;
  readonly #tokens: readonly number[];
  readonly #sets: (readonly number[])[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #unions = new Map<number, number>();
  /** State × column → next state, -1 where it is not known yet. */
  #next = new Int32Array(columns * 16).fill(-1);

  constructor(tokens: readonly number[]) {
    this.#tokens = tokens;
    this.dead = this.#numberOf(new Set());
    this.start = this.#numberOf(this.#closure(new Set(), 0));
  }

  /** After one more code; `separator` is one. */
  step(state: number, code: number): number {
    const column = code === separator ? separatorColumn : code;
    if (column > separatorColumn || code === separatorColumn) return this.#move(state, code);
    const at = state * columns + column;
    const known = this.#next[at] ?? -1;
    if (known >= 0) return known;
    const next = this.#move(state, code);
    this.#next[at] = next;
    return next;
  }

  /** In both states at once. */
  either(a: number, b: number): number {
    if (a === b || b === this.dead) return a;
    if (a === this.dead) return b;
    const key = Math.min(a, b) * maxStates + Math.max(a, b);
    let union = this.#unions.get(key);
    if (union === undefined) {
      union = this.#numberOf(new Set([...(this.#sets[a] ?? []), ...(this.#sets[b] ?? [])]));
      this.#unions.set(key, union);
    }
    return union;
  }

  accepts(state: number): boolean {
    return this.#sets[state]?.at(-1) === this.#tokens.length;
  }

  /** Whether every name that reaches this state matches, whatever follows. */
  acceptsAll(state: number): boolean {
    const last = this.#tokens.length - 1;
    return this.#sets[state]?.[0] === last && this.#tokens[last] === token.any;
  }

  /** The state after a name, or a part of one; at `second` a match may begin too. */
  over(from: number, { codes, jumps }: FunctionName, second = -1): number {
    let state = from;
    const landing = new Map<number, number>();
    for (let at = 0; at <= codes.length; at++) {
      const landed = landing.get(at);
      if (landed !== undefined) state = this.either(state, landed);
      if (at === codes.length) break;
      if (at === second) state = this.either(state, this.start);
      const jump = jumps.get(at);
      if (jump !== undefined) landing.set(jump, this.either(state, landing.get(jump) ?? this.dead));
      state = this.step(state, codes[at] ?? 0);
    }
    return state;
  }

  /** Whether a whole name is matched, from its beginning or from `second`. */
  matches(name: FunctionName, second: number): boolean {
    return this.accepts(this.over(this.start, name, second));
  }

  #move(state: number, code: number): number {
    const next = new Set<number>();
    for (const place of this.#sets[state] ?? []) {
      const kind = this.#tokens[place];
      if (kind === code) this.#closure(next, place + 1);
      else if (kind === token.one && code !== separator) this.#closure(next, place + 1);
      else if (kind === token.any || (kind === token.segment && code !== separator))
        this.#closure(next, place);
    }
    return this.#numberOf(next);
  }

  /** Adds a place and those that are reached from it without a code. */
  #closure(into: Set<number>, place: number): Set<number> {
    if (into.has(place)) return into;
    into.add(place);
    const kind = this.#tokens[place] ?? 0;
    if (kind < 0 && kind !== token.one) this.#closure(into, place + 1);
    if (kind === token.optionalPair) this.#closure(into, place + 3);
    return into;
  }

  #numberOf(set: ReadonlySet<number>): number {
    const sorted = [...set].toSorted((a, b) => a - b);
    const places = sorted.slice(
      Math.max(
        0,
        sorted.findLastIndex((place) => this.#isAny(place)),
      ),
    );
    const key = places.join(' ');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sets.length;
    if (number >= maxStates)
      throw new StrobeError('BAD_PATTERN', 'A pattern has too many wildcards to be run.');
    this.#sets.push(places);
    this.#numbers.set(key, number);
    if (this.#next.length < this.#sets.length * columns) {
      const wider = new Int32Array(this.#next.length * 2).fill(-1);
      wider.set(this.#next);
      this.#next = wider;
    }
    return number;
  }

  /** A state at `**` subsumes the earlier ones. */
  #isAny(place: number): boolean {
    return this.#tokens[place] === token.any && this.#tokens[place - 1] !== token.optionalPair;
  }
}
