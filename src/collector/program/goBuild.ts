import { open, type FileHandle } from 'node:fs/promises';

/** Of ELF for 64 bits (gABI), and of what Go's linker leaves (debug/buildinfo). */
const header = { bytes: 64, sections: 40, sectionBytes: 58, count: 60, names: 62 } as const;
const section = { name: 0, offset: 24, size: 32, bytes: 64 } as const;
const mostSections = 4096;
const mostNames = 1 << 20;
const mark = Buffer.from('\xff Go buildinf:', 'latin1');
const text = { flags: 15, inline: 2, at: 32, most: 128 } as const;

/** The version of Go that a program was built with, `go1.26.8`; null: with none. */
export async function goVersionOf(image: string): Promise<string | null> {
  const file = await open(image, 'r').catch(() => null);
  if (!file) return null;
  try {
    const place = await sectionNamed(file, '.go.buildinfo');
    if (place === null) return null;
    const bytes = await readAt(file, place, text.at + 1 + text.most);
    const isInline = ((bytes[text.flags] ?? 0) & text.inline) !== 0;
    if (!bytes.subarray(0, mark.length).equals(mark) || !isInline) return null;
    const length = bytes[text.at] ?? 0;
    return bytes.toString('latin1', text.at + 1, text.at + 1 + Math.min(length, text.most));
  } finally {
    await file.close();
  }
}

/** Offsets in runtime.g, in bytes: its number, and that of the goroutine which made it. */
export interface GoroutineLayout {
  readonly number: number;
  readonly creator: number;
}

/** Null: they are not known for that version. */
export function goroutineLayoutIn(version: string): GoroutineLayout | null {
  const minor = /^go1\.(\d+)/.exec(version)?.[1];
  return minor === undefined ? null : (goroutineLayouts.get(Number(minor)) ?? null);
}

const goroutineLayouts = new Map<number, GoroutineLayout>([
  [22, { number: 152, creator: 272 }],
  [23, { number: 160, creator: 280 }],
  [24, { number: 160, creator: 280 }],
  [25, { number: 152, creator: 272 }],
  [26, { number: 152, creator: 280 }],
]);

async function sectionNamed(file: FileHandle, wanted: string): Promise<number | null> {
  const head = await readAt(file, 0, header.bytes);
  if (head.length < header.bytes || head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2)
    return null;
  const count = Math.min(head.readUInt16LE(header.count), mostSections);
  if (head.readUInt16LE(header.sectionBytes) !== section.bytes) return null;
  const rows = await readAt(file, word(head, header.sections), count * section.bytes);
  const namesAt = head.readUInt16LE(header.names) * section.bytes;
  if (namesAt + section.bytes > rows.length) return null;
  const namesBytes = Math.min(word(rows, namesAt + section.size), mostNames);
  const names = await readAt(file, word(rows, namesAt + section.offset), namesBytes);
  for (let at = 0; at + section.bytes <= rows.length; at += section.bytes) {
    const from = rows.readUInt32LE(at + section.name);
    const end = names.indexOf(0, from);
    if (end >= 0 && names.toString('latin1', from, end) === wanted)
      return word(rows, at + section.offset);
  }
  return null;
}

function word(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

async function readAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, from);
  return bytes.subarray(0, bytesRead);
}
