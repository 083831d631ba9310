import { eventKind, type EventColumns } from '../../model/eventColumns.ts';
import { goroutineName } from '../../model/functions/goroutineName.ts';
import type { ClockMap } from './clockMap.ts';
import type { RingSink, RingThread } from './ringSink.ts';

/**
 * The low bits of `sp`: where in the stack of its goroutine a frame is, in words; those above are the goroutine's
 * number (native/outside/target/record.c).
 */
const FRAME = 2 ** 27;
/** Above this number goroutines without open calls count as ended. */
const MOST_OPEN = 4096;
/** More calls than any goroutine has open. */
const ALL_OPEN = 2 ** 31;
/** No slot of a ring file has this number. */
const SLOT = 1 << 20;

interface Row {
  readonly kind: number;
  readonly fn: number;
  readonly time: number;
  /** Compared with those of other threads: times are made of them by a rate that becomes better. */
  readonly ticks: number;
  readonly sp: number;
  readonly payload: Uint8Array;
}

interface OpenCall {
  readonly fn: number;
  readonly sp: number;
}

class Goroutine {
  thread: RingThread;
  rows: Row[] = [];
  /** They came from more than one thread. */
  isMixed = false;
  slot = -1;
  lost = 0;
  lastTime = 0;
  /** Calls that are open, the outermost first. */
  readonly open: OpenCall[] = [];

  constructor(thread: RingThread) {
    this.thread = thread;
  }
}

/**
 * Stands between rings and the pairing of calls: passes the events of each goroutine on in their order, as if it were
 * a thread, whichever threads it ran on.
 */
export class GoroutineEvents implements RingSink {
  readonly #to: RingSink;
  readonly #clock: ClockMap;
  /** Another reader had the events before. */
  readonly #isContinued: boolean;
  readonly #byNumber = new Map<number, Goroutine>();
  #generation = 0;
  #removals = 0;
  /** The cycle counter at the latest event that was read. */
  newest = 0;

  constructor(to: RingSink, isContinued: boolean, clock: ClockMap) {
    this.#to = to;
    this.#clock = clock;
    this.#isContinued = isContinued;
  }

