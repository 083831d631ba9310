/**
 * How long the payload of each function's records is, so that a reader can cut the padding
 * which rounds a record up to whole 32-byte pieces.
 */
export interface PayloadPlan {
  /** One entry per captured value, in order: false = 8-byte word, true = text or a list. */
  readonly enter: readonly boolean[];
  readonly returns: 'none' | 'word' | 'string';
}

const VARIABLE = 255;
const oneValue = [true];
const valueAndWord = [true, false];

/** Plans by function number, kept as arrays for the decoding loop. */
export class PayloadPlans {
  #enterWords = new Uint8Array(1024);
  #returnWords = new Uint8Array(1024);
  readonly #variable = new Map<number, PayloadPlan>();

  set(fn: number, plan: PayloadPlan): void {
    if (fn >= this.#enterWords.length) this.#grow(fn + 1);
    const hasString = plan.enter.includes(true);
    this.#enterWords[fn] = hasString ? VARIABLE : plan.enter.length;
    this.#returnWords[fn] = plan.returns === 'string' ? VARIABLE : plan.returns === 'word' ? 1 : 0;
    if (hasString || plan.returns === 'string') this.#variable.set(fn, plan);
    else this.#variable.delete(fn);
  }

  /** Payload bytes of an enter, given all bytes the record can hold. */
  enterBytes(fn: number, bytes: Uint8Array, start: number, available: number): number {
    const words = this.#enterWords[fn] ?? 0;
    if (words !== VARIABLE) return words * 8 < available ? words * 8 : available;
    return measure(this.#variable.get(fn)?.enter ?? [], bytes, start, available);
  }

  /** Payload bytes of a return. */
  returnBytes(fn: number, bytes: Uint8Array, start: number, available: number): number {
    const words = this.#returnWords[fn] ?? 0;
    if (words !== VARIABLE) return words * 8 < available ? words * 8 : available;
    return measure(oneValue, bytes, start, available);
  }

  #grow(atLeast: number): void {
    const size = Math.max(atLeast, this.#enterWords.length * 2);
    const enter = new Uint8Array(size);
    enter.set(this.#enterWords);
    this.#enterWords = enter;
    const returns = new Uint8Array(size);
    returns.set(this.#returnWords);
    this.#returnWords = returns;
  }
}

/** Payload bytes of one value with its own length. */
export function valueBytes(bytes: Uint8Array, start: number, available: number): number {
  return measure(oneValue, bytes, start, available);
}

/** The same with a word behind it. */
export function valueAndWordBytes(bytes: Uint8Array, start: number, available: number): number {
  return measure(valueAndWord, bytes, start, available);
}

function measure(
  values: readonly boolean[],
  bytes: Uint8Array,
  start: number,
  available: number,
): number {
  let used = 0;
  for (const isString of values) {
    if (used + 8 > available) return available & ~7;
    if (!isString) {
      used += 8;
      continue;
    }
    const at = start + used;
    const captured =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24);
    used += 8 + ((captured + 7) & ~7);
    if (used > available || captured < 0) return available & ~7;
  }
  return used;
}
