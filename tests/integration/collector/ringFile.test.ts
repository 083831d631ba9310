import fc from 'fast-check';
import { openSync, readSync, writeSync, closeSync, ftruncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ClockMap } from '../../../src/collector/rings/clockMap.ts';
import { PayloadPlans } from '../../../src/collector/rings/payloadPlan.ts';
import { RingFile } from '../../../src/collector/rings/ringFile.ts';
import type { RingSink } from '../../../src/collector/rings/ringSink.ts';
import { eventKind } from '../../../src/model/eventColumns.ts';
import {
  fileHeader,
  record,
  ringPlace,
  slotHeader,
  slotState,
} from '../../../src/protocol/record.ts';
import { suiteFolder } from '../../support/folder.ts';

const RING_BYTES = 4096;
/** The larger rings follow the first: 16 KiB, 64 KiB, 256 KiB. */
const GROWTH = 4;
const MOST_BYTES = RING_BYTES * GROWTH ** 3;
const STRIDE = slotHeader.bytes + 2 * MOST_BYTES - RING_BYTES;
/** More than any record takes. */
const LONGEST = 4 * record.bytes;
const folder = suiteFolder();

/** Writes a ring file as the engine's layout says, independently of the engine. */
class Writer {
  readonly path = join(folder, `${Math.random().toString(36).slice(2)}.ring`);
  readonly #fd = openSync(this.path, 'w+');
  #position = 0;
  #bytes = RING_BYTES;
  #turns = 0;
  written = 0;

