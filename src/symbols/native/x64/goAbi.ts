import type { Place } from '../../../model/values/valueType.ts';
import { alignmentOf, sizeOf, type Layout } from '../abi/layout.ts';

/** rax rbx rcx rdi rsi r8 r9 r10 r11, and xmm0 to xmm14 (Go's internal ABI, amd64). */
const inRegisters = { integers: 9, floats: 15 };
/** Go's ABI0, which assembler and what cgo makes of functions of C keep to. */
const onStack = { integers: 0, floats: 0 };

const word = 8;

/** A part of a value that takes a register of its own. */
interface Leaf {
  readonly offset: number;
  readonly bytes: number;
  readonly isFloat: boolean;
}

/** The values of a call in the order of the source, the receiver first. */
export interface GoCall {
  readonly parameters: readonly Layout[];
  readonly results: readonly Layout[];
  /** Its place among the parameters when the compiler passes what the source does not; null: it does not. */
  readonly hiddenAt: number | null;
  readonly isAbi0: boolean;
}

/** Where a function of Go finds its parameters at its entry, and leaves its results at its return. */
export function placeGo({ parameters, results, hiddenAt, isAbi0 }: GoCall): {
  readonly parameters: readonly Place[];
  readonly results: readonly Place[];
} {
  const stack = { bytes: 0 };
  const registers = isAbi0 ? onStack : inRegisters;
  const passed = new Assignment(stack, registers);
  const places = parameters.map((layout, i) => {
    if (i === hiddenAt) passed.takeHidden();
    return passed.place(layout);
  });
  stack.bytes = roundUp(stack.bytes, word);
  const returned = new Assignment(stack, registers);
  return { parameters: places, results: results.map((layout) => returned.place(layout)) };
}

/** Hands out registers; a value that does not fit the rest goes to the stack as a whole. */
class Assignment {
  readonly #stack: { bytes: number };
  readonly #registers: typeof inRegisters;
  #integers = 0;
  #floats = 0;
  #doubt: string | null = null;

  constructor(stack: { bytes: number }, registers: typeof inRegisters) {
    this.#stack = stack;
    this.#registers = registers;
  }

  /** What the compiler passes and the source does not. */
  takeHidden(): void {
    this.#integers++;
  }

  place(layout: Layout): Place {
    if (this.#doubt !== null)
      return { kind: 'none', reason: `its place is not certain: ${this.#doubt}` };
    const leaves = leavesOf(layout, 0);
    if (leaves === 'unknown') {
      this.#doubt = 'a type that is not known completely';
      return { kind: 'none', reason: this.#doubt };
    }
    if (leaves !== 'memory' && leaves.length === 0)
      return { kind: 'none', reason: 'it takes no space' };
    return (leaves === 'memory' ? null : this.#inRegisters(leaves)) ?? this.#onStack(layout);
  }

  #inRegisters(leaves: readonly Leaf[]): Place | null {
    const floats = leaves.filter(({ isFloat }) => isFloat).length;
    const integers = leaves.length - floats;
    const [integer, float] = [this.#integers, this.#floats];
    const room = this.#registers;
    if (integer + integers > room.integers || float + floats > room.floats) return null;
    this.#integers += integers;
    this.#floats += floats;
    const [only] = leaves;
    if (leaves.length === 1 && only)
      return only.isFloat
        ? { kind: 'float', register: float }
        : { kind: 'integer', register: integer };
    const areWords = leaves.every(
      ({ offset, bytes, isFloat }, i) => !isFloat && offset === i * word && bytes === word,
    );
    return areWords
      ? { kind: 'words', register: integer, bytes: leaves.length * word }
      : { kind: 'none', reason: 'its fields are in registers of their own, which are not joined' };
  }

  #onStack(layout: Layout): Place {
    const bytes = sizeOf(layout);
    const offset = roundUp(this.#stack.bytes, alignmentOf(layout));
    this.#stack.bytes = offset + bytes;
    if (offset % word !== 0)
      return { kind: 'none', reason: 'it shares a word of the stack with another' };
    return layout.kind === 'integer' || layout.kind === 'float'
      ? { kind: 'stack', offset }
      : { kind: 'memory', offset, bytes };
  }
}

function roundUp(bytes: number, to: number): number {
  return Math.ceil(bytes / to) * to;
}

function leavesOf(
  layout: Layout,
  offset: number,
  depth = 0,
): readonly Leaf[] | 'memory' | 'unknown' {
  if (depth > 32) return 'unknown';
  switch (layout.kind) {
    case 'none':
      return [];
    case 'integer':
      return [{ offset, bytes: layout.bytes, isFloat: false }];
    case 'float':
      return [{ offset, bytes: layout.bytes, isFloat: true }];
    case 'complex': {
      const bytes = layout.bytes / 2;
      return [0, bytes].map((at) => ({ offset: offset + at, bytes, isFloat: true }));
    }
    case 'array':
      if (layout.count === 0) return [];
      return layout.count === 1 ? leavesOf(layout.element, offset, depth + 1) : 'memory';
    case 'aggregate':
      return joined(
        layout.fields.map((field) => leavesOf(field.layout, offset + field.offset, depth + 1)),
      );
    default:
      return 'unknown';
  }
}

function joined(
  all: readonly (readonly Leaf[] | 'memory' | 'unknown')[],
): ReturnType<typeof leavesOf> {
  if (all.includes('unknown')) return 'unknown';
  if (all.includes('memory')) return 'memory';
  return all.flatMap((leaves) => (typeof leaves === 'string' ? [] : leaves));
}
