import { Cursor } from '../dwarf/cursor.ts';
import type { Operator, StackType, StackValue } from './stackValue.ts';
import {
  absolute,
  binary,
  converted,
  generic,
  inverted,
  negated,
  numberOf,
  typed,
} from './stackValue.ts';

/** What a DWARF expression may ask for (DWARF 5 §2.5). Null: not known. */
export interface ExpressionContext {
  /** Register by its DWARF number. */
  register(number: number): bigint | null;
  /** `bytes` 1..8 of memory, little-endian. */
  memory(address: bigint, bytes: number): bigint | null;
  /** Added to link-time addresses. */
  readonly bias: bigint;
  /** Result of DW_AT_frame_base. */
  frameBase?(): bigint | null;
  /** Canonical frame address. */
  cfa?(): bigint | null;
  /** Entry of .debug_addr. */
  addressAt?(index: number): bigint | null;
  /** What an expression gave when the function began. */
  entryValue?(expression: Uint8Array): bigint | null;
  /** How many bytes of a result are used; without it 8. */
  readonly resultBytes?: number;
  /** The base type whose entry lies at this offset of the unit; null: none to calculate with. */
  baseType?(offset: number): StackType | null;
}

/** Where a value lies, or the value itself. */
export type Location =
  | { readonly kind: 'memory'; readonly address: bigint }
  | { readonly kind: 'register'; readonly number: number }
  | { readonly kind: 'value'; readonly value: bigint }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'pieces'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'none'; readonly reason: string };

export interface Piece {
  readonly bytes: number;
  readonly location: Location;
}

const maxSteps = 10_000;
const maxStack = 256;

class Unknown extends Error {}

const op = {
  addr: 0x03,
  deref: 0x06,
  const1u: 0x08,
  const1s: 0x09,
  const2u: 0x0a,
  const2s: 0x0b,
  const4u: 0x0c,
  const4s: 0x0d,
  const8u: 0x0e,
  const8s: 0x0f,
  constu: 0x10,
  consts: 0x11,
  dup: 0x12,
  drop: 0x13,
  over: 0x14,
  pick: 0x15,
  swap: 0x16,
  rot: 0x17,
  abs: 0x19,
  and: 0x1a,
  div: 0x1b,
  minus: 0x1c,
  mod: 0x1d,
  mul: 0x1e,
  neg: 0x1f,
  not: 0x20,
  or: 0x21,
  plus: 0x22,
  plusUconst: 0x23,
  shl: 0x24,
  shr: 0x25,
  shra: 0x26,
  xor: 0x27,
  bra: 0x28,
  eq: 0x29,
  ge: 0x2a,
  gt: 0x2b,
  le: 0x2c,
  lt: 0x2d,
  ne: 0x2e,
  skip: 0x2f,
  lit0: 0x30,
  reg0: 0x50,
  breg0: 0x70,
  regx: 0x90,
  fbreg: 0x91,
  bregx: 0x92,
  piece: 0x93,
  derefSize: 0x94,
  nop: 0x96,
  formTlsAddress: 0x9b,
  callFrameCfa: 0x9c,
  implicitValue: 0x9e,
  stackValue: 0x9f,
  implicitPointer: 0xa0,
  addrx: 0xa1,
  constx: 0xa2,
  entryValue: 0xa3,
  constType: 0xa4,
  regvalType: 0xa5,
  derefType: 0xa6,
  convert: 0xa8,
  reinterpret: 0xa9,
  gnuTlsAddress: 0xe0,
  gnuImplicitPointer: 0xf2,
  gnuEntryValue: 0xf3,
  gnuConstType: 0xf4,
  gnuRegvalType: 0xf5,
  gnuDerefType: 0xf6,
  gnuConvert: 0xf7,
  gnuReinterpret: 0xf9,
  gnuAddrIndex: 0xfb,
  gnuConstIndex: 0xfc,
} as const;