  constructor() {
    ftruncateSync(this.#fd, fileHeader.bytes + STRIDE);
    const head = Buffer.alloc(80);
    head.writeBigUInt64LE(record.magic, fileHeader.magic);
    head.writeUInt32LE(record.version, fileHeader.version);
    head.writeUInt32LE(4711, fileHeader.pid);
    head.writeUInt32LE(1, fileHeader.slotCount);
    head.writeUInt32LE(RING_BYTES, fileHeader.ringBytes);
    head.writeBigUInt64LE(BigInt(STRIDE), fileHeader.slotStride);
    head.writeUInt32LE(1, fileHeader.usedSlots);
    writeSync(this.#fd, head, 0, head.length, 0);
    this.#slot(slotHeader.state, slotState.live);
    this.#slot(slotHeader.tid, 4712);
    this.#goOn(RING_BYTES);
  }

  /** One event, in a ring that loses nothing that is not stored; back in the first one when it can. */
  eventKept(words: number): void {
    const consumed = Buffer.alloc(8);
    readSync(this.#fd, consumed, 0, 8, fileHeader.bytes + slotHeader.consumed);
    const unread = this.#position - Number(consumed.readBigUInt64LE(0));
    if (unread + LONGEST > this.#bytes) this.#goOn(this.#bytes * GROWTH);
    else if (unread === 0 && this.#bytes > RING_BYTES) this.#goOn(RING_BYTES);
    this.#write(words, true);
  }

  /** From now on the thread writes a ring of so many bytes. */
  #goOn(bytes: number): void {
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
    this.#bytes = bytes;
    const place = Buffer.alloc(ringPlace.bytes);
    place.writeBigUInt64LE(BigInt(this.#position + Math.log2(bytes)), ringPlace.start);
    place.writeUInt32LE(this.#base, ringPlace.base);
    const at = slotHeader.places + (this.#turns++ % slotHeader.placeCount) * ringPlace.bytes;
    writeSync(this.#fd, place, 0, place.length, fileHeader.bytes + at);
  }

  get #base(): number {
    return this.#bytes - RING_BYTES;
  }

  /** One event; its fn counts up, its payload repeats the number in every word. */
  event(words: number, complete = true): void {
    this.#write(words, complete);
  }

  /** Completes the last event, which was written incomplete. */
  complete(words: number): void {
    this.written--;
    this.#position -= (Math.max(0, Math.ceil((words - 1) / 3)) + 1) * record.bytes;
    this.#write(words, true);
  }

  #write(words: number, complete: boolean): void {
    const number = this.written++;
    const more = Math.max(0, Math.ceil((words - 1) / 3));
    for (let piece = 0; piece <= more; piece++) {
      const bytes = Buffer.alloc(record.bytes);
      const at = this.#position + piece * record.bytes;
      if (piece === 0) {
        bytes.writeBigUInt64LE(BigInt(1000 + number), 0);
        bytes.writeBigUInt64LE(0x7ffc_0000_0000n + BigInt(number), 8);
        bytes.writeBigUInt64LE(BigInt(number), 16);
        bytes.writeUInt32LE(((more << record.functionBits) | (words % 8)) >>> 0, 24);
      } else for (let word = 0; word < 3; word++) bytes.writeBigUInt64LE(BigInt(number), word * 8);
      const kind = piece === 0 ? eventKind.enter : eventKind.more;
      bytes.writeUInt32LE(complete ? ((at % 2 ** 32) | kind) >>> 0 : 0, 28);
      const area = fileHeader.bytes + slotHeader.bytes + this.#base;
      writeSync(this.#fd, bytes, 0, bytes.length, area + (at % this.#bytes));
    }
    this.#position += (more + 1) * record.bytes;
    const position = Buffer.alloc(8);
    position.writeBigUInt64LE(BigInt(this.written));
    writeSync(this.#fd, position, 0, 8, fileHeader.bytes + slotHeader.events);
    position.writeBigUInt64LE(BigInt(this.#position));
    writeSync(this.#fd, position, 0, 8, fileHeader.bytes + slotHeader.position);
  }

  end(): void {
    this.#slot(slotHeader.state, slotState.ended);
  }

  /** Another thread takes the slot: positions and counters go on. */
  nextThread(): void {
    this.#slot(slotHeader.state, slotState.live);
    this.#slot(slotHeader.generation, 2);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #slot(offset: number, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    writeSync(this.#fd, bytes, 0, 4, fileHeader.bytes + offset);
  }
}

function collector(): RingSink & { numbers: number[]; lost: number; torn_: number; ended: number } {
  return {
    numbers: [],
    lost: 0,
    torn_: 0,
    ended: 0,
    counted() {},
    partRead() {},
    defined: unexpected,
    definitionsUnread: unexpected,
    undefinedFunction: unexpected,
    events(thread, events) {
      expect(thread).toMatchObject({ pid: 4711, tid: 4712 });
      const view = new DataView(events.payload.buffer, events.payload.byteOffset);
      for (let row = 0; row < events.count; row++) {
        const from = events.payloadStart[row] ?? 0;
        const to = events.payloadStart[row + 1] ?? 0;
        expect(to - from).toBe((events.fn[row] ?? 0) * 8);
        const number = (events.time[row] ?? 0) - 1000;
        for (let at = from; at < to; at += 8)
          expect(Number(view.getBigUint64(at, true))).toBe(number);
        this.numbers.push(number);
      }
    },
    overwritten(_thread, count) {
      this.lost += count;
    },
    torn(_thread, count) {
      this.torn_ += count;
    },
    threadEnded() {
      this.ended++;
    },
  };
}

/** Native functions alone are recorded. */
function unexpected(): never {
  throw new Error('nothing was defined');
}

function oneToOneClock(): ClockMap {
  const clock = new ClockMap(0n);
  clock.add({ tsc: 0n, monotonicNs: 0n });
  clock.add({ tsc: 10_000_000n, monotonicNs: 10_000_000n });
  return clock;
}

function plans(): PayloadPlans {
  const made = new PayloadPlans();
  for (let words = 0; words < 8; words++) {
    made.set(words, { enter: Array.from({ length: words }, () => false), returns: 'none' });
  }
  return made;
}

/** Another reader takes over, as after the death of the first. */
function handOver(ring: RingFile, path: string): RingFile {
  const told = structuredClone(ring.state());
  ring.close();
  return new RingFile(path, told);
}

test('every record is read once and in order while it is written, over wraps, odd sizes and readers', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 30 }), fc.boolean()),
        { maxLength: 40 },
      ),
      (bursts) => {
        using writer = new Writer();
        let ring = new RingFile(writer.path);
        const sink = collector();
        const clock = oneToOneClock();
        for (const [burst, handsOver] of bursts) {
          for (const words of burst) writer.event(words);
          ring.poll(clock, plans(), sink);
          if (handsOver) ring = handOver(ring, writer.path);
        }
        writer.end();
        ring.poll(clock, plans(), sink);
        ring.close();
        expect(sink.numbers).toEqual(Array.from({ length: writer.written }, (_, number) => number));
        expect(sink).toMatchObject({ lost: 0, torn_: 0, ended: 1 });
      },
    ),
    { numRuns: 60 },
  );
});

test('what was overwritten is counted exactly and the rest keeps its order', () => {
  using writer = new Writer();
  const ring = new RingFile(writer.path);
  const sink = collector();
  for (let i = 0; i < 1000; i++) writer.event(i % 8);
  ring.poll(oneToOneClock(), plans(), sink, true);
  expect(sink.lost + sink.numbers.length).toBe(1000);
  expect(sink.lost).toBeGreaterThan(1000 - RING_BYTES / record.bytes - 1);
  expect(sink.lost).toBeLessThan(1000);
  expect(sink.numbers.at(-1)).toBe(999);
  expect(sink.numbers).toEqual(sink.numbers.toSorted((a, b) => a - b));
  ring.close();
});

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 40 }) },
    { weight: 1, arbitrary: fc.constant('poll' as const) },
    { weight: 1, arbitrary: fc.constant('stored' as const) },
    { weight: 1, arbitrary: fc.constant('killed' as const) },
  ),
  { minLength: 20, maxLength: 100 },
);

