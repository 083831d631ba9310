import type { Access } from '../processorRules.ts';

/** Longest instruction. */
export const instructionBytes = 15;

/** Numbers of registers in DWARF (System V x86-64 ABI §3.6.2), by their number in instructions. */
const registerNumbers = [0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15];
const number = { stack: 4, base: 5, source: 6, destination: 7 } as const;
const word = (1n << 64n) - 1n;

interface Prefixes {
  readonly at: number;
  /** 0x66, 0xf2, 0xf3, or 0: the last one. */
  readonly kind: number;
  readonly rex: number;
  /** A segment whose beginning is not known. */
  readonly hasSegment: boolean;
}

/**
 * What the instruction at the beginning of `code` accesses in memory (Intel SDM volume 2, chapter 2), `registers` as
 * it begins, by their numbers of DWARF. Null where that is not known: no memory, EVEX, addresses that depend on the
 * instruction's own or on a segment.
 */
export function accessOf(code: Uint8Array, registers: readonly (bigint | null)[]): Access | null {
  const prefixes = prefixesOf(code);
  if (prefixes.hasSegment) return null;
  const register = (one: number): bigint | null => registers[registerNumbers[one] ?? -1] ?? null;
  const opcode = code[prefixes.at] ?? 0;
  switch (opcode) {
    case 0xc4:
    case 0xc5:
      return vectorAccess(code, prefixes.at, register);
    case 0xc2:
    case 0xc3:
      return single(register(number.stack), 1, { isReturn: true, to: null });
    case 0x0f:
      return longAccess(code, prefixes, register);
    default:
  }
  if (copies.has(opcode)) return copyAccess(opcode, register);
  const at = prefixes.at + 1;
  if (opcode === 0xff && [2, 4].includes(((code[at] ?? 0) >> 3) & 7))
    return indirectJump(code, at, prefixes.rex, register);
  return isWithOperand(opcode) ? single(operand(code, at, prefixes.rex, register), 1) : null;
}

/** Instructions of two and three bytes. */
function longAccess(
  code: Uint8Array,
  prefixes: Prefixes,
  register: (one: number) => bigint | null,
): Access | null {
  const map = code[prefixes.at + 1] ?? 0;
  const isLong = map === 0x38 || map === 0x3a;
  const at = prefixes.at + (isLong ? 3 : 2);
  const last = code[at - 1] ?? 0;
  if (!isLong && !hasOperand(last)) return null;
  const alignment = alignmentOf(prefixes.kind, isLong ? map : 0, last);
  return single(operand(code, at, prefixes.rex, register), alignment);
}

function single(
  address: bigint | null,
  alignment: number,
  jump: Access['jump'] = null,
): Access | null {
  return address === null ? null : { addresses: [address & word], alignment, jump };
}

/** A call or jump by a register or by a word in memory. */
function indirectJump(
  code: Uint8Array,
  at: number,
  rex: number,
  register: (one: number) => bigint | null,
): Access | null {
  const modes = code[at] ?? 0;
  if (modes >> 6 !== 3)
    return single(operand(code, at, rex, register), 1, { isReturn: false, to: null });
  const to = register((modes & 7) + ((rex & 1) << 3));
  return { addresses: [], alignment: 1, jump: { isReturn: false, to } };
}

function prefixesOf(code: Uint8Array): Prefixes {
  let at = 0;
  let kind = 0;
  let hasSegment = false;
  for (; at < instructionBytes; at++) {
    const byte = code[at] ?? 0;
    if (byte === 0x66 || byte === 0xf2 || byte === 0xf3)
      kind = byte === 0x66 && kind !== 0 ? kind : byte;
    else if (byte === 0x64 || byte === 0x65) hasSegment = true;
    else if (![0x26, 0x2e, 0x36, 0x3e, 0xf0].includes(byte)) break;
  }
  const rex = code[at] ?? 0;
  const isRex = rex >= 0x40 && rex <= 0x4f;
  return { at: isRex ? at + 1 : at, kind, rex: isRex ? rex : 0, hasSegment };
}

const copies: ReadonlySet<number> = new Set([
  0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf,
]);

/** movs, cmps, stos, lods, scas: they go through memory by rsi and rdi. */
function copyAccess(opcode: number, register: (one: number) => bigint | null): Access | null {
  const [source, destination] = [register(number.source), register(number.destination)];
  const isBoth = opcode <= 0xa7;
  const isSource = opcode === 0xac || opcode === 0xad;
  const used = isBoth ? [source, destination] : [isSource ? source : destination];
  const addresses = used.filter((address) => address !== null);
  return addresses.length === used.length ? { addresses, alignment: 1, jump: null } : null;
}

