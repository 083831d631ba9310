import { open, type FileHandle } from 'node:fs/promises';

/** Offsets in the header of an ELF file for 64 bits, and in a row of its section table (gABI). */
const header = { bytes: 64, sections: 40, sectionBytes: 58, count: 60, names: 62 } as const;
const row = { name: 0, offset: 24, size: 32, bytes: 64 } as const;
const mostSections = 4096;
const mostNames = 1 << 20;

export interface ElfSection {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

/** Calls `read` with the sections of a file; null: there is none, or it is damaged. */
export async function withSections<T>(
  path: string,
  read: (file: FileHandle, sections: readonly ElfSection[]) => Promise<T>,
): Promise<T | null> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return null;
  try {
    return await read(file, await sectionsOf(file));
  } finally {
    await file.close();
  }
}

async function sectionsOf(file: FileHandle): Promise<readonly ElfSection[]> {
  const head = await readAt(file, 0, header.bytes);
  if (head.length < header.bytes || head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2) return [];
  const count = Math.min(head.readUInt16LE(header.count), mostSections);
  if (head.readUInt16LE(header.sectionBytes) !== row.bytes) return [];
  const rows = await readAt(file, word(head, header.sections), count * row.bytes);
  const namesAt = head.readUInt16LE(header.names) * row.bytes;
  if (namesAt + row.bytes > rows.length) return [];
  const namesBytes = Math.min(word(rows, namesAt + row.size), mostNames);
  const names = await readAt(file, word(rows, namesAt + row.offset), namesBytes);
  const sections: ElfSection[] = [];
  for (let at = 0; at + row.bytes <= rows.length; at += row.bytes) {
    const from = rows.readUInt32LE(at + row.name);
    const end = names.indexOf(0, from);
    if (end < 0) continue;
    const name = names.toString('latin1', from, end);
    sections.push({ name, offset: word(rows, at + row.offset), size: word(rows, at + row.size) });
  }
  return sections;
}

function word(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

export async function readAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(from)) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, from);
  return bytes.subarray(0, bytesRead);
}
