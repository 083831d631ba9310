import type { ElfFile } from '../elf/elfFile.ts';
import { openSupplementary } from '../elf/separateFile.ts';
import { readAbbreviations } from './abbreviations.ts';
import type { AbbreviationTable } from './abbreviations.ts';
import { attribute, languageNames, tag } from './constants.ts';
import { Cursor } from './cursor.ts';
import { DebugSource } from './debugSource.ts';
import { Entry } from './entry.ts';
import { isAddressForm, isAddressIndex } from './forms.ts';
import { readPackageIndex, wholeFile } from './packageIndex.ts';
import type { Contribution } from './packageIndex.ts';
import { SplitFiles, partAt } from './splitFiles.ts';
import type { IndexedPart } from './splitFiles.ts';
import { attributeText } from './stringSections.ts';
import type { TextPlace } from './stringSections.ts';
import { maxHeaderSize, readUnitHeader, unitType } from './unitHeader.ts';
import type { UnitHeader } from './unitHeader.ts';

/** One unit that can be read, with what its entries refer to. */
export interface Unit extends TextPlace {
  readonly index: number;
  readonly header: UnitHeader;
  readonly table: AbbreviationTable;
  /** It describes types only. */
  readonly isTypes: boolean;
  readonly language: number;
  readonly folder: string;
  readonly producer: string;
  readonly lowPc: number;
  /** Where its root says that its code lies; null when it does not. */
  readonly code: UnitCode | null;
  /** What it was split off, whose root knows the code. */
  readonly skeleton: Unit | null;
  /** Offset in .debug_line of `program`, or -1. */
  readonly lines: number;
  /** The file with addresses and line tables; its own unless the unit is split. */
  readonly program: TextPlace;
  readonly addressBase: number;
  readonly rangeListsBase: number;
  readonly locationListsBase: number;
}

/** Up to an exclusive end, or DW_AT_ranges as it is written. */
export type UnitCode = { readonly end: number } | { readonly form: number; readonly value: number };

/** Where other files of a program's debug information may lie. */
export interface DebugPlaces {
  /** The program itself, beside which split files or a package of them are. */
  readonly programPath: string;
  /** Where distributions install debug information. */
  readonly debugFolder: string;
}

interface Package {
  readonly path: string;
  readonly source: DebugSource;
  readonly units: ReadonlyMap<bigint, Contribution>;
}

/** What a unit's root says of the unit. */
interface Described {
  readonly unit: Unit;
  readonly root: Entry;
  readonly head: Cursor;
}

/** A root entry is small; reading the whole unit for it would read the file twice. */
const rootBytes = 16_384;

/** The units of a program's debug information in all its files, by offset. */
export class UnitTable implements Disposable {
  readonly units: readonly Unit[];
  readonly #found: Unit[] = [];
  readonly #problems: Set<string>;
  readonly #split: SplitFiles;
  readonly #supplementary: ElfFile | null;
  readonly #shared: DebugSource | null;
  readonly #abbreviations = new Map<string, AbbreviationTable>();
  readonly #signatures = new Map<bigint, number>();
  readonly #lost: string[] = [];
  #package: Package | null = null;
  #nextIndex = 0;
  /** Bytes of all sources so far. */
  #size = 0;