/** Instructions of AVX with a two- or three-byte prefix. */
function vectorAccess(
  code: Uint8Array,
  at: number,
  register: (one: number) => bigint | null,
): Access | null {
  const [first = 0, second = 0] = [code[at + 1], code[at + 2]];
  const isShort = code[at] === 0xc5;
  const inverted = ~first & 0xe0;
  // The bits of the registers' numbers as in REX: 4 of the operand, 2 of the index, 1 of the base.
  const rex = isShort ? (inverted >> 5) & 4 : inverted >> 5;
  const last = isShort ? first : second;
  const opcode = code[at + (isShort ? 2 : 3)] ?? 0;
  const isFirstMap = isShort || (first & 31) === 1;
  const isWhole = (last & 3) <= 1;
  const isMove = opcode === 0x28 || opcode === 0x29 || opcode === 0x2b || opcode === 0xe7;
  const isInteger = (opcode === 0x6f || opcode === 0x7f) && (last & 3) === 1;
  const isAligned = isFirstMap && ((isMove && isWhole) || isInteger);
  const bytes = (last & 4) === 0 ? 16 : 32;
  const address = operand(code, at + (isShort ? 3 : 4), rex, register);
  return single(address, isAligned ? bytes : 1);
}

/** The address of a ModRM operand in memory; null for a register or one relative to the instruction. */
function operand(
  code: Uint8Array,
  at: number,
  rex: number,
  register: (one: number) => bigint | null,
): bigint | null {
  const modes = code[at] ?? 0;
  const [mode, low] = [modes >> 6, modes & 7];
  if (mode === 3 || (mode === 0 && low === number.base)) return null;
  let next = at + 1;
  let base: bigint | null;
  let index: bigint | null = 0n;
  let hasBase = true;
  if (low === number.stack) {
    const scaled = code[next++] ?? 0;
    const indexNumber = ((scaled >> 3) & 7) + ((rex & 2) << 2);
    if (indexNumber !== number.stack) {
      const value = register(indexNumber);
      index = value === null ? null : value << BigInt(scaled >> 6);
    }
    hasBase = !((scaled & 7) === number.base && mode === 0);
    base = hasBase ? register((scaled & 7) + ((rex & 1) << 3)) : 0n;
  } else base = register(low + ((rex & 1) << 3));
  if (base === null || index === null) return null;
  const view = new DataView(code.buffer, code.byteOffset, code.length);
  const length = mode === 1 ? 1 : mode === 2 || !hasBase ? 4 : 0;
  if (next + length > code.length) return null;
  const offset = length === 1 ? view.getInt8(next) : length === 4 ? view.getInt32(next, true) : 0;
  return base + index + BigInt(offset);
}

/** Whether an instruction of one byte has a ModRM operand. */
function isWithOperand(opcode: number): boolean {
  if (opcode < 0x40) return (opcode & 7) < 4;
  const isGroup =
    (opcode >= 0x80 && opcode <= 0x8f) ||
    (opcode >= 0xd0 && opcode <= 0xd3) ||
    (opcode >= 0xd8 && opcode <= 0xdf);
  const others = [0x63, 0x69, 0x6b, 0xc0, 0xc1, 0xc6, 0xc7, 0xf6, 0xf7, 0xfe, 0xff];
  return isGroup || others.includes(opcode);
}

/** The same of one of two bytes, by the second. */
function hasOperand(opcode: number): boolean {
  const isWithout =
    (opcode >= 0x05 && opcode <= 0x0b) ||
    (opcode >= 0x30 && opcode <= 0x37) ||
    (opcode >= 0x80 && opcode <= 0x8f) ||
    (opcode >= 0xc8 && opcode <= 0xcf);
  return !isWithout && ![0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa].includes(opcode);
}

/** Operands of SSE must be aligned but for those of moves that say otherwise, parts of a register, and scalars. */
function alignmentOf(prefix: number, map: number, opcode: number): number {
  if (prefix === 0xf2 || prefix === 0xf3) return 1;
  const isDouble = prefix === 0x66;
  if (map !== 0) return isDouble && (map === 0x3a || opcode < 0x20 || opcode > 0x35) ? 16 : 1;
  const isInteger =
    isDouble &&
    ((opcode >= 0x60 && opcode <= 0x7f && opcode !== 0x6e && opcode !== 0x7e) ||
      (opcode >= 0xd0 && opcode !== 0xd6));
  return isInteger || ofFloats.has(opcode) ? 16 : 1;
}

/** Moves that ask for it, then arithmetic of four or two numbers at once. */
const ofFloats: ReadonlySet<number> = new Set([
  0x28, 0x29, 0x2b, 0x14, 0x15, 0xc2, 0xc6, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
  0x5b, 0x5c, 0x5d, 0x5e, 0x5f,
]);
