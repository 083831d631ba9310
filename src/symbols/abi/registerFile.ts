import type { Place } from '../../model/valueType.ts';

/** Places in the order of the parameters, and the bytes of stack arguments; null when not certain. */
export interface Placement {
  readonly places: readonly Place[];
  readonly stackBytes: number | null;
}

const integerRegisters = 6;
const floatRegisters = 8;

/** Hands out the parameter registers and stack words of x86-64 in order. */
export class RegisterFile {
  #integers = 0;
  #floats = 0;
  #stack = 0;
  #doubt: string | null = null;

  /** Null after `giveUp`. */
  get stackBytes(): number | null {
    return this.#doubt === null ? this.#stack : null;
  }

  get integersLeft(): number {
    return integerRegisters - this.#integers;
  }

  /** Runs `place` unless an earlier parameter made all later places uncertain. */
  whenKnown(place: () => Place): Place {
    return this.#doubt === null
      ? place()
      : { kind: 'none', reason: `its place is not certain: ${this.#doubt}` };
  }

  /** Says why this place and those after it are not certain. */
  giveUp(reason: string): Place {
    this.#doubt = reason;
    return { kind: 'none', reason };
  }

  takeInteger(): Place {
    return this.#integers < integerRegisters
      ? { kind: 'integer', register: this.#integers++ }
      : this.#takeWord();
  }

  takeFloat(): Place {
    return this.#floats < floatRegisters
      ? { kind: 'float', register: this.#floats++ }
      : this.#takeWord();
  }

  /** Takes all registers or none; answers the first of each kind, null when there are too few. */
  takeParts(
    integers: number,
    floats: number,
  ): { readonly integer: number; readonly float: number } | null {
    const first = this.#integers;
    const found = { integer: first, float: this.#floats };
    if (first + integers > integerRegisters || this.#floats + floats > floatRegisters) return null;
    this.#integers += integers;
    this.#floats += floats;
    return found;
  }

  /** Answers where they begin. */
  takeStack(bytes: number, alignment: number): number {
    const step = Math.max(8, alignment);
    const offset = Math.ceil(this.#stack / step) * step;
    this.#stack = offset + Math.ceil(bytes / 8) * 8;
    return offset;
  }

  #takeWord(): Place {
    const offset = this.#stack;
    this.#stack += 8;
    return { kind: 'stack', offset };
  }
}
