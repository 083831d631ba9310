import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { EventColumns } from '../../model/eventColumns.ts';
import { fileHeader, record, slotHeader, slotState } from '../../protocol/record.ts';
import type { CountedCalls } from '../../model/eventColumns.ts';
import { CountedRows, type CountedSoFar } from './countedRows.ts';
import type { ClockAnchor, ClockMap } from './clockMap.ts';
import type { PayloadPlans } from './payloadPlan.ts';
import { SlotDecoder } from './slotDecoder.ts';

const CHUNK_BYTES = 1 << 20;
/** Polls after which a record that is reserved but not completed is given up. */
const PATIENCE_POLLS = 40;

/** Of all rings: nothing in them outlives a call. */
const chunk = Buffer.from(new ArrayBuffer(CHUNK_BYTES));
const decoder = new SlotDecoder();

/** A thread that wrote into a ring, as the ring names it. */
export interface RingThread {
  /** Path of its ring file. */
  readonly ring: string;
  readonly pid: number;
  readonly tid: number;
  readonly slot: number;
  readonly generation: number;
  readonly name: string;
}

/** Who takes what was read. Batches are valid only during the call. */
export interface RingSink {
  /** So many more events were overwritten before they could be read; exact once all is read. */
  overwritten(thread: RingThread, count: number): void;
  events(thread: RingThread, events: EventColumns): void;
  torn(thread: RingThread, count: number): void;
  /** Calls that left no records, since the last time. */
  counted(thread: RingThread, calls: readonly CountedCalls[]): void;
  threadEnded(thread: RingThread): void;
}

/** How far a slot was read: what a later reader of the file needs to go on. JSON. */
export interface SlotState extends Omit<SlotReader, 'stuckPolls'> {
  readonly left: SlotEnd;
  readonly counted?: CountedSoFar;
}

/** Where the thread before left a slot. */
interface SlotEnd {
  readonly position: number;
  readonly events: number;
}

interface SlotReader {
  readonly thread: RingThread;
  position: number;
  /** The slot's event counter when this thread began. */
  readonly eventsBefore: number;
  decoded: number;
  overwritten: number;
  /** Something was overwritten unread. */
  hasGap: boolean;
  lastTime: number;
  stuckPolls: number;
  finished: boolean;
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
  readonly #ringBytes: number;
  readonly #slotStride: number;
  readonly #slotCount: number;
  readonly #slots: (SlotReader | null)[] = [];
  /** Where the thread before left a slot: positions and counters go on over generations. */
  readonly #left: SlotEnd[] = [];
  /** What each slot's table of counted calls said last. */
  readonly #counted: CountedRows[] = [];
  readonly #header = Buffer.alloc(96);
  readonly anchor: ClockAnchor;
  readonly path: string;

