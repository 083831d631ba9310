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
  /** Its end may be among events that were lost. */
  isUnsure: boolean;
}

/** Events were lost before the first row from then on. */
interface Loss {
  readonly ticks: number;
  readonly events: number;
}

/** From one place of a thread to another: any goroutine may have run there meanwhile. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly events: number;
}

/** Rows of which none was lost between them. */
interface Segment {
  readonly rows: Row[];
  lostBefore: number;
}

class Goroutine {
  thread: RingThread;
  rows: Row[] = [];
  /** They came from more than one thread. */
  isMixed = false;
  slot = -1;
  /** In the order of their ticks. */
  readonly losses: Loss[] = [];
  /** Until then more of its events may have been lost. */
  unsureTo = -1;
  lastTime = 0;
  /** Calls that are open, the outermost first. */
  readonly open: OpenCall[] = [];

  constructor(thread: RingThread) {
    this.thread = thread;
  }

  lose({ from, to, events }: Gap): void {
    this.losses.push({ ticks: from, events }, { ticks: to, events: 1 });
    this.losses.sort((a, b) => a.ticks - b.ticks);
    this.unsureTo = Math.max(this.unsureTo, to);
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
  /** Those of which not all before and between them has been told. */
  #gaps: Gap[] = [];
  /** The cycle counter at the last event of each thread. */
  readonly #lastTicks = new Map<number, number>();
  /** The cycle counter at the latest event that was read. */
  newest = 0;

  constructor(to: RingSink, isContinued: boolean, clock: ClockMap) {
    this.#to = to;
    this.#clock = clock;
    this.#isContinued = isContinued;
  }

  events({ ring, pid, slot }: RingThread, columns: EventColumns): void {
    if (columns.lostBefore > 0) this.#lose(slot, columns);
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
    const last = columns.ticks?.[columns.count - 1];
    if (last !== undefined) this.#lastTicks.set(slot, last);
  }

  #lose(slot: number, { lostBefore, ticks, count }: EventColumns): void {
    const from = this.#lastTicks.get(slot) ?? 0;
    const to = (count > 0 ? ticks?.[0] : undefined) ?? from;
    const gap = { from, to, events: lostBefore };
    this.#gaps.push(gap);
    for (const goroutine of this.#byNumber.values()) goroutine.lose(gap);
  }

  /** Hooks were removed so often: whether calls that were open then have ended is not known. */
  removed(times: number): void {
    if (times === this.#removals) return;
    this.#removals = times;
    for (const goroutine of this.#byNumber.values())
      if (goroutine.open.length > 0) goroutine.losses.unshift({ ticks: 0, events: ALL_OPEN });
  }

  /** Everything that happened before the cycle counter was at `ticks` has been read. */
  tellTo(ticks: number): void {
    for (const goroutine of this.#byNumber.values()) this.#tell(goroutine, ticks);
    this.#gaps = this.#gaps.filter(({ to }) => to > ticks);
    if (this.#byNumber.size > MOST_OPEN) this.#endIdle();
  }

  /** The process is gone. */
  end(): void {
    this.tellTo(Infinity);
    for (const { thread } of this.#byNumber.values()) this.#to.threadEnded(thread, true);
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
    for (const gap of this.#gaps) goroutine.lose(gap);
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
    for (const segment of withEnds(goroutine, told, this.#isContinued)) {
      if (segment.rows.length + segment.lostBefore > 0)
        this.#to.events(goroutine.thread, columnsOf(segment, goroutine.lastTime));
      for (const { time } of segment.rows) goroutine.lastTime = Math.max(goroutine.lastTime, time);
    }
    goroutine.lastTime = Math.max(goroutine.lastTime, told.at(-1)?.time ?? 0);
  }

  #endIdle(): void {
    for (const [number, { thread, rows, open }] of this.#byNumber) {
      if (rows.length > 0 || open.length > 0) continue;
      this.#byNumber.delete(number);
      this.#to.threadEnded(thread, false);
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
 * With the ends of calls that a panic left, or runtime.Goexit: what comes next happens further out. Of a call whose end
 * may have been lost that is not said. Without the ends of calls that began before they were traced; `mayBeUnknown`:
 * their beginnings may have been read by another.
 */
function withEnds(
  goroutine: Goroutine,
  rows: readonly Row[],
  mayBeUnknown: boolean,
): readonly Segment[] {
  const segments = new Segments(goroutine);
  for (const row of rows) {
    const { kind, fn, sp } = row;
    const isHit = kind === eventKind.hit;
    const isEnter = kind === eventKind.enter;
    const isWait = kind === eventKind.suspend || kind === eventKind.resume;
    const isSample = kind === eventKind.watch;
    segments.reach(row, isEnter || isHit || isWait ? sp + 1 : sp);
    const top = goroutine.open.at(-1);
    const isKnown = top?.sp === sp && (isSample || top.fn === fn);
    if (isHit) segments.add({ ...row, kind: eventKind.enter });
    else if (isWait) {
      // By the call that waits; what has none is of no interest.
      if (top) segments.add({ ...row, fn: top.fn, sp: top.sp });
    } else if (isEnter || isKnown || mayBeUnknown || segments.isAnyLost) segments.add(row);
    if (isEnter) goroutine.open.push({ fn, sp, isUnsure: false });
    else if (isKnown && !isWait && !isSample) goroutine.open.pop();
  }
  return segments.all;
}

/** Rows of a goroutine, apart where some between them were lost. */
class Segments {
  readonly #goroutine: Goroutine;
  #last: Segment = { rows: [], lostBefore: 0 };
  readonly all: Segment[] = [this.#last];
  isAnyLost = false;

  constructor(goroutine: Goroutine) {
    this.#goroutine = goroutine;
  }

  add(row: Row): void {
    this.#last.rows.push(row);
  }

  /** Ends the calls that are deeper than `least`, as something happens further out. */
  reach({ time, ticks }: Row, least: number): void {
    const { open, losses, unsureTo } = this.#goroutine;
    while (losses[0] && losses[0].ticks <= ticks) this.#lose(losses.shift()?.events ?? 0);
    for (let top = open.at(-1); top && top.sp < least; top = open.at(-1)) {
      if (!top.isUnsure && ticks <= unsureTo) this.#lose(1);
      const { fn, sp, isUnsure } = top;
      if (!isUnsure) this.add({ kind: eventKind.unwound, fn, sp, time, ticks, payload: nothing });
      open.pop();
    }
  }

  #lose(events: number): void {
    const { open } = this.#goroutine;
    if (this.#last.rows.length > 0) this.all.push((this.#last = { rows: [], lostBefore: 0 }));
    this.#last.lostBefore += events;
    // Two events at least take the place of an open call.
    open.length = Math.max(0, open.length - Math.max(0, events - 1));
    for (const call of open) call.isUnsure = true;
    this.isAnyLost = true;
  }
}

const nothing = new Uint8Array(0);

/** No event is before `from`. */
function columnsOf({ rows, lostBefore }: Segment, from: number): EventColumns {
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
