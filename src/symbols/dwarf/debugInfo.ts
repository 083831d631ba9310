import type { ElfFile } from '../elf/elfFile.ts';
import { cString } from '../elf/elfFile.ts';
import type { SectionBytes } from '../elf/sectionBytes.ts';
import { readAbbreviations } from './abbreviations.ts';
import type { AbbreviationTable } from './abbreviations.ts';
import { attribute, form, tag } from './constants.ts';
import { Cursor } from './cursor.ts';
import { Entry } from './entry.ts';
import { isAddressIndex, isBlock, isStringIndex, readBlock } from './forms.ts';
import { readLineHeader } from './lineHeader.ts';
import type { LineHeader } from './lineHeader.ts';
import { lineAt } from './lineProgram.ts';
import { locationAt } from './locationLists.ts';
import { readRanges } from './rangeLists.ts';
import type { AddressRange } from './rangeLists.ts';
import { maxHeaderSize, readUnitHeader, unitType } from './unitHeader.ts';
import type { UnitHeader } from './unitHeader.ts';

/** One unit of .debug_info that can be read, with what its entries refer to. */
export interface Unit {
  readonly index: number;
  readonly header: UnitHeader;
  readonly table: AbbreviationTable;
  readonly language: number;
  readonly folder: string;
  readonly producer: string;
  readonly lowPc: number;
  /** Offset in .debug_line, or -1. */
  readonly lines: number;
  readonly stringOffsetsBase: number;
  readonly addressBase: number;
  readonly rangeListsBase: number;
  readonly locationListsBase: number;
}

const keepBytes = 32 << 20;
const maxShared = 100_000;

/**
 * The debug information of one ELF file (DWARF 2–5, 32-bit and 64-bit format). Not read: split units
 * (.dwo), supplementary files (dwz), type units; each is told in `problems` once.
 */
export class DebugInfo {
  readonly units: Unit[] = [];
  readonly problems = new Set<string>();
  readonly #section: SectionBytes | null;
  readonly #elf: ElfFile;
  readonly #abbreviations = new Map<string, AbbreviationTable>();
  readonly #cursors = new Map<number, Cursor>();
  #cursorBytes = 0;
  readonly #lineHeaders = new Map<number, LineHeader | null>();
  readonly #texts = new Map<string, Uint8Array | null>();
  readonly #shared = new Map<number, string>();

  constructor(elf: ElfFile) {
    this.#elf = elf;
    this.#section = elf.content('.debug_info');
    this.#readUnits();
  }

  get size(): number {
    return this.#section?.size ?? 0;
  }

