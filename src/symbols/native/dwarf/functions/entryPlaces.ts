import type { Place } from '../../../../model/values/valueType.ts';
import { firstVector as firstOfParts } from '../../abi/registerFile.ts';
import type { ProcessorRules } from '../../processorRules.ts';
import { rulesOfMachine } from '../../machineRules.ts';
import { attribute } from '../constants.ts';
import { Cursor } from '../cursor.ts';
import type { DebugInfo } from '../debugInfo.ts';
import { isLlvm, rustcOf, type Unit } from '../unitTable.ts';
import type { Entry } from '../entry.ts';

const vectors = 8;
/** Where a build that does not optimise has stored what it was passed, as far as many parameters reach; and others. */
const longestPrologue = { plain: 256, optimised: 48 };
const operation = {
  deref: 0x06,
  reg0: 0x50,
  reg31: 0x6f,
  breg0: 0x70,
  breg31: 0x8f,
  fbreg: 0x91,
  regx: 0x90,
  piece: 0x93,
} as const;

/** A register of an expression, or null for a piece that is nowhere. */
type Piece = number | null;

/**
 * LLVM removes arguments of functions that only its own unit calls, and passes the others in other
 * registers; it says where they are. GCC renames such functions (`.isra`, `.constprop`).
 */
export function movesArguments(unit: Unit): boolean {
  return isLlvm(unit);
}

/** From these on LLVM says of a function whose signature it changed that it did (DW_CC_nocall). */
const telling = { clang: 17, rustc: 73 } as const;

/** Whether LLVM may have removed the result of a function only its own unit calls, because nobody uses it, and not say so. */
export function hidesChanges(unit: Unit): boolean {
  if (!isLlvm(unit)) return false;
  const rustc = rustcOf(unit);
  if (rustc !== null) return rustc < telling.rustc;
  const [, major = '0'] = /clang version (\d+)/.exec(unit.producer) ?? [];
  return Number(major) < telling.clang;
}

/**
 * The place of a parameter at its function's first instruction, when `expected` is what the calling convention
 * says. `isChangeable`: it was optimised, so a value all callers agree on may not be passed at all.
 */
export function placeAtEntry(
  info: DebugInfo,
  { unit, entry }: { readonly unit: Unit; readonly entry: Entry },
  expected: Place,
  { address, isChangeable }: { readonly address: number; readonly isChangeable: boolean },
): Place {
  const rules = rulesOfMachine(info.machine);
  if (expected.kind === 'none') return expected;
  if (rules === null) return unsaid;
  if (isOnStack(expected))
    return !isChangeable || isStillOnStack(info, { unit, entry }, address, rules)
      ? expected
      : unsaid;
  const expression = info.expression(unit, entry, attribute.location, address);
  if (expression === null || expression.length === 0)
    return isToldLater(info, { unit, entry }, expected, { address, isChangeable })
      ? expected
      : removed;
  if (expected.kind === 'address')
    return addressAt(expression, expected, rules, isChangeable ? unsaid : expected);
  const pieces = registersOf(expression);
  // In memory: a build that does not optimise stores what came in the register; another may know what came.
  if (pieces === null) return isChangeable ? unsaid : expected;
  return pieces.includes(null) ? removed : (placeOf(pieces, expected, rules) ?? removed);
}

/** A build that does not optimise says where a place is only once it has made its frame. */
function isToldLater(
  info: DebugInfo,
  { unit, entry }: { readonly unit: Unit; readonly entry: Entry },
  expected: Place,
  { address, isChangeable }: { readonly address: number; readonly isChangeable: boolean },
): boolean {
  const rules = rulesOfMachine(info.machine);
  const last = address + longestPrologue[isChangeable ? 'optimised' : 'plain'];
  if (rules === null) return false;
  for (let later = address + 1; later <= last; later++) {
    const found = info.expression(unit, entry, attribute.location, later);
    if (!found) continue;
    if (isThere(found, expected, rules)) return true;
    if (!isChangeable && expected.kind === 'address' && isAddressInFrame(found, rules)) return true;
  }
  return false;
}

/**
 * The same of a function that others call too, which LLVM keeps to the convention. But who calls it may know that
 * it does not use a parameter, and pass anything.
 */
export function placeOfVisible({ entry }: { readonly entry: Entry }, expected: Place): Place {
  return expected.kind === 'none' || entry.has(attribute.location) ? expected : unsaid;
}

/** Whether an object lies at the address in the register that is expected. */
function isThere(
  expression: Uint8Array,
  place: Place,
  { argumentRegisters }: ProcessorRules,
): boolean {
  if (place.kind !== 'address' && place.kind !== 'integer') return false;
  const expected = argumentRegisters[place.register ?? -1];
  const found = (expression[0] ?? 0) - operation.breg0;
  return expression.length === 2 && expression[1] === 0 && found === expected;
}

/** Whether an object lies at an address that is stored in the frame, as a build that does not optimise may do at once. */
function isAddressInFrame(expression: Uint8Array, { frameRegisters }: ProcessorRules): boolean {
  const cursor = new Cursor(expression, 0);
  const base = cursor.u8() - operation.breg0;
  if (!frameRegisters.includes(base)) return false;
  cursor.sleb();
  return cursor.at === expression.length - 1 && cursor.u8() === operation.deref;
}

function isOnStack(place: Place): boolean {
  const isAddress = place.kind === 'address' && place.register === null;
  return place.kind === 'stack' || place.kind === 'memory' || isAddress;
}

