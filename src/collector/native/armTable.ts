import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { TracedFunction } from '../../model/eventColumns.ts';
import { canTellSecret, secretIn } from '../../model/values/redaction.ts';
import { mostElements, objectBytes } from '../../model/values/shape.ts';
import {
  hasOwnLength,
  type Holding,
  type Parameter,
  type Place,
  type ValueType,
} from '../../model/values/valueType.ts';
import { armEntry, captureOp, captureReturn, record } from '../../protocol/record.ts';
import { withByteRows } from './byteRows.ts';
import type { CaptureRules } from './captureRules.ts';
import type { PayloadPlan } from '../rings/payloadPlan.ts';
import { withoutSecrets } from './secretShapes.ts';
import type { Walks } from './walkTable.ts';

/** Stack arguments of functions whose signature is not known are copied up to this size. */
const UNKNOWN_STACK_BYTES = 256;

/** One function's row for the engine, with what its records will hold. */
export interface CapturePlan {
  readonly ops: readonly bigint[];
  readonly returnKind: number;
  readonly returnOp: bigint;
  readonly stackBytes: number;
  readonly payload: PayloadPlan;
  readonly captured: TracedFunction['captured'];
  readonly uncaptured: TracedFunction['uncaptured'];
  /** As it is captured. */
  readonly returns: ValueType;
  readonly secretReturn?: string;
}

/** Parts are found at the address, or through the message that is there. */
const partsBits = { iovec: 1, msghdr: 3 } as const;

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
      const parts = held.parts ? partsBits[held.parts] << 12 : 0;
      return op(captureOp.heldPair, pointer, (length | parts | (held.unit << 24)) >>> 0);
    }
    case 'address':
      return held && !held.inWords ? heldAt(place, held, size) : null;
    case 'parts':
    case 'words':
    case 'memory':
    case 'none':
      return null;
  }
}

/** The contents of an object whose address is in a register or among the stack arguments. */
function heldAt(
  { register, offset }: Extract<Place, { kind: 'address' }>,
  held: Holding,
  size: number,
): bigint | null {
  const index = register ?? offset / 8;
  if (index > farthestWord) return null;
  const kind = register === null ? captureOp.heldStack : captureOp.heldInteger;
  return BigInt(kind | (index << 8) | (size << 16)) | (BigInt(whereOf(held)) << 32n);
}

/** Bytes all values of one entry may take, one of any type at least and at most, and a text at least. */
const valueBytes = { all: 3840, least: 512, most: 3072, text: 256 } as const;
const farthestWord = 255;

/** The operation that captures a value of any type with what it leads to; null where it cannot. */
function walkOp(place: Place, program: number, size: number): bigint | null {
  const op = (kind: number, index: number, bytes: number): bigint =>
    BigInt(kind | (index << 8)) |
    (BigInt(size) << 16n) |
    (BigInt(program) << 32n) |
    (BigInt(bytes) << 52n);
  switch (place.kind) {
    case 'parts': {
      const { registers } = place;
      const [first = 0, second = first] = registers;
      if (place.bytes > 16) return null;
      return op(
        captureOp.walkRegisters,
        first | (second << 4),
        place.bytes | ((place.second & 15) << 5),
      );
    }
    case 'words':
      return op(captureOp.walkWords, place.register, place.bytes);
    case 'memory': {
      const word = place.offset / 8;
      const isNear = word <= farthestWord && place.bytes < 4096;
      return isNear ? op(captureOp.walkStack, word, place.bytes) : null;
    }
    case 'address': {
      const bytes = Math.min(place.bytes, objectBytes);
      if (place.register !== null) return op(captureOp.walkInteger, place.register, bytes);
      const word = place.offset / 8;
      return word <= farthestWord ? op(captureOp.walkAddress, word, bytes) : null;
    }
    default:
      return null;
  }
}

/** Of elements that are no scalars only the number is taken. */
function bytesTaken(type: ValueType, stringBytes: number): number {
  if (type.kind === 'list') {
    const elements = Math.ceil((mostElements * type.held.unit) / 8) * 8;
    return isCaptured(type.element) ? Math.min(stringBytes, elements) : 0;
  }
  return type.kind === 'cstring' ? stringBytes : 0;
}