  #readUnits(): void {
    const section = this.#section;
    const abbreviations = this.#bytes('.debug_abbrev');
    if (section === null || abbreviations === null) return;
    for (let at = 0; at + 11 <= section.size;) {
      let header: UnitHeader;
      try {
        header = readUnitHeader(section.upTo(at, maxHeaderSize), at, section.size);
      } catch (error) {
        this.problems.add(`.debug_info is damaged at offset ${at}: ${reason(error)}`);
        return;
      }
      at = header.end;
      if (header.version < 2 || header.version > 5)
        this.problems.add(`units of DWARF version ${header.version} are not read`);
      else this.#addUnit(header, abbreviations);
    }
  }

  #addUnit(header: UnitHeader, abbreviations: Uint8Array): void {
    if (header.unitType === unitType.type || header.unitType === unitType.splitType) return;
    try {
      const key = `${header.abbreviations} ${header.version} ${header.addressSize} ${header.offsetSize}`;
      let table = this.#abbreviations.get(key);
      if (table === undefined) {
        table = readAbbreviations(abbreviations, header.abbreviations, header);
        this.#abbreviations.set(key, table);
      }
      this.units.push(this.#describe(header, table));
    } catch (error) {
      this.problems.add(`a unit of .debug_info is damaged: ${reason(error)}`);
    }
  }

  #describe(header: UnitHeader, table: AbbreviationTable): Unit {
    const root = new Entry();
    const section = this.#section;
    if (section === null) throw new RangeError('there is no .debug_info');
    // A root entry is small; reading the whole unit for it would read the file twice.
    const head = new Cursor(
      section.upTo(header.start, Math.min(header.end - header.start, 16_384)),
    );
    root.read(head, header.firstEntry, table, header);
    if (
      root.tag === tag.skeletonUnit ||
      root.has(attribute.splitName) ||
      root.has(attribute.gnuSplitName)
    ) {
      this.problems.add('debug information is split into .dwo files, which are not read');
    }
    const offsetHeader = header.offsetSize * 2;
    const bare = {
      index: this.units.length,
      header,
      table,
      language: root.value(attribute.language),
      lines: root.has(attribute.statements) ? root.value(attribute.statements) : -1,
      stringOffsetsBase:
        root.value(attribute.stringOffsetsBase) || (header.version >= 5 ? offsetHeader : 0),
      addressBase: root.value(attribute.addressBase) || root.value(attribute.gnuAddressBase),
      rangeListsBase: root.value(attribute.rangeListsBase),
      locationListsBase: root.value(attribute.locationListsBase),
    };
    const partial: Unit = { ...bare, folder: '', producer: '', lowPc: 0 };
    const text = (at: number): string => this.#textIn(partial, head, root, at);
    const lowPc = root.has(attribute.lowPc)
      ? this.address(partial, root.formOf(attribute.lowPc), root.value(attribute.lowPc))
      : 0;
    return {
      ...bare,
      folder: text(attribute.compilationFolder),
      producer: text(attribute.producer),
      lowPc,
    };
  }

  /** The bytes of a unit; those read last stay in memory. */
  cursor(unit: Unit): Cursor {
    const { start, end } = unit.header;
    const known = this.#cursors.get(unit.index);
    if (known !== undefined) {
      this.#cursors.delete(unit.index);
      this.#cursors.set(unit.index, known);
      return known;
    }
    const bytes = this.#section?.slice(start, end - start) ?? new Uint8Array(0);
    const cursor = new Cursor(bytes);
    this.#cursors.set(unit.index, cursor);
    this.#cursorBytes += bytes.length;
    for (const [index, oldest] of this.#cursors) {
      if (this.#cursorBytes <= keepBytes || index === unit.index) break;
      this.#cursors.delete(index);
      this.#cursorBytes -= oldest.bytes.length;
    }
    return cursor;
  }

  read(unit: Unit, offset: number, into: Entry = new Entry()): Entry {
    if (!into.read(this.cursor(unit), offset, unit.table, unit.header))
      throw new RangeError('a reference leads to no entry');
    return into;
  }

  /** The unit that holds this offset of .debug_info. */
  unitAt(offset: number): Unit | null {
    let low = 0;
    let high = this.units.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const unit = this.units[middle];
      if (unit === undefined) return null;
      if (offset < unit.header.start) high = middle - 1;
      else if (offset >= unit.header.end) low = middle + 1;
      else return unit;
    }
    return null;
  }

  /** Where a reference leads, as an offset of .debug_info; -1 for one that leaves it. */
  reference(unit: Unit, code: number, value: number): number {
    switch (code) {
      case form.ref1:
      case form.ref2:
      case form.ref4:
      case form.ref8:
      case form.refUdata:
        return unit.header.start + value;
      case form.refAddr:
        return value;
      case form.gnuRefAlt:
      case form.refSup4:
      case form.refSup8:
        this.problems.add(
          'debug information refers to a supplementary file (dwz), which is not read',
        );
        return -1;
      default:
        return -1;
    }
  }

  /** Follows a reference attribute of an entry; null when it is absent or leaves the section. */
  follow(unit: Unit, entry: Entry, at: number): { unit: Unit; offset: number } | null {
    if (!entry.has(at)) return null;
    const target = this.reference(unit, entry.formOf(at), entry.value(at));
    const holder = target < 0 ? null : this.unitAt(target);
    return holder === null ? null : { unit: holder, offset: target - holder.header.start };
  }

  /** A text attribute; empty when absent. */
  text(unit: Unit, entry: Entry, at: number): string {
    return this.#textIn(unit, this.cursor(unit), entry, at);
  }

  #textIn(unit: Unit, cursor: Cursor, entry: Entry, at: number): string {
    const code = entry.formOf(at);
    const value = entry.value(at);
    if (code === form.string) return cString(cursor.bytes, value);
    return code === 0 ? '' : this.#sectionText(unit, code, value);
  }

  #sectionText(
    unit: Pick<Unit, 'header' | 'stringOffsetsBase'>,
    code: number,
    value: number,
  ): string {
    if (code === form.strp) return this.#sharedText(value);
    if (code === form.lineStrp) return cString(this.#bytes('.debug_line_str') ?? none, value);
    if (!isStringIndex(code)) return '';
    const { offsetSize } = unit.header;
    const offsets = this.#bytes('.debug_str_offsets');
    const at = unit.stringOffsetsBase + value * offsetSize;
    if (offsets === null || at + offsetSize > offsets.length) return '';
    return cString(this.#bytes('.debug_str') ?? none, new Cursor(offsets, at).offset(offsetSize));
  }

  /** The same names are asked for in every unit. */
  #sharedText(offset: number): string {
    let text = this.#shared.get(offset);
    if (text === undefined) {
      text = cString(this.#bytes('.debug_str') ?? none, offset);
      if (this.#shared.size >= maxShared) this.#shared.clear();
      this.#shared.set(offset, text);
    }
    return text;
  }

  /** A section in memory; null when absent. */
  #bytes(name: string): Uint8Array | null {
    let bytes = this.#texts.get(name);
    if (bytes === undefined) {
      bytes = this.#elf.content(name)?.all() ?? null;
      this.#texts.set(name, bytes);
    }
    return bytes;
  }

  /** An address attribute, looked up in .debug_addr when it is an index. */
  address(unit: Unit, code: number, value: number): number {
    return isAddressIndex(code) ? this.#addressAt(unit, value) : value;
  }

  #addressAt(unit: Unit, index: number): number {
    const { addressSize } = unit.header;
    return new Cursor(
      this.#bytes('.debug_addr') ?? none,
      unit.addressBase + index * addressSize,
    ).address(addressSize);
  }

  ranges(unit: Unit, code: number, value: number): AddressRange[] {
    return readRanges(
      {
        encoding: unit.header,
        base: unit.lowPc,
        rangeListsBase: unit.rangeListsBase,
        rangeLists: this.#bytes('.debug_rnglists'),
        ranges: this.#bytes('.debug_ranges'),
        addressAt: (entry) => this.#addressAt(unit, entry),
      },
      code,
      value,
    );
  }

  /**
   * The location expression of an attribute that holds at a link-time address; null when it has none
   * there. Throws a RangeError at damage.
   */
  expression(unit: Unit, entry: Entry, at: number, address: number): Uint8Array | null {
    const [code, value] = [entry.formOf(at), entry.value(at)];
    if (code === 0) return null;
    if (isBlock(code)) return readBlock(this.cursor(unit), code, value);
    return locationAt(
      {
        encoding: unit.header,
        base: unit.lowPc,
        listsBase: unit.locationListsBase,
        lists: this.#bytes('.debug_loclists'),
        oldLists: this.#bytes('.debug_loc'),
        addressAt: (index) => this.#addressAt(unit, index),
      },
      code,
      value,
      address,
    );
  }

  /** Entry `index` of .debug_addr. */
  addressEntry(unit: Unit, index: number): number {
    return this.#addressAt(unit, index);
  }

  /** The source line of an instruction of this unit; null when its line table does not say. */
  lineOf(unit: Unit, address: number): { file: string; line: number } | null {
    const header = this.lineHeader(unit);
    const section = this.#bytes('.debug_line');
    if (header === null || section === null) return null;
    const row = lineAt(section, header, address);
    return row === null ? null : { file: header.files[row.file] ?? '', line: row.line };
  }

  /** Null when the unit has no line table or it is damaged. */
  lineHeader(unit: Unit): LineHeader | null {
    if (unit.lines < 0) return null;
    let header = this.#lineHeaders.get(unit.index);
    if (header === undefined) {
      header = this.#readLineHeader(unit);
      this.#lineHeaders.set(unit.index, header);
    }
    return header;
  }

  #readLineHeader(unit: Unit): LineHeader | null {
    const section = this.#bytes('.debug_line');
    if (section === null) return null;
    try {
      return readLineHeader(section, unit.lines, unit.folder, (code, value) =>
        this.#sectionText(unit, code, value),
      );
    } catch (error) {
      this.problems.add(`a line table is damaged: ${reason(error)}`);
      return null;
    }
  }
}

const none = new Uint8Array(0);

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
