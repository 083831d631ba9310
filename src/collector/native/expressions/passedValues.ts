import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { Parameter, Place } from '../../../model/values/valueType.ts';
import { goArea } from '../../../protocol/goArea.ts';
import { condition, conditionCopies } from '../../../protocol/record.ts';
import { CannotCompile } from './fieldPlace.ts';

/** What an expression can name of a function. */
export type CompiledIn = Pick<FoundFunction, 'parameters' | 'returns' | 'returnPlace'> &
  Partial<Pick<FoundFunction, 'isOfGo'>>;

/** Where the address of a value that is passed as it is comes from: a word of the engine's stack machine. */
export interface AddressWord {
  readonly operation: number;
  readonly parts: {
    readonly index: number;
    readonly bytes?: number;
    readonly offset?: number;
    readonly signed?: boolean;
  };
}

/** Whether a parameter is the value itself, or a caller's copy of it: its fields are named without a pointer. */
export function isPassedWhole({ place }: Parameter): boolean {
  const { kind } = place;
  return kind === 'parts' || kind === 'words' || kind === 'memory' || kind === 'address';
}

/** `copy`: a number for each parameter that is passed in registers. */
export function addressOfPassed({ name, place }: Parameter, copy: () => number): AddressWord {
  switch (place.kind) {
    case 'parts': {
      const [first = 0, second = first] = place.registers;
      if (place.bytes > conditionCopies.bytes || place.second > 8) break;
      const parts = { index: first | (second << 4), bytes: place.second, offset: copy() };
      return { operation: condition.passed, parts };
    }
    case 'memory':
      if (place.offset / 8 > 255) break;
      return { operation: condition.stackAddress, parts: { index: place.offset / 8 } };
    case 'address':
      if (place.register !== null)
        return { operation: condition.integer, parts: { index: place.register, bytes: 8 } };
      if (place.offset / 8 > 255) break;
      return { operation: condition.stack, parts: { index: place.offset / 8, bytes: 8 } };
    default:
  }
  throw new CannotCompile(`${name} is passed where it is not read`);
}

/** The same of Go, in words that are run one after the other: all registers are in memory. `isAtReturn`: the call ends, and the value is not its result. */
export function addressOfGo(
  { name, place }: Parameter,
  isAtReturn: boolean,
): readonly AddressWord[] {
  const { stackPointer, vectors } = goArea;
  const first = isAtReturn ? goArea.arguments : 0;
  const wordAt = (index: number): AddressWord => ({
    operation: condition.stackAddress,
    parts: { index },
  });
  switch (place.kind) {
    case 'integer':
    case 'words':
      return [wordAt(first + place.register)];
    case 'float':
      return [wordAt(vectors + 2 * place.register)];
    case 'stack':
    case 'memory': {
      const parts = { index: stackPointer, bytes: 8, offset: returnAddress + place.offset };
      return [{ operation: condition.stack, parts }];
    }
    default:
      throw new CannotCompile(`${name} is passed where it is not read`);
  }
}

/** Between the stack pointer at an entry and the arguments on the stack. */
const returnAddress = 8;

/** Of the integer registers at the entry, those before this are kept until the return. */
const registersKept = 3;

/** Whether a parameter is known where the call returns. */
export function isKept({ place }: Parameter, isOfGo = false): boolean {
  if (isOfGo) return place.kind === 'integer' || place.kind === 'words';
  switch (place.kind) {
    case 'integer':
      return place.register < registersKept;
    case 'address':
      return (place.register ?? registersKept) < registersKept;
    case 'parts':
      return place.registers.every((register) => register < registersKept);
    default:
      return false;
  }
}

/** What a function returns, as the engine has it at the return; its address, if it has one, lies where the caller gave it. */
export function resultOf({ returns, returnPlace, isOfGo }: CompiledIn): Parameter {
  const isFloat = returns.kind === 'float';
  const usual: Place = isFloat
    ? { kind: 'float', register: 0 }
    : { kind: 'integer', register: isOfGo === true ? 0 : conditionCopies.result };
  if (isOfGo === true) return { name: 'return', type: returns, place: returnPlace ?? usual };
  return { name: 'return', type: returns, place: returnPlace ? atReturn(returnPlace) : usual };
}

function atReturn(place: Place): Place {
  const { result, second } = conditionCopies;
  if (place.kind === 'address') return { ...place, register: place.register === 0 ? result : 0 };
  if (place.kind !== 'parts') return place;
  if (place.registers.includes(realRegister))
    return { kind: 'none', reason: 'a long double that is returned is not compared' };
  const registers = place.registers.map((one) => (one >= 8 ? one : one === 0 ? result : second));
  return { ...place, registers };
}

/** st0, as `returnPlace` has it. */
const realRegister = 2;
