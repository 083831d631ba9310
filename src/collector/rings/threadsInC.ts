import { eventKind, firstActivation, type EventColumns } from '../../model/eventColumns.ts';
import { columnsOf, FRAME, payloadOf, type Passage, type Row } from './goroutineCalls.ts';
import { PassingSink } from './passingSink.ts';
import type { RingThread } from './ringSink.ts';

/** Above every stack pointer of C. */
const TOP = 2 ** 47;

/** From `ticks` on a thread runs C for a goroutine, or no longer. */
interface Change {
  readonly ticks: number;
  readonly passage: Passage | null;
}

/** What a thread of Go does for goroutines. */
class Caller {
  readonly slot: number;
  /** Calls of C that the thread is in, the outermost first: more than one where C calls Go. */
  readonly passages: Passage[] = [];
  changes: Change[] = [];

  constructor(slot: number) {
    this.slot = slot;
  }

  enter(passage: Passage, ticks: number): void {
    this.leave(passage.goroutine, passage.place + 1, ticks);
    this.passages.push(passage);
    this.#change(ticks, passage);
  }

  /** What the goroutine does at `least` is no part of calls further in; what another one does, of none. */
  leave(goroutine: number, least: number, ticks: number): void {
    const { passages } = this;
    const before = passages.length;
    for (let top = passages.at(-1); top; top = passages.at(-1)) {
      if (top.goroutine === goroutine && top.place >= least) break;
      passages.pop();
    }
    if (passages.length < before) this.#change(ticks, passages.at(-1) ?? null);
  }

  /** What the thread did behind `ticks` is not known. */
  forget(ticks: number): void {
    this.passages.length = 0;
    this.#change(ticks, null);
  }

  at(ticks: number): Passage | null {
    return this.changes[this.#countBefore(ticks) - 1]?.passage ?? null;
  }

  /** Nothing that was before is asked for but what holds then. */
  dropBefore(ticks: number): void {
    const first = this.#countBefore(ticks) - 1;
    if (first > 0) this.changes = this.changes.slice(first);
  }

  /** In the order of their ticks, also where an entry that waited is recorded late. */
  #change(ticks: number, passage: Passage | null): void {
    this.changes.push({ ticks: Math.max(ticks, this.changes.at(-1)?.ticks ?? 0), passage });
  }

  #countBefore(ticks: number): number {
    let low = 0;
    let high = this.changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.changes[middle]?.ticks ?? 0) < ticks) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface OpenCall {
  readonly fn: number;
  readonly sp: number;
  readonly passage: Passage | null;
}

/** A thread whose calls of C the engine recorded. */
class Callee {
  readonly thread: RingThread;
  readonly open: OpenCall[] = [];
  rows: (Row & { readonly lostBefore: number })[] = [];
  /** Of the last row. */
  ticks = 0;
  lastTime = 0;
  /** Set at its end; `isOver`: with its program. */
  end: { readonly isOver: boolean } | null = null;

  constructor(thread: RingThread) {
    this.thread = thread;
  }
}

/** Takes a row for the goroutine of its passage; false: that has had later ones. */
type GiveRow = (row: Row, passage: Passage) => boolean;

/**
 * Gives the calls of C that the engine recorded on a thread to the goroutine that called C there, as its records say
 * exactly; all others stay those of their thread.
 */
export class ThreadsInC extends PassingSink {
  readonly #bySlot = new Map<number, Caller>();
  readonly #byNumber = new Map<number, Caller>();
  readonly #callees = new Map<string, Callee>();
  /** The cycle counter at the latest event that was read. */
  newest = 0;

  /** A row of a thread of Go, in their order. */
  went(slot: number, { kind, sp, fn }: Pick<Row, 'kind' | 'sp' | 'fn'>, ticks: number): void {
    const goroutine = Math.floor(sp / FRAME);
    const caller = this.#bySlot.get(slot);
    if (kind === eventKind.callsC)
      this.#callerOf(slot, fn, ticks).enter({ goroutine, place: sp }, ticks);
    else if (caller && caller.passages.length > 0) {
      const isFurtherOut = kind === eventKind.enter || kind === eventKind.leavesC;
      caller.leave(goroutine, isFurtherOut ? sp + 1 : sp, ticks);
    }
  }

  /** Rows of a thread of Go were lost behind `ticks`. */
  lost(slot: number, ticks: number): void {
    this.#bySlot.get(slot)?.forget(ticks);
  }

