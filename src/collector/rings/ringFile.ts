import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { monotonicNs } from '../../base/clock.ts';
import { fileHeader, record, ringPlace, slotHeader, slotState } from '../../protocol/record.ts';
import { strandsOf } from '../../protocol/definitions.ts';
import { CountedRows } from './countedRows.ts';
import type { ClockAnchor, ClockMap } from './clockMap.ts';
import { SessionDefinitions, type ProcessDefinitions } from './sessionDefinitions.ts';
import type { PayloadPlans } from './payloadPlan.ts';
import { placeAt, placesIn, type RingPlace } from './ringPlaces.ts';
import type { RingSink, RingThread } from './ringSink.ts';
import { SlotDecoder, type BrokenRecords, type Decoding } from './slotDecoder.ts';
import { newReader, nobody, type SlotEnd, type SlotReader, type SlotState } from './slotReader.ts';
import { dueAt, recordsOf, toldCall, waitingCalls } from './waitingCalls.ts';

const CHUNK_BYTES = 1 << 20;
/** Polls after which a record that is reserved but not completed is given up. */
const PATIENCE_POLLS = 40;
/** A file is crowded when one slot in this many waits to be given back. */
const CROWDED_SHARE = 8;
/** Or when so much was read: a quarter of a thread's first ring, which is warm and costs it least. */
const CROWDED_BYTES = 2 << 20;

/** Of all rings: nothing in them outlives a call. */
const chunk = Buffer.from(new ArrayBuffer(CHUNK_BYTES));
const decoder = new SlotDecoder();
const placeList = Buffer.alloc(slotHeader.placeCount * ringPlace.bytes);

/** What a poll reads with. */
interface Reading {
  readonly clock: ClockMap;
  readonly plans: PayloadPlans;
  readonly sink: RingSink;
  /** The process is gone. */
  readonly final: boolean;
}

/**
 * Reads one process's ring file while the process writes it. Never writes into records; only
 * `consumed` and the release of ended slots are written back, after the caller's commit.
 */
export class RingFile {
  readonly #fd: number;
  readonly pid: number;
  /** The nearest ancestor that records; 0 when the process was traced by itself. */
  readonly parent: number;
  readonly #slotStride: number;
  readonly #slotCount: number;
  readonly #slots: (SlotReader | null)[] = [];
  /** Where the thread before left a slot: positions and counters go on over generations. */
  readonly #left: SlotEnd[] = [];
  /** Bytes read since the engine was told last. */
  #unpublished = 0;
  /** What each slot's table of counted calls said last. */
  readonly #counted: CountedRows[] = [];
  readonly #header = Buffer.alloc(96);
  readonly #definitions: ProcessDefinitions;
  anchor: ClockAnchor;
  readonly path: string;
  /** Its calls go on on other threads (goroutineEvents.ts). */
  readonly isOfGoroutines: boolean;
  /** Its writer is outside the process. */
  readonly isFromOutside: boolean;

