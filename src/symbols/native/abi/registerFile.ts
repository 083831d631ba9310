import type { Place } from '../../../model/values/valueType.ts';
import type { Layout } from './layout.ts';

/** Places in the order of the parameters, and the bytes of stack arguments; null when not certain. */
export interface Placement {
  readonly places: readonly Place[];
  readonly stackBytes: number | null;
}

/** How many registers of each kind a processor's convention passes values in. */
export interface ParameterRegisters {
  readonly integers: number;
  readonly floats: number;
}

/** The number of the first vector register among the registers of a value in parts. */
export const firstVector = 8;

/** Hands out the parameter registers and stack words of a processor in order. */
export class RegisterFile {
  readonly #most: ParameterRegisters;
  #integers = 0;
  #floats = 0;
  #stack = 0;
  #doubt: string | null = null;

  constructor(most: ParameterRegisters) {
    this.#most = most;
  }

  /** Null after `giveUp`. */
  get stackBytes(): number | null {
    return this.#doubt === null ? this.#stack : null;
  }

  get integersLeft(): number {
    return this.#most.integers - this.#integers;
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

  /** The place of what every convention passes alike; null: it has a rule of its own. */
  takeScalar(layout: Layout): Place | null {
    switch (layout.kind) {
      case 'none':
        return { kind: 'none', reason: 'it takes no space' };
      case 'unknown':
        return this.giveUp(layout.reason);
      case 'integer':
        return this.takeInteger();
      case 'float':
        return this.takeFloat();
      default:
        return null;
    }
  }

  takeInteger(): Place {
    return this.#integers < this.#most.integers
      ? { kind: 'integer', register: this.#integers++ }
      : this.#takeWord();
  }

  takeFloat(): Place {
    return this.#floats < this.#most.floats
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
    const { integers: most, floats: mostFloats } = this.#most;
    if (first + integers > most || this.#floats + floats > mostFloats) return null;
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