  /**
   * `from`: the state of an earlier reader, for what it has not read. Throws when the file is not
   * a ring file of this version.
   */
  constructor(path: string, from: readonly (SlotState | null)[] = []) {
    this.path = path;
    this.#fd = openSync(path, 'r+');
    try {
      const head = Buffer.alloc(fileHeader.bytes);
      readSync(this.#fd, head, 0, head.length, 0);
      if (head.readBigUInt64LE(fileHeader.magic) !== record.magic) {
        throw new Error(`${path} is not a ring file`);
      }
      if (head.readUInt32LE(fileHeader.version) !== record.version) {
        throw new Error(`${path} has ring version ${head.readUInt32LE(fileHeader.version)}`);
      }
      this.pid = head.readUInt32LE(fileHeader.pid);
      this.parent = head.readUInt32LE(fileHeader.parent);
      this.#ringBytes = head.readUInt32LE(fileHeader.ringBytes);
      this.#slotStride = Number(head.readBigUInt64LE(fileHeader.slotStride));
      this.#slotCount = head.readUInt32LE(fileHeader.slotCount);
      this.anchor = {
        tsc: head.readBigUInt64LE(fileHeader.anchorTsc),
        monotonicNs: head.readBigUInt64LE(fileHeader.anchorMonotonicNs),
      };
      const need = fileHeader.bytes + this.#slotCount * this.#slotStride;
      if (fstatSync(this.#fd).size < need)
        throw new Error(`${path} is shorter than its header says`);
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

  /** Enter events without a ring, by cause, since the start; the last of forked descendants. */
  lostWithoutRing(): { noRing: number; noMemory: number; forkedLost: number } {
    return {
      noRing: this.#counter(fileHeader.lostNoRing),
      noMemory: this.#counter(fileHeader.lostNoMemory),
      forkedLost: this.#counter(fileHeader.forkedLost),
    };
  }

  /** How many rings forked descendants of this process have made. */
  forkedRings(): number {
    return this.#counter(fileHeader.forkedRings);
  }

  /** Bytes that a forked child's slots took. */
  taken(): number {
    return this.#counter(fileHeader.taken);
  }

  /** Forked descendants may take so many bytes again. */
  giveBack(bytes: number): void {
    const all = Buffer.alloc(8);
    all.writeBigUInt64LE(BigInt(this.#counter(fileHeader.forkedGivenBack) + bytes));
    writeSync(this.#fd, all, 0, 8, fileHeader.forkedGivenBack);
  }

  /** Every thread has ended and was read to its end. */
  get isRead(): boolean {
    return this.#slots.every((slot) => slot === null || slot.finished);
  }

  /**
   * Reads everything written up to now. `final`: the process is gone, so what is not complete
   * never will be. Returns whether anything was read.
   */
  poll(clock: ClockMap, plans: PayloadPlans, sink: RingSink, final = false): boolean {
    readSync(this.#fd, this.#header, 0, 4, fileHeader.usedSlots);
    const used = Math.min(this.#header.readUInt32LE(0), this.#slotCount);
    let any = false;
    for (let slot = 0; slot < used; slot++) {
      const wasRead = this.#slots[slot]?.finished === true;
      if (this.#pollSlot(slot, clock, plans, sink, final)) any = true;
      if (!wasRead && this.#pollCounted(slot, clock, sink)) any = true;
    }
    return any;
  }

  /** Tells the engine what is stored, and gives slots of ended threads back. Call after a commit. */
  publishConsumed(): void {
    const bytes = Buffer.alloc(8);
    for (const [slot, reader] of this.#slots.entries()) {
      if (!reader) continue;
      const at = this.#slotOffset(slot);
      bytes.writeBigUInt64LE(BigInt(reader.position));
      writeSync(this.#fd, bytes, 0, 8, at + slotHeader.consumed);
      if (reader.finished) {
        bytes.writeUInt32LE(slotState.free);
        writeSync(this.#fd, bytes, 0, 4, at + slotHeader.state);
        this.#slots[slot] = null;
      }
    }
  }

  /**
   * Has the next record wake whoever watches the file; false when the process cannot do that, or when one
   * is not complete, which polls give up.
   */
  sleep(): boolean {
    if (this.#slots.some((reader) => reader !== null && reader.stuckPolls > 0)) return false;
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

  #counter(offset: number): number {
    readSync(this.#fd, this.#header, 0, 8, offset);
    return Number(this.#header.readBigUInt64LE(0));
  }

  #slotOffset(slot: number): number {
    return fileHeader.bytes + slot * this.#slotStride;
  }

  #readSlotHeader(slot: number): {
    events: number;
    state: number;
    thread: RingThread;
  } {
    const head = this.#header;
    readSync(this.#fd, head, 0, 64, this.#slotOffset(slot));
    const name = head.subarray(slotHeader.name, slotHeader.name + slotHeader.nameBytes);
    const end = name.indexOf(0);
    return {
      events: Number(head.readBigUInt64LE(slotHeader.events)),
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
  #pollCounted(slot: number, clock: ClockMap, sink: RingSink): boolean {
    const reader = this.#slots[slot];
    if (!reader) return false;
    readSync(this.#fd, this.#header, 0, 4, fileHeader.countedRows);
    const rows = this.#header.readUInt32LE(0);
    if (rows <= 1) return false;
    const counted = (this.#counted[slot] ??= new CountedRows());
    const calls = counted.read(this.#fd, this.#slotOffset(slot), rows, clock);
    if (calls.length > 0) sink.counted(reader.thread, calls);
    return calls.length > 0;
  }

  #pollSlot(
    slot: number,
    clock: ClockMap,
    plans: PayloadPlans,
    sink: RingSink,
    final: boolean,
  ): boolean {
    const now = this.#readSlotHeader(slot);
    if (now.state === slotState.free) return false;
    let reader = this.#slots[slot];
    if (reader?.finished) return false;
    if (!reader || reader.thread.generation !== now.thread.generation) {
      const { position, events } = this.#left[slot] ?? { position: 0, events: 0 };
      reader = {
        thread: now.thread,
        position,
        eventsBefore: events,
        decoded: 0,
        overwritten: 0,
        hasGap: false,
        lastTime: 0,
        stuckPolls: 0,
        finished: false,
      };
      this.#slots[slot] = reader;
    }
    // Read after the count of events, so that it is behind all of them.
    const goal = this.#positionNow(slot);
    const before = reader.position;
    let stuck = false;
    while (reader.position < goal && !stuck) {
      stuck = !this.#readChunk(slot, reader, clock, plans, sink, final);
    }
    reader.stuckPolls = stuck && reader.position === before ? reader.stuckPolls + 1 : 0;
    if (reader.position >= goal) {
      this.#countOverwritten(reader, now.events, sink);
      if (now.state === slotState.ended || final) {
        reader.finished = true;
        this.#left[slot] = { position: reader.position, events: now.events };
        sink.threadEnded(reader.thread);
      }
    }
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

  #positionNow(slot: number): number {
    readSync(this.#fd, this.#header, 0, 8, this.#slotOffset(slot));
    return Number(this.#header.readBigUInt64LE(0));
  }

  /** Reads and decodes one chunk; false when the next record is not complete yet. */
  #readChunk(
    slot: number,
    reader: SlotReader,
    clock: ClockMap,
    plans: PayloadPlans,
    sink: RingSink,
    final: boolean,
  ): boolean {
    const ring = this.#ringBytes;
    let lost = 0;
    // The thread writes on: what is left to read is known only now.
    const target = this.#positionNow(slot);
    const oldest = target - ring;
    if (reader.position < oldest) {
      // Leave room for what the thread writes while this chunk is copied.
      const resume = Math.min(target, oldest + ring / 4);
      lost += (resume - reader.position) / record.bytes;
      reader.position = resume;
    }
    const offset = reader.position % ring;
    const length = Math.min(target - reader.position, CHUNK_BYTES);
    const beforeEnd = Math.min(length, ring - offset);
    const area = this.#slotOffset(slot) + slotHeader.bytes;
    readSync(this.#fd, chunk, 0, beforeEnd, area + offset);
    if (length > beforeEnd) readSync(this.#fd, chunk, beforeEnd, length - beforeEnd, area);
    const overwritten = this.#positionNow(slot) - ring - reader.position;
    let from = 0;
    if (overwritten > 0) {
      from = Math.min(length, overwritten);
      lost += from / record.bytes;
      reader.position += from;
    }
    const bytes = chunk.subarray(from, length);
    const broken = final ? 'skip' : reader.stuckPolls > PATIENCE_POLLS ? 'skipLeading' : 'stop';
    const taken = decoder.decode(bytes, reader.position, clock, plans, reader.lastTime, broken);
    reader.lastTime = decoder.lastTime(reader.lastTime);
    const columns = decoder.columns(lost);
    reader.decoded += columns.count + decoder.torn;
    if (lost > 0) reader.hasGap = true;
    if (columns.count > 0 || lost > 0) sink.events(reader.thread, columns);
    if (decoder.torn > 0) sink.torn(reader.thread, decoder.torn);
    reader.position += taken;
    if (taken > 0) reader.stuckPolls = 0;
    return from > 0 || taken > 0;
  }
}

/** A slot whose thread has ended and was read to its end. */
const nobody: Omit<SlotReader, 'stuckPolls'> = {
  thread: { ring: '', pid: 0, tid: 0, slot: 0, generation: -1, name: '' },
  position: 0,
  eventsBefore: 0,
  decoded: 0,
  overwritten: 0,
  hasGap: false,
  lastTime: 0,
  finished: true,
};
