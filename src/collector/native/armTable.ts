import type { FoundFunction } from '../../model/foundFunction.ts';
import type { TracedFunction } from '../../model/eventColumns.ts';
import { canTellSecret, secretIn } from '../../model/redaction.ts';
import {
  contentsName,
  hasOwnLength,
  objectName,
  type Holding,
  type Parameter,
  type ValueType,
} from '../../model/valueType.ts';
import { armEntry, captureOp, captureReturn, record } from '../../protocol/record.ts';
import type { PayloadPlan } from '../rings/payloadPlan.ts';

/** Stack arguments of functions whose signature is not known are copied up to this size. */
const UNKNOWN_STACK_BYTES = 256;

/** One function's row for the engine, with what its records will hold. */
export interface CapturePlan {
  readonly ops: readonly bigint[];
  readonly returnKind: number;
  readonly returnWhere: number;
  readonly stackBytes: number;
  readonly payload: PayloadPlan;
  readonly captured: TracedFunction['captured'];
  readonly uncaptured: TracedFunction['uncaptured'];
  readonly secretReturn?: string;
}

/** What to take of values. */
export interface CaptureRules {
  /** Bounds each C string. */
  readonly stringBytes: number;
  /** Values whose names hold one of these are left in the target (model/redaction). */
  readonly secretNames: readonly string[];
}

function isCaptured(type: ValueType): boolean {
  return type.kind !== 'opaque' && type.kind !== 'unknown' && type.kind !== 'void';
}

function opFor({ place, type }: Parameter, stringBytes: number): bigint | null {
  if (!isCaptured(type)) return null;
  const held = 'held' in type ? type.held : undefined;
  const size = bytesTaken(type, stringBytes);
  const op = (kind: number, index: number, where = 0): bigint =>
    BigInt(kind | (index << 8) | (size << 16)) | (BigInt(where) << 32n);
  switch (place.kind) {
    case 'integer':
      if (held?.inWords) return null;
      if (held) return op(captureOp.heldInteger, place.register, whereOf(held));
      return op(size > 0 ? captureOp.stringInteger : captureOp.integer, place.register);
    case 'float':
      return op(captureOp.float, place.register);
    case 'stack': {
      const word = place.offset / 8;
      if (word > 255) return null;
      if (held?.inWords) return null;
      if (held) return op(captureOp.heldStack, word, whereOf(held));
      return op(size > 0 ? captureOp.stringStack : captureOp.stack, word);
    }
    case 'pair': {
      if (!held?.inWords || held.byEnd) return null;
      const [pointer, length] =
        held.pointer === 0 ? [place.first, place.second] : [place.second, place.first];
      return op(captureOp.heldPair, pointer, (length | (held.unit << 24)) >>> 0);
    }
    case 'none':
      return null;
  }
}

/** Of elements that are no scalars only the number is taken. */
function bytesTaken(type: ValueType, stringBytes: number): number {
  if (type.kind === 'list') return isCaptured(type.element) ? stringBytes : 0;
  return type.kind === 'cstring' ? stringBytes : 0;
}

function whereOf({ pointer, length, byEnd, unit }: Holding): number {
  return (pointer | (length << 12) | ((byEnd ? 0 : unit) << 24)) >>> 0;
}

function whyNot(parameter: Parameter): string {
  if (parameter.place.kind === 'none') return parameter.place.reason;
  if (parameter.type.kind === 'opaque') return 'its kind of value is not read yet';
  return 'its type is not known';
}

interface ReturnCapture {
  readonly kind: number;
  readonly where: number;
}

function returnCaptureFor(type: ValueType): ReturnCapture {
  const held = 'held' in type ? type.held : undefined;
  if (!held || !isCaptured('element' in type ? type.element : type)) {
    return { kind: returnKindFor(type), where: 0 };
  }
  return { kind: held.inWords ? captureReturn.heldPair : captureReturn.held, where: whereOf(held) };
}

function returnKindFor(type: ValueType): number {
  switch (type.kind) {
    case 'void':
    case 'opaque':
    case 'unknown':
    case 'list':
    case 'object':
      return captureReturn.none;
    case 'float':
      return type.bytes > 8 ? captureReturn.none : captureReturn.float;
    case 'cstring':
      return captureReturn.string;
    case 'pointer':
      return captureReturn.integer;
    default:
      return type.bytes > 8 ? captureReturn.none : captureReturn.integer;
  }
}

/** What the records of a function with these captures hold. */
export function payloadPlan(captured: TracedFunction['captured'], returnKind: number): PayloadPlan {
  return {
    enter: captured.map(({ type }) => hasOwnLength(type)),
    returns:
      returnKind === captureReturn.none
        ? 'none'
        : returnKind >= captureReturn.string
          ? 'string'
          : 'word',
  };
}

/** What the records of a function hold that was stored by an earlier daemon. */
export function storedPayload({ captured, returns, secretReturn }: TracedFunction): PayloadPlan {
  return payloadPlan(captured, secretReturn ? captureReturn.none : returnCaptureFor(returns).kind);
}

