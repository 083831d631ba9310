import { closeSync, fstatSync, openSync } from 'node:fs';
import { DamagedError, SectionBytes, readExactly } from './sectionBytes.ts';

export interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

export interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileSize: number;
  readonly memorySize: number;
}

const sectionType = { noBits: 8 } as const;
const sectionFlag = { compressed: 0x800 } as const;
const segmentType = { load: 1, interpreter: 3, note: 4 } as const;
const segmentFlag = { execute: 1 } as const;
const maxEntries = 200_000;

/**
 * An ELF64 little-endian file, open until closed (System V gABI, chapters 4 and 5). Headers are read
 * once; content is read on demand. Damage in one table empties that table and is told in `problems`.
 */
export class ElfFile implements Disposable {
  readonly path: string;
  readonly type: number;
  /** e_machine; 62 = x86-64. */
  readonly machine: number;
  readonly sections: readonly Section[];
  readonly segments: readonly Segment[];
  readonly problems: string[] = [];
  readonly size: number;
  readonly modifiedMs: number;
  readonly #fd: number;
  readonly #contents = new Map<string, SectionBytes | null>();

  /** Throws `DamagedError` when it is not ELF64 little-endian, or the system's error when unreadable. */
  static open(path: string): ElfFile {
    const fd = openSync(path, 'r');
    try {
      return new ElfFile(path, fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  private constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new DamagedError('it is not a regular file');
    this.size = stat.size;
    this.modifiedMs = stat.mtimeMs;
    if (stat.size < 64) throw new DamagedError('it is too short for an ELF file');
    const bytes = readExactly(fd, 0, 64);
    const view = new DataView(bytes.buffer);
    if (view.getUint32(0) !== 0x7f45_4c46) throw new DamagedError('it is not an ELF file');
    if (view.getUint8(4) !== 2 || view.getUint8(5) !== 1)
      throw new DamagedError('it is not a 64-bit little-endian ELF file');
    this.type = view.getUint16(16, true);
    this.machine = view.getUint16(18, true);
    this.segments = this.#guard('program headers', () => this.#readSegments(view));
    this.sections = this.#guard('section headers', () => this.#readSections(view));
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #guard<T>(what: string, read: () => T[]): T[] {
    try {
      return read();
    } catch (error) {
      this.problems.push(
        `The ${what} are damaged: ${error instanceof Error ? error.message : String(error)}.`,
      );
      return [];
    }
  }

  #table(offset: number, entrySize: number, count: number, wanted: number): DataView {
    if (count > maxEntries || entrySize < wanted)
      throw new DamagedError('impossible count or size');
    if (offset + entrySize * count > this.size)
      throw new DamagedError('the table lies outside the file');
    return new DataView(readExactly(this.#fd, offset, entrySize * count).buffer);
  }

  #readSegments(header: DataView): Segment[] {
    const entrySize = header.getUint16(54, true);
    const count = header.getUint16(56, true);
    if (count === 0) return [];
    const table = this.#table(unsigned64(header, 32), entrySize, count, 56);
    return Array.from({ length: count }, (_unused, i) => {
      const at = i * entrySize;
      return {
        type: table.getUint32(at, true),
        flags: table.getUint32(at + 4, true),
        offset: unsigned64(table, at + 8),
        address: unsigned64(table, at + 16),
        fileSize: unsigned64(table, at + 32),
        memorySize: unsigned64(table, at + 40),
      };
    });
  }

  #readSections(header: DataView): Section[] {
    const offset = unsigned64(header, 40);
    if (offset === 0) return [];
    const entrySize = header.getUint16(58, true);
    const first = this.#table(offset, entrySize, 1, 64);
    // Large counts are kept in the first entry (gABI, e_shnum and e_shstrndx).
    const count = header.getUint16(60, true) || unsigned64(first, 32);
    const nameIndex = header.getUint16(62, true);
    const names = nameIndex === 0xffff ? first.getUint32(40, true) : nameIndex;
    const table = this.#table(offset, entrySize, count, 64);
    const field = (i: number, at: number): number => unsigned64(table, i * entrySize + at);
    const strings =
      names < count && field(names, 24) + field(names, 32) <= this.size
        ? readExactly(this.#fd, field(names, 24), field(names, 32))
        : new Uint8Array(0);
    return Array.from({ length: count }, (_unused, i) => ({
      name: cString(strings, table.getUint32(i * entrySize, true)),
      type: table.getUint32(i * entrySize + 4, true),
      flags: field(i, 8),
      address: field(i, 16),
      offset: field(i, 24),
      size: field(i, 32),
      link: table.getUint32(i * entrySize + 40, true),
    }));
  }

  section(name: string): Section | null {
    return this.sections.find((section) => section.name === name) ?? null;
  }

  /** The bytes of a section, inflated where compressed; null when absent, empty or damaged (see `problems`). */
  content(name: string): SectionBytes | null {
    const known = this.#contents.get(name);
    if (known !== undefined) return known;
    const section = this.section(name);
    const content = section === null ? null : this.contentOf(section);
    this.#contents.set(name, content);
    return content;
  }

  contentOf(section: Section): SectionBytes | null {
    if (section.type === sectionType.noBits || section.size === 0) return null;
    try {
      if (section.offset + section.size > this.size)
        throw new DamagedError(`${section.name} lies outside the file`);
      return section.flags & sectionFlag.compressed
        ? SectionBytes.inflate(section.name, this.#fd, section.offset, section.size)
        : new SectionBytes(section.name, this.#fd, section.offset, section.size);
    } catch (error) {
      this.problems.push(
        `A section cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      );
      return null;
    }
  }

  /** `p_vaddr` of the first PT_LOAD, rounded down to a page. */
  get loadAddress(): number {
    const first = this.segments.find((segment) => segment.type === segmentType.load);
    return first === undefined ? 0 : first.address - (first.address % 4096);
  }

  /** Whether code of the file may lie at this link-time address. */
  isCode(address: number): boolean {
    return this.segments.some(
      (segment) =>
        segment.type === segmentType.load &&
        (segment.flags & segmentFlag.execute) !== 0 &&
        address >= segment.address &&
        address < segment.address + segment.memorySize,
    );
  }

  /** The NT_GNU_BUILD_ID note as lower-case hexadecimal; null without one. */
  get buildId(): string | null {
    for (const segment of this.segments) {
      if (segment.type !== segmentType.note || segment.fileSize > 1 << 16) continue;
      if (segment.offset + segment.fileSize > this.size) continue;
      const id = findBuildId(readExactly(this.#fd, segment.offset, segment.fileSize));
      if (id !== null) return id;
    }
    return null;
  }

  /** PT_INTERP: the dynamic loader's path; null for a static file or a library without one. */
  get interpreter(): string | null {
    const segment = this.segments.find((candidate) => candidate.type === segmentType.interpreter);
    if (
      segment === undefined ||
      segment.fileSize > 4096 ||
      segment.offset + segment.fileSize > this.size
    )
      return null;
    return cString(readExactly(this.#fd, segment.offset, segment.fileSize), 0);
  }

  /** File name of separate debug information (.gnu_debuglink); it is told, not opened. */
  get debugLink(): string | null {
    const content = this.content('.gnu_debuglink');
    return content === null ? null : cString(content.upTo(0, 4096), 0);
  }
}

/** Exact up to 2^53; larger values stay larger than any file or address in use. */
function unsigned64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;
}

/** The NUL-terminated text at `offset`; empty outside the bytes. */
export function cString(bytes: Uint8Array, offset: number): string {
  if (offset >= bytes.length) return '';
  const end = bytes.indexOf(0, offset);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    'utf8',
    offset,
    end < 0 ? bytes.length : end,
  );
}

function findBuildId(notes: Uint8Array): string | null {
  const view = new DataView(notes.buffer, notes.byteOffset, notes.length);
  for (let at = 0; at + 12 <= notes.length;) {
    const nameSize = view.getUint32(at, true);
    const size = view.getUint32(at + 4, true);
    const start = at + 12 + ((nameSize + 3) & ~3);
    if (nameSize > 256 || size > 65_536 || start + size > notes.length) return null;
    if (
      view.getUint32(at + 8, true) === 3 &&
      cString(notes.subarray(at + 12, at + 12 + nameSize), 0) === 'GNU'
    ) {
      return Buffer.from(notes.subarray(start, start + size)).toString('hex');
    }
    at = start + ((size + 3) & ~3);
  }
  return null;
}
