import { existsSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** What a program will load beside itself, as far as its file tells. */
export interface ProgramLibraries {
  /** DT_NEEDED, as written: `libm.so.6`. */
  readonly needed: readonly string[];
  /** It calls dlopen or dlmopen, or is the shell of an interpreter that does: it may load anything. */
  readonly loadsMore: boolean;
  /** Whether the name of this function is among those that it calls or offers; also where it ends a longer one. */
  readonly mentions: (name: string) => boolean;
}

const segment = { load: 1, dynamic: 2 } as const;
const tag = { needed: 1, strings: 5, stringBytes: 10 } as const;
const maxSegments = 512;
const maxDynamicBytes = 64 << 10;
const maxStringBytes = 16 << 20;
/** Interpreters that are libraries: their programs are a `main` and no more, and load what a script names. */
const interpreter = /^lib(?:python|perl|ruby|node|lua|tcl|R|php|jvm|mono|guile)[\d.-]*[^/]*\.so/;
const nothing: ProgramLibraries = { needed: [], loadsMore: false, mentions: () => false };

/** Reads the dynamic section (gABI, "Dynamic Section") of an ELF64 little-endian program; empty when there is none or it is damaged. */
export async function librariesOf(path: string): Promise<ProgramLibraries> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return nothing;
  }
  try {
    return await readLibraries(file);
  } catch {
    return nothing; // Numbers that lead nowhere.
  } finally {
    await file.close();
  }
}

async function readLibraries(file: FileHandle): Promise<ProgramLibraries> {
  const head = await readAt(file, 0, 64);
  if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46 || head.readUInt8(4) !== 2)
    return nothing;
  const [rowBytes, rows] = [head.readUInt16LE(54), Math.min(head.readUInt16LE(56), maxSegments)];
  if (rowBytes < 56) return nothing;
  const table = await readAt(file, Number(head.readBigUInt64LE(32)), rowBytes * rows);
  const segments = Array.from({ length: Math.floor(table.length / rowBytes) }, (_, row) => {
    const at = row * rowBytes;
    const word = (offset: number): number => Number(table.readBigUInt64LE(at + offset));
    return { type: table.readUInt32LE(at), offset: word(8), address: word(16), bytes: word(32) };
  });
  const dynamic = segments.find(({ type }) => type === segment.dynamic);
  if (!dynamic) return nothing;
  const entries = await readAt(file, dynamic.offset, Math.min(dynamic.bytes, maxDynamicBytes));
  const values = (wanted: number): number[] => {
    const found: number[] = [];
    for (let at = 0; at + 16 <= entries.length; at += 16)
      if (Number(entries.readBigUInt64LE(at)) === wanted)
        found.push(Number(entries.readBigUInt64LE(at + 8)));
    return found;
  };
  const [address = 0] = values(tag.strings);
  const [bytes = 0] = values(tag.stringBytes);
  const home = segments.find(
    (one) =>
      one.type === segment.load && address >= one.address && address < one.address + one.bytes,
  );
  if (!home) return nothing;
  const place = home.offset + address - home.address;
  const strings = await readAt(file, place, Math.min(bytes, maxStringBytes));
  const needed = values(tag.needed).map((at) => textAt(strings, at));
  // A name may be stored as the end of a longer one.
  const mentions = (name: string): boolean => strings.includes(`${name}\0`);
  const calls = mentions('dlopen') || mentions('dlmopen');
  return { needed, loadsMore: calls || needed.some((name) => interpreter.test(name)), mentions };
}

function textAt(bytes: Buffer, at: number): string {
  const end = bytes.indexOf(0, at);
  return bytes.toString('utf8', at, end < 0 ? bytes.length : end);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}

const loaderFolders = [
  '/lib/x86_64-linux-gnu',
  '/usr/lib/x86_64-linux-gnu',
  '/lib64',
  '/usr/lib64',
  '/lib',
  '/usr/lib',
];

/** Where the loader finds a library of this name among those of the distribution; null: nowhere. */
export function installedAt(name: string): string | null {
  return (
    loaderFolders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? null
  );
}