  constructor(elf: ElfFile, { programPath, debugFolder }: DebugPlaces, problems: Set<string>) {
    this.#problems = problems;
    this.#split = new SplitFiles(programPath);
    const found = openSupplementary(elf, debugFolder);
    this.#supplementary = found.file;
    if (found.problem !== '') problems.add(found.problem);
    for (const path of found.looked) this.#split.parts.set(path, partAt(path));
    const own = this.#sources(() => elf);
    const { file } = found;
    const shared = file === null ? [] : this.#sources(() => file);
    this.#shared = shared[0] ?? null;
    const skeletons: Described[] = [];
    for (const source of [...own, ...shared]) {
      for (const header of this.#headers(source)) {
        const described = this.#describe(header, source, wholeFile, null);
        if (described === null) continue;
        if (isSkeleton(described)) skeletons.push(described);
        else this.#add(described.unit);
      }
    }
    this.#join(skeletons, [programPath, elf.path]);
    this.units = withLanguage(this.#found).toSorted((a, b) => a.header.start - b.header.start);
  }

  [Symbol.dispose](): void {
    this.#split[Symbol.dispose]();
    this.#supplementary?.[Symbol.dispose]();
  }

  /** The space of offsets that the units lie in. */
  get size(): number {
    return this.#size;
  }

  get parts(): IndexedPart[] {
    return [...this.#split.parts.values()];
  }

  /** Where the type of this signature lies; -1 when no file has it. */
  typeOf(signature: bigint): number {
    return this.#signatures.get(signature) ?? -1;
  }

  get hasTypeUnits(): boolean {
    return this.#signatures.size > 0;
  }

  /** The unit that holds this offset. */
  at(offset: number): Unit | null {
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

  /** The sections of units of a file, of its types last. */
  #sources(open: () => ElfFile, isSplit = false): DebugSource[] {
    const elf = open();
    return [false, true].flatMap((isTypes) => {
      const name = `${isTypes ? '.debug_types' : '.debug_info'}${isSplit ? '.dwo' : ''}`;
      return elf.sectionsNamed(name).map((section) => {
        const source = new DebugSource(open, { base: this.#size, section, isTypes, isSplit });
        this.#size += source.size;
        return source;
      });
    });
  }

  #add(unit: Unit): void {
    this.#found.push(unit);
    const { id, start, typeEntry } = unit.header;
    if (unit.isTypes && !this.#signatures.has(id)) this.#signatures.set(id, start + typeEntry);
  }

  /** The headers of all units of a source that can be read; damage ends the list. */
  *#headers(source: DebugSource): Generator<UnitHeader> {
    const end = source.base + source.size;
    for (let at = source.base; at + 11 <= end;) {
      const header = this.#header(source, at);
      if (header === null) return;
      at = header.end;
      if (header.version < 2 || header.version > 5)
        this.#problems.add(`units of DWARF version ${header.version} are not read`);
      else yield header;
    }
  }

  #header(source: DebugSource, at: number): UnitHeader | null {
    const end = source.base + source.size;
    try {
      return readUnitHeader(source.units(at, maxHeaderSize), at, end, source.isTypes);
    } catch (error) {
      const where = `${source.isTypes ? '.debug_types' : '.debug_info'} is damaged`;
      this.#problems.add(`${where} at offset ${at - source.base}: ${reason(error)}`);
      return null;
    }
  }

  /** Reads the root of a unit; null when it is damaged. */
  #describe(
    header: UnitHeader,
    source: DebugSource,
    own: Contribution,
    skeleton: Unit | null,
  ): Described | null {
    try {
      const table = this.#table(header, source, own);
      const root = new Entry();
      const head = new Cursor(
        source.units(header.start, Math.min(header.end - header.start, rootBytes)),
      );
      root.read(head, header.firstEntry, table, header);
      const unit = this.#unit({ header, source, own, skeleton, table, root, head });
      return { unit, root, head };
    } catch (error) {
      this.#problems.add(`a unit of .debug_info is damaged: ${reason(error)}`);
      return null;
    }
  }

  #table(header: UnitHeader, source: DebugSource, own: Contribution): AbbreviationTable {
    const offset = header.abbreviations + own.abbreviations;
    const { version, addressSize, offsetSize } = header;
    const key = `${source.base} ${offset} ${version} ${addressSize} ${offsetSize}`;
    let table = this.#abbreviations.get(key);
    if (table === undefined) {
      const section = source.bytes('.debug_abbrev');
      if (section === null) throw new RangeError('there is no .debug_abbrev');
      table = readAbbreviations(section, offset, header);
      this.#abbreviations.set(key, table);
    }
    return table;
  }

