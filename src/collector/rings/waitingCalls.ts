import { eventKind } from '../../model/eventColumns.ts';
import { record, slotHeader, waitingCall } from '../../protocol/record.ts';
import type { ClockMap } from './clockMap.ts';

/** Times of the cycle counter may be off by so much: a call is due for sure when it is later. */
const SLACK_NS = 1_000_000;

/** A call that was told before its entry is in the ring. JSON. */
export interface ToldCall {
  readonly fn: number;
  readonly tsc: string;
}

/**
 * The calls that wait in a slot and are to be told: the last that `isDue`, with all that began before it, as
 * the engine will write them, but for those that were `told`. `slot` holds the slot's first page. Of a thread that has
 * ended, nobody decides any more how long they took.
 */
export function waitingCalls(
  slot: Buffer,
  told: readonly ToldCall[],
  isDue: (call: Buffer) => boolean,
): readonly Buffer[] {
  const calls = waitingIn(slot);
  const last = calls.findLastIndex(isDue);
  const known = told.every((call, index) => isSame(calls[index], call)) ? told.length : 0;
  return calls.slice(known, last + 1);
}

/** Whether a call is sure to be recorded at a session time, as it has lasted long enough. */
export function dueAt(clock: ClockMap, now: number): (call: Buffer) => boolean {
  return (call) => {
    const least = Number(call.readBigUInt64LE(waitingCall.least));
    if (least === 0) return false;
    const began = clock.toSessionNs(
      call.readUInt32LE(waitingCall.tsc),
      call.readUInt32LE(waitingCall.tsc + 4),
    );
    return now - began > clock.toNs(least) + SLACK_NS;
  };
}

export function toldCall(call: Buffer): ToldCall {
  return {
    fn: call.readUInt32LE(waitingCall.fn),
    tsc: String(call.readBigUInt64LE(waitingCall.tsc)),
  };
}

/** As ring records from ring position `from` on. */
export function recordsOf(calls: readonly Buffer[], from: number): Buffer {
  const records: Buffer[] = [];
  let position = from;
  for (const call of calls) {
    const one = ringRecord(call, call.readUInt32LE(waitingCall.words), position);
    records.push(one);
    position += one.length;
  }
  return Buffer.concat(records);
}

function waitingIn(slot: Buffer): Buffer[] {
  const used = Math.min(slot.readUInt32LE(slotHeader.waitingBytes), slotHeader.waitingRoom);
  const calls: Buffer[] = [];
  for (let at: number = slotHeader.waiting; at + waitingCall.bytes <= slotHeader.waiting + used;) {
    const end = at + waitingCall.bytes + slot.readUInt32LE(at + waitingCall.words) * 8;
    if (end > slotHeader.waiting + used) break;
    calls.push(slot.subarray(at, end));
    at = end;
  }
  return calls;
}

function isSame(call: Buffer | undefined, told: ToldCall): boolean {
  if (call === undefined) return false;
  const { fn, tsc } = toldCall(call);
  return fn === told.fn && tsc === told.tsc;
}

function ringRecord(call: Buffer, words: number, position: number): Buffer {
  const payload = call.subarray(waitingCall.bytes);
  const more = words <= 1 ? 0 : Math.ceil(((words - 1) * 8) / record.continuationPayload);
  const bytes = Buffer.alloc(record.bytes * (1 + more));
  call.copy(bytes, 0, waitingCall.tsc, waitingCall.tsc + 8);
  call.copy(bytes, 8, waitingCall.sp, waitingCall.sp + 8);
  payload.copy(bytes, 16, 0, 8);
  const tag = (call.readUInt32LE(waitingCall.fn) | (more << record.functionBits)) >>> 0;
  bytes.writeUInt32LE(tag, 24);
  bytes.writeUInt32LE(((position % 2 ** 32) | eventKind.enter) >>> 0, 28);
  for (let piece = 1; piece <= more; piece++) {
    const at = piece * record.bytes;
    const from = 8 + (piece - 1) * record.continuationPayload;
    payload.copy(bytes, at, from, from + record.continuationPayload);
    bytes.writeUInt32LE((((position + at) % 2 ** 32) | eventKind.more) >>> 0, at + 28);
  }
  return bytes;
}
