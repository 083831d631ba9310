import type { Value } from '../../model/query.ts';
import { plainText } from './values.ts';

/** So many different values are named, when they are short. */
const NAMED = 3;
const NAMED_CHARACTERS = 60;

/** The values one argument had in the calls of a line. */
export class DifferentValues {
  readonly #texts = new Set<string>();
  #least: { readonly number: number; readonly text: string } | null = null;
  #greatest: { readonly number: number; readonly text: string } | null = null;
  #areNumbers = true;

  add(value: Value): void {
    const text = plainText(value);
    this.#texts.add(text);
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
   * Null when all are equal; `1..36` for numbers; up to three short values as `card|wallet`;
   * else `47 different`. `~` before it: only a part of the calls was looked at.
   */
  text(isPart: boolean): string | null {
    if (this.#texts.size < 2) return null;
    const about = isPart ? '~' : '';
    if (this.#areNumbers && this.#least && this.#greatest) {
      return `${about}${this.#least.text}..${this.#greatest.text}`;
    }
    const named = [...this.#texts].join('|');
    if (this.#texts.size <= NAMED && named.length <= NAMED_CHARACTERS) return `${about}${named}`;
    return `${about}${this.#texts.size} different`;
  }
}