function whereOf({ pointer, length, byEnd, unit }: Holding): number {
  return (pointer | (length << 12) | ((byEnd ? 0 : unit) << 24)) >>> 0;
}

function whyNot(parameter: Parameter): string {
  if (parameter.place.kind === 'none') return parameter.place.reason;
  if (parameter.type.kind === 'opaque') return 'its kind of value is not read';
  if (parameter.type.kind === 'tree')
    return 'there is no room for its kind of value: trace less at once';
  return 'its type is not known';
}

interface ReturnCapture {
  readonly kind: number;
  /** Of the plan's `returnOp`. */
  readonly op: bigint;
}

function returnCaptureFor(type: ValueType, place?: Place): ReturnCapture {
  if (type.kind === 'cstring' && type.filled) {
    const { register, through, withResult, orPeer, parts } = type.filled;
    const number = through === null ? 0 : (through + 1) << 16;
    const form = (withResult ? 1 : 0) | (parts ? partsBits[parts] << 1 : 0) | (orPeer ? 8 : 0);
    const op = BigInt((register << 8) | number | (form << 24));
    return { kind: captureReturn.filled, op };
  }
  if (type.kind === 'int' && type.errno) return { kind: captureReturn.outcome, op: 0n };
  const held = 'held' in type ? type.held : undefined;
  if (!held || !isCaptured('element' in type ? type.element : type)) {
    return { kind: returnKindFor(type), op: 0n };
  }
  const kind = held.inWords ? captureReturn.heldPair : captureReturn.held;
  const register = place?.kind === 'address' ? (place.register ?? 0) : 0;
  return { kind, op: (BigInt(whereOf(held)) << 32n) | BigInt(register << 8) };
}