/** What to record at entry and return of a function. */
export function planCapture(fn: FoundFunction, rules: CaptureRules): CapturePlan {
  const ops: bigint[] = [];
  const captured: { name: string; type: ValueType }[] = [];
  const uncaptured: TracedFunction['uncaptured'][number][] = [];
  for (const parameter of fn.parameters) {
    const op = opFor(parameter, rules.stringBytes);
    const secret = secretOf(parameter.name, parameter.type, rules);
    if (secret !== null) {
      uncaptured.push({ name: parameter.name, typeName: '?', reason: 'redacted', secret });
    } else if (op !== null && ops.length < record.maxOps) {
      ops.push(op);
      captured.push({ name: parameter.name, type: parameter.type });
      addTarget(parameter, rules, { ops, captured, uncaptured });
    } else {
      const typeName = 'name' in parameter.type ? parameter.type.name : '?';
      const reason = op === null ? whyNot(parameter) : `only ${record.maxOps} values are captured`;
      uncaptured.push({ name: parameter.name, typeName, reason });
    }
  }
  const secretReturn = secretOf(lastPart(fn.name), fn.returns, rules);
  const returned =
    secretReturn === null ? returnCaptureFor(fn.returns) : { kind: captureReturn.none, where: 0 };
  return {
    ops,
    returnKind: returned.kind,
    returnWhere: returned.where,
    stackBytes: fn.stackBytes ?? UNKNOWN_STACK_BYTES,
    payload: payloadPlan(captured, returned.kind),
    captured,
    uncaptured,
    ...(secretReturn === null ? {} : { secretReturn }),
  };
}

interface Plan {
  readonly ops: bigint[];
  readonly captured: { name: string; type: ValueType }[];
  readonly uncaptured: TracedFunction['uncaptured'][number][];
}

/** The object a pointer leads to follows the pointer, then the text and lists the object holds. */
function addTarget({ name, place, target }: Parameter, rules: CaptureRules, plan: Plan): void {
  if (!target || (place.kind !== 'integer' && place.kind !== 'stack')) return;
  const index = place.kind === 'integer' ? place.register : place.offset / 8;
  const parts = [...target.type.fields, ...target.contents];
  const secret = parts.map((part) => secretOf(part.name, part.type, rules)).find((word) => word);
  if (secret) {
    const { name: typeName } = target.type;
    plan.uncaptured.push({ name: objectName(name), typeName, reason: 'redacted', secret });
    return;
  }
  const isRegister = place.kind === 'integer';
  const add = (partName: string, type: ValueType, op: bigint): void => {
    if (plan.ops.length >= record.maxOps) return;
    plan.ops.push(op);
    plan.captured.push({ name: partName, type });
  };
  const op = (kind: number, size: number, where: number): bigint =>
    BigInt(kind | (index << 8) | (size << 16)) | (BigInt(where) << 32n);
  if (target.type.fields.length > 0) {
    const kind = isRegister ? captureOp.objectInteger : captureOp.objectStack;
    add(objectName(name), target.type, op(kind, target.type.bytes, 0));
  }
  for (const { name: field, offset, type } of target.contents) {
    const size = bytesTaken(type, rules.stringBytes);
    const held = 'held' in type ? type.held : undefined;
    if (held) {
      const kind = isRegister ? captureOp.heldInteger : captureOp.heldStack;
      const inObject = { ...held, pointer: offset + held.pointer, length: offset + held.length };
      add(contentsName(name, field), type, op(kind, size, whereOf(inObject)));
    } else {
      const kind = isRegister ? captureOp.fieldInteger : captureOp.fieldStack;
      add(contentsName(name, field), type, op(kind, size, offset));
    }
  }
}

function secretOf(name: string, type: ValueType, { secretNames }: CaptureRules): string | null {
  return canTellSecret(type) ? secretIn(name, secretNames) : null;
}

/** What a function returns is called as the function, but not as what surrounds it. */
function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('::') + 1);
}

/** One row to arm: `address` is the run-time address of the entry. */
export interface ArmRow {
  readonly address: bigint;
  readonly size: number;
  readonly number: number;
  readonly plan: CapturePlan;
}

/** The binary table of the engine's arm call (protocol/record `armEntry`). */
export function encodeArmTable(rows: readonly ArmRow[], stringBytes: number): Uint8Array {
  const bytes = new Uint8Array(rows.length * armEntry.bytes);
  const view = new DataView(bytes.buffer);
  for (const [index, row] of rows.entries()) {
    const at = index * armEntry.bytes;
    view.setBigUint64(at + armEntry.address, row.address, true);
    view.setUint32(at + armEntry.size, row.size, true);
    view.setUint32(at + armEntry.fn, row.number, true);
    view.setUint16(at + armEntry.stackBytes, Math.min(row.plan.stackBytes, 0xffff), true);
    view.setUint16(at + armEntry.stringBytes, stringBytes, true);
    view.setUint8(at + armEntry.returnKind, row.plan.returnKind);
    view.setUint8(at + armEntry.opCount, row.plan.ops.length);
    view.setUint32(at + armEntry.returnWhere, row.plan.returnWhere, true);
    for (const [i, op] of row.plan.ops.entries())
      view.setBigUint64(at + armEntry.ops + i * 8, op, true);
  }
  return bytes;
}
