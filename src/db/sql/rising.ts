import type { SqlToken } from './sqlTokens.ts';

export const times = ['timestamp_ns', 'timestamp_us', 'timestamp_ms', 'timestamp_s'];

/** A time without what is left of a unit. */
const remainder = /^(\w+) - (?:\1 % [1-9]\d{0,14}|\( \1 % [1-9]\d{0,14} \))$/;

/** An expression of one time that is never less where the time is later; anything else is none. */
export function isRising(tokens: readonly SqlToken[]): boolean {
  const [, time = ''] = remainder.exec(tokens.map(({ key }) => key).join(' ')) ?? [];
  if (times.includes(time)) return true;
  return new Rising(tokens).isAll();
}

/** Reads sums, products and casts of a time with positive numbers. */
class Rising {
  readonly #tokens: readonly SqlToken[];
  #at = 0;

  constructor(tokens: readonly SqlToken[]) {
    this.#tokens = tokens;
  }

  isAll(): boolean {
    return this.#sum() && this.#at === this.#tokens.length;
  }

  #takes(...texts: readonly string[]): boolean {
    const isNext = texts.includes(this.#tokens[this.#at]?.key ?? '');
    if (isNext) this.#at++;
    return isNext;
  }

  #number(form = /[1-9]/): boolean {
    const token = this.#tokens[this.#at];
    const [digits = ''] = token?.kind === 'number' ? token.key.split('e') : [];
    if (!form.test(digits)) return false;
    this.#at++;
    return true;
  }

  #sum(): boolean {
    if (!this.#product()) return false;
    while (this.#takes('+', '-')) if (!this.#number(/\d/)) return false;
    return true;
  }

  #product(): boolean {
    if (!this.#unit()) return false;
    while (this.#takes('*', '/')) if (!this.#number()) return false;
    return true;
  }

  #unit(): boolean {
    if (this.#takes(...times)) return true;
    if (this.#takes('cast'))
      return (
        this.#takes('(') &&
        this.#sum() &&
        this.#takes('as') &&
        this.#takes('int', 'integer', 'bigint', 'real') &&
        this.#takes(')')
      );
    if (this.#takes('round')) return this.#rounded();
    if (this.#takes('floor', 'ceil', 'ceiling', 'trunc', '(')) {
      if (this.#tokens[this.#at - 1]?.text !== '(' && !this.#takes('(')) return false;
      return this.#sum() && this.#takes(')');
    }
    return false;
  }

  /** Of a time in a unit, to at most three places: what is rounded lies further apart than an error of it. */
  #rounded(): boolean {
    const unit = this.#tokens[this.#at + 3];
    const isTime = this.#takes('(') && this.#takes(...times) && this.#takes('/') && this.#number();
    const isUnit = unit !== undefined && Number(unit.text) >= 1 && Number(unit.text) <= 1e9;
    if (!isTime || !isUnit) return false;
    return (
      this.#takes(')') || (this.#takes(',') && this.#takes('0', '1', '2', '3') && this.#takes(')'))
    );
  }
}
