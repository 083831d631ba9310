import { eventKind, type EventColumns } from '../../model/eventColumns.ts';

/**
 * The low bits of `sp`: where in the stack of its goroutine a frame is, in words; those above are the goroutine's
 * number (native/outside/target/record.c).
 */
export const FRAME = 2 ** 27;
/** Stack pointers of C in words are below this, as FRAME is. */
const STACK = 2 ** 44;
/** Calls of C around each other, through Go: those further in share a place. A place is exact up to 2 ** 53. */
const MOST_PASSAGES = 127;
const WORD = 8;
/** More events than any goroutine's open calls have. */
const ALL_OPEN = 2 ** 31;

/** A call of C by a goroutine: where it stands in the goroutine's stack (runtime.cgocall), as `sp` has it. */
export interface Passage {
  readonly goroutine: number;
  readonly place: number;
}

/** An event of a goroutine. */
export interface Row {
  readonly kind: number;
  readonly fn: number;
  readonly time: number;
  /** Compared with those of other threads: times are made of them by a rate that becomes better. */
  readonly ticks: number;
  readonly sp: number;
  readonly payload: Uint8Array;
  /** It is one of C, in that call: `sp` is the thread's stack pointer. */
  readonly passage?: Passage;
  /** Others of C were lost before it. */
  readonly isLoss?: boolean;
}

/** An open call of a goroutine: of Go, of C, or the passage between. */
export interface OpenCall {
  readonly what: 'go' | 'c' | 'passage';
  readonly fn: number;
  /** Of C: that of its passage. */
  readonly sp: number;
  /** Of C: the stack pointer. */
  readonly own: number;
  /** The `sp` of its events. */
  readonly place: number;
  /** Of those that are open, down to this one. */
  readonly passages: number;
  /** Its end may be among events that were lost. */
  isUnsure: boolean;
}

/** Events were lost before the first row from then on. */
export interface Loss {
  readonly ticks: number;
  readonly events: number;
}

/** Rows of which none was lost between them. */
export interface Segment {
  readonly rows: Row[];
  lostBefore: number;
}

/** What of a goroutine its calls are made of. */
interface Calls {
  readonly open: OpenCall[];
  readonly losses: Loss[];
  readonly unsureTo: number;
  removed: number;
}

/**
 * With the ends of calls that a panic left, or runtime.Goexit: what comes next happens further out. Of a call whose end
 * may have been lost that is not said. Without the ends of calls that began before they were traced; `mayBeUnknown`:
 * their beginnings may have been read by another.
 */
export function withEnds(
  calls: Calls,
  rows: readonly Row[],
  mayBeUnknown: boolean,
): readonly Segment[] {
  const segments = new Segments(calls);
  for (const row of rows) {
    if (row.passage) segments.addOfC(row, row.passage);
    else if (row.kind === eventKind.callsC) segments.pass(row, row.sp);
    else if (row.kind === eventKind.leavesC) segments.comeBack(row);
    else if (row.kind === eventKind.suspend || row.kind === eventKind.resume)
      addWait(segments, calls, row);
    else addOfGo(segments, calls, row, mayBeUnknown);
  }
  return segments.all;
}

function addOfGo(segments: Segments, { open }: Calls, row: Row, mayBeUnknown: boolean): void {
  const { kind, fn, sp } = row;
  const isHit = kind === eventKind.hit;
  const isEnter = kind === eventKind.enter;
  const isSample = kind === eventKind.watch;
  segments.reach(row, isEnter || isHit ? sp + 1 : sp);
  const top = open.at(-1);
  const isKnown = top?.what === 'go' && top.sp === sp && (isSample || top.fn === fn);
  const place = isKnown ? top.place : segments.placeOf(sp);
  if (isHit) segments.add({ ...row, sp: place, kind: eventKind.enter });
  else if (isEnter || isKnown || mayBeUnknown || segments.isAnyLost)
    segments.add({ ...row, sp: place });
  if (isEnter) segments.open({ what: 'go', fn, sp, own: sp, place });
  else if (isKnown && !isSample) open.pop();
}

/** By the call that waits; what has none is of no interest. */
function addWait(segments: Segments, { open }: Calls, row: Row): void {
  segments.reach(row, row.sp + 1);
  const waiting = open.findLast(({ what }) => what !== 'passage');
  if (waiting) segments.add({ ...row, fn: waiting.fn, sp: waiting.place });
}

