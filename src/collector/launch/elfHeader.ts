import type { FileHandle } from 'node:fs/promises';

/** What a launch needs to know of an ELF file; nothing beyond its headers is read. */
export interface ElfHeader {
  readonly bits: 32 | 64;
  /** `x86_64`, `aarch64`, or `machine 21` for one without a name here. */
  readonly machine: string;
  readonly bigEndian: boolean;
  /** ET_EXEC or ET_DYN, that is: something the kernel may run. */
  readonly runnable: boolean;
  readonly pie: boolean;
  /** The dynamic loader named by PT_INTERP; null in a static program. */
  readonly loader: string | null;
}

const machines = new Map([
  [3, 'i386'],
  [8, 'mips'],
  [20, 'ppc'],
  [21, 'ppc64'],
  [22, 's390x'],
  [40, 'arm'],
  [62, 'x86_64'],
  [183, 'aarch64'],
  [243, 'riscv'],
  [258, 'loongarch'],
]);

const loaded = { exec: 2, dyn: 3, interp: 3 } as const;
const maxHeaders = 512;
const maxLoaderPath = 4096;

/** Reads header and program headers (gABI, "ELF Header"); null when the file is damaged. */
export async function readElfHeader(file: FileHandle): Promise<ElfHeader | null> {
  const head = await readAt(file, 0, 64);
  if (head.length < 52 || head.readUInt32BE(0) !== 0x7f454c46) return null;
  const wide = head.readUInt8(4) === 2;
  const bigEndian = head.readUInt8(5) === 2;
  if (wide && head.length < 64) return null;
  const u16 = (bytes: Buffer, at: number): number => (bigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at));
  const u32 = (bytes: Buffer, at: number): number => (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  const word = (bytes: Buffer, at: number): number => {
    if (!wide) return u32(bytes, at);
    return Number(bigEndian ? bytes.readBigUInt64BE(at) : bytes.readBigUInt64LE(at));
  };
  const type = u16(head, 16);
  const machine = u16(head, 18);
  const size = u16(head, wide ? 54 : 42);
  const count = Math.min(u16(head, wide ? 56 : 44), maxHeaders);
  let loader: string | null = null;
  if (count > 0) {
    if (size < (wide ? 56 : 32)) return null;
    const rows = await readAt(file, word(head, wide ? 32 : 28), size * count);
    if (rows.length < size * count) return null;
    for (let at = 0; at < rows.length; at += size) {
      if (u32(rows, at) !== loaded.interp) continue;
      const length = Math.min(word(rows, at + (wide ? 32 : 16)), maxLoaderPath);
      const path = await readAt(file, word(rows, at + (wide ? 8 : 4)), length);
      loader = path.toString().split('\0')[0] ?? '';
    }
  }
  return {
    bits: wide ? 64 : 32,
    machine: machines.get(machine) ?? `machine ${machine}`,
    bigEndian,
    runnable: type === loaded.exec || type === loaded.dyn,
    pie: type === loaded.dyn,
    loader,
  };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(position)) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}
