import { lastAtOrBefore } from '../../../base/sorted.ts';
import { Cursor } from '../dwarf/cursor.ts';
import type { ElfFile } from '../elf/elfFile.ts';

/** What a CIE says for the functions that refer to it (DWARF 5 §6.4.1; LSB 5.0, "Exception Frames"). */
export interface SharedEntry {
  readonly codeAlign: number;
  readonly dataAlign: number;
  readonly returnColumn: number;
  readonly pointerEncoding: number;
  readonly hasAugmentation: boolean;
  readonly isSignalFrame: boolean;
  readonly instructions: Uint8Array;
}

/** Call frame information of one range of code; addresses are link-time. */
export interface FrameEntry {
  readonly start: number;
  readonly end: number;
  readonly shared: SharedEntry;
  readonly instructions: Uint8Array;
  /** Exceptions go on inside it: it names a table of landing pads. */
  readonly hasLandingPads: boolean;
}

const maxEntries = 4_000_000;
/** DW_EH_PE_omit. */
const omitted = 0xff;

interface Section {
  readonly bytes: Uint8Array;
  readonly address: number;
  /** .eh_frame: CIEs are found by distance and pointers are encoded. */
  readonly isEh: boolean;
  /** .eh_frame_hdr, the linker's table of its entries. */
  readonly table?: { readonly bytes: Uint8Array; readonly address: number };
}

/** Starts and places of all entries of a section, sorted by start. */
interface EntryTable {
  readonly starts: Float64Array;
  readonly offsets: Float64Array;
}

/** The call frame information of one file, from .eh_frame, then .debug_frame. */
export class CallFrames {
  readonly #sections: readonly Section[];
  readonly #tables: (EntryTable | null)[] = [];
  readonly #sharedEntries = new Map<string, SharedEntry | null>();

  constructor(elf: ElfFile) {
    this.#sections = ['.eh_frame', '.debug_frame'].flatMap((name): Section[] => {
      const bytes = elf.content(name)?.all();
      const address = elf.section(name)?.address ?? 0;
      if (bytes === undefined) return [];
      const isEh = name === '.eh_frame';
      const table = isEh ? elf.content('.eh_frame_hdr')?.all() : undefined;
      if (table === undefined) return [{ bytes, address, isEh }];
      const tableAddress = elf.section('.eh_frame_hdr')?.address ?? 0;
      return [{ bytes, address, isEh, table: { bytes: table, address: tableAddress } }];
    });
  }

  /** The entry that covers a link-time address; null when none does. Damage ends a table where it begins. */
  find(address: number): FrameEntry | null {
    for (let i = 0; i < this.#sections.length; i++) {
      const section = this.#sections[i];
      if (section === undefined) continue;
      const table = (this.#tables[i] ??= searchTable(section) ?? this.#index(section));
      const at = lastAtOrBefore(table.starts, address);
      const offset = table.offsets[at];
      const entry = at < 0 || offset === undefined ? null : this.#read(section, offset);
      if (entry !== null && address >= entry.start && address < entry.end) return entry;
    }
    return null;
  }

  /** The entries of .eh_frame, in ascending order of their code. */
  *all(): Generator<FrameEntry> {
    for (const [i, section] of this.#sections.entries()) {
      if (!section.isEh) continue;
      const { offsets } = (this.#tables[i] ??= this.#index(section));
      for (const offset of offsets) {
        const entry = this.#read(section, offset);
        if (entry !== null) yield entry;
      }
    }
  }

  #index(section: Section): EntryTable {
    const rows: { start: number; offset: number }[] = [];
    const cursor = new Cursor(section.bytes);
    try {
      while (cursor.at + 4 <= section.bytes.length && rows.length < maxEntries) {
        const offset = cursor.at;
        const head = readHead(cursor, section);
        if (head === null) break;
        if (!head.isShared) {
          const entry = this.#read(section, offset);
          if (entry !== null && entry.end > entry.start) rows.push({ start: entry.start, offset });
        }
        cursor.at = head.end;
      }
    } catch {
      // What was read before the damage is still true.
    }
    rows.sort((a, b) => a.start - b.start);
    return {
      starts: Float64Array.from(rows, (row) => row.start),
      offsets: Float64Array.from(rows, (row) => row.offset),
    };
  }

  #read(section: Section, offset: number): FrameEntry | null {
    try {
      const cursor = new Cursor(section.bytes, offset);
      const head = readHead(cursor, section);
      if (head === null || head.isShared) return null;
      const shared = this.#shared(section, head.shared);
      if (shared === null) return null;
      const start = pointer(cursor, section, shared.pointerEncoding);
      const length = pointer(cursor, section, shared.pointerEncoding & 0x0f);
      let hasLandingPads = false;
      if (shared.hasAugmentation) {
        const bytes = cursor.uleb();
        hasLandingPads = section.bytes.subarray(cursor.at, cursor.at + bytes).some((b) => b !== 0);
        cursor.advance(bytes);
      }
      return {
        hasLandingPads,
        start,
        end: start + length,
        shared,
        instructions: section.bytes.subarray(cursor.at, head.end),
      };
    } catch {
      return null;
    }
  }

  #shared(section: Section, offset: number): SharedEntry | null {
    const key = `${section.isEh ? 'e' : 'd'}${offset}`;
    const known = this.#sharedEntries.get(key);
    if (known !== undefined) return known;
    const shared = readShared(section, offset);
    this.#sharedEntries.set(key, shared);
    return shared;
  }
}

