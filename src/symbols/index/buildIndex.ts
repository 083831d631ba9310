import { languageNames } from '../dwarf/constants.ts';
import { isAddressForm } from '../dwarf/forms.ts';
import { DebugInfo, reason } from '../dwarf/debugInfo.ts';
import type { Unit } from '../dwarf/debugInfo.ts';
import { ScopeNames, isIncomplete } from '../dwarf/scopeNames.ts';
import type { FunctionDescription } from '../dwarf/scopeNames.ts';
import { UnitScan } from '../dwarf/unitScan.ts';
import type { ElfFile } from '../elf/elfFile.ts';
import { readFunctionSymbols } from '../elf/symbolTable.ts';
import type { FunctionSymbol } from '../elf/symbolTable.ts';
import type { Demangler } from '../names/demangler.ts';
import { readableFromLinkage } from '../names/readableName.ts';
import { IndexRows } from './indexRows.ts';
import type { ModuleIndex } from './moduleIndex.ts';

/** Called now and then with the share done, 0 to 1. */
export type Progress = (share: number) => void;

/** Reads all functions of a file. Damage costs the damaged part only and is told in the facts. */
export function buildIndex(elf: ElfFile, demangler: Demangler, progress: Progress): ModuleIndex {
  const info = new DebugInfo(elf);
  const symbols = readFunctionSymbols(elf);
  const builder = new IndexBuilder(elf, info, symbols, demangler);
  for (const unit of info.units) {
    builder.addUnit(unit);
    progress(unit.header.end / Math.max(info.size, 1));
  }
  builder.resolveElsewhere();
  const fromDwarf = builder.rows.count;
  builder.addSymbols();
  const problems = [
    ...elf.problems,
    ...[...info.problems].map((problem) => `In the debug information, ${problem}.`),
  ];
  if (elf.debugLink !== null && fromDwarf === 0) {
    problems.push(
      `Its debug information is in a separate file (${elf.debugLink}), which is not read.`,
    );
  }
  return builder.rows.finish({
    buildId: elf.buildId,
    debugInfo: fromDwarf > 0 ? 'dwarf' : symbols.length > 0 ? 'symtab' : 'none',
    dwarfVersion: info.units.reduce<number | null>(
      (max, unit) => Math.max(max ?? 0, unit.header.version),
      null,
    ),
    languages: languagesOf(info.units),
    loadAddress: elf.loadAddress,
    problems: problems.slice(0, maxProblems),
  });
}

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

/** A row whose name is in another unit. */
interface Elsewhere {
  readonly target: number;
  /** Row of the function to name; -1 for an inlined call. */
  readonly row: number;
  readonly caller: number;
}

class IndexBuilder {
  readonly rows = new IndexRows();
  readonly #elf: ElfFile;
  readonly #info: DebugInfo;
  readonly #symbols: readonly FunctionSymbol[];
  readonly #demangler: Demangler;
  readonly #scan = new UnitScan();
  #elsewhere: Elsewhere[] = [];

  constructor(
    elf: ElfFile,
    info: DebugInfo,
    symbols: readonly FunctionSymbol[],
    demangler: Demangler,
  ) {
    this.#elf = elf;
    this.#info = info;
    this.#symbols = symbols;
    this.#demangler = demangler;
  }