/** Rows of a goroutine, apart where some between them were lost. */
class Segments {
  readonly #calls: Calls;
  #last: Segment = { rows: [], lostBefore: 0 };
  readonly all: Segment[] = [this.#last];
  isAnyLost = false;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  add(row: Row): void {
    this.#last.rows.push(row);
  }

  open(call: Omit<OpenCall, 'passages' | 'isUnsure'>): void {
    const more = call.what === 'passage' ? 1 : 0;
    const passages = Math.min(this.#passages + more, MOST_PASSAGES);
    this.#calls.open.push({ ...call, passages, isUnsure: false });
  }

  /** Ends the calls that are deeper than `least`, as something happens further out. */
  reach(row: Row, least: number): void {
    const { time, ticks } = row;
    const { open, losses, unsureTo } = this.#calls;
    if (this.#calls.removed <= ticks) this.#loseOpen();
    while (losses[0] && losses[0].ticks <= ticks) this.#lose(losses.shift()?.events ?? 0);
    for (let top = open.at(-1); top && top.sp < least; top = open.at(-1)) {
      if (!top.isUnsure && ticks <= unsureTo) this.#lose(1);
      const { what, fn, place, isUnsure } = top;
      if (what === 'c') this.#leaveC(row, Infinity);
      else {
        if (!isUnsure && what === 'go')
          this.add({ kind: eventKind.unwound, fn, sp: place, time, ticks, payload: nothing });
        open.pop();
      }
    }
  }

  /** The goroutine calls C at `sp`. */
  pass(row: Row, sp: number): void {
    this.reach(row, sp + 1);
    this.open({ what: 'passage', fn: 0, sp, own: sp, place: sp });
  }

  /** C has returned: what is still open of it was left by jumps, or its end was lost. */
  comeBack(row: Row): void {
    const { open } = this.#calls;
    this.reach(row, row.sp);
    if (open.at(-1)?.sp !== row.sp) return;
    this.#leaveC(row, Infinity);
    if (open.at(-1)?.what === 'passage') open.pop();
  }

  /** What the engine recorded in a call of C. */
  addOfC(row: Row, passage: Passage): void {
    const { open } = this.#calls;
    const { kind, fn, sp } = row;
    this.reach(row, passage.place);
    // It is among what was lost.
    if (open.at(-1)?.sp !== passage.place) this.pass(row, passage.place);
    if (row.isLoss) this.#lose(1);
    if (kind === eventKind.jumped) {
      this.#leaveC(row, sp);
      return;
    }
    const place = this.#placeOfC(sp);
    if (kind === eventKind.enter) {
      this.#drop(sp + 1);
      this.open({ what: 'c', fn, sp: passage.place, own: sp, place });
    } else if (kind !== eventKind.watch) this.#drop(sp + 1);
    this.add({ ...row, sp: place });
  }

  /** Where a frame of Go is: below the frames of C that called it. */
  placeOf(sp: number): number {
    const passages = this.#passages;
    return passages === 0 ? sp : (sp % FRAME) - 2 * passages * STACK;
  }

  #placeOfC(sp: number): number {
    return sp / WORD - (2 * this.#passages - 1) * STACK;
  }

  get #passages(): number {
    return this.#calls.open.at(-1)?.passages ?? 0;
  }

  /** The innermost calls of C below `sp` are open no more. Returns the outermost of them. */
  #drop(sp: number): OpenCall | null {
    const { open } = this.#calls;
    let last: OpenCall | null = null;
    for (let top = open.at(-1); top?.what === 'c' && top.own < sp; top = open.at(-1)) {
      last = top;
      open.pop();
    }
    return last;
  }

  /** The innermost calls of C below `sp` were left, as by a jump to there. */
  #leaveC({ time, ticks }: Row, sp: number): void {
    const last = this.#drop(sp);
    // Right above it: no call that stays is as near.
    if (last)
      this.add({
        kind: eventKind.jumped,
        fn: 0,
        sp: last.place + 1,
        time,
        ticks,
        payload: noPlace,
      });
  }

  #loseOpen(): void {
    this.#calls.removed = Infinity;
    if (this.#calls.open.length > 0) this.#lose(ALL_OPEN);
  }

  #lose(events: number): void {
    const { open } = this.#calls;
    if (this.#last.rows.length > 0) this.all.push((this.#last = { rows: [], lostBefore: 0 }));
    this.#last.lostBefore += events;
    // Two events at least take the place of an open call.
    open.length = Math.max(0, open.length - Math.max(0, events - 1));
    for (const call of open) call.isUnsure = true;
    this.isAnyLost = true;
  }
}

const nothing = new Uint8Array(0);
/** Of a jump: it is not known from where. */
const noPlace = new Uint8Array(8);

/** A copy. */
export function payloadOf({ payload, payloadStart }: EventColumns, row: number): Uint8Array {
  return payload.slice(payloadStart[row], payloadStart[row + 1]);
}

/** No event is before `from`. */
export function columnsOf({ rows, lostBefore }: Segment, from: number): EventColumns {
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
