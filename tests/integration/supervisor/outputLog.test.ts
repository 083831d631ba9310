import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OutputLogReader } from '../../../src/collector/supervisor/outputLog.ts';
import { logHead, logType } from '../../../src/protocol/supervisor.ts';

function record(type: number, time: bigint, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(logHead.bytes);
  head.writeUInt32LE(payload.length, logHead.length);
  head.writeUInt8(type, logHead.type);
  head.writeBigUInt64LE(time, logHead.time);
  return Buffer.concat([head, payload]);
}

function logFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'so-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'output.log');
  writeFileSync(path, '');
  return path;
}

describe('the reader of the output log', () => {
  it('gives out a record only when it is complete, and goes on from any place', () => {
    const path = logFile();
    const bytes = record(logType.stdout, 1_500n, Buffer.from('hello'));
    using reader = OutputLogReader.open(path, 1_000n);
    for (const byte of bytes) {
      expect(reader.read()).toEqual([]);
      appendFileSync(path, Buffer.of(byte));
    }
    const hello = { kind: 'output', stream: 'stdout', time: 500, bytes: Buffer.from('hello') };
    expect(reader.read()).toEqual([hello]);
    expect(reader.offset).toBe(bytes.length);
    appendFileSync(path, record(logType.ended, 2_000n, Buffer.alloc(0)));
    using next = OutputLogReader.open(path, 1_000n, reader.offset);
    expect(next.read()).toEqual([{ kind: 'ended', time: 1_000 }]);
    expect(next.read()).toEqual([]);
  });

  it('reads a long log in bounded pieces', () => {
    const path = logFile();
    const one = record(logType.stderr, 7n, Buffer.alloc(60_000, 'x'));
    writeFileSync(path, Buffer.concat(Array.from({ length: 50 }, () => one)));
    using reader = OutputLogReader.open(path, 0n);
    const sizes: number[] = [];
    for (let got = reader.read(); got.length > 0; got = reader.read()) sizes.push(got.length);
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, count) => sum + count, 0)).toBe(50);
  });

  it.each([
    ['an unknown type', record(99, 0n, Buffer.alloc(4))],
    ['a fact of another size', record(logType.exited, 0n, Buffer.alloc(4))],
    ['an impossible length', Buffer.alloc(32, 0xff)],
  ])('says that %s is damage', (_what, bytes) => {
    const path = logFile();
    writeFileSync(path, bytes);
    using reader = OutputLogReader.open(path, 0n);
    expect(() => reader.read()).toThrow('damaged');
  });

  it('says that there is no log', () => {
    expect(() => OutputLogReader.open('/nonexistent/output.log', 0n)).toThrow('cannot be opened');
  });
});
