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
  readonly alignment: number;
}

const sectionType = { noBits: 8 } as const;
const sectionFlag = { compressed: 0x800 } as const;
const segmentType = { load: 1, interpreter: 3, note: 4, threadLocal: 7 } as const;
const segmentFlag = { execute: 1 } as const;
const fileType = { executable: 2 } as const;
/** DT_FLAGS_1 with DF_1_PIE: a position-independent program, also a static one. */
const dynamic = { bytes: 16, flags1: 0x6ffffffb, pie: 0x8000000 } as const;
const maxEntries = 200_000;
const codeRange = 0xffff_ffff;

/**
 * An ELF64 little-endian file, open until closed (System V gABI, chapters 4 and 5). Headers are read
 * once; content is read on demand. Damage in one table empties that table and is told in `problems`.
 */
export class ElfFile implements Disposable {
  readonly path: string;
  readonly type: number;
  /** e_machine. */
  readonly machine: number;
  /** e_entry: where the program begins; 0 of a library. */
  readonly entry: number;
  readonly sections: readonly Section[];
  readonly segments: readonly Segment[];
  readonly problems: string[] = [];
  readonly size: number;
  readonly modifiedMs: number;
  /** The segments with code. */
  readonly #code: readonly Segment[];
  readonly #fd: number;
  readonly #contents = new Map<number, SectionBytes | null>();
  /** Number of the first section of a name. */
  readonly #numbers = new Map<string, number>();

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
    this.entry = unsigned64(view, 24);
    this.segments = this.#guard('program headers', () => this.#readSegments(view));
    this.#code = this.#codeSegments();
    this.sections = this.#guard('section headers', () => this.#readSections(view));
    this.sections.forEach(({ name }, number) => {
      if (!this.#numbers.has(name)) this.#numbers.set(name, number);
    });
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #codeSegments(): Segment[] {
    const all = this.segments.filter(
      ({ type, flags }) => type === segmentType.load && (flags & segmentFlag.execute) !== 0,
    );
    const start = Math.min(...all.map(({ address }) => address));
    const near = all.filter(({ address, memorySize }) => address + memorySize - start < codeRange);
    if (near.length < all.length)
      this.problems.push('Code more than 4 GB behind other code is left out.');
    return near;
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
      throw new DamagedError('the table is outside the file');
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
        alignment: unsigned64(table, at + 48),
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
    return this.sections[this.#numbers.get(name) ?? -1] ?? null;
  }

  /** The bytes of a section, inflated where compressed; null when absent, empty or damaged (see `problems`). */
  content(name: string): SectionBytes | null {
    return this.contentAt(this.#numbers.get(name) ?? -1);
  }

  /** The same of a section by its number: files that are not linked have several of one name. */
  contentAt(index: number): SectionBytes | null {
    const known = this.#contents.get(index);
    if (known !== undefined) return known;
    const section = this.sections[index];
    const content = section === undefined ? null : this.#contentOf(section);
    this.#contents.set(index, content);
    return content;
  }

  /** The numbers of all sections of a name. */
  sectionsNamed(name: string): number[] {
    return this.sections.flatMap((section, index) => (section.name === name ? [index] : []));
  }

  #contentOf(section: Section): SectionBytes | null {
    if (section.type === sectionType.noBits || section.size === 0) return null;
    try {
      if (section.offset + section.size > this.size)
        throw new DamagedError(`${section.name} is outside the file`);
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

  /** The file's thread-local storage; null when it has none. */
  get threadSegment(): Segment | null {
    return this.segments.find(({ type }) => type === segmentType.threadLocal) ?? null;
  }

  /** Whether code of the file may lie at this link-time address. */
  isCode(address: number): boolean {
    for (const segment of this.#code)
      if (address >= segment.address && address < segment.address + segment.memorySize) return true;
    return false;
  }

  /** The lowest link-time address that `isCode`, 4 GB below the highest at most; 0 when there is none. */
  get codeStart(): number {
    const starts = this.#code.map((segment) => segment.address);
    return starts.length === 0 ? 0 : Math.min(...starts);
  }

  /** What the file holds for these link-time addresses, fewer bytes where it ends; null outside its segments. */
  bytesAt(address: number, length: number): Uint8Array | null {
    const holder = this.segments.find(
      (segment) =>
        segment.type === segmentType.load &&
        address >= segment.address &&
        address < segment.address + segment.fileSize,
    );
    if (!holder) return null;
    const offset = holder.offset + address - holder.address;
    const end = Math.min(offset + length, holder.offset + holder.fileSize, this.size);
    return end > offset ? readExactly(this.#fd, offset, end - offset) : null;
  }

  /** The NT_GNU_BUILD_ID note as lower-case hexadecimal; null without one. */
  get buildId(): string | null {
    for (const segment of this.segments) {
      if (segment.type !== segmentType.note || segment.fileSize > 1 << 16) continue;
      if (segment.offset + segment.fileSize > this.size) continue;
      const id = findBuildId(readExactly(this.#fd, segment.offset, segment.fileSize));
      if (id !== null) return id;
    }
    // A file of debug information that programs share is never loaded.
    const note = this.segments.length === 0 ? this.content('.note.gnu.build-id') : null;
    return note === null ? null : findBuildId(note.upTo(0, 1 << 16));
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

  /** Whether it is run itself: not a library that a program loads. */
  get isProgram(): boolean {
    if (this.type === fileType.executable || this.interpreter !== null) return true;
    const bytes = this.content('.dynamic')?.upTo(0, 1 << 16);
    if (!bytes) return false;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + dynamic.bytes <= bytes.length; at += dynamic.bytes)
      if (view.getUint32(at, true) === dynamic.flags1)
        return (view.getUint32(at + 8, true) & dynamic.pie) !== 0;
    return false;
  }

  /** File name and CRC-32 of separate debug information (.gnu_debuglink), see separateFile.ts. */
  get debugLink(): { readonly name: string; readonly checksum: number } | null {
    const bytes = this.content('.gnu_debuglink')?.upTo(0, 4096);
    if (!bytes) return null;
    const name = cString(bytes, 0);
    const at = (Buffer.byteLength(name) + 4) & ~3;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return { name, checksum: at + 4 <= bytes.length ? view.getUint32(at, true) : 0 };
  }

  /** File name and build id of what it shares with other files (.gnu_debugaltlink). */
  get supplementaryLink(): { readonly name: string; readonly buildId: string } | null {
    const bytes = this.content('.gnu_debugaltlink')?.upTo(0, 4096);
    if (!bytes) return null;
    const end = bytes.indexOf(0);
    if (end < 0) return null;
    const buildId = Buffer.from(bytes.subarray(end + 1)).toString('hex');
    return { name: cString(bytes, 0), buildId };
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
