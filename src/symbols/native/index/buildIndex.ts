import { isSystemLibrary } from '../../../base/systemPaths.ts';
import { NumberMap } from '../../../base/numberMap.ts';
import { languageNames } from '../dwarf/constants.ts';
import { isAddressForm } from '../dwarf/forms.ts';
import { DebugInfo } from '../dwarf/debugInfo.ts';
import { reason } from '../dwarf/unitTable.ts';
import type { Unit } from '../dwarf/unitTable.ts';
import { ScopeNames } from '../dwarf/functions/scopeNames.ts';
import { UnitScan } from '../dwarf/unitScan.ts';
import type { ElfFile } from '../elf/elfFile.ts';
import { FunctionSymbols } from '../elf/functionSymbols.ts';
import { goSourcePrefixes } from '../elf/goModules.ts';
import { goTable } from '../elf/goTable.ts';
import { rulesOfMachine } from '../machineRules.ts';
import { indirectFunctions } from './indirect.ts';
import { hasChangedSignature, isPiece } from '../names/clones.ts';
import type { Demangler } from '../names/demangler.ts';
import { readableFromLinkage } from '../names/readableName.ts';
import { AddressNumbers } from './addressNumbers.ts';
import {
  callsOf,
  Conventions,
  hasOwnConvention,
  isEntered,
  type UnitCalls,
} from './conventions.ts';
import { IndexRows } from './indexRows.ts';
import { functionFlag } from './moduleIndex.ts';
import type { ModuleIndex } from './moduleIndex.ts';

/** Called now and then with the share done, 0 to 1. */
export type Progress = (share: number) => void;

export interface IndexOptions {
  readonly separate: ElfFile | null;
  readonly debugFolder: string;
  /** Called first with the file that has the debug information, when reading it takes long. */
  readonly beforeLong?: ((described: ElfFile) => void) | undefined;
}

/** Reads all functions of a file. Damage costs the damaged part only; the facts list it. */
export function buildIndex(
  elf: ElfFile,
  demangler: Demangler,
  progress: Progress,
  { separate, debugFolder, beforeLong = (): void => {} }: IndexOptions,
): ModuleIndex {
  const described = separate ?? elf;
  if ((described.section('.debug_info')?.size ?? 0) > large) beforeLong(described);
  using info = new DebugInfo(described, { programPath: elf.path, debugFolder });
  const files = separate ? [elf, separate] : [elf];
  const symbols = new FunctionSymbols(...files);
  const builder = new IndexBuilder(elf, info, symbols, demangler);
  for (const unit of info.units) {
    if (!unit.isTypes) builder.addUnit(unit);
    progress(unit.header.end / Math.max(info.size, 1));
  }
  builder.resolveElsewhere();
  const fromDwarf = builder.rows.count;
  if (fromDwarf === 0) builder.addGoTable();
  const fromTable = builder.rows.count - fromDwarf;
  builder.addSymbols(separate !== null);
  const isStripped = elf.section('.symtab') === null && separate === null;
  if (isStripped && !isSystemLibrary(elf.path)) builder.addFrames();
  const problems = [
    ...elf.problems,
    ...(separate?.problems ?? []),
    ...(symbols.isDamaged ? ['Names of the symbol table are damaged, and left out.'] : []),
    ...[...info.problems, ...damagedTexts(info)].map(
      (problem) => `In the debug information, ${problem}.`,
    ),
  ];
  if (elf.debugLink !== null && fromDwarf === 0) {
    problems.push(
      `Its debug information is in a separate file (${elf.debugLink.name}), of which no copy of the same build was read.`,
    );
  }
  return builder.rows.finish({
    buildId: elf.buildId,
    debugInfo: fromDwarf > 0 ? 'dwarf' : symbols.count + fromTable > 0 ? 'symtab' : 'none',
    dwarfVersion: info.units.reduce<number | null>(
      (max, unit) => Math.max(max ?? 0, unit.header.version),
      null,
    ),
    languages: languagesOf(info.units),
    loadAddress: elf.loadAddress,
    goPrefixes: goSourcePrefixes(elf),
    parts: info.parts,
    indirect: indirectFunctions(elf, files, (address) => builder.rows.firstAt(address) >= 0),
    problems: problems.slice(0, maxProblems),
  });
}

/** As names that are read as empty. */
function damagedTexts({ units }: DebugInfo): string[] {
  const sources = [...new Set(units.map(({ source }) => source))];
  return sources.some((source) => source.texts('.debug_str').isDamaged)
    ? ['.debug_str is damaged: the end of many names is lost, and they are left out']
    : [];
}

/** Debug information of which some 200 ms are read. */
const large = 16 << 20;
const maxProblems = 20;

