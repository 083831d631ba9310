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
  /**
   * The dynamic loader named by PT_INTERP; null in a static program, and in one that has glibc's and needs no library, as
   * Go makes position-independent ones: no C library is in it either.
   */
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

/** The machine that Strobe itself runs on, as `machine` spells it. */
export const ownMachine = process.arch === 'x64' ? 'x86_64' : process.arch;

const loaded = { exec: 2, dyn: 3, dynamic: 2, interp: 3 } as const;
/** DT_NEEDED (gABI, "Dynamic Section"), and the bytes of an entry. */
const needed = { tag: 1, bytes: { narrow: 8, wide: 16 } } as const;
const maxDynamic = 1 << 16;
const loaderOfGlibc = /\/ld-linux[^/]*$/;
const maxHeaders = 512;
const maxLoaderPath = 4096;

/** Offsets of e_phoff, e_phentsize and e_phnum, and of p_offset and p_filesz in a row. */
const places = {
  narrow: { rows: 28, rowSize: 42, rowCount: 44, rowBytes: 32, offset: 4, length: 16 },
  wide: { rows: 32, rowSize: 54, rowCount: 56, rowBytes: 56, offset: 8, length: 32 },
} as const;

/** Reads header and program headers (gABI, "ELF Header"); null when the file is damaged. */
export async function readElfHeader(file: FileHandle): Promise<ElfHeader | null> {
  const bytes = await readAt(file, 0, 64);
  if (bytes.length < 52 || bytes.readUInt32BE(0) !== 0x7f454c46) return null;
  const wide = bytes.readUInt8(4) === 2;
  const bigEndian = bytes.readUInt8(5) === 2;
  if (wide && bytes.length < 64) return null;
  const head = new Fields(bytes, wide, bigEndian);
  const type = head.u16(16);
  const machine = head.u16(18);
  const loader = await readLoader(file, head);
  if (loader === undefined) return null;
  return {
    bits: wide ? 64 : 32,
    machine: machines.get(machine) ?? `machine ${machine}`,
    bigEndian,
    runnable: type === loaded.exec || type === loaded.dyn,
    pie: type === loaded.dyn,
    loader,
  };
}

/** PT_INTERP's path, null without one, undefined when the program headers are damaged. */
async function readLoader(file: FileHandle, head: Fields): Promise<string | null | undefined> {
  const { wide, bigEndian } = head;
  const layout = wide ? places.wide : places.narrow;
  const size = head.u16(layout.rowSize);
  const count = Math.min(head.u16(layout.rowCount), maxHeaders);
  if (count === 0) return null;
  if (size < layout.rowBytes) return undefined;
  const bytes = await readAt(file, head.word(layout.rows), size * count);
  if (bytes.length < size * count) return undefined;
  const rows = new Fields(bytes, wide, bigEndian);
  const segment = async (type: number, most: number): Promise<Buffer | null> => {
    for (let at = 0; at < bytes.length; at += size) {
      if (rows.u32(at) !== type) continue;
      const length = Math.min(rows.word(at + layout.length), most);
      return await readAt(file, rows.word(at + layout.offset), length);
    }
    return null;
  };
  const name = await segment(loaded.interp, maxLoaderPath);
  const path = name && (name.toString().split('\0')[0] ?? '');
  if (path === null || !loaderOfGlibc.test(path)) return path;
  const dynamic = await segment(loaded.dynamic, maxDynamic);
  return dynamic && !needsLibrary(new Fields(dynamic, wide, bigEndian)) ? null : path;
}

function needsLibrary(dynamic: Fields): boolean {
  const bytes = dynamic.wide ? needed.bytes.wide : needed.bytes.narrow;
  for (let at = 0; at + bytes <= dynamic.length; at += bytes)
    if (dynamic.word(at) === needed.tag) return true;
  return false;
}

/** Numbers of a file of either class and byte order. */
class Fields {
  readonly #bytes: Buffer;
  readonly wide: boolean;
  readonly bigEndian: boolean;

  constructor(bytes: Buffer, wide: boolean, bigEndian: boolean) {
    this.#bytes = bytes;
    this.wide = wide;
    this.bigEndian = bigEndian;
  }

  get length(): number {
    return this.#bytes.length;
  }

  u16(at: number): number {
    return this.bigEndian ? this.#bytes.readUInt16BE(at) : this.#bytes.readUInt16LE(at);
  }

  u32(at: number): number {
    return this.bigEndian ? this.#bytes.readUInt32BE(at) : this.#bytes.readUInt32LE(at);
  }

  word(at: number): number {
    if (!this.wide) return this.u32(at);
    return Number(
      this.bigEndian ? this.#bytes.readBigUInt64BE(at) : this.#bytes.readBigUInt64LE(at),
    );
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(position)) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}