function returnKindFor(type: ValueType): number {
  switch (type.kind) {
    case 'void':
    case 'opaque':
    case 'unknown':
    case 'list':
    case 'dynamic':
      return captureReturn.none;
    case 'tree':
      return captureReturn.walk;
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
export function payloadPlan(
  { captured, probe }: Pick<TracedFunction, 'captured' | 'probe'>,
  returnKind: number,
): PayloadPlan {
  const values = captured.map(({ type }) => hasOwnLength(type));
  return {
    // Behind the values a word may say that the condition was not known.
    enter: probe?.isConditional ? [...values, false] : values,
    returns:
      returnKind === captureReturn.none
        ? 'none'
        : returnKind < captureReturn.string || returnKind === captureReturn.outcome
          ? 'word'
          : 'string',
  };
}

/** What the records of a function hold that was stored by an earlier daemon. */
export function storedPayload(fn: TracedFunction): PayloadPlan {
  const { returns, secretReturn } = fn;
  return payloadPlan(fn, secretReturn ? captureReturn.none : returnCaptureFor(returns).kind);
}

/** What to record at entry and return of a function; its walks are added to `walks`. */
export function planCapture(fn: FoundFunction, rules: CaptureRules, walks: Walks): CapturePlan {
  const plan: Plan = { ops: [], captured: [], uncaptured: [] };
  const trees = fn.parameters.filter(({ type }) => type.kind === 'tree').length;
  const share = Math.floor(valueBytes.all / Math.max(1, trees) / 8) * 8;
  const bytes = Math.max(valueBytes.least, Math.min(valueBytes.most, share));
  const own = { ...rules, stringBytes: textShare(fn, rules) };
  for (const parameter of withByteRows(fn.parameters))
    addParameter(parameter, own, plan, { walks, bytes });
  const { returns, secret } = returnedBy(fn, rules, walks);
  const returned: ReturnCapture =
    secret === null ? returns.capture : { kind: captureReturn.none, op: 0n };
  const { ops, captured, uncaptured } = plan;
  return {
    ops,
    returnKind: returned.kind,
    returnOp: returned.op,
    stackBytes: fn.opensStack ? armEntry.openStack : (fn.stackBytes ?? UNKNOWN_STACK_BYTES),
    payload: payloadPlan({ captured }, returned.kind),
    captured,
    uncaptured,
    returns: returns.type,
    ...(secret === null ? {} : { secretReturn: secret }),
  };
}

/** Bytes of each text among the parameters. */
function textShare({ parameters }: FoundFunction, { stringBytes }: CaptureRules): number {
  const texts = parameters.filter(({ type }) => type.kind === 'cstring' || type.kind === 'list');
  const share = Math.floor(valueBytes.all / Math.max(1, texts.length) / 8) * 8;
  return Math.min(stringBytes, Math.max(valueBytes.text, share));
}

interface Plan {
  readonly ops: bigint[];
  readonly captured: { name: string; type: ValueType }[];
  readonly uncaptured: TracedFunction['uncaptured'][number][];
}

interface WalkSpace {
  readonly walks: Walks;
  /** That one value may take. */
  readonly bytes: number;
}

function addParameter(
  parameter: Parameter,
  rules: CaptureRules,
  { ops, captured, uncaptured }: Plan,
  { walks, bytes }: WalkSpace,
): void {
  const { name, place } = parameter;
  const typeName = 'name' in parameter.type ? parameter.type.name : '?';
  const clean = cleaned(parameter.type, rules);
  const { type } = clean;
  const secret = secretOf(name, type, rules) ?? clean.secret;
  if (secret !== null) {
    uncaptured.push({ name, typeName: '?', reason: 'redacted', secret });
    return;
  }
  const program = type.kind === 'tree' ? walks.add(type, rules) : null;
  const op =
    type.kind === 'tree'
      ? program === null
        ? null
        : walkOp(place, program, bytes)
      : opFor(parameter, rules.stringBytes);
  if (op !== null && ops.length < record.maxOps) {
    ops.push(op);
    captured.push({ name, type });
    return;
  }
  const reason = op === null ? whyNot(parameter) : `only ${record.maxOps} values are captured`;
  uncaptured.push({ name, typeName, reason });
}

function cleaned(
  type: ValueType,
  rules: CaptureRules,
): { readonly type: ValueType; readonly secret: string | null } {
  return type.kind === 'tree' ? withoutSecrets(type, rules) : { type, secret: null };
}

/** What a function returns, and the word that makes it a secret. */
function returnedBy(
  fn: FoundFunction,
  rules: CaptureRules,
  walks: Walks,
): {
  readonly returns: { readonly type: ValueType; readonly capture: ReturnCapture };
  readonly secret: string | null;
} {
  const { type, secret: inside } = cleaned(fn.returns, rules);
  const secret = secretOf(lastPart(fn.name), type, rules) ?? inside;
  if (type.kind !== 'tree' || !fn.returnPlace)
    return { returns: { type, capture: returnCaptureFor(type, fn.returnPlace) }, secret };
  const program = secret === null ? walks.add(type, rules) : null;
  const op = program === null ? null : walkOp(fn.returnPlace, program, valueBytes.most);
  if (op !== null) return { returns: { type, capture: { kind: captureReturn.walk, op } }, secret };
  const opaque: ValueType = { kind: 'opaque', name: type.name, bytes: null };
  return { returns: { type: opaque, capture: returnCaptureFor(opaque) }, secret };
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
  /** From its entry to that of the next function that is known. */
  readonly next: number | null;
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
    view.setUint8(at + armEntry.next, row.next === null || row.next > 0xff ? 0 : row.next);
    view.setUint32(at + armEntry.fn, row.number, true);
    view.setUint16(at + armEntry.stackBytes, Math.min(row.plan.stackBytes, 0xffff), true);
    view.setUint16(at + armEntry.stringBytes, stringBytes, true);
    view.setUint8(at + armEntry.returnKind, row.plan.returnKind);
    view.setUint8(at + armEntry.opCount, row.plan.ops.length);
    view.setUint8(at + armEntry.flags, hasFloats(row.plan) ? armEntry.hasFloats : 0);
    view.setBigUint64(at + armEntry.returnOp, row.plan.returnOp, true);
    for (const [i, op] of row.plan.ops.entries())
      view.setBigUint64(at + armEntry.ops + i * 8, op, true);
  }
  return bytes;
}

function hasFloats({ ops, returnKind }: CapturePlan): boolean {
  const isFloat = (op: bigint): boolean => (op & 0xffn) === BigInt(captureOp.float);
  return returnKind === captureReturn.float || ops.some(isFloat);
}