  #unit({
    header,
    source,
    own,
    skeleton,
    table,
    root,
    head,
  }: {
    readonly header: UnitHeader;
    readonly source: DebugSource;
    readonly own: Contribution;
    readonly skeleton: Unit | null;
    readonly table: AbbreviationTable;
    readonly root: Entry;
    readonly head: Cursor;
  }): Unit {
    const place: TextPlace = {
      header,
      source,
      stringOffsetsBase: root.value(attribute.stringOffsetsBase) || stringsOf(header, own),
      supplementary: this.#shared,
    };
    const starts = source.isSplit ? splitStarts(header, own, skeleton) : ownStarts(root);
    const text = (at: number): string => attributeText(place, head, root, at);
    const lines = root.has(attribute.statements) ? root.value(attribute.statements) : -1;
    // Spread, each unit would be of a shape of its own for the engine, and reading it slow in everything that does.
    return {
      header,
      source,
      stringOffsetsBase: place.stringOffsetsBase,
      supplementary: place.supplementary,
      addressBase: starts.addressBase,
      rangeListsBase: starts.rangeListsBase,
      locationListsBase: starts.locationListsBase,
      index: this.#nextIndex++,
      table,
      isTypes: header.unitType === unitType.type || header.unitType === unitType.splitType,
      language: root.value(attribute.language),
      folder: skeleton?.folder || text(attribute.compilationFolder),
      producer: text(attribute.producer),
      lowPc: skeleton?.lowPc ?? lowPcOf(root, place, starts.addressBase),
      code: codeOf(root, place, starts.addressBase),
      skeleton,
      // The line tables of split files are for declarations only and not read.
      lines: skeleton?.lines ?? (source.isSplit ? -1 : lines),
      program: skeleton ?? place,
    };
  }

  /** Puts the units of split files where their skeletons stand, which stay where a file is lost. */
  #join(skeletons: readonly Described[], programs: readonly string[]): void {
    if (skeletons.length === 0) return;
    this.#openPackage([...new Set(programs.map((path) => `${path}.dwp`))]);
    for (const skeleton of skeletons) {
      const { root, head, unit } = skeleton;
      const name =
        attributeText(unit, head, root, attribute.splitName) ||
        attributeText(unit, head, root, attribute.gnuSplitName);
      const id = idOf(skeleton);
      if (this.#joinPackaged(unit, id) || this.#joinFile(unit, id, name)) continue;
      this.#lost.push(name);
      this.#add(unit);
    }
    const [first] = this.#lost;
    if (first === undefined) return;
    this.#problems.add(
      `${this.#lost.length} of ${skeletons.length} split units are not there or of another build (the first: ${first}); ` +
        'put the .dwo files where the compiler wrote them or beside the program, or make a package: dwp -e PROGRAM',
    );
  }

  #openPackage(paths: readonly string[]): void {
    const path = this.#split.find(paths);
    if (path === null) return;
    try {
      const open = (): ElfFile => this.#split.open(path);
      const sources = this.#sources(open, true);
      const [source] = sources;
      if (source === undefined) return;
      const index = open().content('.debug_cu_index')?.all();
      if (!index) throw new RangeError('it has no index');
      this.#package = { path, source, units: readPackageIndex(index) };
      const types = sources.find(({ isTypes }) => isTypes) ?? source;
      const typeIndex = open().content('.debug_tu_index')?.all();
      if (!typeIndex) return;
      for (const own of readPackageIndex(typeIndex).values()) this.#addAt(types, own, null);
    } catch (error) {
      this.#problems.add(`${path} is damaged: ${reason(error)}`);
    }
  }

  #addAt(source: DebugSource, own: Contribution, skeleton: Unit | null): boolean {
    const header = this.#header(source, source.base + own.units);
    const described = header && this.#describe(header, source, own, skeleton);
    if (!described) return false;
    this.#add(described.unit);
    return true;
  }

  #joinPackaged(skeleton: Unit, id: bigint): boolean {
    const own = this.#package?.units.get(id);
    return this.#package !== null && own !== undefined
      ? this.#addAt(this.#package.source, own, skeleton)
      : false;
  }

  #joinFile(skeleton: Unit, id: bigint, name: string): boolean {
    const path = this.#split.find(this.#split.placesOf(name, skeleton.folder));
    if (path === null) return false;
    const open = (): ElfFile => this.#split.open(path);
    const described = this.#sources(open, true).flatMap((source) =>
      [...this.#headers(source)].map((header) =>
        this.#describe(header, source, wholeFile, skeleton),
      ),
    );
    const unit = described.find((one) => one && !one.unit.isTypes && idOf(one) === id)?.unit;
    if (unit === undefined) return false;
    this.#add(unit);
    for (const one of described) if (one?.unit.isTypes) this.#add(one.unit);
    return true;
  }
}

/**
 * Units of types and those that dwz makes need not say which language and compiler they are of. Where the
 * program's units differ it is taken for C++, whose rules of passing values are the strictest.
 */
