import type { ElfFile } from '../elf/elfFile.ts';
import { attribute, form, tag } from './constants.ts';
import { Cursor } from './cursor.ts';
import type { DebugSource } from './debugSource.ts';
import { Entry, afterChildren } from './entry.ts';
import { isAddressIndex, isBlock, readBlock } from './forms.ts';
import { readLineHeader } from './lines/lineHeader.ts';
import type { LineHeader } from './lines/lineHeader.ts';
import { lineAt, rowsOf, type StatementRow } from './lines/lineProgram.ts';
import { locationAt } from './locationLists.ts';
import { readRanges } from './rangeLists.ts';
import type { AddressRange } from './rangeLists.ts';
import type { IndexedPart } from './splitFiles.ts';
import { attributeText, sectionText } from './stringSections.ts';
import { UnitTable, reason } from './unitTable.ts';
import type { DebugPlaces, Unit, UnitCode } from './unitTable.ts';

const keepBytes = 8 << 20;

/**
 * The debug information of one program (DWARF 2–5, 32-bit and 64-bit format) with its type units, split
 * files (.dwo, .dwp) and the file it shares with others (dwz). What is missing is told in `problems` once.
 */
export class DebugInfo implements Disposable {
  readonly problems = new Set<string>();
  /** What values were described without, because there is too much to be gone through for it. */
  readonly leftOut = new Set<string>();
  /** e_machine. */
  readonly machine: number;
  /** Holds the units: the program or what was stripped from it. */
  readonly elf: ElfFile;
  readonly #table: UnitTable;
  readonly #cursors = new Map<number, Cursor>();
  /** The unit that is gone through, and the space that is used for one after the other. */
  #held: { readonly unit: Unit; readonly cursor: Cursor } | null = null;
  #space = none;
  #cursorBytes = 0;
  readonly #lineHeaders = new Map<number, LineHeader | null>();
  readonly #codeRanges = new Map<number, Float64Array>();
  /** Of the unit that was asked for last. */
  #rows: { readonly unit: Unit; readonly rows: readonly StatementRow[] } | null = null;
  readonly #target = new Entry();

  constructor(elf: ElfFile, places: DebugPlaces) {
    this.elf = elf;
    this.machine = elf.machine;
    this.#table = new UnitTable(elf, places, this.problems);
  }

  /** Reading it clears it. */
  takeLeftOut(): string[] {
    const told = [...this.leftOut];
    this.leftOut.clear();
    return told;
  }

  [Symbol.dispose](): void {
    this.#table[Symbol.dispose]();
  }

  /** In ascending order of offset. */
  get units(): readonly Unit[] {
    return this.#table.units;
  }

  get size(): number {
    return this.#table.size;
  }

  /** Files beside `elf` that were read or looked for. */
  get parts(): readonly IndexedPart[] {
    return this.#table.parts;
  }