/** Whether an argument on the stack is said to be there, or in a register that it has been loaded to. */
function isStillOnStack(
  info: DebugInfo,
  { unit, entry }: { readonly unit: Unit; readonly entry: Entry },
  address: number,
  { frameRegisters }: ProcessorRules,
): boolean {
  for (let at = address; at <= address + longestPrologue.optimised; at++) {
    const found = info.expression(unit, entry, attribute.location, at);
    const code = found?.[0];
    if (!found || code === undefined) continue;
    const isInFrame = code === operation.fbreg || frameRegisters.includes(code - operation.breg0);
    return isInFrame || (at > address && registersOf(found) !== null);
  }
  return false;
}

/**
 * The place of a parameter of a copy that gcc made with another signature (`.isra`, `.constprop`): the registers it
 * says the parameter is in when the function is called. Of parameters that the copy does not have gcc says where they
 * would have been, as from a statement without instructions.
 */
export function placeInCopy(
  info: DebugInfo,
  { unit, entry }: { readonly unit: Unit; readonly entry: Entry },
  expected: Place,
  address: number,
): Place {
  const rules = rulesOfMachine(info.machine);
  if (expected.kind === 'none') return expected;
  if (rules === null || isOnStack(expected) || !info.beginsAtInstruction(unit, entry))
    return unsaid;
  const expression = info.expression(unit, entry, attribute.location, address);
  if (expression === null || expression.length === 0) return removed;
  if (expected.kind === 'address') return addressAt(expression, expected, rules, unsaid);
  const pieces = registersOf(expression);
  if (pieces === null || pieces.includes(null)) return unsaid;
  return placeOf(pieces, expected, rules) ?? unsaid;
}

/** Of places that LLVM may have changed: where it did, those on the stack are others than the convention says. */
export function withoutStack(places: readonly Place[]): readonly Place[] {
  return places.map((place) => (isOnStack(place) ? unsaid : place));
}

export function isSamePlace(one: Place, other: Place | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** An object whose address is in a register; elsewhere than expected when LLVM moved it. */
function addressAt(
  expression: Uint8Array,
  expected: Extract<Place, { kind: 'address' }>,
  { argumentRegisters }: ProcessorRules,
  inFrame: Place,
): Place {
  const code = expression[0] ?? 0;
  const isInRegister =
    expression.length === 2 &&
    expression[1] === 0 &&
    code >= operation.breg0 &&
    code <= operation.breg31;
  if (!isInRegister) return registersOf(expression) === null ? inFrame : removed;
  const register = argumentRegisters.indexOf(code - operation.breg0);
  // Anything but a parameter's register is the frame, where it was stored.
  return register < 0 ? inFrame : { ...expected, register, offset: 0 };
}

export const otherwise: Place = {
  kind: 'none',
  reason: 'the function is not called by the convention of this system',
};

/**
 * Whether gcc says that a parameter is passed elsewhere than the convention has it: in another register, or on the
 * caller's stack. It says nothing else of a function's convention (ms_abi, sysv_abi).
 */
export function isPassedOtherwise(
  info: DebugInfo,
  { unit, entry }: { readonly unit: Unit; readonly entry: Entry },
  expected: Place | undefined,
  address: number,
): boolean {
  const rules = rulesOfMachine(info.machine);
  if (expected?.kind !== 'integer' || rules === null || movesArguments(unit)) return false;
  const expression = info.expression(unit, entry, attribute.location, address);
  if (!expression || expression.length === 0) return false;
  // From the canonical frame address on lies what the caller left.
  if (expression[0] === operation.fbreg) return new Cursor(expression, 1).sleb() >= 0;
  const [register, ...more] = registersOf(expression) ?? [null];
  const found = rules.argumentRegisters.indexOf(register ?? -1);
  return more.length === 0 && found >= 0 && found !== expected.register;
}

export const unsaid: Place = {
  kind: 'none',
  reason: 'the compiler removed it, or does not say where it is',
};
export const removed: Place = { kind: 'none', reason: 'the compiler removed it' };

function placeOf(pieces: readonly Piece[], expected: Place, rules: ProcessorRules): Place | null {
  const { argumentRegisters, firstVector } = rules;
  const [first, second] = pieces.map((piece) => argumentRegisters.indexOf(piece ?? -1));
  switch (expected.kind) {
    case 'integer':
      return first === undefined || first < 0 ? null : { kind: 'integer', register: first };
    case 'pair': {
      const isPair = pieces.length === 2 && first !== undefined && second !== undefined;
      return isPair && first >= 0 && second >= 0 ? { kind: 'pair', first, second } : null;
    }
    case 'parts': {
      const registers = pieces.map((piece) => numberOf(piece ?? -1, rules));
      const isWhole = registers.length === expected.registers.length && !registers.includes(-1);
      return isWhole ? { ...expected, registers } : null;
    }
    default: {
      const register = (pieces[0] ?? -1) - firstVector;
      return register >= 0 && register < vectors ? { kind: 'float', register } : null;
    }
  }
}

/** A register of a value in parts, or -1. */
function numberOf(register: number, { argumentRegisters, firstVector }: ProcessorRules): number {
  const vector = register - firstVector;
  return vector >= 0 && vector < vectors
    ? firstOfParts + vector
    : argumentRegisters.indexOf(register);
}

/** Null when the expression is more than registers. */
function registersOf(expression: Uint8Array): Piece[] | null {
  const cursor = new Cursor(expression, 0);
  const pieces: Piece[] = [];
  let current: Piece = null;
  let isOpen = false;
  while (cursor.at < expression.length) {
    const code = cursor.u8();
    if (code >= operation.reg0 && code <= operation.reg31) {
      current = code - operation.reg0;
      isOpen = true;
    } else if (code === operation.regx) {
      current = cursor.uleb();
      isOpen = true;
    } else if (code === operation.piece) {
      cursor.skipLeb();
      pieces.push(current);
      current = null;
      isOpen = false;
    } else return null;
  }
  if (isOpen) pieces.push(current);
  return pieces;
}