function withLanguage(units: readonly Unit[]): Unit[] {
  const saying = units.filter((unit) => unit.language !== 0 && unit.producer !== '');
  const plus = saying.filter((unit) => languageNames.get(unit.language) === 'C++');
  const like = plus.length > 0 ? plus : saying;
  const [first] = like;
  if (first === undefined) return [...units];
  const isOne = like.every(({ producer }) => compilerOf(producer) === compilerOf(first.producer));
  const producer = isOne ? first.producer : '';
  return units.map((unit) =>
    unit.language !== 0 && unit.producer !== ''
      ? unit
      : { ...unit, language: unit.language || first.language, producer: unit.producer || producer },
  );
}

/** Clang, rustc and what else generates its code by LLVM. */
export function isLlvm({ producer }: Pick<Unit, 'producer'>): boolean {
  return /clang|LLVM/.test(producer);
}

/** Of rustc 1.n that made a unit n; null of another compiler. */
export function rustcOf({ producer }: Pick<Unit, 'producer'>): number | null {
  const [, minor] = /rustc version 1\.(\d+)/.exec(producer) ?? [];
  return minor === undefined ? null : Number(minor);
}

/** Without the options it was called with. */
function compilerOf(producer: string): string {
  return producer.replace(/ -.*$/s, '');
}

type Starts = Pick<Unit, 'addressBase' | 'rangeListsBase' | 'locationListsBase'>;

function ownStarts(root: Entry): Starts {
  return {
    addressBase: root.value(attribute.addressBase) || root.value(attribute.gnuAddressBase),
    // GNU's base holds in the unit's split part only.
    rangeListsBase: root.value(attribute.rangeListsBase) || root.value(attribute.gnuRangesBase),
    locationListsBase: root.value(attribute.locationListsBase),
  };
}

/** The lists of a split unit begin behind the header of its part (DWARF 5 §7.26, §7.28, §7.29). */
function splitStarts(header: UnitHeader, own: Contribution, skeleton: Unit | null): Starts {
  const behind = header.offsetSize === 8 ? 20 : 12;
  const isOld = header.version < 5;
  return {
    addressBase: skeleton?.addressBase ?? 0,
    rangeListsBase: isOld ? (skeleton?.rangeListsBase ?? 0) : own.rangeLists + behind,
    locationListsBase: own.locations + (isOld ? 0 : behind),
  };
}

function stringsOf(header: UnitHeader, own: Contribution): number {
  return own.stringOffsets + (header.version >= 5 ? header.offsetSize * 2 : 0);
}

function lowPcOf(root: Entry, place: TextPlace, addressBase: number): number {
  return root.has(attribute.lowPc) ? addressOf(root, attribute.lowPc, place, addressBase) : 0;
}

/** An address attribute of a root. */
function addressOf(
  root: Entry,
  at: number,
  { header, source }: TextPlace,
  addressBase: number,
): number {
  const value = root.value(at);
  if (!isAddressIndex(root.formOf(at))) return value;
  const entry = addressBase + value * header.addressSize;
  return new Cursor(source.bytes('.debug_addr') ?? new Uint8Array(0), entry).address(
    header.addressSize,
  );
}

function codeOf(root: Entry, place: TextPlace, addressBase: number): UnitCode | null {
  if (root.has(attribute.ranges))
    return { form: root.formOf(attribute.ranges), value: root.value(attribute.ranges) };
  if (!root.has(attribute.lowPc) || !root.has(attribute.highPc)) return null;
  const high = addressOf(root, attribute.highPc, place, addressBase);
  const isAddress = isAddressForm(root.formOf(attribute.highPc));
  return { end: isAddress ? high : lowPcOf(root, place, addressBase) + high };
}

function isSkeleton({ root }: Described): boolean {
  return (
    root.tag === tag.skeletonUnit ||
    root.has(attribute.splitName) ||
    root.has(attribute.gnuSplitName)
  );
}

/** What joins a split unit and its skeleton: in the header since DWARF 5, before in the root. */
function idOf({ unit, root, head }: Described): bigint {
  if (unit.header.version >= 5) return unit.header.id;
  const at = root.position(attribute.gnuSplitId);
  return at === 0 ? 0n : head.view.getBigUint64(at, true);
}

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