  events(thread: RingThread, columns: EventColumns): void {
    const callee = this.#calleeOf(thread);
    for (let row = 0; row < columns.count; row++) {
      const ticks = columns.ticks?.[row] ?? 0;
      if (ticks > this.newest) this.newest = ticks;
      callee.rows.push({
        kind: columns.kind[row] ?? 0,
        fn: columns.fn[row] ?? 0,
        time: columns.time[row] ?? 0,
        ticks,
        sp: columns.sp[row] ?? 0,
        payload: payloadOf(columns, row),
        lostBefore: row === 0 ? columns.lostBefore : 0,
      });
    }
  }

  /** Everything that happened before the cycle counter was at `ticks` has been read. */
  tellTo(ticks: number, give: GiveRow): void {
    for (const [identity, callee] of this.#callees) {
      this.#tell(callee, ticks, give);
      if (!callee.end || callee.rows.length > 0) continue;
      this.to.threadEnded(callee.thread, callee.end.isOver);
      this.#callees.delete(identity);
    }
    for (const [number, caller] of this.#byNumber) {
      caller.dropBefore(ticks);
      const hasEnded = this.#bySlot.get(caller.slot) !== caller;
      if (hasEnded && caller.changes.length === 1) this.#byNumber.delete(number);
    }
  }

  threadEnded(thread: RingThread, isOver: boolean): void {
    this.#calleeOf(thread).end = { isOver };
  }

  #callerOf(slot: number, number: number, ticks: number): Caller {
    const known = this.#bySlot.get(slot);
    if (known && this.#byNumber.get(number) === known) return known;
    // The slot may have been that of a thread that has ended.
    known?.forget(ticks);
    const caller = new Caller(slot);
    this.#bySlot.set(slot, caller);
    this.#byNumber.set(number, caller);
    return caller;
  }

  #calleeOf(thread: RingThread): Callee {
    const identity = `${thread.slot}.${thread.generation}`;
    const known = this.#callees.get(identity);
    if (known) return known;
    const callee = new Callee(thread);
    this.#callees.set(identity, callee);
    return callee;
  }

  #tell(callee: Callee, ticks: number, give: GiveRow): void {
    const { rows, thread } = callee;
    let count = 0;
    while (count < rows.length && (rows[count]?.ticks ?? 0) <= ticks) count++;
    if (count === 0) return;
    callee.rows = rows.slice(count);
    const caller = this.#byNumber.get(thread.tid);
    let own: Row[] = [];
    let lostBefore = 0;
    const flush = (): void => {
      if (own.length + lostBefore > 0)
        this.to.events(thread, columnsOf({ rows: own, lostBefore }, callee.lastTime));
      callee.lastTime = Math.max(callee.lastTime, own.at(-1)?.time ?? 0);
      own = [];
      lostBefore = 0;
    };
    for (const row of rows.slice(0, count)) {
      if (row.lostBefore > 0) {
        flush();
        lostBefore = row.lostBefore;
        loseCalls(callee, row, give);
      }
      const passage = passageOf(callee, row, caller);
      // In the order of the thread, whose clock may seem to go back where a call waited to be recorded.
      callee.ticks = Math.max(callee.ticks, row.ticks);
      const isGiven = passage !== null && give({ ...row, ticks: callee.ticks, passage }, passage);
      if (!isGiven) own.push(row);
      if (row.kind === eventKind.enter)
        callee.open.push({ fn: row.fn, sp: row.sp, passage: isGiven ? passage : null });
    }
    flush();
  }
}

/** By whose call it is: an end is of who had the beginning. Calls that it shows to have been left are open no more. */
function passageOf(
  { open }: Callee,
  { kind, fn, sp, ticks }: Row,
  caller: Caller | undefined,
): Passage | null {
  if (fn >= firstActivation) return null;
  if (kind === eventKind.enter) {
    for (let top = open.at(-1); top && top.sp <= sp; top = open.at(-1)) open.pop();
    return caller?.at(ticks) ?? null;
  }
  if (kind === eventKind.watch) return open.findLast((call) => call.sp === sp)?.passage ?? null;
  if (kind === eventKind.jumped) {
    const passage = open.at(-1)?.passage ?? null;
    for (let top = open.at(-1); top && top.sp < sp; top = open.at(-1)) open.pop();
    return passage;
  }
  const at = open.findLastIndex((call) => call.sp === sp && call.fn === fn);
  const passage = open[at]?.passage ?? null;
  if (at >= 0) open.length = at;
  return passage;
}

/** Records of the thread were lost: whether its open calls have ended is not known. */
function loseCalls({ open }: Callee, { time, ticks }: Row, give: GiveRow): void {
  const passages = new Set(open.map(({ passage }) => passage));
  open.length = 0;
  for (const passage of passages) {
    const payload = new Uint8Array(0);
    const row = { kind: eventKind.jumped, fn: 0, sp: TOP, time, ticks, payload };
    if (passage) give({ ...row, passage, isLoss: true }, passage);
  }
}
