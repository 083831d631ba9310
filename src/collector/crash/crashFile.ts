import { existsSync, readFileSync } from 'node:fs';
import type { MemoryPart, SignalFacts, Snapshot, SnapshotThread } from '../../model/snapshot.ts';
import { parseMapping } from '../../model/snapshot.ts';
import { crashChunk, crashFile, crashHeader } from '../../protocol/crashFile.ts';

/** Path of the crash file that belongs to a ring file. */
export function crashPathOf(ringPath: string): string {
  return `${ringPath}.crash`;
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
  const bytes = readFileSync(path);
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
  return {
    pid: bytes.readUInt32LE(crashHeader.pid),
    signal: signalOf(chunks, bytes.readBigUInt64LE(crashHeader.monotonicNs)),
    threads: threadsOf(chunks, died),
    mappings: textOf(chunks, crashChunk.maps)
      .split('\n')
      .flatMap((line) => parseMapping(line) ?? []),
    memory: chunks.flatMap((chunk): MemoryPart[] =>
      chunk.kind === crashChunk.stack || chunk.kind === crashChunk.memory
        ? [{ address: chunk.address, bytes: Uint8Array.from(chunk.bytes) }]
        : [],
    ),
    stored: [],
    files: chunks
      .filter((chunk) => chunk.kind === crashChunk.file)
      .map((chunk) => ({ number: chunk.flags, target: chunk.bytes.toString() })),
    problems,
  };
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

/** siginfo_t on x86-64: number, errno, code, then from byte 16 the address. */
function signalOf(chunks: readonly Chunk[], monotonicNs: bigint): SignalFacts | null {
  const chunk = chunks.find(({ kind }) => kind === crashChunk.signal);
  if (chunk === undefined || chunk.bytes.length < 24) return null;
  const code = chunk.bytes.readInt32LE(8);
  return {
    number: chunk.flags,
    code,
    address: code > 0 ? chunk.bytes.readBigUInt64LE(16) : null,
    monotonicNs,
  };
}

function threadsOf(chunks: readonly Chunk[], died: number): SnapshotThread[] {
  const threads: SnapshotThread[] = [];
  for (const { kind, tid, flags, bytes } of chunks) {
    if (kind !== crashChunk.registers || bytes.length < crashFile.registerWords * 8) continue;
    const of = (wanted: number): Chunk | undefined =>
      chunks.find((chunk) => chunk.kind === wanted && chunk.tid === tid);
    const systemCall = bytes.readBigInt64LE(18 * 8);
    threads.push({
      tid,
      name: of(crashChunk.name)?.bytes.toString() ?? '',
      isOurs: flags !== 0,
      registers: Array.from({ length: 17 }, (_unused, i) => bytes.readBigUInt64LE(i * 8)),
      vectors: vectorsOf(of(crashChunk.vectors)),
      systemCall: systemCall < 0n ? null : Number(systemCall),
    });
  }
  return threads.toSorted((a, b) => Number(b.tid === died) - Number(a.tid === died));
}

function vectorsOf(chunk: Chunk | undefined): Uint8Array | null {
  return chunk?.bytes.length === 256 ? Uint8Array.from(chunk.bytes) : null;
}

function textOf(chunks: readonly Chunk[], kind: number): string {
  return chunks.find((chunk) => chunk.kind === kind)?.bytes.toString() ?? '';
}
