import type { Value } from '../../../model/questions/query.ts';
import { plainText } from '../values/capturedValues.ts';

/** So many different values are named, when they are short together; results in more characters than arguments. */
export const NAMED = 6;
const NAMED_CHARACTERS = { alone: 48, withCounts: 100 } as const;
/** Of values that take long to read no more different ones are counted. */
export const MOST_COUNTED = 16;

/** The values one argument had in the calls of a line. */
export class DifferentValues {
  readonly #times = new Map<string, number>();
  #least: { readonly number: number; readonly text: string } | null = null;
  #greatest: { readonly number: number; readonly text: string } | null = null;
  #areNumbers = true;
  #isPassed = false;

  /** Whether the next value need not be told from these: it counts as not looked at. */
  passes(): boolean {
    const passes = !this.#areNumbers && this.#times.size >= MOST_COUNTED;
    this.#isPassed ||= passes;
    return passes;
  }

  /** A value was not looked at, because these are enough. */
  pass(): void {
    this.#isPassed = true;
  }

  get isEmpty(): boolean {
    return this.#times.size === 0;
  }

  /** Adds a value that so many calls had and that is no number; of all that are added so each has another key. */
  addUnread(key: string, calls: number): void {
    this.#areNumbers = false;
    this.#times.set(key, calls);
  }

  /** Adds a value that so many calls had; returns its text. */
  add(value: Value, calls = 1): string {
    const text = plainText(value);
    this.#times.set(text, (this.#times.get(text) ?? 0) + calls);
    const number = value.kind === 'int' || value.kind === 'float' ? Number(text) : Number.NaN;
    // Without debug information an integer may be an address.
    if (Number.isNaN(number) || text.startsWith('0x')) {
      this.#areNumbers = false;
      return text;
    }
    if (!this.#least || number < this.#least.number) this.#least = { number, text };
    if (!this.#greatest || number > this.#greatest.number) this.#greatest = { number, text };
    return text;
  }

  /** The value with this text, which was added before, in so many more calls. */
  again(text: string, calls: number): void {
    this.#times.set(text, (this.#times.get(text) ?? 0) + calls);
  }

  /**
   * Null when all are equal; `1..36` for numbers; up to six short values as `card|wallet`, or
   * `ok(35)|busy(2)`; else `47 different`; `≥` where some passed. `~` before it: only a part of the calls was looked at.
   */
  text({ isPart, withCounts }: { isPart: boolean; withCounts: boolean }): string | null {
    const { size } = this.#times;
    if (size < 2) return null;
    if (this.#isPassed) return `≥ ${size} different`;
    const about = isPart ? '~' : '';
    if (this.#areNumbers && this.#least && this.#greatest) {
      return `${about}${this.#least.text}..${this.#greatest.text}`;
    }
    if (size > NAMED) return `${about}${size} different`;
    const named = [...this.#times].map(([text, times]) =>
      withCounts && !isPart ? `${text}(${times})` : text,
    );
    const all = named.join('|');
    return all.length <= (withCounts ? NAMED_CHARACTERS.withCounts : NAMED_CHARACTERS.alone)
      ? `${about}${all}`
      : `${about}${size} different`;
  }
}