  events({ ring, pid, slot }: RingThread, columns: EventColumns): void {
    if (columns.lostBefore > 0)
      for (const goroutine of this.#byNumber.values()) goroutine.lost += columns.lostBefore;
    for (let row = 0; row < columns.count; row++) {
      const sp = columns.sp[row] ?? 0;
      const ticks = columns.ticks?.[row] ?? 0;
      const number = Math.floor(sp / FRAME);
      if (ticks > this.newest) this.newest = ticks;
      const goroutine = this.#byNumber.get(number) ?? this.#begin(number, ring, pid);
      if (columns.kind[row] === eventKind.context) {
        madeBy(goroutine, columns, row);
        continue;
      }
      goroutine.isMixed ||= goroutine.rows.length > 0 && goroutine.slot !== slot;
      goroutine.slot = slot;
      goroutine.rows.push({
        kind: columns.kind[row] ?? 0,
        fn: columns.fn[row] ?? 0,
        time: columns.time[row] ?? 0,
        ticks,
        sp,
        payload: this.#payloadOf(columns, row),
      });
    }
  }

  /** Hooks were removed so often: whether calls that were open then have ended is not known. */
  removed(times: number): void {
    if (times === this.#removals) return;
    this.#removals = times;
    for (const goroutine of this.#byNumber.values())
      if (goroutine.open.length > 0) goroutine.lost = ALL_OPEN;
  }

  /** Everything that happened before the cycle counter was at `ticks` has been read. */
  tellTo(ticks: number): void {
    for (const goroutine of this.#byNumber.values()) this.#tell(goroutine, ticks);
    if (this.#byNumber.size > MOST_OPEN) this.#endIdle();
  }

  /** The process is gone. */
  end(): void {
    this.tellTo(Infinity);
    for (const { thread } of this.#byNumber.values()) this.#to.threadEnded(thread);
    this.#byNumber.clear();
  }

  /** Its goroutines run on. */
  threadEnded(): void {}

  overwritten(thread: RingThread, count: number): void {
    this.#to.overwritten(thread, count);
  }

  torn(thread: RingThread, count: number): void {
    this.#to.torn(thread, count);
  }

  counted(...all: Parameters<RingSink['counted']>): void {
    this.#to.counted(...all);
  }

  defined(...all: Parameters<RingSink['defined']>): void {
    this.#to.defined(...all);
  }

  definitionsUnread(count: number): void {
    this.#to.definitionsUnread(count);
  }

  undefinedFunction(thread: RingThread, count: number): void {
    this.#to.undefinedFunction(thread, count);
  }

  partRead(bytes: number): void {
    this.#to.partRead(bytes);
  }

  /** A copy; of a resume its cycles as nanoseconds. */
  #payloadOf({ kind, payload, payloadStart }: EventColumns, row: number): Uint8Array {
    const own = payload.slice(payloadStart[row], payloadStart[row + 1]);
    if (kind[row] !== eventKind.resume) return own;
    const words = new DataView(own.buffer);
    words.setBigUint64(0, BigInt(this.#clock.toNs(Number(words.getBigUint64(0, true)))), true);
    return own;
  }

  #begin(number: number, ring: string, pid: number): Goroutine {
    const generation = this.#generation++;
    const name = goroutineName(number, 0);
    const goroutine = new Goroutine({ ring, pid, tid: number, slot: SLOT, generation, name });
    this.#byNumber.set(number, goroutine);
    return goroutine;
  }

  #tell(goroutine: Goroutine, ticks: number): void {
    const { rows } = goroutine;
    if (rows.length === 0) return;
    if (goroutine.isMixed) rows.sort((a, b) => a.ticks - b.ticks);
    let count = rows.length;
    while (count > 0 && (rows[count - 1]?.ticks ?? 0) > ticks) count--;
    if (count === 0) return;
    const told = rows.slice(0, count);
    goroutine.rows = rows.slice(count);
    goroutine.isMixed &&= goroutine.rows.length > 0;
    const { thread, lost, lastTime } = goroutine;
    if (lost > 0) goroutine.open.length = 0;
    const whole = withEnds(told, goroutine.open, this.#isContinued || lost > 0);
    goroutine.lastTime = Math.max(lastTime, told.at(-1)?.time ?? 0);
    if (whole.length > 0 || lost > 0)
      this.#to.events(thread, columnsOf(whole, { lostBefore: lost, from: lastTime }));
    goroutine.lost = 0;
  }

  #endIdle(): void {
    for (const [number, { thread, rows, open }] of this.#byNumber) {
      if (rows.length > 0 || open.length > 0) continue;
      this.#byNumber.delete(number);
      this.#to.threadEnded(thread);
    }
  }
}

/** Read before its first event is handed on; nothing made the first goroutine. */
function madeBy(goroutine: Goroutine, { payload, payloadStart }: EventColumns, row: number): void {
  const { thread } = goroutine;
  const words = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const creator = Number(words.getBigUint64(payloadStart[row] ?? 0, true));
  if (creator === 0) return;
  const name = goroutineName(thread.tid, creator);
  if (thread.name !== name) goroutine.thread = { ...thread, name };
}

/**
 * With the ends of calls that a panic left, or runtime.Goexit: what comes next happens further out. Without those of
 * calls that began before they were traced; `mayBeUnknown`: their beginnings may have been read by another, or be lost.
 */
function withEnds(
  rows: readonly Row[],
  open: Goroutine['open'],
  mayBeUnknown: boolean,
): readonly Row[] {
  const all: Row[] = [];
  for (const row of rows) {
    const { kind, fn, sp, time, ticks } = row;
    const isEnter = kind === eventKind.enter;
    const isWait = kind === eventKind.suspend || kind === eventKind.resume;
    let top = open.at(-1);
    const least = isEnter || isWait ? sp + 1 : sp;
    while (top && top.sp < least) {
      all.push({ kind: eventKind.unwound, fn: top.fn, sp: top.sp, time, ticks, payload: nothing });
      open.pop();
      top = open.at(-1);
    }
    if (isWait) {
      // By the call that waits; what has none is of no interest.
      if (top) all.push({ ...row, fn: top.fn, sp: top.sp });
      continue;
    }
    const isKnown = top?.sp === sp && top.fn === fn;
    if (isEnter || isKnown || mayBeUnknown) all.push(row);
    if (isEnter) open.push({ fn, sp });
    else if (isKnown) open.pop();
  }
  return all;
}

const nothing = new Uint8Array(0);

function columnsOf(
  rows: readonly Row[],
  { lostBefore, from }: { readonly lostBefore: number; readonly from: number },
): EventColumns {
  const count = rows.length;
  const bytes = rows.reduce((sum, { payload }) => sum + payload.length, 0);
  const columns = {
    count,
    kind: new Uint8Array(count),
    fn: new Uint32Array(count),
    time: new Float64Array(count),
    sp: new Float64Array(count),
    payloadStart: new Uint32Array(count + 1),
    payload: new Uint8Array(bytes),
    lostBefore,
  };
  let at = 0;
  let last = from;
  for (const [row, { kind, fn, time, sp, payload }] of rows.entries()) {
    columns.kind[row] = kind;
    columns.fn[row] = fn;
    last = Math.max(last, time);
    columns.time[row] = last;
    columns.sp[row] = sp;
    columns.payloadStart[row] = at;
    columns.payload.set(payload, at);
    at += payload.length;
  }
  columns.payloadStart[count] = at;
  return columns;
}