  /**
   * `from`: the state of an earlier reader, for what it has not read. Throws when the file is not a
   * ring file of this version.
   */
  constructor(
    path: string,
    from: readonly (SlotState | null)[] = [],
    definitions: SessionDefinitions = new SessionDefinitions(),
  ) {
    this.path = path;
    this.#fd = openSync(path, 'r+');
    try {
      const head = Buffer.alloc(fileHeader.bytes);
      readSync(this.#fd, head, 0, head.length, 0);
      if (head.readBigUInt64LE(fileHeader.magic) !== record.magic) {
        throw new Error(`${path} is not a ring file`);
      }
      if (head.readUInt32LE(fileHeader.version) !== record.version) {
        throw new Error(
          `${path} was written by another version of Strobe (${head.readUInt32LE(fileHeader.version)}, not ${record.version}): start the program again to trace it`,
        );
      }
      this.pid = head.readUInt32LE(fileHeader.pid);
      this.parent = head.readUInt32LE(fileHeader.parent);
      this.#slotStride = Number(head.readBigUInt64LE(fileHeader.slotStride));
      this.#slotCount = head.readUInt32LE(fileHeader.slotCount);
      const strands = head.readUInt32LE(fileHeader.strands);
      this.isOfGoroutines = strands === strandsOf.goroutines;
      this.isFromOutside = strands !== 0;
      this.anchor = {
        tsc: head.readBigUInt64LE(fileHeader.anchorTsc),
        monotonicNs: head.readBigUInt64LE(fileHeader.anchorMonotonicNs),
      };
      const need = fileHeader.bytes + this.#slotCount * this.#slotStride;
      if (fstatSync(this.#fd).size < need)
        throw new Error(`${path} is shorter than its header says`);
      this.#definitions = definitions.of({
        path,
        pid: this.pid,
        parent: this.parent,
        functionBase: head.readUInt32LE(fileHeader.functionBase),
        began: String(this.anchor.monotonicNs),
      });
      for (const [slot, state] of from.entries()) this.#continue(slot, state);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /** How far each slot was read. */
  state(): (SlotState | null)[] {
    return Array.from(this.#slots, (reader, slot) => {
      const left = this.#left[slot] ?? { position: 0, events: 0 };
      const known = this.#counted[slot]?.soFar;
      const counted = known && known.length > 0 ? { counted: known } : {};
      if (!reader) return left.position > 0 ? { ...nobody, left, ...counted } : null;
      const { stuckPolls: _own, ...kept } = reader;
      return { ...kept, left, ...counted };
    });
  }

  /** Enter events without a ring, by cause, since the start. */
  lostWithoutRing(): { noRing: number; noMemory: number; forbidden: number } {
    return {
      noRing: this.#counter(fileHeader.lostNoRing),
      noMemory: this.#counter(fileHeader.lostNoMemory),
      forbidden: this.#counter(fileHeader.lostForbidden),
    };
  }

  /** Bytes that a forked child's slots took. */
  taken(): number {
    return this.#counter(fileHeader.taken);
  }

  /** Every thread has ended and was read to its end. */
  get isRead(): boolean {
    return this.#slots.every((slot) => slot === null || slot.finished);
  }

  /** Whether its writer has written another anchor down; it may do so at any time. */
  takeAnchor(): boolean {
    const bytes = Buffer.alloc(16);
    readSync(this.#fd, bytes, 0, bytes.length, fileHeader.anchorTsc);
    const before = this.anchor;
    this.anchor = { tsc: bytes.readBigUInt64LE(0), monotonicNs: bytes.readBigUInt64LE(8) };
    return this.anchor.tsc !== before.tsc && this.anchor.monotonicNs !== before.monotonicNs;
  }

  /** The cycle counter when hooks were last removed; 0: none were. */
  get removed(): number {
    return this.#counter(fileHeader.removed);
  }

  /** A record is not complete yet: what its thread did before and since is not known. */
  get isStuck(): boolean {
    return this.#slots.some((slot) => slot !== null && slot.stuckPolls > 0);
  }

  /** `publishConsumed` is waited for: by slots that new threads need, or before a ring has to grow. */
  get isCrowded(): boolean {
    if (this.#unpublished >= CROWDED_BYTES) return true;
    const waiting = this.#slots.reduce((sum, slot) => sum + (slot?.finished === true ? 1 : 0), 0);
    return waiting * CROWDED_SHARE >= this.#slotCount;
  }

  /**
   * Reads everything written up to now. `final`: the process is gone, so what is not complete
   * never will be. Returns whether anything was read.
   */
  poll(clock: ClockMap, plans: PayloadPlans, sink: RingSink, final = false): boolean {
    const used = this.#usedSlots();
    const reading = { clock, plans, sink, final };
    let any = false;
    for (let slot = 0; slot < used; slot++) {
      const wasRead = this.#slots[slot]?.finished === true;
      if (this.#pollSlot(slot, reading)) any = true;
      if (!wasRead && this.#pollCounted(slot, reading)) any = true;
    }
    if (final) this.#readDefinitions(reading);
    return any;
  }

  /** Tells the engine what is stored, and gives slots of ended threads back. Call after a commit. */
  publishConsumed(): void {
    this.#unpublished = 0;
    for (const [slot, reader] of this.#slots.entries()) {
      if (!reader) continue;
      this.#publish(slot, reader.position);
      if (!reader.finished) continue;
      this.#setWord(this.#slotOffset(slot) + slotHeader.state, slotState.free);
      this.#slots[slot] = null;
    }
  }

  /**
   * Has the next record wake whoever watches the file; false when the process cannot do that, or when one
   * is not complete, which polls give up.
   */
  sleep(): boolean {
    if (this.isStuck) return false;
    readSync(this.#fd, this.#header, 0, 4, fileHeader.wakes);
    if (this.#header.readUInt32LE(0) === 0) return false;
    this.#setWord(fileHeader.asleep, 1);
    for (const [slot, reader] of this.#slots.entries())
      if (reader && !reader.finished) this.#setWord(this.#slotOffset(slot) + slotHeader.asleep, 1);
    return true;
  }

  /** Slots that still say that the reader sleeps cost their thread one look at the file's word. */
  wake(): void {
    this.#setWord(fileHeader.asleep, 0);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #continue(slot: number, state: SlotState | null): void {
    this.#slots[slot] = null;
    if (!state) return;
    const { left, counted, ...reader } = state;
    this.#left[slot] = left;
    if (counted) this.#counted[slot] = new CountedRows(counted);
    const now = this.#readSlotHeader(slot);
    // A slot that was given back already must not be given back again: another thread may have it.
    const isSame =
      now.state !== slotState.free && now.thread.generation === reader.thread.generation;
    if (isSame && slot < this.#slotCount) this.#slots[slot] = { ...reader, stuckPolls: 0 };
  }

  #setWord(offset: number, value: number): void {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(value);
    writeSync(this.#fd, word, 0, 4, offset);
  }

  #publish(slot: number, position: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(position));
    writeSync(this.#fd, bytes, 0, 8, this.#slotOffset(slot) + slotHeader.consumed);
  }

  #usedSlots(): number {
    readSync(this.#fd, this.#header, 0, 4, fileHeader.usedSlots);
    return Math.min(this.#header.readUInt32LE(0), this.#slotCount);
  }

  #counter(offset: number): number {
    readSync(this.#fd, this.#header, 0, 8, offset);
    return Number(this.#header.readBigUInt64LE(0));
  }

  #slotOffset(slot: number): number {
    return fileHeader.bytes + slot * this.#slotStride;
  }

  #readSlotHeader(slot: number): {
    events: number;
    waits: boolean;
    state: number;
    thread: RingThread;
  } {
    const head = this.#header;
    readSync(this.#fd, head, 0, 64, this.#slotOffset(slot));
    const name = head.subarray(slotHeader.name, slotHeader.name + slotHeader.nameBytes);
    const end = name.indexOf(0);
    return {
      events: Number(head.readBigUInt64LE(slotHeader.events)),
      waits: head.readUInt32LE(slotHeader.waitingBytes) > 0,
      state: head.readUInt32LE(slotHeader.state),
      thread: {
        ring: this.path,
        pid: this.pid,
        tid: head.readUInt32LE(slotHeader.tid),
        slot,
        generation: head.readUInt32LE(slotHeader.generation),
        name: name.toString('utf8', 0, end < 0 ? name.length : end),
      },
    };
  }

  /** To be called behind `#pollSlot`: of a thread that has ended, all rows are there by now. */
  #pollCounted(slot: number, reading: Reading): boolean {
    const reader = this.#slots[slot];
    if (!reader) return false;
    readSync(this.#fd, this.#header, 0, 4, fileHeader.countedRows);
    const rows = this.#header.readUInt32LE(0);
    if (rows <= 1) return false;
    const counted = (this.#counted[slot] ??= new CountedRows());
    const { locals } = this.#decoding(reading);
    const calls = counted.read(this.#fd, this.#slotOffset(slot), rows, reading.clock, locals);
    if (calls.length > 0) reading.sink.counted(reader.thread, calls);
    return calls.length > 0;
  }

  /** To be asked behind what is decoded with it: all that it uses is defined by then. */
  #decoding(reading: Reading): Decoding {
    this.#readDefinitions(reading);
    return { clock: reading.clock, plans: reading.plans, locals: this.#definitions.locals };
  }

  #readDefinitions(reading: Reading): void {
    this.#definitions.read(this.#counter(fileHeader.definitions), reading, reading.final);
  }

  /** Who reads what the thread writes that has the slot. */
  #readerOf(slot: number, thread: RingThread): SlotReader {
    const known = this.#slots[slot];
    if (known?.thread.generation === thread.generation) return known;
    const reader = newReader(thread, this.#left[slot] ?? { position: 0, events: 0 });
    this.#slots[slot] = reader;
    return reader;
  }

  #pollSlot(slot: number, reading: Reading): boolean {
    const now = this.#readSlotHeader(slot);
    if (now.state === slotState.free || this.#slots[slot]?.finished) return false;
    const reader = this.#readerOf(slot, now.thread);
    // Read after the count of events, so that it is behind all of them.
    const goal = this.#positionNow(slot);
    const before = reader.position;
    let stuck = false;
    while (reader.position < goal && !stuck) {
      const from = reader.position;
      stuck = !this.#readPart(slot, reader, reading);
      reading.sink.partRead(reader.position - from);
    }
    reader.stuckPolls = stuck && reader.position === before ? reader.stuckPolls + 1 : 0;
    if (reader.position >= goal) {
      this.#countOverwritten(reader, now.events, reading.sink);
      if (now.state === slotState.ended || reading.final) {
        reader.finished = true;
        this.#left[slot] = { position: reader.position, events: now.events };
        this.#readWaiting(slot, reader, reading);
        reading.sink.threadEnded(reader.thread, reading.final);
      } else if (now.waits && this.#readWaiting(slot, reader, reading)) return true;
    }
    this.#unpublished += reader.position - before;
    return reader.position !== before;
  }

  /**
   * Call when all that `events` counts was read or passed over: then the difference is never more
   * than what was really lost, and exact when the thread stands still.
   */
  #countOverwritten(reader: SlotReader, events: number, sink: RingSink): void {
    const lost = events - reader.eventsBefore - reader.decoded - reader.overwritten;
    if (lost <= 0 || !reader.hasGap) return;
    reader.overwritten += lost;
    sink.overwritten(reader.thread, lost);
  }

  /**
   * Tells of calls that wait in the slot: of an ended thread all, of another those that have lasted as long as
   * they must. To be called when all records were read; what changes meanwhile is left for the next time.
   */
  #readWaiting(slot: number, reader: SlotReader, reading: Reading): boolean {
    const { clock, sink } = reading;
    const page = this.#firstPage(slot);
    const isDue = reader.finished ? () => true : dueAt(clock, clock.sessionNsOf(monotonicNs()));
    const calls = waitingCalls(page, reader.told, isDue);
    if (calls.length === 0) return false;
    const standsStill =
      page.equals(this.#firstPage(slot)) && this.#positionNow(slot) === reader.position;
    if (!standsStill && !reader.finished) return false;
    const bytes = new Uint8Array(recordsOf(calls, reader.position));
    decoder.decode(bytes, reader.position, this.#decoding(reading), reader.lastTime, 'skip');
    reader.lastTime = decoder.lastTime(reader.lastTime);
    sink.events(reader.thread, decoder.columns(0));
    reader.told.push(...calls.map(toldCall));
    return true;
  }

  #firstPage(slot: number): Buffer {
    const page = Buffer.alloc(slotHeader.scratch);
    readSync(this.#fd, page, 0, page.length, this.#slotOffset(slot));
    return page;
  }

  #positionNow(slot: number): number {
    readSync(this.#fd, this.#header, 0, 8, this.#slotOffset(slot));
    return Number(this.#header.readBigUInt64LE(0));
  }

  /** Reads and decodes a part; false when the next record is not complete yet. */
  #readPart(slot: number, reader: SlotReader, reading: Reading): boolean {
    const { start, length } = this.#copyFromRing(slot, reader.position, this.#positionNow(slot));
    const broken = reading.final
      ? 'skip'
      : reader.stuckPolls > PATIENCE_POLLS
        ? 'skipLeading'
        : 'stop';
    const hasPassed = start > reader.position;
    return this.#decode(reader, start, length, broken, reading) > 0 || hasPassed;
  }

  /** Which ring of a slot holds a position, as far as it is written; to be asked again after reading there. */
  #placeOf(slot: number, position: number): RingPlace {
    // The position first: of all that begin at or before it the places are there.
    const written = this.#positionNow(slot);
    readSync(this.#fd, placeList, 0, placeList.length, this.#slotOffset(slot) + slotHeader.places);
    return placeAt(placesIn(placeList), position, written);
  }

  /**
   * Copies what a ring holds from a position on, up to `target`, to the chunk: as much as fits and was not
   * written over meanwhile.
   */
  #copyFromRing(slot: number, from: number, target: number): { start: number; length: number } {
    // The thread writes on: what is left to read is known only now.
    const { base, bytes: ring, until, oldest, isLeft } = this.#placeOf(slot, from);
    const end = Math.min(target, until);
    // Leave room for what the thread writes while this is copied.
    const start = from < oldest ? Math.min(end, oldest + (isLeft ? 0 : ring / 4)) : from;
    const offset = start % ring;
    const length = Math.min(end - start, CHUNK_BYTES);
    const beforeEnd = Math.min(length, ring - offset);
    const area = this.#slotOffset(slot) + slotHeader.bytes + base;
    readSync(this.#fd, chunk, 0, beforeEnd, area + offset);
    if (length > beforeEnd) readSync(this.#fd, chunk, beforeEnd, length - beforeEnd, area);
    const overwritten = this.#placeOf(slot, from).oldest - start;
    if (overwritten <= 0) return { start, length };
    const gone = Math.min(length, overwritten);
    chunk.copyWithin(0, gone, length);
    return { start: start + gone, length: length - gone };
  }

  /** Decodes what the chunk holds, which begins at `start`; returns how many bytes. */
  #decode(
    reader: SlotReader,
    start: number,
    length: number,
    broken: BrokenRecords,
    reading: Reading,
  ): number {
    const { sink } = reading;
    const lost = (start - reader.position) / record.bytes;
    const bytes = chunk.subarray(0, length);
    const { told } = reader;
    if (lost > 0) told.length = 0; // Their entries may be among them.
    const decoding = this.#decoding(reading);
    const taken = decoder.decode(bytes, start, decoding, reader.lastTime, broken, told);
    reader.lastTime = decoder.lastTime(reader.lastTime);
    const columns = decoder.columns(lost);
    reader.decoded += columns.count + decoder.torn + decoder.known + decoder.undefined;
    if (lost > 0) reader.hasGap = true;
    if (columns.count > 0 || lost > 0) sink.events(reader.thread, columns);
    if (decoder.torn > 0) sink.torn(reader.thread, decoder.torn);
    if (decoder.undefined > 0) sink.undefinedFunction(reader.thread, decoder.undefined);
    reader.position = start + taken;
    if (taken > 0) reader.stuckPolls = 0;
    return taken;
  }
}
