/** A base type as a DWARF expression names it (DWARF 5 §2.5.1.6). */
export interface StackType {
  readonly kind: 'signed' | 'unsigned' | 'float';
  /** 1 to 8. */
  readonly bytes: number;
}

/** What is on the stack of an expression: bits with their type. */
export interface StackValue {
  /** Not negative, within the bytes of the type. */
  readonly bits: bigint;
  /** Null: the generic type, an address of either sign (DWARF 5 §2.5.1). */
  readonly type: StackType | null;
}

/** DW_OP_abs, neg and not; the others are of two values (DWARF 5 §2.5.1.4, §2.5.1.5). */
export type Operator =
  | 'and'
  | 'div'
  | 'minus'
  | 'mod'
  | 'mul'
  | 'or'
  | 'plus'
  | 'shl'
  | 'shr'
  | 'shra'
  | 'xor'
  | 'eq'
  | 'ge'
  | 'gt'
  | 'le'
  | 'lt'
  | 'ne';

/** Of any number. */
export function generic(value: bigint): StackValue {
  return { bits: BigInt.asUintN(64, value), type: null };
}

/** Bits of at least the type's size, as it. */
export function typed(bits: bigint, type: StackType | null): StackValue {
  return { bits: BigInt.asUintN(bitsOf(type), bits), type };
}

/** The number with its sign, as far as its type has one; bits of a floating-point number as they are. */
export function numberOf({ bits, type }: StackValue): bigint {
  return type?.kind === 'signed' ? BigInt.asIntN(bitsOf(type), bits) : bits;
}

/** DW_OP_convert: the same number in another type. Throws a RangeError where it has none. */
export function converted(value: StackValue, type: StackType | null): StackValue {
  if (isFloat(value)) {
    const float = floatOf(value);
    return type?.kind === 'float' ? ofFloat(float, type) : typed(BigInt(Math.trunc(float)), type);
  }
  return type?.kind === 'float'
    ? ofFloat(Number(value.type === null ? signed(value) : numberOf(value)), type)
    : typed(value.type === null ? signed(value) : numberOf(value), type);
}

export function negated(value: StackValue): StackValue {
  return isFloat(value) ? ofFloat(-floatOf(value), value.type) : typed(-signed(value), value.type);
}

export function absolute(value: StackValue): StackValue {
  if (isFloat(value)) return ofFloat(Math.abs(floatOf(value)), value.type);
  return value.type?.kind === 'unsigned' || signed(value) >= 0n ? value : negated(value);
}

export function inverted(value: StackValue): StackValue {
  return typed(~value.bits, value.type);
}

/** Throws a RangeError for values of two types, and for a division by zero. */
export function binary(operator: Operator, left: StackValue, right: StackValue): StackValue {
  if (isShift(operator)) return shifted(operator, left, right);
  const type = commonType(left.type, right.type);
  if (isFloat(left) && isFloat(right)) return ofFloats(operator, left, right);
  // The generic type is signed where that matters, but for the rest of a division.
  const [a, b] =
    type?.kind === 'unsigned' ? [left.bits, right.bits] : [signed(left), signed(right)];
  switch (operator) {
    case 'and':
      return typed(a & b, type);
    case 'or':
      return typed(a | b, type);
    case 'xor':
      return typed(a ^ b, type);
    case 'plus':
      return typed(a + b, type);
    case 'minus':
      return typed(a - b, type);
    case 'mul':
      return typed(a * b, type);
    case 'div':
      return typed(a / b, type);
    case 'mod':
      return typed(type === null ? left.bits % right.bits : a % b, type);
    default:
      return truth(compared(operator, a, b));
  }
}

/** The same of both; LLVM writes constants without a type beside numbers of 64 bits. */
function commonType(a: StackType | null, b: StackType | null): StackType | null {
  if (a?.kind === b?.kind && a?.bytes === b?.bytes) return a;
  const only = a === null ? b : b === null ? a : null;
  if (only?.bytes === 8 && only.kind !== 'float') return only;
  throw new RangeError('an operation of two types');
}

type Shift = 'shl' | 'shr' | 'shra';

function isShift(operator: Operator): operator is Shift {
  return operator === 'shl' || operator === 'shr' || operator === 'shra';
}

function shifted(operator: Shift, left: StackValue, right: StackValue): StackValue {
  const most = BigInt(bitsOf(left.type));
  const by = right.bits > most ? most : right.bits;
  switch (operator) {
    case 'shl':
      return typed(left.bits << by, left.type);
    case 'shr':
      return typed(left.bits >> by, left.type);
    case 'shra':
      return typed(signed(left) >> by, left.type);
  }
}

interface FloatValue extends StackValue {
  readonly type: StackType;
}

function isFloat(value: StackValue): value is FloatValue {
  return value.type?.kind === 'float';
}

function floatOf({ bits, type }: FloatValue): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits, true);
  if (type.bytes === 8) return view.getFloat64(0, true);
  if (type.bytes === 4) return view.getFloat32(0, true);
  throw new RangeError('a floating-point number of another size');
}

function ofFloat(value: number, type: StackType): StackValue {
  const view = new DataView(new ArrayBuffer(8));
  if (type.bytes === 8) view.setFloat64(0, value, true);
  else if (type.bytes === 4) view.setFloat32(0, value, true);
  else throw new RangeError('a floating-point number of another size');
  return { bits: view.getBigUint64(0, true), type };
}

function ofFloats(operator: Operator, left: FloatValue, right: FloatValue): StackValue {
  const [a, b] = [floatOf(left), floatOf(right)];
  switch (operator) {
    case 'plus':
      return ofFloat(a + b, left.type);
    case 'minus':
      return ofFloat(a - b, left.type);
    case 'mul':
      return ofFloat(a * b, left.type);
    case 'div':
      return ofFloat(a / b, left.type);
    default:
      return truth(compared(operator, a, b));
  }
}

function compared<T extends bigint | number>(operator: Operator, a: T, b: T): boolean {
  switch (operator) {
    case 'eq':
      return a === b;
    case 'ge':
      return a >= b;
    case 'gt':
      return a > b;
    case 'le':
      return a <= b;
    case 'lt':
      return a < b;
    case 'ne':
      return a !== b;
    default:
      throw new RangeError('no operation of floating-point numbers');
  }
}

function truth(is: boolean): StackValue {
  return generic(is ? 1n : 0n);
}

function signed({ bits, type }: StackValue): bigint {
  return BigInt.asIntN(bitsOf(type), bits);
}

function bitsOf(type: StackType | null): number {
  return (type?.bytes ?? 8) * 8;
}
