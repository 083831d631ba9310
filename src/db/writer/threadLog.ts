import { eventKind, firstActivation, type EventColumns } from '../../model/eventColumns.ts';
import { alignedCopy, endCode, returnClassShift, unindexedString } from '../blockFormat.ts';
import { bucketOf } from '../histogram.ts';
import { Activations } from './pairing/activations.ts';
import { isPackedLines } from './pairing/activationLines.ts';
import type { LateEnd, WrittenBlock } from './blockTable.ts';
import { CallRows } from './callRows.ts';
import { CallStacks } from './pairing/callStacks.ts';
import type { OpenCalls } from './continuation.ts';
import { notListed } from './dynamicFacts.ts';
import type { Recorder } from './recorder.ts';
import { ThreadWaits } from './pairing/threadWaits.ts';

/** Told also where there is no call: an exception in one that was counted is recorded all the same. */
const standsAlone = new Set<number>([eventKind.context, eventKind.raise, eventKind.handled]);

/** Calls of one thread: pairs events, fills rows, writes blocks. */
export class ThreadLog {
  readonly key: number;
  readonly #to: Recorder;
  /** Of a thread without activations. */
  readonly #native: CallStacks;
  #activations: Activations | null = null;
  readonly #waits: ThreadWaits;
  readonly #rows = new CallRows();
  /** Strings captured by rows of the block in work: row and string id, in order of capture. */
  #stringRows: number[] = [];
  #stringIds: number[] = [];
  /** Rows before this are in a written piece. */
  #writtenRows = 0;
  readonly #pieces: WrittenBlock[] = [];
  /** Finished blocks, oldest first. */
  readonly #blocks: WrittenBlock[] = [];
  readonly #late = new Map<number, LateEnd>();
  /** Calls before this ordinal were given up. */
  #droppedTo = 0;
  #lastTime = 0;
  /** Of a call's beginning or end. */
  #lastCallTime = -1;
  /** Of the batch in work: its captures, as bytes and as words, and the thread's counter. */
  #payload: Uint8Array = new Uint8Array(0);
  #words: Uint32Array = new Uint32Array(0);
  #counter = 0;
  /** The row that strings are being captured for. */
  #stringRow = 0;
  readonly #keepString = (from: number, length: number): void => {
    this.#stringRows.push(this.#stringRow);
    const id =
      length === notListed ? unindexedString : this.#to.strings.intern(this.#payload, from, length);
    this.#stringIds.push(id);
  };
  calls = 0;
  openCalls = 0;
  /** Events that are in the index. */
  stored = 0;
  /** Ends without an enter, and ends of calls that were given up, since they were last taken. */
  unpaired = 0;
  lateDropped = 0;

  constructor(key: number, to: Recorder) {
    this.key = key;
    this.#to = to;
    this.#native = new CallStacks((...frame) => this.#frameLeft(...frame));
    this.#waits = new ThreadWaits(key, to.waiting);
  }

  get #stacks(): CallStacks | Activations {
    return this.#activations ?? this.#native;
  }

  #withActivations(): Activations {
    return (this.#activations ??= new Activations(
      (...frame) => this.#frameLeft(...frame),
      (ordinal, since) => this.#waits.set(ordinal, since),
      this.#native,
    ));
  }

  /** What a later writer of the file needs to go on with this thread. */
  openState(): OpenCalls {
    return {
      next: this.#rows.first + this.#rows.count,
      lastNs: this.#lastTime,
      frames: this.#stacks.save(),
    };
  }

  /**
   * Goes on where an earlier writer of the file ended. Its blocks stay as they are, also the
   * unfinished one's pieces; `openCalls` is the thread's counter.
   */
  continueFrom(state: OpenCalls, blocks: readonly WrittenBlock[], openCalls: number): void {
    this.#rows.first = state.next;
    this.#lastTime = this.#lastCallTime = state.lastNs;
    if (isPackedLines(state.frames)) this.#withActivations().restore(state.frames);
    else this.#native.restore(state.frames);
    this.#waits.continue(this.#native);
    this.#blocks.push(...blocks);
    this.#droppedTo = blocks[0]?.from ?? state.next;
    this.openCalls = openCalls;
    for (const block of blocks) {
      this.calls += block.to - block.from;
      this.stored += block.events;
    }
  }

  get lastTime(): number {
    return this.#lastTime;
  }

  append(events: EventColumns): void {
    if (events.lostBefore > 0) {
      this.#stacks.lost(events.lostBefore, this.#rows.first + this.#rows.count);
    }
    const { kind, fn, time, sp, payloadStart, count } = events;
    this.#payload = events.payload;
    this.#words = asWords(events.payload);
    this.#counter = this.#to.threads.at(this.key);
    let now = this.#lastTime;
    let called = this.#lastCallTime;
    let to = payloadStart[0] ?? 0;
    for (let i = 0; i < count; i++) {
      const from = to;
      to = payloadStart[i + 1] ?? from;
      const at = time[i] ?? 0;
      if (at > now) now = at;
      const what = kind[i] ?? 0;
      const number = fn[i] ?? 0;
      const place = sp[i] ?? 0;
      if (what === eventKind.watch) {
        this.#sample(number, now, place, from, to);
        continue;
      }
      // Processors count in steps, some of 10 ns: what follows within one is put a nanosecond later, and has its order.
      if (now === called) now++;
      called = now;
      if (what === eventKind.enter) this.#enter(number, now, place, from, to);
      else if (what === eventKind.jumped) this.#jump(now, place, from, to);
      else if (what >= eventKind.suspend) this.#happened(what, number, now, place, from, to);
      else this.#end(what, number, now, place, from, to);
    }
    this.#lastTime = now;
    this.#lastCallTime = called;
  }

  /** Writes what is new since the last commit; the rows stay in memory until their block is full. */
  writeTail(): void {
    const { count, first } = this.#rows;
    if (count > this.#writtenRows) {
      let from = this.#writtenRows;
      for (;;) {
        const last = this.#pieces.at(-1);
        if (!last || last.to - last.from >= 2 * (count - from)) break;
        this.#removePiece(last);
        this.#pieces.pop();
        from = last.from - first;
      }
      this.#pieces.push(this.#write(from, count, false));
      this.#writtenRows = count;
      this.#forgetLateFrom(first + from);
    }
    this.#writeLate();
    this.#writeWaiting();
  }

  /** The thread writes no more: gives its memory back. Open calls stay open. */
  release(): void {
    this.#seal();
    this.#rows.release();
    this.#stacks.release();
  }

  /** Finished ones, oldest first: all there is behind `release`. */
  get blocks(): readonly WrittenBlock[] {
    return this.#blocks;
  }

  /** Start of the oldest call that is still kept; null when there is none. */
  get oldestNs(): number | null {
    const block = this.#blocks[0];
    if (block) return block.startNs;
    return this.#rows.count > 0 ? (this.#rows.start[0] ?? 0) : null;
  }

  /** Gives up the oldest block; returns how many events that were and until when. */
  dropOldest(): { events: number; untilNs: number } {
    if (this.#blocks.length === 0) this.#seal();
    const block = this.#blocks.shift();
    if (!block) return { events: 0, untilNs: 0 };
    this.#to.blocks.remove(block.id);
    if (block.hasLate) this.#to.blocks.removeLate(this.key, block.from, block.to);
    this.#droppedTo = block.to;
    this.#waits.removeTo(block.to);
    for (const ordinal of this.#late.keys()) {
      if (ordinal < block.to) this.#late.delete(ordinal);
    }
    this.calls -= block.to - block.from;
    this.stored -= block.events;
    return { events: block.events, untilNs: block.lastNs };
  }

  #enter(fn: number, now: number, sp: number, from: number, to: number): void {
    const rows = this.#rows;
    const { facts, functions, threads, blockCalls } = this.#to;
    if (rows.count >= blockCalls || rows.isFull) this.#seal();
    const ordinal = rows.first + rows.count;
    const activations = fn < firstActivation ? this.#activations : this.#withActivations();
    const stacks = activations ?? this.#native;
    stacks.enter(fn, sp, now, ordinal);
    const parent = stacks.parentOrdinal;
    const row = rows.add(fn, now, parent < 0 ? 0 : ordinal - parent, stacks.depth);
    if (activations) rows.addActivation(row, activations.strand);
    if (to > from) {
      rows.enterAt[row] = rows.keep(this.#words, from >>> 2, to >>> 2);
      // Whole words: what a cut record has beyond them is no value.
      rows.enterBytes[row] = (to & ~3) - (from & ~3);
      if (facts.capturesStrings(fn)) {
        this.#stringRow = row;
        facts.eachString(fn, this.#payload, from, to, this.#keepString);
      }
    }
    functions.entered(functions.at(fn));
    threads.entered(this.#counter);
    this.calls++;
    this.stored++;
    if (!facts.endsUnseen(fn)) {
      this.openCalls++;
      return;
    }
    stacks.end(fn, sp, now);
    rows.end[row] = endCode.unseen;
    functions.left(functions.at(fn));
    threads.left(threads.at(this.key));
  }

  /** The thread waits from now on, or runs; the frame of its innermost call is at sp. */
  #waited(kind: number, now: number, sp: number, from: number, to: number): void {
    const word = (at: number): number => (to > from ? (this.#words[(from >>> 2) + at] ?? 0) : 0);
    const native = this.#native;
    const isSuspend = kind === eventKind.suspend;
    const summedNs = isSuspend ? 0 : word(0) + word(1) * 4294967296;
    if (summedNs > 0) {
      native.waited(summedNs);
      return;
    }
    if (isSuspend) native.suspend(now);
    else native.resume(now);
    const ordinal = native.ordinalAt(sp);
    const detail = isSuspend ? word(1) + 1 : 0;
    const event = { kind, ordinal, time: now, detail };
    if (ordinal < 0) this.unpaired++;
    else this.#to.events.add(this.key, event, this.#payload, from, from);
  }

  /** What happened in an activation, or to the thread. */
  #happened(kind: number, fn: number, now: number, sp: number, from: number, to: number): void {
    const isWait = kind === eventKind.suspend || kind === eventKind.resume;
    if (isWait && fn < firstActivation) {
      this.#waited(kind, now, sp, from, to);
      return;
    }
    const activations = this.#withActivations();
    let ordinal = -1;
    let detail = 0;
    let end = to;
    if (kind === eventKind.context) {
      activations.context(sp, to > from ? (this.#words[from >>> 2] ?? 0) : 0, now);
      [detail, end] = [sp, from];
    } else if (kind === eventKind.suspend) ordinal = activations.suspend(fn, sp, now);
    else if (kind === eventKind.resume || kind === eventKind.throwIn)
      ordinal = activations.resume(fn, sp, now);
    else {
      ordinal = activations.activationAt(fn, sp);
      // The last word is the line.
      if (to - from >= 16) [detail, end] = [this.#words[(to >>> 2) - 2] ?? 0, to - 8];
    }
    if (ordinal < 0 && !standsAlone.has(kind)) this.unpaired++;
    else
      this.#to.events.add(this.key, { kind, ordinal, time: now, detail }, this.#payload, from, end);
  }

  /** What a watch saw, in the call whose frame it names. */
  #sample(tag: number, time: number, sp: number, from: number, to: number): void {
    const ordinal = this.#stacks.ordinalAt(sp);
    if (ordinal < 0) this.unpaired++;
    else {
      const payload = { bytes: this.#payload, words: this.#words };
      this.#to.samples.add(this.key, { tag, ordinal, time }, payload, from, to);
    }
  }

  #jump(now: number, sp: number, from: number, to: number): void {
    const word = (at: number): number =>
      (this.#words[at] ?? 0) + (this.#words[at + 1] ?? 0) * 4294967296;
    const at = from >>> 2;
    if (to - from < 24) this.#stacks.jump(sp, now, word(at));
    else this.#stacks.jump(sp, now, word(at), word(at + 2), word(at + 4));
  }

  #end(kind: number, fn: number, now: number, sp: number, from: number, to: number): void {
    const { facts } = this.#to;
    const activations = this.#activations;
    const stacks = activations ?? this.#native;
    if (!stacks.end(fn, sp, now)) {
      this.unpaired++;
      return;
    }
    const durationNs = now - stacks.endedStart;
    const returned = kind === eventKind.return;
    const shape = returned
      ? facts.classOfReturn(fn, this.#payload, from, to) << returnClassShift
      : 0;
    const end = endOf(kind) | shape;
    const ordinal = stacks.endedOrdinal;
    const suspendedNs = Math.min(stacks.endedSuspended, durationNs);
    const childNs = this.#timed(fn, ordinal, end, durationNs, stacks.endedChild, suspendedNs);
    const rows = this.#rows;
    const row = ordinal - rows.first;
    // What an exception was is known of activations.
    const hasValue = to > from && (returned || (end === endCode.unwound && fn >= firstActivation));
    if (row >= 0 && hasValue) {
      rows.returnAt[row] = rows.keep(this.#words, from >>> 2, to >>> 2);
      rows.returnBytes[row] = (to & ~3) - (from & ~3);
      if (facts.returnsString(fn)) {
        this.#stringRow = row;
        facts.returnedString(fn, this.#payload, from, to, this.#keepString);
      }
    }
    if (row < this.#writtenRows) {
      const payload = hasValue ? Buffer.from(this.#payload.slice(from, to)) : null;
      this.#endedLate({ ordinal, durationNs, childNs, suspendedNs, end, payload });
    }
  }

  /** A call's duration is known. Returns how much of it is its children's. */
  #timed(
    fn: number,
    ordinal: number,
    end: number,
    duration: number,
    children: number,
    suspended = 0,
  ): number {
    const { functions, threads } = this.#to;
    const child = Math.min(duration - suspended, children);
    const self = duration - suspended - child;
    const unwound = end === endCode.unwound;
    const bucket = bucketOf(duration);
    functions.ended(functions.at(fn), bucket, duration, self, unwound);
    threads.ended(this.#counter, bucket, duration, self, unwound);
    if (suspended > 0) {
      functions.waited(functions.at(fn), suspended);
      threads.waited(this.#counter, suspended);
      this.#waits.set(ordinal, null);
    }
    this.openCalls--;
    const rows = this.#rows;
    const row = ordinal - rows.first;
    if (row >= 0) {
      rows.duration[row] = duration + 1;
      rows.child[row] = child;
      rows.end[row] = end;
      if (suspended > 0) rows.setSuspended(row, suspended);
      this.stored++;
    }
    return child;
  }

  #frameLeft(
    fn: number,
    ordinal: number,
    end: number,
    durationNs: number | null,
    children: number,
  ): void {
    const { functions, threads } = this.#to;
    const row = ordinal - this.#rows.first;
    let childNs = 0;
    if (durationNs !== null) childNs = this.#timed(fn, ordinal, end, durationNs, children);
    else {
      functions.left(functions.at(fn));
      threads.left(threads.at(this.key));
      this.openCalls--;
      if (row >= 0) this.#rows.end[row] = end;
    }
    if (row < this.#writtenRows)
      this.#endedLate({ ordinal, durationNs, childNs, suspendedNs: 0, end, payload: null });
  }

  /** The call's row has been written already. */
  #endedLate(late: LateEnd): void {
    if (late.ordinal < this.#droppedTo) {
      if (late.durationNs !== null) this.lateDropped++;
      return;
    }
    this.#late.set(late.ordinal, late);
    if (late.ordinal >= this.#rows.first) return;
    const block = this.#blockOf(late.ordinal);
    if (!block) return;
    block.hasLate = true;
    if (late.durationNs !== null) {
      block.events++;
      this.stored++;
    }
  }

  #blockOf(ordinal: number): WrittenBlock | undefined {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle]?.to ?? 0) > ordinal) high = middle;
      else low = middle + 1;
    }
    return this.#blocks[low];
  }

  /** Writes the rows as a finished block and begins the next. */
  #seal(): void {
    const rows = this.#rows;
    if (rows.count === 0) return;
    for (const piece of this.#pieces) this.#removePiece(piece);
    this.#pieces.length = 0;
    this.#forgetLateFrom(rows.first);
    this.#blocks.push(this.#write(0, rows.count, true));
    this.#stringRows = [];
    this.#stringIds = [];
    this.#writtenRows = 0;
    rows.restart();
  }

  #write(from: number, to: number, isFull: boolean): WrittenBlock {
    const rows = this.#rows;
    const block = this.#to.encoder.encode(rows, from, to, isFull);
    const id = this.#to.blocks.write(this.key, rows.first + from, block, this.#strings(from, to));
    return {
      id,
      from: rows.first + from,
      to: rows.first + to,
      startNs: block.startNs,
      lastNs: block.lastNs,
      events: block.calls + block.timed,
      hasLate: false,
    };
  }

  #strings(from: number, to: number): Buffer | null {
    if (this.#stringRows.length === 0) return null;
    const ids = new Set<number>();
    for (const [i, row] of this.#stringRows.entries()) {
      if (row >= from && row < to) ids.add(this.#stringIds[i] ?? 0);
    }
    if (ids.size === 0) return null;
    const sorted = [...ids].toSorted((a, b) => a - b);
    return Buffer.from(Uint32Array.from(sorted).buffer);
  }

  #removePiece(piece: WrittenBlock): void {
    this.#to.blocks.remove(piece.id);
    if (piece.hasLate) this.#to.blocks.removeLate(this.key, piece.from, piece.to);
  }

  /** Rows from this ordinal on are written with their ends. */
  #forgetLateFrom(ordinal: number): void {
    for (const known of this.#late.keys()) if (known >= ordinal) this.#late.delete(known);
  }

  #writeWaiting(): void {
    this.#activations?.tellParked();
    this.#waits.ofThread(this.#native);
    this.#waits.write(this.#droppedTo);
  }

  #writeLate(): void {
    for (const late of this.#late.values()) {
      this.#to.blocks.writeLate(this.key, late);
      const piece = this.#pieces.find(({ from, to }) => late.ordinal >= from && late.ordinal < to);
      if (piece) piece.hasLate = true;
    }
    this.#late.clear();
  }
}

/** The same bytes, four to a word. Captures begin and end at multiples of 8. */
function asWords(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : alignedCopy(bytes);
  return new Uint32Array(buffer, byteOffset, bytes.length >>> 2);
}

function endOf(kind: number): number {
  switch (kind) {
    case eventKind.unwound:
      return endCode.unwound;
    case eventKind.tail:
      return endCode.tail;
    default:
      return endCode.returned;
  }
}