  addUnit(unit: Unit): void {
    this.#scanUnit(unit);
    const scan = this.#scan;
    const names = new ScopeNames(this.#info, unit, scan, this.#demangler);
    const rowOf = new Int32Array(scan.functionCount).fill(-1);
    for (let i = 0; i < scan.functionCount; i++) {
      this.#guard(() => {
        rowOf[i] = this.#addFunction(unit, names, i);
      });
    }
    this.#guard(() => this.#addInlinedCalls(unit, names, rowOf));
  }

  /** A name is looked up once for all calls of a unit. */
  #addInlinedCalls(unit: Unit, names: ScopeNames, rowOf: Int32Array): void {
    const scan = this.#scan;
    const { start, end } = unit.header;
    const numbers = new Map<number, number>();
    for (let i = 0; i < scan.inlinedCount; i++) {
      const caller = rowOf[scan.inlinedInto[i] ?? 0] ?? -1;
      if (caller < 0) continue;
      const target = this.#info.reference(unit, scan.originForms[i] ?? 0, scan.origins[i] ?? 0);
      if (target < 0) continue;
      if (target < start || target >= end) {
        this.#elsewhere.push({ target, row: -1, caller });
        continue;
      }
      let number = numbers.get(target);
      if (number === undefined) {
        number = this.#declare(names, target - start);
        numbers.set(target, number);
      }
      if (number >= 0) this.rows.addInlined(number, caller);
    }
  }

  /** The number of the name of an inlined function, its file noted; -1 when it has none. */
  #declare(names: ScopeNames, offset: number): number {
    const scope = this.#scan.rowAt(offset);
    let number = -1;
    this.#guard(() => {
      if (scope < 0) return;
      const { name, file } = names.describe(scope);
      if (name !== '') number = this.rows.declare(name, file);
    });
    return number;
  }

  #scanUnit(unit: Unit): void {
    this.#guard(() => {
      this.#scan.scan(this.#info.cursor(unit), unit.header, unit.table);
    });
  }

  /** Damage inside costs one function, not the file. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#info.problems.add(`something is damaged: ${reason(error)}`);
    }
  }

  #addFunction(unit: Unit, names: ScopeNames, i: number): number {
    const place = this.#placeOf(unit, i);
    if (place === null) return -1;
    const kind = this.#symbolKind(place.address);
    if (kind === 'piece') return -1;
    const scope = this.#scan.functionScopes[i] ?? 0;
    const { description, symbol } = this.#withSymbol(names.describe(scope), place.address);
    if (description.name === '' && description.elsewhere < 0) return -1;
    // A copy of an inline function that the linker dropped in favour of one that was read before.
    if (description.name !== '' && this.rows.has(place.address, description.name)) return -1;
    const row = this.rows.add({
      ...place,
      description,
      entry: unit.header.start + (this.#scan.scopeOffsets[scope] ?? 0),
      symbol,
      changedSignature: kind === 'copy',
    });
    if (description.name === '')
      this.#elsewhere.push({ target: description.elsewhere, row, caller: -1 });
    return row;
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
      const entry = ranges.find((range) => this.#symbolKind(range.start) !== 'piece') ?? ranges[0];
      if (entry === undefined) return null;
      address = entry.start;
      size = entry.end - entry.start;
    } else return null;
    if (address === 0 || size <= 0 || size > 0xffff_ffff || !this.#elf.isCode(address)) return null;
    return { address, size };
  }

  /** What the symbols at an address say: a piece split off a function, a copy with changed parameters. */
  #symbolKind(address: number): 'piece' | 'copy' | 'whole' {
    let sawPiece = false;
    let sawCopy = false;
    for (let i = this.#firstSymbol(address); this.#symbols[i]?.address === address; i++) {
      const name = this.#symbols[i]?.name ?? '';
      if (isPiece(name)) sawPiece = true;
      else if (/\.(?:isra|constprop|specialized|argprom|argelim|retelim)\b/.test(name))
        sawCopy = true;
      else return 'whole';
    }
    return sawCopy ? 'copy' : sawPiece ? 'piece' : 'whole';
  }

  /**
   * What entries do not say: the linkage name of functions that are not external and of copies, and the
   * name of lambdas.
   */
  #withSymbol(
    description: FunctionDescription,
    address: number,
  ): { description: FunctionDescription; symbol: string } {
    const first = this.#firstSymbol(address);
    const symbol = this.#symbols[first];
    if (symbol?.address !== address) return { description, symbol: '' };
    for (let i = first; this.#symbols[i]?.address === address; i++) {
      if (this.#symbols[i]?.name === description.linkage) return { description, symbol: '' };
    }
    const isNameless =
      description.elsewhere < 0 && description.linkage === '' && isIncomplete(description.name);
    const name = isNameless
      ? readableFromLinkage(description.name, symbol.name, this.#demangler)
      : description.name;
    return {
      description: { ...description, name },
      symbol: symbol.name === name ? '' : symbol.name,
    };
  }

  #firstSymbol(address: number): number {
    let low = 0;
    let high = this.#symbols.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#symbols[middle]?.address ?? 0) < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Names what the first pass left, unit by unit, so that each unit is scanned again at most once. */
  resolveElsewhere(): void {
    const waiting = this.#elsewhere.toSorted((a, b) => a.target - b.target);
    this.#elsewhere = [];
    const known = new Map<number, FunctionDescription>();
    let unit: Unit | null = null;
    let names: ScopeNames | null = null;
    for (const { target, row, caller } of waiting) {
      let description = known.get(target);
      if (description === undefined) {
        const holder = this.#info.unitAt(target);
        if (holder === null) continue;
        if (holder !== unit || names === null) {
          unit = holder;
          this.#scanUnit(holder);
          names = new ScopeNames(this.#info, holder, this.#scan, this.#demangler);
          known.clear();
        }
        const scope = this.#scan.rowAt(target - holder.header.start);
        const reader = names;
        description = { name: '', linkage: '', file: '', line: 0, elsewhere: -1 };
        this.#guard(() => {
          if (scope >= 0) description = reader.describe(scope);
        });
        known.set(target, description);
      }
      if (row >= 0) this.rows.describe(row, description);
      else if (description.name !== '') {
        this.rows.addInlined(this.rows.declare(description.name, description.file), caller);
      }
    }
  }

  /** Functions that only the symbol tables know. */
  addSymbols(): void {
    const described = this.rows.addressSet();
    for (const symbol of this.#symbols) {
      if (described.has(symbol.address) || isPiece(symbol.name) || /^_ZT[hvc]/.test(symbol.name))
        continue;
      this.rows.addSymbol(symbol, this.#demangler);
    }
  }
}

function isPiece(symbol: string): boolean {
  return symbol.includes('.cold') || symbol.includes('.part.');
}