function languagesOf(units: readonly Unit[]): string[] {
  const sizes = new Map<string, number>();
  for (const unit of units) {
    const name = languageNames.get(unit.language);
    if (name !== undefined)
      sizes.set(name, (sizes.get(name) ?? 0) + unit.header.end - unit.header.start);
  }
  return [...sizes].toSorted((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** What is named in one other unit: where, and the rows to name (-1 for an inlined call) or their callers. */
interface Elsewhere {
  readonly targets: number[];
  readonly rows: number[];
  readonly callers: number[];
}

class IndexBuilder {
  readonly rows: IndexRows;
  readonly #elf: ElfFile;
  /** A program of Go that is entered by an engine; what it was linked with may be of other languages. */
  readonly #isGo: boolean;
  readonly #info: DebugInfo;
  readonly #symbols: FunctionSymbols;
  readonly #demangler: Demangler;
  readonly #scan = new UnitScan();
  readonly #names: ScopeNames;
  /** By the unit that names them. */
  readonly #elsewhere = new Map<Unit, Elsewhere>();
  /** By address: offset in .debug_str of the linkage name of its first function that has one. */
  readonly #linkageAt: AddressNumbers;
  readonly #conventions: Conventions;
  /** Of the unit at hand: the row of each of its functions, -1 where there is none. */
  #rowOf = new Int32Array(1 << 10);
  #isUnitOfGo = false;
  /** Of the unit at hand: what its language says of how its functions are called. */
  #calls: UnitCalls = 'as C';

  constructor(elf: ElfFile, info: DebugInfo, symbols: FunctionSymbols, demangler: Demangler) {
    this.#elf = elf;
    this.#isGo = elf.section('.gopclntab') !== null || elf.section('.note.go.buildid') !== null;
    this.#info = info;
    this.#symbols = symbols;
    this.#demangler = demangler;
    this.rows = new IndexRows(new AddressNumbers(symbols, elf.codeStart));
    this.#linkageAt = new AddressNumbers(symbols, elf.codeStart);
    this.#conventions = new Conventions(elf);
    const { names, files } = this.rows;
    this.#names = new ScopeNames(info, this.#scan, { names, files, demangler });
  }

  addUnit(unit: Unit): void {
    this.#begin(unit);
    const { functionCount, inlinedCount } = this.#scan;
    if (this.#rowOf.length < functionCount) this.#rowOf = new Int32Array(functionCount * 2);
    this.#rowOf.fill(-1, 0, functionCount);
    const language = languageNames.get(unit.language) ?? '';
    this.#isUnitOfGo = this.#isGo && !notOfGo.has(language);
    this.#calls = callsOf(language);
    this.#each(functionCount, (i) => {
      this.#rowOf[i] = this.#addFunction(unit, i);
    });
    const numbers = new NumberMap();
    this.#each(inlinedCount, (i) => this.#addInlinedCall(unit, i, numbers));
  }

  /** Does the same for each; damage inside costs one of them, not the file. */
  #each(count: number, work: (i: number) => void): void {
    for (let i = 0; i < count; i++) {
      try {
        work(i);
      } catch (error) {
        this.#info.problems.add(`something is damaged: ${reason(error)}`);
      }
    }
  }

  #begin(unit: Unit): void {
    this.#each(1, () => {
      this.#info.hold(unit);
      this.#scan.scan(this.#info.cursor(unit), unit.header, unit.table);
    });
    this.#names.begin(unit);
  }

  /** `numbers`: offset in the unit → name of an inlined function. */
  #addInlinedCall(unit: Unit, i: number, numbers: NumberMap): void {
    const scan = this.#scan;
    const { start, end } = unit.header;
    const caller = this.#rowOf[scan.inlinedInto[i] ?? 0] ?? -1;
    if (caller < 0) return;
    const target = this.#info.reference(unit, scan.originForms[i] ?? 0, scan.origins[i] ?? 0);
    if (target < 0) return;
    if (target < start || target >= end) {
      this.#postpone(target, -1, caller);
      return;
    }
    const number = this.#inlinedName(target - start, numbers);
    if (number > 0) this.rows.addInlined(number, caller);
  }

  /** The number of the name of an inlined function, its file noted; 0 when it has none. */
  #inlinedName(offset: number, known: NumberMap): number {
    const number = known.get(offset);
    if (number >= 0) return number;
    // It keeps this when it is damaged.
    known.set(offset, 0);
    const scope = this.#scan.rowAt(offset);
    if (scope < 0) return 0;
    this.#names.read(scope);
    const { name, file } = this.#names.describe(scope);
    if (name > 0) this.rows.declare(name, file);
    known.set(offset, name);
    return name;
  }

  #postpone(target: number, row: number, caller: number): void {
    const holder = this.#info.unitAt(target);
    if (holder === null) return;
    let waiting = this.#elsewhere.get(holder);
    if (waiting === undefined) {
      waiting = { targets: [], rows: [], callers: [] };
      this.#elsewhere.set(holder, waiting);
    }
    waiting.targets.push(target - holder.header.start);
    waiting.rows.push(row);
    waiting.callers.push(caller);
  }

  #addFunction(unit: Unit, i: number): number {
    const place = this.#placeOf(unit, i);
    if (place === null) return -1;
    const { address, size } = place;
    const first = this.#symbols.firstAt(address);
    const kind = this.#symbolKind(first, address);
    if (kind === 'piece') return -1;
    const scope = this.#scan.functionScopes[i] ?? 0;
    this.#names.read(scope);
    if (this.#isDroppedCopy(unit, address)) return -1;
    const symbol = first < 0 || this.#isNamedBy(first, address) ? '' : this.#symbols.name(first);
    const { hasLinkage } = this.#names;
    const { elsewhere, file, line, name: path } = this.#names.describe(scope);
    const isNamedHere = elsewhere < 0 && !hasLinkage;
    const name = isNamedHere && symbol !== '' ? this.#nameBySymbol(path, symbol) : path;
    if (name === 0 ? elsewhere < 0 : this.rows.has(address, name)) return -1;
    const row = this.rows.add({
      address,
      size,
      name,
      file,
      line,
      entry: unit.header.start + (this.#scan.scopeOffsets[scope] ?? 0),
      symbol: symbol === '' || symbol === this.rows.names.text(name) ? '' : symbol,
      flags: this.#flagsOf(kind, first, address),
    });
    if (name === 0) this.#postpone(elsewhere, row, -1);
    return row;
  }

  /** A copy of an inline function that the linker dropped in favour of one that was read before. */
  #isDroppedCopy(unit: Unit, address: number): boolean {
    const { linkageAt } = this.#names;
    if (linkageAt < 0) return false;
    const map = this.#linkageAt;
    const known = unit.source.isSplit ? map.get(address) : map.getOrSet(address, linkageAt);
    return known === linkageAt;
  }

  /** Lambdas are named by their symbols only. */
  #nameBySymbol(path: number, symbol: string): number {
    const { names } = this.rows;
    if (!names.isIncomplete(path)) return path;
    return names.path(readableFromLinkage(names.text(path), symbol, this.#demangler));
  }

  #flagsOf(kind: 'copy' | 'whole', first: number, address: number): number {
    const changed = kind === 'copy' ? functionFlag.changedSignature : 0;
    const visible = this.#isVisible(first, address) ? functionFlag.visible : 0;
    const isForeign =
      this.#calls === 'otherwise' ||
      (this.#calls === 'unknown' &&
        (!this.#conventions.isCalled(address) ||
          (first >= 0 && hasOwnConvention(this.#symbols.name(first)))));
    const own = isForeign ? functionFlag.foreign : 0;
    return changed | visible | own | (this.#isUnitOfGo ? functionFlag.go : 0);
  }

  /** Whether one of the symbols of an address is the linkage name of the function read. */
  #isNamedBy(first: number, address: number): boolean {
    const symbols = this.#symbols;
    for (let i = first; symbols.addresses[i] === address; i++)
      if (this.#names.linkageIs(symbols.names(i), symbols.nameStart(i))) return true;
    return false;
  }

  #isVisible(first: number, address: number): boolean {
    if (first < 0) return false;
    for (let i = first; this.#symbols.addresses[i] === address; i++)
      if (this.#symbols.isVisible(i)) return true;
    return false;
  }

  /** The contiguous range that holds the entry; null for code the linker dropped. */
  #placeOf(unit: Unit, i: number): { address: number; size: number } | null {
    const scan = this.#scan;
    const info = this.#info;
    let address: number;
    let size: number;
    const lowForm = scan.lowForms[i] ?? 0;
    if (lowForm !== 0 && (scan.highForms[i] ?? 0) !== 0) {
      address = info.address(unit, lowForm, scan.lowPcs[i] ?? 0);
      const highForm = scan.highForms[i] ?? 0;
      const high = info.address(unit, highForm, scan.highPcs[i] ?? 0);
      // Since DWARF 4 a constant is a length (§2.17.2).
      size = isAddressForm(highForm) ? high - address : high;
    } else if ((scan.rangeForms[i] ?? 0) !== 0) {
      const ranges = info.ranges(unit, scan.rangeForms[i] ?? 0, scan.ranges[i] ?? 0);
      const entry =
        ranges.find(
          ({ start }) => this.#symbolKind(this.#symbols.firstAt(start), start) !== 'piece',
        ) ?? ranges[0];
      if (entry === undefined) return null;
      address = entry.start;
      size = entry.end - entry.start;
    } else return null;
    if (address === 0 || size <= 0 || size > 0xffff_ffff || !this.#elf.isCode(address)) return null;
    return { address, size };
  }

  /** What the symbols at an address say: a piece split off a function, a copy with changed parameters. */
  #symbolKind(first: number, address: number): 'piece' | 'copy' | 'whole' {
    if (first < 0) return 'whole';
    const symbols = this.#symbols;
    let sawPiece = false;
    let sawCopy = false;
    for (let i = first; symbols.addresses[i] === address; i++) {
      const name = symbols.isDotted(i) ? symbols.name(i) : '';
      if (isPiece(name)) sawPiece = true;
      else if (hasChangedSignature(name)) sawCopy = true;
      else return 'whole';
    }
    return sawCopy ? 'copy' : sawPiece ? 'piece' : 'whole';
  }

  /** Names what the first pass left, so that each unit is scanned again at most once. */
  resolveElsewhere(): void {
    const waiting = [...this.#elsewhere].toSorted(([a], [b]) => a.header.start - b.header.start);
    this.#elsewhere.clear();
    for (const [holder, { targets, rows, callers }] of waiting) {
      this.#begin(holder);
      const numbers = new NumberMap();
      this.#each(targets.length, (i) => {
        const target = targets[i] ?? 0;
        const row = rows[i] ?? -1;
        if (row < 0) {
          const number = this.#inlinedName(target, numbers);
          if (number > 0) this.rows.addInlined(number, callers[i] ?? 0);
          return;
        }
        const scope = this.#scan.rowAt(target);
        if (scope < 0) return;
        this.#names.read(scope);
        this.rows.describe(row, this.#names.describe(scope));
      });
    }
  }

  /**
   * Functions of a stripped file that nothing names, from .eh_frame. Code that runs with a frame of another
   * function (a part split off) is none: a hook there would take a saved register for the return address.
   */
  addFrames(): void {
    const named = this.rows.count;
    const stubs = this.#elf.sections.filter(({ name }) => /^\.(?:plt|init|fini)/.test(name));
    const frames = [...this.#conventions.frames.all()];
    const rules = rulesOfMachine(this.#elf.machine);
    this.#each(frames.length, (i) => {
      const frame = frames[i];
      if (frame === undefined) return;
      const { start, end } = frame;
      const isStub = stubs.some(({ address, size }) => start >= address && start < address + size);
      const row = this.rows.firstAt(start);
      const isNamed = row >= 0 && row < named;
      if (isNamed || isStub || end <= start || !this.#elf.isCode(start)) return;
      if (isEntered(frame, start, rules))
        this.rows.addNameless(start, end - start, this.#isGo ? functionFlag.go : 0);
    });
  }

  /** Functions of Go that are known to its runtime, where no debug information describes them. */
  addGoTable(): void {
    if (!this.#isGo) return;
    const { names, files } = this.rows;
    for (const { name, file, ...place } of goTable(this.#elf)) {
      const known = { name: names.path(name), file: file === '' ? 0 : files.numberOf(file) + 1 };
      this.rows.add({ ...place, ...known, entry: -1, symbol: name, flags: functionFlag.go });
    }
  }

  /**
   * Functions that only the symbol tables know; `withAliases`: also other C names others call them by, as the C
   * library's, whose source calls malloc otherwise.
   */
  addSymbols(withAliases: boolean): void {
    const described = this.rows.count;
    const symbols = this.#symbols;
    symbols.addresses.forEach((address, i) => {
      const first = this.rows.firstAt(address);
      const isDescribed = first >= 0 && first < described;
      if (isDescribed && !(withAliases && symbols.isVisible(i))) return;
      const symbol = symbols.name(i);
      if (symbol === '' || isPiece(symbol) || /^_ZT[hvc]/.test(symbol)) return;
      if (
        isDescribed &&
        (/^_[ZR]/.test(symbol) || this.rows.has(address, this.rows.names.path(symbol)))
      )
        return;
      const isForeign =
        !isDescribed && (hasOwnConvention(symbol) || !this.#conventions.isCalled(address));
      const flags =
        (symbols.isVisible(i) ? functionFlag.visible : 0) |
        (this.#isGo ? functionFlag.go : 0) |
        (isForeign ? functionFlag.foreign : 0);
      this.rows.addSymbol({ address, size: symbols.size(i), symbol, flags }, this.#demangler);
    });
  }
}

const notOfGo: ReadonlySet<string> = new Set(['C', 'C++', 'Rust', 'Objective-C', 'Fortran', 'D']);
