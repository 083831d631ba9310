import { eventKind, type EventColumns } from '../../model/eventColumns.ts';
import { goroutineName } from '../../model/functions/goroutineName.ts';
import type { ClockMap } from './clockMap.ts';
import {
  columnsOf,
  FRAME,
  payloadOf,
  withEnds,
  type Loss,
  type OpenCall,
  type Passage,
  type Row,
} from './goroutineCalls.ts';
import { PassingSink } from './passingSink.ts';
import type { RingSink, RingThread } from './ringSink.ts';
import { ThreadsInC } from './threadsInC.ts';

/** Above this number goroutines without open calls count as ended. */
const MOST_OPEN = 4096;
/** No slot of a ring file has this number. */
const SLOT = 1 << 20;

/** From one place of a thread to another: any goroutine may have run there meanwhile. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly events: number;
}

class Goroutine {
  thread: RingThread;
  rows: Row[] = [];
  /** They came from more than one thread. */
  isMixed = false;
  slot = -1;
  /** In the order of their ticks. */
  readonly losses: Loss[] = [];
  /** Calls that are open at this cycle counter have no end; Infinity: that was told. */
  removed = Infinity;
  /** Until then more of its events may have been lost. */
  unsureTo = -1;
  lastTime = 0;
  /** Everything before that was handed on. */
  toldTo = -1;
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
export class GoroutineEvents extends PassingSink {
  readonly #clock: ClockMap;
  /** Another reader had the events before. */
  readonly #isContinued: boolean;
  readonly #byNumber = new Map<number, Goroutine>();
  #generation = 0;
  /** The cycle counter when hooks were last removed. */
  #removed = 0;
  /** Those of which not all before and between them has been told. */
  #gaps: Gap[] = [];
  /** The cycle counter at the last event of each thread. */
  readonly #lastTicks = new Map<number, number>();
  /** What the engine records of the process: its functions of C, which goroutines may call. */
  readonly ofC: ThreadsInC;
  #newest = 0;

  constructor(to: RingSink, isContinued: boolean, clock: ClockMap) {
    super(to);
    this.ofC = new ThreadsInC(to);
    this.#clock = clock;
    this.#isContinued = isContinued;
  }

  /** The cycle counter at the latest event that was read. */
  get newest(): number {
    return Math.max(this.#newest, this.ofC.newest);
  }

  events({ ring, pid, slot }: RingThread, columns: EventColumns): void {
    if (columns.lostBefore > 0) this.#lose(slot, columns);
    for (let row = 0; row < columns.count; row++) {
      const sp = columns.sp[row] ?? 0;
      const ticks = columns.ticks?.[row] ?? 0;
      const number = Math.floor(sp / FRAME);
      if (ticks > this.#newest) this.#newest = ticks;
      const kind = columns.kind[row] ?? 0;
      const payload = this.#payloadOf(columns, row);
      const fn = kind === eventKind.callsC ? firstWord(payload) : (columns.fn[row] ?? 0);
      this.ofC.went(slot, { kind, sp, fn }, ticks);
      const goroutine = this.#byNumber.get(number) ?? this.#begin(number, ring, pid);
      if (kind === eventKind.context) {
        madeBy(goroutine, payload);
        continue;
      }
      goroutine.isMixed ||= goroutine.rows.length > 0 && goroutine.slot !== slot;
      goroutine.slot = slot;
      goroutine.rows.push({
        kind,
        fn,
        time: columns.time[row] ?? 0,
        ticks,
        sp,
        payload,
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
    this.ofC.lost(slot, from);
    for (const goroutine of this.#byNumber.values()) goroutine.lose(gap);
  }

  /** Hooks were last removed then: whether calls that were open have ended is not known. */
  removed(ticks: number): void {
    if (ticks === this.#removed) return;
    this.#removed = ticks;
    for (const goroutine of this.#byNumber.values()) goroutine.removed = ticks;
  }

  /** Everything that happened before the cycle counter was at `ticks` has been read. */
  tellTo(ticks: number): void {
    this.ofC.tellTo(ticks, (row, passage) => this.#takeOfC(row, passage));
    for (const goroutine of this.#byNumber.values()) this.#tell(goroutine, ticks);
    this.#gaps = this.#gaps.filter(({ to }) => to > ticks);
    if (this.#byNumber.size > MOST_OPEN) this.#endIdle();
  }

  /** The process is gone. */
  end(): void {
    this.tellTo(Infinity);
    for (const { thread } of this.#byNumber.values()) this.to.threadEnded(thread, true);
    this.#byNumber.clear();
  }

  /** Its goroutines run on. */
  threadEnded(): void {}

  /** A copy; of a resume its cycles as nanoseconds. */
  #payloadOf(columns: EventColumns, row: number): Uint8Array {
    const own = payloadOf(columns, row);
    if (columns.kind[row] !== eventKind.resume) return own;
    const words = new DataView(own.buffer);
    words.setBigUint64(0, BigInt(this.#clock.toNs(Number(words.getBigUint64(0, true)))), true);
    return own;
  }

  #takeOfC(row: Row, { goroutine: number }: Passage): boolean {
    const goroutine = this.#byNumber.get(number);
    const isLate = row.kind === eventKind.enter && row.ticks <= (goroutine?.toldTo ?? 0);
    if (!goroutine || isLate) return false;
    goroutine.rows.push(row);
    goroutine.isMixed = true;
    return true;
  }

  #begin(number: number, ring: string, pid: number): Goroutine {
    const generation = this.#generation++;
    const name = goroutineName(number, 0);
    const goroutine = new Goroutine({ ring, pid, tid: number, slot: SLOT, generation, name });
    goroutine.removed = this.#removed;
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
    goroutine.toldTo = told.at(-1)?.ticks ?? 0;
    goroutine.rows = rows.slice(count);
    goroutine.isMixed &&= goroutine.rows.length > 0;
    for (const segment of withEnds(goroutine, told, this.#isContinued)) {
      if (segment.rows.length + segment.lostBefore > 0)
        this.to.events(goroutine.thread, columnsOf(segment, goroutine.lastTime));
      for (const { time } of segment.rows) goroutine.lastTime = Math.max(goroutine.lastTime, time);
    }
    goroutine.lastTime = Math.max(goroutine.lastTime, told.at(-1)?.time ?? 0);
  }

  #endIdle(): void {
    for (const [number, { thread, rows, open }] of this.#byNumber) {
      if (rows.length > 0 || open.length > 0) continue;
      this.#byNumber.delete(number);
      this.to.threadEnded(thread, false);
    }
  }
}

/** Read before its first event is handed on; nothing made the first goroutine. */
function madeBy(goroutine: Goroutine, payload: Uint8Array): void {
  const { thread } = goroutine;
  const creator = firstWord(payload);
  if (creator === 0) return;
  const name = goroutineName(thread.tid, creator);
  if (thread.name !== name) goroutine.thread = { ...thread, name };
}

function firstWord(payload: Uint8Array): number {
  return Number(new DataView(payload.buffer, payload.byteOffset).getBigUint64(0, true));
}