const operators: ReadonlyMap<number, Operator> = new Map([
  [op.and, 'and'],
  [op.div, 'div'],
  [op.minus, 'minus'],
  [op.mod, 'mod'],
  [op.mul, 'mul'],
  [op.or, 'or'],
  [op.plus, 'plus'],
  [op.shl, 'shl'],
  [op.shr, 'shr'],
  [op.shra, 'shra'],
  [op.xor, 'xor'],
  [op.eq, 'eq'],
  [op.ge, 'ge'],
  [op.gt, 'gt'],
  [op.le, 'le'],
  [op.lt, 'lt'],
  [op.ne, 'ne'],
]);

const reasons: ReadonlyMap<number, string> = new Map([
  [op.implicitPointer, 'what it points to has no memory of its own'],
  [op.gnuImplicitPointer, 'what it points to has no memory of its own'],
  [op.formTlsAddress, 'it is in thread-local storage'],
  [op.gnuTlsAddress, 'it is in thread-local storage'],
]);

/** Where a location expression leads. Never throws: what cannot be known says why. */
export function locate(expression: Uint8Array, context: ExpressionContext): Location {
  try {
    return new Machine(expression, context, []).location();
  } catch (error) {
    if (error instanceof Unknown) return { kind: 'none', reason: error.message };
    return { kind: 'none', reason: 'its location is damaged' };
  }
}

/** The value an expression of call frame information leaves; null when it cannot be known. */
export function compute(
  expression: Uint8Array,
  context: ExpressionContext,
  initial: readonly bigint[] = [],
): bigint | null {
  try {
    return new Machine(expression, context, initial).result();
  } catch {
    return null;
  }
}

class Machine {
  readonly #cursor: Cursor;
  readonly #context: ExpressionContext;
  readonly #stack: StackValue[];
  #register: number | null = null;
  #isValue = false;
  #bytes: Uint8Array | null = null;

  constructor(expression: Uint8Array, context: ExpressionContext, initial: readonly bigint[]) {
    this.#cursor = new Cursor(expression);
    this.#context = context;
    this.#stack = initial.map(generic);
  }

  result(): bigint {
    this.#run(() => {});
    return this.#pop().bits;
  }

  location(): Location {
    const pieces: Piece[] = [];
    this.#run((bytes) => pieces.push({ bytes, location: this.#take() }));
    return pieces.length > 0 ? { kind: 'pieces', pieces } : this.#take();
  }

  #take(): Location {
    const [register, bytes, isValue] = [this.#register, this.#bytes, this.#isValue];
    this.#register = this.#bytes = null;
    this.#isValue = false;
    if (bytes !== null) return { kind: 'bytes', bytes };
    if (register !== null) return { kind: 'register', number: register };
    const top = this.#stack.pop();
    if (top === undefined) return { kind: 'none', reason: 'the compiler kept it nowhere here' };
    return isValue
      ? { kind: 'value', value: numberOf(top) }
      : { kind: 'memory', address: top.bits };
  }

  #run(onPiece: (bytes: number) => void): void {
    const cursor = this.#cursor;
    for (let steps = 0; cursor.at < cursor.bytes.length; steps++) {
      if (steps > maxSteps || this.#stack.length > maxStack) throw new RangeError('no end');
      const code = cursor.u8();
      if (code === op.piece) onPiece(cursor.uleb());
      else if (!this.#isSimple(code)) this.#arithmetic(code);
    }
  }

  /** Whether it was one of these, which is done then. */
  #isSimple(code: number): boolean {
    return (
      this.#constant(code) || this.#place(code) || this.#stackWork(code) || this.#typeWork(code)
    );
  }