test('[store.growing] rings that grow and shrink are read in order and whole, by the next reader, too', () => {
  fc.assert(
    fc.property(steps, (actions) => {
      using writer = new Writer();
      let ring = new RingFile(writer.path);
      const seen = collector();
      let committed = { state: ring.state(), count: 0 };
      const poll = (): void => {
        ring.poll(oneToOneClock(), plans(), seen);
      };
      const store = (): void => {
        poll();
        committed = structuredClone({ state: ring.state(), count: seen.numbers.length });
        ring.publishConsumed();
      };
      for (const action of actions) {
        if (action === 'poll') poll();
        else if (action === 'stored') store();
        else if (action === 'killed') {
          ring.close();
          ring = new RingFile(writer.path, committed.state);
          seen.numbers.length = committed.count;
        } else for (let i = 0; i < action; i++) writer.eventKept(i % 8);
      }
      writer.end();
      store();
      expect(seen.numbers).toEqual(Array.from({ length: writer.written }, (_unused, i) => i));
      expect(seen).toMatchObject({ lost: 0, torn_: 0, ended: 1 });
      ring.close();
    }),
    { numRuns: 300 },
  );
});

test('[trace.exact] a record that is being written while others were overwritten is no loss', () => {
  using writer = new Writer();
  const ring = new RingFile(writer.path);
  const sink = collector();
  for (let i = 0; i < 1000; i++) writer.event(i % 8);
  writer.event(2, false);
  ring.poll(oneToOneClock(), plans(), sink);
  writer.complete(2);
  ring.poll(oneToOneClock(), plans(), sink);
  writer.end();
  ring.poll(oneToOneClock(), plans(), sink);
  expect(sink.torn_).toBe(0);
  expect(sink.numbers.at(-1)).toBe(1000);
  expect(sink.lost + sink.numbers.length).toBe(1001);
  ring.close();
});

test('a record that is still being written holds the reader; at the end it is given up and counted', () => {
  using writer = new Writer();
  const ring = new RingFile(writer.path);
  const sink = collector();
  writer.event(2);
  writer.event(2, false);
  writer.event(2);
  ring.poll(oneToOneClock(), plans(), sink);
  expect(sink.numbers).toEqual([0]);
  ring.poll(oneToOneClock(), plans(), sink, true);
  expect(sink.numbers).toEqual([0, 2]);
  expect(sink.torn_).toBeGreaterThan(0);
  ring.close();
});

test('a slot of an ended thread is given back after the commit', () => {
  using writer = new Writer();
  const ring = new RingFile(writer.path);
  const sink = collector();
  writer.event(1);
  writer.end();
  ring.poll(oneToOneClock(), plans(), sink);
  ring.publishConsumed();
  ring.poll(oneToOneClock(), plans(), sink);
  expect(sink).toMatchObject({ numbers: [0], ended: 1 });
  writer.nextThread();
  writer.event(2);
  writer.end();
  ring.poll(oneToOneClock(), plans(), sink);
  expect(sink).toMatchObject({ numbers: [0, 1], ended: 2, lost: 0 });
  ring.close();
});

test('a slot that was given back is not given back again by the next reader', () => {
  using writer = new Writer();
  let ring = new RingFile(writer.path);
  const sink = collector();
  for (let i = 0; i < 10; i++) writer.event(1);
  writer.end();
  ring.poll(oneToOneClock(), plans(), sink);
  const committed = structuredClone(ring.state());
  ring.publishConsumed();
  writer.nextThread();
  for (let i = 0; i < 5; i++) writer.event(1);
  ring.close();
  ring = new RingFile(writer.path, committed);
  ring.publishConsumed();
  ring.poll(oneToOneClock(), plans(), sink);
  ring = handOver(ring, writer.path);
  writer.event(1);
  writer.end();
  ring.poll(oneToOneClock(), plans(), sink);
  expect(sink.numbers).toEqual(Array.from({ length: 16 }, (_, number) => number));
  expect(sink).toMatchObject({ lost: 0, ended: 2 });
  ring.close();
});

test('[runtimes.versions] a ring of another version is refused with what to do', () => {
  using writer = new Writer();
  const file = openSync(writer.path, 'r+');
  const version = Buffer.alloc(4);
  version.writeUInt32LE(record.version - 1);
  writeSync(file, version, 0, 4, fileHeader.version);
  closeSync(file);
  expect(() => new RingFile(writer.path)).toThrow(
    /another version of Strobe .*start the program again/,
  );
});