/** Version 1, eh_frame's address as 4 bytes from here, a count of 4 bytes, pairs of 4 bytes from the table's start. */
const usual = { version: 1, frames: 0x1b, count: 0x03, pairs: 0x3b } as const;
const tableHead = 12;

/** The linker's own table (LSB 5.0, "The .eh_frame_hdr section"); null when there is none of the usual form. */
function searchTable({ bytes, address, table }: Section): EntryTable | null {
  if (table === undefined || table.bytes.length < tableHead) return null;
  const { version, frames, count, pairs } = usual;
  const head = [version, frames, count, pairs];
  if (head.some((byte, i) => table.bytes[i] !== byte)) return null;
  const cursor = new Cursor(table.bytes, 8);
  const rows = cursor.u32();
  if (rows === 0 || tableHead + rows * 8 > table.bytes.length) return null;
  const starts = new Float64Array(rows);
  const offsets = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const start = table.address + (cursor.u32() | 0);
    const offset = table.address + (cursor.u32() | 0) - address;
    if (offset < 0 || offset >= bytes.length || (i > 0 && start < (starts[i - 1] ?? 0)))
      return null;
    starts[i] = start;
    offsets[i] = offset;
  }
  return { starts, offsets };
}

/** Length and kind of the entry under the cursor; null at the terminator. */
function readHead(
  cursor: Cursor,
  section: Section,
): { isShared: boolean; shared: number; end: number } | null {
  let length = cursor.u32();
  let size = 4;
  if (length === 0) return null;
  if (length === 0xffff_ffff) {
    length = cursor.u64();
    size = 8;
  }
  const idAt = cursor.at;
  const end = idAt + length;
  if (length < size || end > section.bytes.length) throw new RangeError('an entry ends outside');
  const id = size === 8 ? cursor.u64() : cursor.u32();
  if (section.isEh) return { isShared: id === 0, shared: idAt - id, end };
  const isShared = size === 8 ? id >= 2 ** 64 - 2048 : id === 0xffff_ffff;
  return { isShared, shared: id, end };
}

function readShared(section: Section, offset: number): SharedEntry | null {
  const cursor = new Cursor(section.bytes, offset);
  const head = readHead(cursor, section);
  if (head === null || !head.isShared) return null;
  const version = cursor.u8();
  const textAt = cursor.at;
  cursor.skipText();
  const augmentation = Buffer.from(section.bytes.subarray(textAt, cursor.at - 1)).toString();
  if (version >= 4) cursor.advance(2); // address size, segment selector size
  const codeAlign = cursor.uleb();
  const dataAlign = cursor.sleb();
  const returnColumn = version === 1 ? cursor.u8() : cursor.uleb();
  let pointerEncoding = 0;
  const hasAugmentation = augmentation.startsWith('z');
  if (augmentation !== '' && !hasAugmentation) return null;
  if (hasAugmentation) {
    const length = cursor.uleb();
    const next = cursor.at + length;
    for (const letter of augmentation.slice(1)) {
      if (letter === 'R') pointerEncoding = cursor.u8();
      else if (letter === 'L') cursor.u8();
      else if (letter === 'P') pointer(cursor, section, cursor.u8());
    }
    cursor.at = next;
  }
  return {
    codeAlign,
    dataAlign,
    returnColumn,
    pointerEncoding,
    hasAugmentation,
    isSignalFrame: augmentation.includes('S'),
    instructions: section.bytes.subarray(cursor.at, head.end),
  };
}

/** An encoded pointer (LSB 5.0, "Pointer Encoding"): absolute or relative to its own place. */
export function pointer(
  cursor: Cursor,
  section: Pick<Section, 'address'>,
  encoding: number,
): number {
  if (encoding === omitted) return 0;
  const at = section.address + cursor.at;
  const value = pointerValue(cursor, encoding & 0x0f);
  switch (encoding & 0x70) {
    case 0x00:
      return value;
    case 0x10:
      return at + value;
    default:
      throw new RangeError('a pointer of an encoding that is not used here');
  }
}

function pointerValue(cursor: Cursor, format: number): number {
  switch (format) {
    case 0x00:
    case 0x04:
    case 0x0c: {
      cursor.at += 8;
      return Number(cursor.view.getBigInt64(cursor.at - 8, true));
    }
    case 0x01:
      return cursor.uleb();
    case 0x02:
      return cursor.u16();
    case 0x03:
      return cursor.u32();
    case 0x09:
      return cursor.sleb();
    case 0x0a:
      return (cursor.u16() << 16) >> 16;
    case 0x0b:
      return cursor.u32() | 0;
    default:
      throw new RangeError('a pointer of an unknown format');
  }
}
