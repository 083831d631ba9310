import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { LogRecord } from '../../model/outputRecord.ts';
import {
  execFlag,
  supervisorStage,
  supervisorWire,
  logHead,
  logType,
} from '../../protocol/supervisor.ts';
import { exitStatus } from './decodedExit.ts';

/** Two of the longest records: whoever reads may look at the clock in between. */
const chunkBytes = 128 << 10;

/**
 * Reads a session's output.log while the supervisor writes it. Holds at most one chunk of 128 KB.
 * Synchronous: it is part of an index worker's one loop.
 */
export class OutputLogReader implements Disposable {
  readonly #file: number;
  readonly #t0: bigint;
  #offset: number;

  private constructor(file: number, t0: bigint, offset: number) {
    this.#file = file;
    this.#t0 = t0;
    this.#offset = offset;
  }

  /**
   * `t0` is the session's start in CLOCK_MONOTONIC ns; `offset` a former reader's. STORE_FAILED
   * when the file cannot be opened.
   */
  static open(path: string, t0: bigint, offset = 0): OutputLogReader {
    try {
      return new OutputLogReader(openSync(path, 'r'), t0, offset);
    } catch (error) {
      throw new StrobeError('STORE_FAILED', `The output log cannot be opened: ${String(error)}`);
    }
  }

  /** Where the next record begins: everything before was given out. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * The next complete records, at most about 128 KB of them; empty when there is none yet. A record
   * cut short is left for later. STORE_FAILED when the bytes are no log.
   */
  read(): LogRecord[] {
    const waiting = Math.min(fstatSync(this.#file).size - this.#offset, chunkBytes);
    if (waiting < logHead.bytes) return [];
    const chunk = Buffer.allocUnsafe(waiting);
    const bytesRead = readSync(this.#file, chunk, 0, waiting, this.#offset);
    const records: LogRecord[] = [];
    let at = 0;
    while (bytesRead - at >= logHead.bytes) {
      const length = chunk.readUInt32LE(at + logHead.length);
      if (length > supervisorWire.maxOutputBytes) throw this.#damaged(at, `length ${length}`);
      if (bytesRead - at - logHead.bytes < length) break;
      const payload = chunk.subarray(at + logHead.bytes, at + logHead.bytes + length);
      const type = chunk.readUInt8(at + logHead.type);
      const record = logRecord(type, chunk.readBigUInt64LE(at + logHead.time), payload, this.#t0);
      if (!record) throw this.#damaged(at, `type ${type} with ${length} bytes`);
      records.push(record);
      at += logHead.bytes + length;
    }
    this.#offset += at;
    return records;
  }

  close(): void {
    closeSync(this.#file);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #damaged(at: number, detail: string): StrobeError {
    return new StrobeError(
      'STORE_FAILED',
      `The output log is damaged at ${this.#offset + at}: ${detail}.`,
    );
  }
}

/** A record by its head and payload, or null when there is none of this type and length. */
export function logRecord(type: number, ns: bigint, payload: Buffer, t0: bigint): LogRecord | null {
  const time: SessionNs = Number(ns - t0);
  if (type === logType.stdout) return { kind: 'output', stream: 'stdout', time, bytes: payload };
  if (type === logType.stderr) return { kind: 'output', stream: 'stderr', time, bytes: payload };
  if (type === logType.ended) return { kind: 'ended', time };
  if (type === logType.exec || type === logType.forked) return program(type, time, payload);
  return payload.length === factBytes.get(type) ? fact(type, time, ns, payload) : null;
}

const factBytes = new Map<number, number>([
  [logType.started, 4],
  [logType.execFailed, 8],
  [logType.exited, 8],
  [logType.closed, 4],
  [logType.clock, 8],
  [logType.lost, 8],
  [logType.gone, 4],
  [logType.follow, 8],
  [logType.failover, 4],
  [logType.waited, 16],
  [logType.unkept, 8],
  [logType.unasked, 8],
]);

function fact(type: number, time: SessionNs, ns: bigint, payload: Buffer): LogRecord | null {
  const first = payload.readUInt32LE(0);
  switch (type) {
    case logType.started:
      return { kind: 'started', time, pid: first };
    case logType.execFailed:
      return { kind: 'execFailed', time, errno: first, stage: stageName(payload.readUInt32LE(4)) };
    case logType.exited:
      return { kind: 'exited', time, pid: first, exit: exitStatus(payload.readUInt32LE(4)) };
    case logType.closed:
      return { kind: 'closed', time, stream: first === logType.stdout ? 'stdout' : 'stderr' };
    case logType.clock:
      return { kind: 'clock', monotonicNs: ns, tsc: payload.readBigUInt64LE(0) };
    case logType.lost:
      return { kind: 'lost', time, bytes: Number(payload.readBigUInt64LE(0)) };
    case logType.unkept:
      return { kind: 'unkept', time, facts: Number(payload.readBigUInt64LE(0)) };
    case logType.unasked:
      return { kind: 'unasked', time, pid: first, errno: payload.readUInt32LE(4) };
    case logType.gone:
      return { kind: 'gone', time, pid: first };
    case logType.failover:
      return { kind: 'failover', time, pid: first };
    case logType.waited:
      return {
        kind: 'waited',
        time,
        programs: first,
        waitedNs: Number(payload.readBigUInt64LE(8)),
      };
    case logType.follow:
      return { kind: 'follow', time, errno: first, noNewPrivileges: payload.readUInt32LE(4) !== 0 };
    default:
      return null;
  }
}

function program(type: number, time: SessionNs, payload: Buffer): LogRecord | null {
  const head = type === logType.exec ? 12 : 8;
  if (payload.length < head) return null;
  const found = readProgram(payload.subarray(head));
  const kin = { time, pid: payload.readUInt32LE(0), parent: payload.readUInt32LE(4), ...found };
  if (type === logType.forked) return { kind: 'forked', ...kin };
  const unprivileged = (payload.readUInt32LE(8) & execFlag.unprivileged) !== 0;
  return { kind: 'exec', ...kin, unprivileged };
}

/** A program's path and argv, each followed by a NUL; what is not UTF-8 shows as U+FFFD. */
export function readProgram(bytes: Buffer): { path: string; argv: readonly string[] } {
  const [path = '', ...argv] = bytes.toString('utf8').split('\0').slice(0, -1);
  return { path, argv };
}

/** `exec` for 7: the part of a launch that failed. */
export function stageName(stage: number): string {
  for (const [name, value] of Object.entries(supervisorStage)) if (value === stage) return name;
  return `stage ${stage}`;
}
