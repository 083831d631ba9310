import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { StrobeError } from '../../model/errors.ts';
import type { LogRecord } from '../../model/outputRecord.ts';
import { supervisorWire, logHead } from '../../protocol/supervisor.ts';
import { outputRing, outputRingAt, outputRingExit } from '../../protocol/record.ts';
import { logRecord } from '../supervisor/outputLog.ts';

const CHUNK_BYTES = 1 << 20;

/**
 * Reads what an attached process writes, while it writes it. What was read is given back to the
 * writer by `publishRead`, after it was stored. Synchronous: it is part of an index worker's loop.
 */
export class OutputRingFile implements Disposable {
  readonly path: string;
  readonly pid: number;
  readonly #file: number;
  readonly #t0: bigint;
  readonly #bytes: number;
  #position: number;
  /** Dropped bytes that were told of at the end, beside the records. */
  #droppedTold = 0;

  /**
   * `t0` is the session's start in CLOCK_MONOTONIC ns; `position` a former reader's. STORE_FAILED
   * when the file cannot be read as one of this version.
   */
  constructor(path: string, t0: bigint, position = 0) {
    this.path = path;
    this.#t0 = t0;
    this.#position = position;
    this.#file = openSync(path, 'r+');
    try {
      const head = Buffer.alloc(outputRing.headerBytes);
      readSync(this.#file, head, 0, head.length, 0);
      this.#bytes = head.readUInt32LE(outputRingAt.bytes);
      this.pid = head.readUInt32LE(outputRingAt.pid);
      const known =
        head.readBigUInt64LE(outputRingAt.magic) === outputRing.magic &&
        head.readUInt32LE(outputRingAt.version) === outputRing.version &&
        this.#bytes > 0 &&
        fstatSync(this.#file).size >= outputRing.headerBytes + this.#bytes;
      if (!known) throw new StrobeError('STORE_FAILED', `${path} is no output file.`);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** Where the next record begins: everything before was given out. */
  get position(): number {
    return this.#position;
  }

  /** The next records, at most about 1 MB of them; empty when there is none. STORE_FAILED when they are none. */
  read(): LogRecord[] {
    const waiting = this.#number(outputRingAt.written, 8) - this.#position;
    if (waiting <= 0) return [];
    if (waiting > this.#bytes) throw this.#damaged(`${waiting} bytes waiting`);
    const chunk = this.#bytesAt(this.#position, Math.min(waiting, CHUNK_BYTES));
    const records: LogRecord[] = [];
    let at = 0;
    while (chunk.length - at >= logHead.bytes) {
      const length = chunk.readUInt32LE(at + logHead.length);
      if (length > supervisorWire.maxOutputBytes) throw this.#damaged(`length ${length}`);
      const next = at + logHead.bytes + Math.ceil(length / 8) * 8;
      if (next > chunk.length) break;
      const payload = chunk.subarray(at + logHead.bytes, at + logHead.bytes + length);
      const type = chunk.readUInt8(at + logHead.type);
      const time = chunk.readBigUInt64LE(at + logHead.time);
      const record = logRecord(type, time, payload, this.#t0);
      if (!record) throw this.#damaged(`type ${type} with ${length} bytes`);
      records.push(record);
      at = next;
    }
    this.#position += at;
    return records;
  }

  /** Bytes dropped at the very end, which no record tells of; once. To be asked when nothing is written any more. */
  droppedAtEnd(): number {
    const dropped = this.#number(outputRingAt.dropped, 8) - this.#droppedTold;
    this.#droppedTold += dropped;
    return dropped;
  }

  /** Gives the room of everything read back to the writer. Call after a commit. */
  publishRead(): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(this.#position));
    writeSync(this.#file, bytes, 0, 8, outputRingAt.read);
  }

  /** Has the next output wake whoever watches the file; false when the process cannot do that. */
  sleep(): boolean {
    if (this.#number(outputRingAt.wakes, 4) === 0) return false;
    this.#setWord(outputRingAt.asleep, 1);
    return true;
  }

  wake(): void {
    this.#setWord(outputRingAt.asleep, 0);
  }

  close(): void {
    closeSync(this.#file);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #bytesAt(position: number, length: number): Buffer {
    const chunk = Buffer.allocUnsafe(length);
    const offset = position % this.#bytes;
    const first = Math.min(length, this.#bytes - offset);
    readSync(this.#file, chunk, 0, first, outputRing.headerBytes + offset);
    if (length > first) readSync(this.#file, chunk, first, length - first, outputRing.headerBytes);
    return chunk;
  }

  #setWord(at: number, value: number): void {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(value);
    writeSync(this.#file, word, 0, 4, at);
  }

  #number(at: number, bytes: 4 | 8): number {
    const read = Buffer.alloc(8);
    readSync(this.#file, read, 0, bytes, at);
    return Number(read.readBigUInt64LE(0));
  }

  #damaged(detail: string): StrobeError {
    return new StrobeError(
      'STORE_FAILED',
      `The output file ${this.path} is damaged at ${this.#position}: ${detail}.`,
    );
  }
}

/** The exit code a process was about to end with, from its output file, or null. */
export function outputExitCode(path: string): number | null {
  const word = Buffer.alloc(4);
  try {
    const file = openSync(path, 'r');
    readSync(file, word, 0, 4, outputRingAt.exit);
    closeSync(file);
  } catch {
    return null; // it was removed, or never made
  }
  const exit = word.readUInt32LE(0);
  return (exit & outputRingExit.known) === 0 ? null : exit & 0xff;
}