  #constant(code: number): boolean {
    const cursor = this.#cursor;
    if (code >= op.lit0 && code < op.lit0 + 32) return this.#push(BigInt(code - op.lit0));
    switch (code) {
      case op.addr:
        cursor.at += 8;
        return this.#push(cursor.view.getBigUint64(cursor.at - 8, true) + this.#context.bias);
      case op.const1u:
        return this.#push(BigInt(cursor.u8()));
      case op.const1s:
        return this.#push(BigInt.asIntN(8, BigInt(cursor.u8())));
      case op.const2u:
        return this.#push(BigInt(cursor.u16()));
      case op.const2s:
        return this.#push(BigInt.asIntN(16, BigInt(cursor.u16())));
      case op.const4u:
        return this.#push(BigInt(cursor.u32()));
      case op.const4s:
        return this.#push(BigInt.asIntN(32, BigInt(cursor.u32())));
      case op.const8u:
      case op.const8s:
        cursor.at += 8;
        return this.#push(cursor.view.getBigUint64(cursor.at - 8, true));
      case op.constu:
        return this.#push(cursor.ulebExact());
      case op.consts:
        return this.#push(cursor.slebExact());
      case op.addrx:
      case op.gnuAddrIndex:
        return this.#push(this.#entryOfAddresses() + this.#context.bias);
      case op.constx:
      case op.gnuConstIndex:
        return this.#push(this.#entryOfAddresses());
      default:
        return false;
    }
  }

  /** Registers, frame and what lies relative to them. */
  #place(code: number): boolean {
    const cursor = this.#cursor;
    if (code >= op.reg0 && code < op.reg0 + 32) return this.#inRegister(code - op.reg0);
    if (code >= op.breg0 && code < op.breg0 + 32)
      return this.#push(this.#registerValue(code - op.breg0) + cursor.slebExact());
    switch (code) {
      case op.regx:
        return this.#inRegister(cursor.uleb());
      case op.bregx:
        return this.#push(this.#registerValue(cursor.uleb()) + cursor.slebExact());
      case op.fbreg: {
        const base = this.#context.frameBase?.() ?? null;
        if (base === null) throw new Unknown('its frame is not known');
        return this.#push(base + cursor.slebExact());
      }
      case op.callFrameCfa: {
        const cfa = this.#context.cfa?.() ?? null;
        if (cfa === null) throw new Unknown('its frame is not known');
        return this.#push(cfa);
      }
      case op.implicitValue: {
        const length = cursor.uleb();
        this.#bytes = cursor.bytes.slice(cursor.at, cursor.at + length);
        cursor.advance(length);
        return true;
      }
      case op.entryValue:
      case op.gnuEntryValue: {
        const length = cursor.uleb();
        const expression = cursor.bytes.slice(cursor.at, cursor.at + length);
        cursor.advance(length);
        const value = this.#context.entryValue?.(expression) ?? null;
        if (value === null) throw new Unknown('kept at the call only');
        return this.#push(value);
      }
      case op.stackValue:
        this.#isValue = true;
        return true;
      default:
        return false;
    }
  }

  #stackWork(code: number): boolean {
    const stack = this.#stack;
    switch (code) {
      case op.dup:
        return this.#copy(0);
      case op.drop:
        this.#pop();
        return true;
      case op.over:
        return this.#copy(1);
      case op.pick:
        return this.#copy(this.#cursor.u8());
      case op.swap: {
        const [a, b] = [this.#pop(), this.#pop()];
        stack.push(a, b);
        return true;
      }
      case op.rot: {
        const [a, b, c] = [this.#pop(), this.#pop(), this.#pop()];
        stack.push(a, c, b);
        return true;
      }
      case op.deref:
        return this.#push(this.#load(8));
      case op.derefSize:
        return this.#push(this.#load(this.#cursor.u8()));
      case op.skip: {
        const distance = this.#i16();
        this.#cursor.at += distance;
        return true;
      }
      case op.bra: {
        const distance = this.#i16();
        if (this.#pop().bits !== 0n) this.#cursor.at += distance;
        return true;
      }
      case op.nop:
        return true;
      default:
        return false;
    }
  }

  /** What has a type or gives one (DWARF 5 §2.5.1.6). */
  #typeWork(code: number): boolean {
    const cursor = this.#cursor;
    switch (code) {
      case op.constType:
      case op.gnuConstType: {
        const type = this.#typeAt(cursor.uleb());
        const bytes = cursor.u8();
        if (bytes !== type.bytes) throw new RangeError('a constant of another size');
        let bits = 0n;
        for (let i = 0; i < bytes; i++) bits |= BigInt(cursor.u8()) << BigInt(8 * i);
        return this.#pushValue(typed(bits, type));
      }
      case op.regvalType:
      case op.gnuRegvalType: {
        const bits = this.#registerValue(cursor.uleb());
        return this.#pushValue(typed(bits, this.#typeAt(cursor.uleb())));
      }
      case op.derefType:
      case op.gnuDerefType: {
        const bits = this.#load(cursor.u8());
        return this.#pushValue(typed(bits, this.#typeAt(cursor.uleb())));
      }
      case op.convert:
      case op.gnuConvert:
        return this.#pushValue(converted(this.#pop(), this.#typeOrGeneric()));
      case op.reinterpret:
      case op.gnuReinterpret: {
        const value = this.#pop();
        const type = this.#typeOrGeneric();
        if ((type?.bytes ?? 8) !== (value.type?.bytes ?? 8))
          throw new RangeError('a value of another size');
        return this.#pushValue(typed(value.bits, type));
      }
      default:
        return false;
    }
  }

  #arithmetic(code: number): void {
    switch (code) {
      case op.plusUconst: {
        const value = this.#pop();
        this.#pushValue(typed(value.bits + this.#cursor.ulebExact(), value.type));
        return;
      }
      case op.neg:
        this.#pushValue(negated(this.#pop()));
        return;
      case op.abs:
        this.#pushValue(absolute(this.#pop()));
        return;
      case op.not:
        this.#pushValue(inverted(this.#pop()));
        return;
    }
    const operator = operators.get(code);
    if (operator === undefined)
      throw new Unknown(reasons.get(code) ?? 'its location is of a kind that is not read');
    const [right, left] = [this.#pop(), this.#pop()];
    if ((operator === 'div' || operator === 'mod') && this.#isOfUnknownSign(left))
      throw new Unknown('the compiler does not say with which sign it is divided');
    this.#pushValue(binary(operator, left, right));
  }

  /**
   * GCC 12 and LLVM 14 divide the register that holds a number of 32 bits, whose upper half is anything (psABI §3.2.3): of
   * -70001 / 7 comes 613556756, in gdb too.
   */
  #isOfUnknownSign({ bits, type }: StackValue): boolean {
    const isNarrow = (this.#context.resultBytes ?? 8) <= 4;
    return isNarrow && type === null && BigInt.asIntN(32, bits) !== BigInt.asIntN(64, bits);
  }

  #inRegister(number: number): boolean {
    this.#register = number;
    // A frame base given as a register means its content.
    return true;
  }

  #registerValue(number: number): bigint {
    const value = this.#context.register(number);
    if (value === null) throw new Unknown('the register it depends on was not kept');
    return value;
  }

  /** Memory at the address on top of the stack, which is taken off. */
  #load(bytes: number): bigint {
    const value = this.#context.memory(this.#pop().bits, bytes);
    if (value === null) throw new Unknown('the memory it depends on was not kept');
    return value;
  }

  #entryOfAddresses(): bigint {
    const value = this.#context.addressAt?.(this.#cursor.uleb()) ?? null;
    if (value === null) throw new Unknown('its address is described elsewhere');
    return value;
  }

  /** DW_OP_convert and DW_OP_reinterpret name the generic type as 0. */
  #typeOrGeneric(): StackType | null {
    const offset = this.#cursor.uleb();
    return offset === 0 ? null : this.#typeAt(offset);
  }

  #typeAt(offset: number): StackType {
    const type = this.#context.baseType?.(offset) ?? null;
    if (type === null) throw new Unknown('it is computed from a type that is not read');
    return type;
  }

  #i16(): number {
    return (this.#cursor.u16() << 16) >> 16;
  }

  #push(value: bigint): boolean {
    return this.#pushValue(generic(value));
  }

  #pushValue(value: StackValue): boolean {
    this.#stack.push(value);
    return true;
  }

  #pop(): StackValue {
    const value = this.#stack.pop();
    if (value === undefined) throw new RangeError('the stack is empty');
    return value;
  }

  /** Pushes what lies so many values below the top. */
  #copy(back: number): boolean {
    const value = this.#stack.at(-1 - back);
    if (value === undefined) throw new RangeError('the stack is empty');
    return this.#pushValue(value);
  }
}
