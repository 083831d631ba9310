import { closeSync, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { WakingFile } from '../rings/wakeCalls.ts';
import { processorNamed } from '../../model/processors.ts';
import type { Mapping } from '../../model/endings/snapshot.ts';
import { parseMapping } from '../../model/endings/snapshot.ts';
import {
  exceptionFile,
  exceptionHead,
  exceptionHeader,
  exceptionKind,
  exceptionMessage,
} from '../../protocol/exceptionFile.ts';

/** The exception file of a session, beside its rings. */
export function exceptionPathOf(folder: string): string {
  return join(folder, 'exceptions');
}

/** An exception that was raised or caught, as the engine saw it. */
export interface SeenException {
  readonly kind: 'raised' | 'caught';
  readonly monotonicNs: bigint;
  readonly pid: number;
  readonly tid: number;
  /** The same address for raising and catching. */
  readonly exception: bigint;
  readonly language: 'C++' | 'Rust' | 'Go' | 'other';
  /** As the linker spells it; empty when unknown. */
  readonly type: string;
  readonly message: Buffer;
  readonly messageIs: 'none' | 'known' | 'found' | 'value' | 'walked' | 'frame';
  /** As in a snapshot, of this machine's processor. */
  readonly registers: readonly (bigint | null)[];
  readonly stack: Uint8Array;
  /** Which files' code lay where. */
  readonly mappings: readonly Mapping[];
}

const chunkBytes = 1 << 20;
/** Number of processes whose memory maps are remembered. */
const MOST_MAPPED = 256;
/** Exceptions are read where they are raised. */
const processor = processorNamed(process.arch);

/**
 * Reads an exception file while it is written. What was read is given back to the writer by
 * `publishRead`, after it was stored. Synchronous and short.
 */
export class ExceptionFileReader implements Disposable, WakingFile {
  readonly path: string;
  readonly #file: number;
  readonly #mappings = new Map<number, readonly Mapping[]>();
  #position: number;

  private constructor(path: string, file: number, position: number) {
    this.path = path;
    this.#file = file;
    this.#position = position;
  }

  /** Null when the file is none of this version, or not complete yet. */
  static open(path: string): ExceptionFileReader | null {
    let file: number;
    try {
      file = openSync(path, 'r+');
    } catch {
      return null;
    }
    const head = Buffer.alloc(exceptionHeader.unrecorded + 8);
    const isOurs =
      readSync(file, head, 0, head.length, 0) === head.length &&
      head.readBigUInt64LE(exceptionHeader.magic) === exceptionFile.magic &&
      head.readUInt32LE(exceptionHeader.version) === exceptionFile.version &&
      fstatSync(file).size >= exceptionFile.headerBytes + exceptionFile.bytes;
    if (isOurs)
      return new ExceptionFileReader(
        path,
        file,
        Number(head.readBigUInt64LE(exceptionHeader.read)),
      );
    closeSync(file);
    return null;
  }

  /** Exceptions raised, and those of them that were not recorded. */
  get counters(): { readonly seen: number; readonly unrecorded: number } {
    return {
      seen: this.#number(exceptionHeader.seen),
      unrecorded: this.#number(exceptionHeader.unrecorded),
    };
  }

  /** The next records, about 1 MB of them at most; empty when there is none. What makes no sense is passed over. */
  read(): SeenException[] {
    const written = this.#number(exceptionHeader.written);
    const waiting = written - this.#position;
    if (waiting <= 0) return [];
    if (waiting > exceptionFile.bytes) {
      this.#position = written;
      return [];
    }
    const chunk = this.#bytesAt(this.#position, Math.min(waiting, chunkBytes));
    const found: SeenException[] = [];
    let at = 0;
    while (at + exceptionHead.bytes <= chunk.length) {
      const length = chunk.readUInt32LE(at + exceptionHead.length);
      if (length < exceptionHead.bytes || length % 8 !== 0 || length > exceptionFile.bytes) {
        this.#position = written;
        return found;
      }
      if (at + length > chunk.length) break;
      const seen = this.#record(chunk.subarray(at, at + length));
      if (seen !== null) found.push(seen);
      at += length;
    }
    this.#position += at;
    return found;
  }

  /** Everything read so far is stored. */
  publishRead(): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(this.#position));
    writeSync(this.#file, bytes, 0, 8, exceptionHeader.read);
  }

  /** Has the next record touch the file; false when its writer cannot. */
  sleep(): boolean {
    if (this.#word(exceptionHeader.wakes) === 0) return false;
    this.#setWord(exceptionHeader.asleep, 1);
    return true;
  }

  wake(): void {
    this.#setWord(exceptionHeader.asleep, 0);
  }

  #word(offset: number): number {
    const word = Buffer.alloc(4);
    readSync(this.#file, word, 0, 4, offset);
    return word.readUInt32LE(0);
  }

  #setWord(offset: number, value: number): void {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(value);
    writeSync(this.#file, word, 0, 4, offset);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #record(bytes: Buffer): SeenException | null {
    const number = (offset: number): number => bytes.readUInt32LE(offset);
    const pid = number(exceptionHead.pid);
    const parts = [
      number(exceptionHead.typeBytes),
      number(exceptionHead.messageBytes),
      number(exceptionHead.stackBytes),
    ];
    let at: number = exceptionHead.bytes;
    const [type, message, stack] = parts.map((size) => {
      const part = bytes.subarray(at, at + size);
      at += Math.ceil(size / 8) * 8;
      return part;
    });
    if (type === undefined || message === undefined || stack === undefined) return null;
    const kind = number(exceptionHead.kind);
    if (kind === exceptionKind.maps) {
      this.#keepMappings(pid, mappingsIn(stack.toString()));
      return null;
    }
    return {
      kind: kind === exceptionKind.caught ? 'caught' : 'raised',
      monotonicNs: bytes.readBigUInt64LE(exceptionHead.time),
      pid,
      tid: number(exceptionHead.tid),
      exception: bytes.readBigUInt64LE(exceptionHead.exception),
      language: languageOf(bytes.subarray(exceptionHead.language, exceptionHead.language + 8)),
      type: type.toString('latin1'),
      message: Buffer.from(message),
      messageIs: messageKind(number(exceptionHead.message)),
      registers: registersIn(bytes),
      stack: Uint8Array.from(stack),
      mappings: this.#mappingsOf(pid),
    };
  }

  /** They were told before this reader began: the process itself knows, while it runs. */
  #mappingsOf(pid: number): readonly Mapping[] {
    let known = this.#mappings.get(pid);
    if (known === undefined) {
      known = mappingsNow(pid);
      this.#keepMappings(pid, known);
    }
    return known;
  }

  #keepMappings(pid: number, mappings: readonly Mapping[]): void {
    this.#mappings.delete(pid);
    this.#mappings.set(pid, mappings);
    const [oldest] = this.#mappings.keys();
    if (this.#mappings.size > MOST_MAPPED && oldest !== undefined) this.#mappings.delete(oldest);
  }

  #bytesAt(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    const from = position % exceptionFile.bytes;
    const first = Math.min(length, exceptionFile.bytes - from);
    readSync(this.#file, bytes, 0, first, exceptionFile.headerBytes + from);
    if (first < length)
      readSync(this.#file, bytes, first, length - first, exceptionFile.headerBytes);
    return bytes;
  }

  #number(offset: number): number {
    const bytes = Buffer.alloc(8);
    readSync(this.#file, bytes, 0, 8, offset);
    return Number(bytes.readBigUInt64LE());
  }
}

function registersIn(bytes: Buffer): (bigint | null)[] {
  const registers: (bigint | null)[] = processor.registers.map(() => null);
  for (const [at, number] of processor.raised.entries())
    if (number !== null)
      registers[number] = bytes.readBigUInt64LE(exceptionHead.registers + at * 8);
  return registers;
}

function mappingsIn(text: string): Mapping[] {
  return text.split('\n').flatMap((line) => parseMapping(line) ?? []);
}

function mappingsNow(pid: number): Mapping[] {
  try {
    return mappingsIn(readFileSync(`/proc/${pid}/maps`, 'utf8'));
  } catch {
    return []; // It has ended.
  }
}

/** Where the stack that was kept begins. */
export function stackAddressOf(seen: SeenException): bigint {
  return seen.registers[processor.stack] ?? 0n;
}

/** Eight letters: libstdc++ and libc++abi write them as a big-endian number, Rust in their order, and of Go we do. */
function languageOf(letters: Buffer): SeenException['language'] {
  const text = letters.toString('latin1');
  if (text === 'MOZ\0RUST' || text === 'TSUR\0ZOM') return 'Rust';
  if (text === 'GO\0\0\0\0\0\0') return 'Go';
  return text.slice(1, 4) === '++C' ? 'C++' : 'other';
}

/** Of an `exceptionMessage`. */
export function messageKind(code: number): SeenException['messageIs'] {
  for (const kind of ['known', 'found', 'value', 'walked', 'frame'] as const)
    if (exceptionMessage[kind] === code) return kind;
  return 'none';
}
