import type { Value } from '../../model/query.ts';
import { plainText } from './values.ts';

/** So many different values are named, when they are short. */
const NAMED = { alone: 3, withCounts: 6 } as const;
const NAMED_CHARACTERS = 100;

/** The values one argument had in the calls of a line. */
export class DifferentValues {
  readonly #times = new Map<string, number>();
  #least: { readonly number: number; readonly text: string } | null = null;
  #greatest: { readonly number: number; readonly text: string } | null = null;
  #areNumbers = true;

  /** Adds a value that so many calls had. */
  add(value: Value, calls = 1): void {
    const text = plainText(value);
    this.#times.set(text, (this.#times.get(text) ?? 0) + calls);
    const number = value.kind === 'int' || value.kind === 'float' ? Number(text) : Number.NaN;
    // Without debug information an integer may be an address.
    if (Number.isNaN(number) || text.startsWith('0x')) {
      this.#areNumbers = false;
      return;
    }
    if (!this.#least || number < this.#least.number) this.#least = { number, text };
    if (!this.#greatest || number > this.#greatest.number) this.#greatest = { number, text };
  }

  /**
   * Null when all are equal; `1..36` for numbers; up to three short values as `card|wallet`, or
   * `ok(35)|busy(2)` for up to six; else `47 different`. `~` before it: only a part of the calls was looked at.
   */
  text({ isPart, withCounts }: { isPart: boolean; withCounts: boolean }): string | null {
    const { size } = this.#times;
    if (size < 2) return null;
    const about = isPart ? '~' : '';
    if (this.#areNumbers && this.#least && this.#greatest) {
      return `${about}${this.#least.text}..${this.#greatest.text}`;
    }
    if (size > (withCounts ? NAMED.withCounts : NAMED.alone)) return `${about}${size} different`;
    const named = [...this.#times].map(([text, times]) =>
      withCounts && !isPart ? `${text}(${times})` : text,
    );
    const all = named.join('|');
    return all.length <= NAMED_CHARACTERS ? `${about}${all}` : `${about}${size} different`;
  }
}
