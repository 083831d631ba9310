import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs';
import type {
  JumpWithBreakpoint,
  MemoryPart,
  OpenFiles,
  SignalFacts,
  Snapshot,
  SnapshotThread,
} from '../../model/endings/snapshot.ts';
import type { Processor } from '../../model/processor.ts';
import { processorOfMachine } from '../../model/processors.ts';
import { readSignal } from '../../model/endings/signals.ts';
import { parseMapping } from '../../model/endings/snapshot.ts';
import { crashChunk, crashFile, crashHeader } from '../../protocol/crashFile.ts';

/** Path of the crash file that belongs to a ring file. */
export function crashPathOf(ringPath: string): string {
  return `${ringPath}.crash`;
}

/** Removes the crash file beside a ring whose process ended without a crash. */
export function removeUnwrittenCrash(ringPath: string): void {
  const path = crashPathOf(ringPath);
  const state = Buffer.alloc(4);
  try {
    const file = openSync(path, 'r');
    readSync(file, state, 0, 4, crashHeader.state);
    closeSync(file);
  } catch {
    return; // It has none.
  }
  if (state.readUInt32LE(0) === 0) rmSync(path, { force: true });
}

interface Chunk {
  readonly kind: number;
  readonly tid: number;
  readonly address: bigint;
  readonly flags: number;
  readonly bytes: Buffer;
}

/** Reads what a dying process left; null when it left nothing. Damage is told in `problems`. */
export function readCrashFile(path: string): Snapshot | null {
  if (!existsSync(path)) return null;
  const bytes = readWritten(path);
  if (bytes.length < crashFile.headerBytes) return null;
  const isOurs =
    bytes.readBigUInt64LE(crashHeader.magic) === crashFile.magic &&
    bytes.readUInt32LE(crashHeader.version) === crashFile.version;
  const state = bytes.readUInt32LE(crashHeader.state);
  if (!isOurs || state === 0) return null;
  const chunks = [...chunksOf(bytes)];
  const problems: string[] = [];
  if (state === 1) problems.push('The process ended while it was written down: parts are missing.');
  const missed = bytes.readUInt32LE(crashHeader.missedThreads);
  if (missed > 0)
    problems.push(`${missed} other thread(s) could not be looked at: tracing is not permitted.`);
  const died = bytes.readUInt32LE(crashHeader.tid);
  const processor = processorOfMachine(bytes.readUInt32LE(crashHeader.machine));
  if (processor === null) return null;
  return {
    pid: bytes.readUInt32LE(crashHeader.pid),
    processor: processor.name,
    signal: signalOf(chunks, bytes.readBigUInt64LE(crashHeader.monotonicNs)),
    threads: threadsOf(chunks, died, processor),
    mappings: textOf(chunks, crashChunk.maps)
      .split('\n')
      .flatMap((line) => parseMapping(line) ?? []),
    memory: chunks.flatMap((chunk): MemoryPart[] =>
      chunk.kind === crashChunk.stack || chunk.kind === crashChunk.memory
        ? [{ address: chunk.address, bytes: Uint8Array.from(chunk.bytes) }]
        : [],
    ),
    stored: [],
    openFiles: openFilesOf(bytes, chunks),
    breakpoints: breakpointsOf(chunks),
    problems,
  };
}

const JUMP = 0xe9;

function breakpointsOf(chunks: readonly Chunk[]): JumpWithBreakpoint[] {
  return chunks.flatMap(({ kind, address, bytes }) => {
    if (kind !== crashChunk.breakpoint || bytes.length < 5) return [];
    const leadsTo =
      bytes[0] === JUMP ? address + BigInt(bytes.length) + BigInt(bytes.readInt32LE(1)) : null;
    return [{ address, leadsTo }];
  });
}

function openFilesOf(bytes: Buffer, chunks: readonly Chunk[]): OpenFiles | null {
  if (bytes.readUInt32LE(crashHeader.hasFiles) === 0) return null;
  const files = chunks
    .filter((chunk) => chunk.kind === crashChunk.file)
    .map((chunk) => ({ number: chunk.flags, target: chunk.bytes.toString() }))
    .toSorted((a, b) => a.number - b.number);
  const more = Math.max(0, bytes.readUInt32LE(crashHeader.openFiles) - files.length);
  return { files, more };
}

/** The header and the chunks behind it: the file itself is made in its full size, and empty. */
function readWritten(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(crashFile.headerBytes);
    if (readSync(file, header, 0, header.length, 0) < header.length) return Buffer.alloc(0);
    const used = Math.min(Number(header.readBigUInt64LE(crashHeader.used)), crashFile.maxBytes);
    const bytes = Buffer.alloc(header.length + used);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

function* chunksOf(bytes: Buffer): Generator<Chunk> {
  const used = bytes.readBigUInt64LE(crashHeader.used);
  const end = Math.min(bytes.length, crashFile.headerBytes + Number(used));
  for (let at = crashFile.headerBytes; at + crashFile.chunkBytes <= end;) {
    const length = bytes.readUInt32LE(at + 16);
    const start = at + crashFile.chunkBytes;
    if (start + length > end) return;
    yield {
      kind: bytes.readUInt32LE(at),
      tid: bytes.readUInt32LE(at + 4),
      address: bytes.readBigUInt64LE(at + 8),
      flags: bytes.readUInt32LE(at + 20),
      bytes: bytes.subarray(start, start + length),
    };
    at = start + Math.ceil(length / 8) * 8;
  }
}

function signalOf(chunks: readonly Chunk[], monotonicNs: bigint): SignalFacts | null {
  const chunk = chunks.find(({ kind }) => kind === crashChunk.signal);
  if (chunk === undefined) return null;
  const { buffer, byteOffset, length } = chunk.bytes;
  const facts = readSignal(new DataView(buffer, byteOffset, length), monotonicNs);
  return facts && { ...facts, number: chunk.flags };
}

function threadsOf(
  chunks: readonly Chunk[],
  died: number,
  { registers: names, vectors }: Processor,
): SnapshotThread[] {
  // Behind them the thread pointer and the system call.
  const words = names.length + 2;
  const threads: SnapshotThread[] = [];
  for (const { kind, tid, flags, bytes } of chunks) {
    if (kind !== crashChunk.registers || bytes.length < words * 8) continue;
    const of = (wanted: number): Chunk | undefined =>
      chunks.find((chunk) => chunk.kind === wanted && chunk.tid === tid);
    const systemCall = bytes.readBigInt64LE((words - 1) * 8);
    threads.push({
      tid,
      name: of(crashChunk.name)?.bytes.toString() ?? '',
      isOurs: flags !== 0,
      registers: names.map((_name, i) => bytes.readBigUInt64LE(i * 8)),
      vectors: vectorsOf(of(crashChunk.vectors), vectors),
      systemCall: systemCall < 0n ? null : Number(systemCall),
    });
  }
  return threads.toSorted((a, b) => Number(b.tid === died) - Number(a.tid === died));
}

function vectorsOf(chunk: Chunk | undefined, count: number): Uint8Array | null {
  return chunk?.bytes.length === count * 16 ? Uint8Array.from(chunk.bytes) : null;
}

function textOf(chunks: readonly Chunk[], kind: number): string {
  return chunks.find((chunk) => chunk.kind === kind)?.bytes.toString() ?? '';
}