  /**
   * Reads a unit that is to be gone through, in the place of the one before: nothing may hold a cursor of that. New
   * memory for each would cost as much as its reading.
   */
  hold(unit: Unit): void {
    const { start, end } = unit.header;
    this.#held = null;
    if (this.#space.length < end - start) this.#space = new Uint8Array(end - start);
    const cursor = new Cursor(unit.source.units(start, end - start, this.#space));
    this.#held = { unit, cursor };
  }

  /** The bytes of a unit; those read last stay in memory. */
  cursor(unit: Unit): Cursor {
    if (this.#held?.unit === unit) return this.#held.cursor;
    const { start, end } = unit.header;
    const known = this.#cursors.get(unit.index);
    if (known !== undefined) {
      // Its place in the order matters only where some must go.
      if (this.#cursorBytes > keepBytes / 2) {
        this.#cursors.delete(unit.index);
        this.#cursors.set(unit.index, known);
      }
      return known;
    }
    const bytes = unit.source.units(start, end - start);
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

  /** The unit that holds this offset. */
  unitAt(offset: number): Unit | null {
    return this.#table.at(offset);
  }

  /** The units whose roots say that they hold an address; when none does, those that do not say. */
  unitsWith(address: number): Unit[] {
    const said = this.units.filter((unit) => this.#covers(unit.skeleton ?? unit, address));
    return said.length > 0
      ? said
      : this.units.filter((unit) => !unit.isTypes && !(unit.skeleton ?? unit).code);
  }

  #covers(unit: Unit, address: number): boolean {
    if (unit.isTypes || unit.code === null) return false;
    let ranges = this.#codeRanges.get(unit.index);
    if (ranges === undefined) {
      ranges = this.#codeOf(unit, unit.code);
      this.#codeRanges.set(unit.index, ranges);
    }
    for (let i = 0; i < ranges.length; i += 2)
      if (address >= (ranges[i] ?? 0) && address < (ranges[i + 1] ?? 0)) return true;
    return false;
  }

  /** Starts and ends; empty when they are damaged. */
  #codeOf(unit: Unit, code: UnitCode): Float64Array {
    if ('end' in code) return Float64Array.of(unit.lowPc, code.end);
    try {
      const ranges = this.ranges(unit, code.form, code.value);
      return Float64Array.from(ranges.flatMap(({ start, end }) => [start, end]));
    } catch (error) {
      this.problems.add(`a list of ranges is damaged: ${reason(error)}`);
      return new Float64Array(0);
    }
  }

  /** The units in whose entries a name may occur. */
  unitsNaming(name: string): Unit[] {
    const inline = Buffer.from(`${name}\0`);
    const found = new Map<DebugSource, readonly Buffer[] | null>();
    const wordsIn = (source: DebugSource): readonly Buffer[] | null => {
      let words = found.get(source);
      if (words === undefined) {
        const offsets = offsetsOf(source.bytes('.debug_str'), inline);
        words = offsets.length >= mostOffsets ? null : offsets.map(wordOf);
        found.set(source, words);
      }
      return words;
    };
    return this.units.filter((unit) => {
      if (unit.isTypes) return false;
      const text = bufferOf(this.cursor(unit).bytes);
      if (text.includes(inline)) return true;
      const words = wordsIn(unit.source);
      const shared = unit.supplementary ? wordsIn(unit.supplementary) : [];
      if (words === null || shared === null) return true;
      if ([...words, ...shared].some((word) => text.includes(word))) return true;
      const list = indexList(unit);
      return list !== null && words.some((word) => list.includes(word));
    });
  }

  /** Where a reference leads, as an offset; -1 for one that leads nowhere. */
  reference(unit: Unit, code: number, value: number): number {
    switch (code) {
      case form.ref1:
      case form.ref2:
      case form.ref4:
      case form.ref8:
      case form.refUdata:
        return unit.header.start + value;
      case form.refAddr:
        return unit.source.base + value;
      case form.gnuRefAlt:
      case form.refSup4:
      case form.refSup8: {
        const base = unit.supplementary?.base;
        return base === undefined ? -1 : base + value;
      }
      default:
        return -1;
    }
  }

  /** Follows a reference attribute of an entry; null when it is absent or leads nowhere. */
  follow(unit: Unit, entry: Entry, at: number): { unit: Unit; offset: number } | null {
    if (!entry.has(at)) return null;
    const code = entry.formOf(at);
    const target =
      code === form.refSig8
        ? this.#signed(unit, entry, at)
        : this.reference(unit, code, entry.value(at));
    const found = this.#place(target);
    // A type that is described in a unit of its own is only declared elsewhere (DWARF 5 §5.7.1).
    return found && at === attribute.type && this.#table.hasTypeUnits
      ? (this.#described(found) ?? found)
      : found;
  }

  #place(offset: number): { unit: Unit; offset: number } | null {
    const holder = offset < 0 ? null : this.unitAt(offset);
    return holder && { unit: holder, offset: offset - holder.header.start };
  }

  #signed(unit: Unit, entry: Entry, at: number): number {
    const { view } = this.cursor(unit);
    return this.#table.typeOf(view.getBigUint64(entry.position(at), true));
  }

  /** The name and the scope, empty at the top, of a type that the entry only declares: its type unit's. */
  signedName(unit: Unit, entry: Entry): { readonly name: string; readonly scope: string } {
    const found = this.#place(this.#signed(unit, entry, attribute.signature));
    if (found === null) return { name: '', scope: '' };
    const type = this.read(found.unit, found.offset, new Entry());
    const name = this.text(found.unit, type, attribute.name);
    // gcc writes the namespaces around a declaration of it, clang around itself.
    const declared = this.follow(found.unit, type, attribute.specification);
    const inside = declared?.unit === found.unit ? declared.offset : found.offset;
    return { name, scope: this.#scopeOf(found.unit, inside) };
  }

  #scopeOf(unit: Unit, offset: number): string {
    const cursor = this.cursor(unit);
    const { table, header } = unit;
    const entry = new Entry();
    const names: string[] = [];
    for (let at = header.firstEntry; at < offset;) {
      if (!entry.read(cursor, at, table, header)) break;
      const next = afterChildren(entry, cursor, table, header);
      const isAround = next > offset;
      if (isAround && entry.tag !== tag.typeUnit)
        names.push(this.text(unit, entry, attribute.name) || '(anonymous namespace)');
      at = isAround ? entry.after : next;
    }
    return names.join('::');
  }

  #described({ unit, offset }: { unit: Unit; offset: number }): ReturnType<DebugInfo['follow']> {
    const entry = this.read(unit, offset, this.#target);
    if (!entry.has(attribute.signature)) return null;
    return this.#place(this.#signed(unit, entry, attribute.signature));
  }

  /** A text attribute; empty when absent. */
  text(unit: Unit, entry: Entry, at: number): string {
    return attributeText(unit, this.cursor(unit), entry, at);
  }

  /** An address attribute, looked up in .debug_addr when it is an index. */
  address(unit: Unit, code: number, value: number): number {
    return isAddressIndex(code) ? this.addressEntry(unit, value) : value;
  }

  /** Entry `index` of .debug_addr. */
  addressEntry(unit: Unit, index: number): number {
    const { addressSize } = unit.header;
    const section = unit.program.source.bytes('.debug_addr') ?? none;
    return new Cursor(section, unit.addressBase + index * addressSize).address(addressSize);
  }

  ranges(unit: Unit, code: number, value: number): AddressRange[] {
    return readRanges(
      {
        encoding: unit.header,
        base: unit.lowPc,
        rangeListsBase: unit.rangeListsBase,
        rangeLists: unit.source.bytes('.debug_rnglists'),
        ranges: unit.program.source.bytes('.debug_ranges'),
        addressAt: (entry) => this.addressEntry(unit, entry),
      },
      code,
      isOldSplit(unit) ? unit.rangeListsBase + value : value,
    );
  }

  /**
   * A constant as it is written, beyond 53 bits too (DWARF 5 §7.5.5: whether eight bytes have a
   * sign depends on the type; here they have one).
   */
  constant(unit: Unit, entry: Entry, at: number): bigint {
    const code = entry.formOf(at);
    const cursor = this.cursor(unit);
    cursor.at = entry.position(at);
    if (code === form.sdata) return cursor.slebExact();
    if (code === form.udata) return cursor.ulebExact();
    if (code === form.data8) return cursor.view.getBigInt64(cursor.at, true);
    return BigInt(Math.trunc(entry.value(at)));
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
        lists: unit.source.bytes('.debug_loclists'),
        oldLists: unit.source.bytes('.debug_loc'),
        isOldSplit: isOldSplit(unit),
        addressAt: (index) => this.addressEntry(unit, index),
      },
      code,
      isOldSplit(unit) ? unit.locationListsBase + value : value,
      address,
    );
  }

  /**
   * Whether the first range of an attribute's location list begins with the instruction there, before any statement
   * that has no instruction (a view 0 that ends at one): by gcc's DW_AT_GNU_locviews. False without views.
   */
  beginsAtInstruction(unit: Unit, entry: Entry): boolean {
    if (!entry.has(attribute.gnuLocviews)) return false;
    const name = unit.header.version >= 5 ? '.debug_loclists' : '.debug_loc';
    const section = unit.source.bytes(name);
    const base = unit.source.isSplit ? unit.locationListsBase : 0;
    const at = base + entry.value(attribute.gnuLocviews);
    return section !== null && section[at] === 0 && section[at + 1] === 0;
  }

  /** The source line of an instruction of this unit; null when its line table does not say. */
  lineOf(unit: Unit, address: number): { file: string; line: number } | null {
    const header = this.lineHeader(unit);
    const section = unit.program.source.bytes('.debug_line');
    if (header === null || section === null) return null;
    const row = lineAt(section, header, address);
    return row === null ? null : { file: header.files[row.file] ?? '', line: row.line };
  }

  /** The rows of a unit's line table, up to where it is damaged. */
  lineRows(unit: Unit): readonly StatementRow[] {
    if (this.#rows?.unit !== unit) this.#rows = { unit, rows: this.#readRows(unit) };
    return this.#rows.rows;
  }

  #readRows(unit: Unit): StatementRow[] {
    const header = this.lineHeader(unit);
    const section = unit.program.source.bytes('.debug_line');
    const rows: StatementRow[] = [];
    if (header === null || section === null) return rows;
    try {
      for (const row of rowsOf(section, header)) rows.push(row);
    } catch (error) {
      this.problems.add(`a line table is damaged: ${reason(error)}`);
    }
    return rows;
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
    const section = unit.program.source.bytes('.debug_line');
    if (section === null) return null;
    try {
      return readLineHeader(section, unit.lines, unit.folder, (code, value) =>
        sectionText(unit.program, code, value),
      );
    } catch (error) {
      this.problems.add(`a line table is damaged: ${reason(error)}`);
      return null;
    }
  }
}

const none = new Uint8Array(0);
/** A name that ends so many others is looked for everywhere. */
const mostOffsets = 24;

/** Where a text ends a text of a section: linkers keep one inside another. */
function offsetsOf(section: Uint8Array | null, text: Buffer): number[] {
  const found: number[] = [];
  if (section === null) return found;
  const bytes = Buffer.from(section.buffer, section.byteOffset, section.length);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    found.push(at);
    if (found.length >= mostOffsets) break;
  }
  return found;
}

function wordOf(offset: number): Buffer {
  const word = Buffer.alloc(4);
  word.writeUInt32LE(offset >>> 0);
  return word;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The part of .debug_str_offsets that a unit's texts are looked up in; null when it has none. */
function indexList({ header, source, stringOffsetsBase }: Unit): Buffer | null {
  const section = source.bytes('.debug_str_offsets');
  if (section === null) return null;
  if (header.version < 5)
    return source.isSplit ? bufferOf(section.subarray(stringOffsetsBase)) : null;
  // Before its base stands its length (DWARF 5 §7.26).
  if (stringOffsetsBase < 8 || stringOffsetsBase > section.length) return null;
  const size = new Cursor(section, stringOffsetsBase - 8).u32();
  return bufferOf(section.subarray(stringOffsetsBase, stringOffsetsBase + size));
}

/** Split by GNU's way, before DWARF 5 had its own. */
function isOldSplit({ header, source }: Unit): boolean {
  return source.isSplit && header.version < 5;
}
