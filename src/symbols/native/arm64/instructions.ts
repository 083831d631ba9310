import type { Access } from '../processorRules.ts';

/** Each. */
export const instructionBytes = 4;

const stack = 31;
const word = (1n << 64n) - 1n;

function instructionAt(code: Uint8Array, at: number): number {
  if (at + instructionBytes > code.length) return 0;
  return new DataView(code.buffer, code.byteOffset, code.length).getUint32(at, true);
}

/** bl, blr and those that authenticate (Arm ARM C6.2). */
export function isCall(before: Uint8Array): boolean {
  const found = instructionAt(before, before.length - instructionBytes);
  const isDirect = found >>> 26 === 0b100101;
  const isIndirect = (found & 0xfffffc1f) >>> 0 === 0xd63f0000;
  const isAuthenticated = (found & 0xfefff800) >>> 0 === 0xd63f0800;
  return isDirect || isIndirect || isAuthenticated;
}

/**
 * What the instruction at the beginning of `code` accesses in memory, `registers` as it begins: loads and stores of
 * one register or two, those of atomics, br, blr and ret (Arm ARM C4.1). Null where that is not known: relative to
 * the instruction, several vectors at once, SVE.
 */
export function accessOf(code: Uint8Array, registers: readonly (bigint | null)[]): Access | null {
  const found = instructionAt(code, 0);
  const jump = jumpOf(found, registers);
  if (jump !== null) return jump;
  const base = registers[(found >>> 5) & 31] ?? null;
  const offset = isMemory(found) ? offsetOf(found, registers) : null;
  if (base === null || offset === null) return null;
  return { addresses: [(base + offset) & word], alignment: alignmentOf(found), jump: null };
}

/** br, blr, ret, and those that authenticate. */
function jumpOf(found: number, registers: readonly (bigint | null)[]): Access | null {
  if (found >>> 25 !== 0b1101011) return null;
  const isReturn = ((found >>> 21) & 0xf) === 2;
  const isSigned = (found & 0x800) !== 0;
  const number = isReturn && isSigned ? 30 : (found >>> 5) & 31;
  const value = number === stack ? null : (registers[number] ?? null);
  const to = value !== null && isSigned ? value & ((1n << 48n) - 1n) : value;
  return { addresses: [], alignment: 1, jump: { isReturn, to } };
}

/** Loads and stores but literal ones and those of several structures. */
function isMemory(found: number): boolean {
  const isGroup = (found & 0x0a000000) === 0x08000000;
  const isLiteral = (found & 0x3b000000) === 0x18000000;
  const isStructures = (found & 0xbe000000) >>> 0 === 0x0c000000;
  return isGroup && !isLiteral && !isStructures;
}

/** From the base register; null where it is not known. */
function offsetOf(found: number, registers: readonly (bigint | null)[]): bigint | null {
  const isPair = (found & 0x3a000000) === 0x28000000;
  if (isPair) return pairOffset(found);
  if ((found & 0x3f000000) === 0x08000000) return 0n; // exclusive and ordered ones
  if ((found & 0x3a000000) !== 0x38000000) return null;
  const scale = BigInt(scaleOf(found));
  if ((found & 0x01000000) !== 0) return BigInt((found >>> 10) & 0xfff) << scale;
  const kind = (found >>> 10) & 3;
  if ((found & 0x00200000) === 0) {
    // Written back after the access.
    if (kind === 1) return 0n;
    return BigInt((found << 11) >> 23);
  }
  if (kind === 0) return 0n; // atomics
  return kind === 2 ? indexOf(found, registers, scale) : null;
}

function pairOffset(found: number): bigint {
  const isAfter = ((found >>> 23) & 3) === 1;
  const isVector = (found & 0x04000000) !== 0;
  const size = found >>> 30;
  const scale = isVector ? size + 2 : size === 2 ? 3 : 2;
  return isAfter ? 0n : BigInt((found << 10) >> 25) << BigInt(scale);
}

/** log2 of the bytes of one register. */
function scaleOf(found: number): number {
  const isWhole = (found & 0x04000000) !== 0 && (found & 0x00800000) !== 0;
  return isWhole && found >>> 30 === 0 ? 4 : found >>> 30;
}

function indexOf(
  found: number,
  registers: readonly (bigint | null)[],
  scale: bigint,
): bigint | null {
  const number = (found >>> 16) & 31;
  const value = number === stack ? 0n : (registers[number] ?? null);
  if (value === null) return null;
  const option = (found >>> 13) & 7;
  const narrow = value & 0xffffffffn;
  const extended =
    option === 2 ? narrow : option === 6 ? BigInt.asIntN(32, narrow) : BigInt.asIntN(64, value);
  return (found & 0x1000) === 0 ? extended : extended << scale;
}

/** Exclusive and ordered accesses and atomics must be aligned; of pairs the whole. */
function alignmentOf(found: number): number {
  const size = 1 << (found >>> 30);
  if ((found & 0x3f000000) === 0x08000000)
    return (found & 0x00a00000) === 0x00200000 ? size * 2 : size;
  const isAtomic = (found & 0x3b200c00) === 0x38200000;
  return isAtomic ? size : 1;
}

/** adr, and adrp with an add of what is written in it. */
export function takenAddresses(code: Uint8Array, address: number): number[] {
  const pages = new Map<number, number>();
  const taken: number[] = [];
  for (let at = 0; at + instructionBytes <= code.length; at += instructionBytes) {
    const found = instructionAt(code, at);
    const register = found & 31;
    const offset = (((found << 8) >> 13) << 2) | ((found >>> 29) & 3);
    if ((found & 0x9f000000) >>> 0 === 0x10000000) taken.push(address + at + offset);
    else if ((found & 0x9f000000) >>> 0 === 0x90000000)
      pages.set(register, address + at - ((address + at) % 4096) + offset * 4096);
    else if ((found & 0xffc00000) >>> 0 === 0x91000000) {
      const page = pages.get((found >>> 5) & 31);
      if (page !== undefined) taken.push(page + ((found >>> 10) & 0xfff));
    }
  }
  return taken;
}
