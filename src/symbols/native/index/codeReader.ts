import { isSystemLibrary } from '../../../base/systemPaths.ts';
import { isAddressForm } from '../dwarf/forms.ts';
import { DebugInfo } from '../dwarf/debugInfo.ts';
import type { AddressRange } from '../dwarf/rangeLists.ts';
import { ScopeNames } from '../dwarf/functions/scopeNames.ts';
import { TypeReader } from '../dwarf/types/types.ts';
import { UnitScan } from '../dwarf/unitScan.ts';
import type { Unit } from '../dwarf/unitTable.ts';
import type { ElfFile } from '../elf/elfFile.ts';
import { goTableOf, type GoTable } from '../elf/goTable.ts';
import { openSeparate } from '../elf/separateFile.ts';
import { FunctionSymbols } from '../elf/functionSymbols.ts';
import { stubAt } from '../elf/stubs.ts';
import type { Demangler } from '../names/demangler.ts';
import { NameNumbers } from '../names/nameTree.ts';
import { readableFromLinkage, readableSymbol } from '../names/readableName.ts';
import { TextNumbers } from '../names/textTable.ts';
import { CallFrames } from '../unwind/callFrames.ts';
import type { FrameEntry } from '../unwind/callFrames.ts';
import { rulesOfMachine } from '../machineRules.ts';
import { isEntered } from './conventions.ts';

/** The function that holds an instruction. */
export interface HoldingFunction {
  readonly name: string;
  /** Offset of its entry in .debug_info; -1 for one known by its symbol only. */
  readonly entry: number;
  /** From the beginning of the range of code that holds the instruction. */
  readonly offset: number;
}

/** Where an instruction comes from. */
interface SourcePlace {
  /** Qualified name of the function with code of its own that holds it; null between functions. */
  readonly name: string | null;
  /** Bytes from the function's first instruction. */
  readonly offset: number;
  /** Absolute path of the source file, which may be that of an inlined function; null when unknown. */
  readonly file: string | null;
  /** 1-based; null when unknown or compiled from no line. */
  readonly line: number | null;
}

interface ScannedUnit {
  readonly unit: Unit;
  readonly scan: UnitScan;
  readonly names: ScopeNames;
  /** With the row of its function in `scan`. */
  readonly ranges: readonly { readonly range: AddressRange; readonly fn: number }[];
}

const maxScanned = 64;
const maxChain = 8;

/**
 * What code a file has at single addresses. Reads the unit that holds an address and no other, so that a
 * question about a few frames does not wait for the index of a large file. Knows all pieces of a function, also
 * those that nobody calls and the index leaves out (`.cold`, `.part`).
 */
export class CodeReader implements Disposable {
  readonly #elf: ElfFile;
  readonly #separate: ElfFile | null;
  readonly #demangler: Demangler;
  readonly #info: DebugInfo | null;
  readonly #types: TypeReader | null;
  readonly #scanned = new Map<number, ScannedUnit>();
  readonly #names = new NameNumbers();
  readonly #files = new TextNumbers();
  #symbols: FunctionSymbols | null = null;
  #frames: CallFrames | null = null;
  /** Of a stripped program of Go. */
  #goTable: GoTable | null | undefined;

  /** `elf` is closed with the reader; `debugFolder` is where distributions install debug information. */
  constructor(elf: ElfFile, demangler: Demangler, debugFolder: string) {
    this.#elf = elf;
    this.#demangler = demangler;
    this.#separate = openSeparate(elf, debugFolder);
    this.#info = openInfo(this.#separate ?? elf, elf.path, debugFolder);
    this.#types = this.#info && new TypeReader(this.#info);
  }

  [Symbol.dispose](): void {
    this.#info?.[Symbol.dispose]();
    this.#separate?.[Symbol.dispose]();
    this.#elf[Symbol.dispose]();
  }

  get size(): number {
    return this.#elf.size;
  }

  get modifiedMs(): number {
    return this.#elf.modifiedMs;
  }

  get buildId(): string | null {
    return this.#elf.buildId;
  }

  /** The file's debug information; null when it cannot be read. */
  types(): TypeReader | null {
    return this.#types;
  }

  /** What the file keeps of a statement's frame; null: nothing. */
  frameAt(address: number): FrameEntry | null {
    this.#frames ??= new CallFrames(this.#elf);
    return this.#frames.find(address);
  }

  /** Whether a link-time address is of code. */
  isCode(address: number): boolean {
    return this.#elf.isCode(address);
  }

  /** From where the file begins in memory to a link-time address. */
  offsetOf(address: number): number {
    return address - this.#elf.loadAddress;
  }

  /** What the values that were read last are without. */
  takeLeftOut(): string[] {
    return this.#info?.takeLeftOut() ?? [];
  }

  /** The readable name of a linkage name; as it is when it is none. */
  readable(linkage: string): string {
    return readableSymbol(linkage, this.#demangler).name;
  }

  /** Damage leaves the line unknown. */
  placeOf(address: number): SourcePlace {
    const fn = this.functionAt(address);
    if (fn === null) return { name: null, offset: 0, file: null, line: null };
    const line = this.#lineOf(fn.entry, address) ?? this.#goAt(address);
    return { name: fn.name, offset: fn.offset, file: line?.file || null, line: line?.line || null };
  }

  /** The name of the function that begins so far behind the beginning of the file in memory; null where none does. */
  nameAt(offset: number): string | null {
    const fn = this.functionAt(offset + this.#elf.loadAddress);
    return fn?.offset === 0 ? fn.name : null;
  }

  /** The function whose code holds a link-time address; null where none is known. */
  functionAt(address: number): HoldingFunction | null {
    if (!this.#elf.isCode(address)) return null;
    return (
      this.#described(address) ??
      this.#symbolAt(address) ??
      this.#goFunctionAt(address) ??
      this.#stubAt(address) ??
      this.#frameAt(address)
    );
  }

  #lineOf(entry: number, address: number): { file: string; line: number } | null {
    const info = this.#info;
    if (entry < 0 || info === null) return null;
    try {
      const unit = info.unitAt(entry);
      return unit === null ? null : info.lineOf(unit, address);
    } catch {
      // The name is still true; a damaged line table has no line to give.
      return null;
    }
  }

  /** By the debug information. */
  #described(address: number): HoldingFunction | null {
    const info = this.#info;
    if (info === null) return null;
    for (const unit of info.unitsWith(address)) {
      try {
        const found = this.#inUnit(info, unit, address);
        if (found !== null) return found;
      } catch {
        // Damaged: the symbols may know it.
      }
    }
    return null;
  }

  #inUnit(info: DebugInfo, unit: Unit, address: number): HoldingFunction | null {
    const { scan, names, ranges } = this.#scan(info, unit);
    for (const { range, fn } of ranges) {
      if (address < range.start || address >= range.end) continue;
      const scope = scan.functionScopes[fn] ?? 0;
      const name = this.#nameOf(info, names, scope, range.start);
      if (name === '') continue;
      const entry = unit.header.start + (scan.scopeOffsets[scope] ?? 0);
      return { name, entry, offset: address - range.start };
    }
    return null;
  }

  #nameOf(info: DebugInfo, first: ScopeNames, row: number, address: number): string {
    let names = first;
    names.read(row);
    let { name, elsewhere } = names.describe(row);
    for (let link = 0; name === 0 && elsewhere >= 0; link++) {
      const unit = link < maxChain ? info.unitAt(elsewhere) : null;
      if (unit === null) return '';
      const scanned = this.#scan(info, unit);
      const scope = scanned.scan.rowAt(elsewhere - unit.header.start);
      if (scope < 0) return '';
      names = scanned.names;
      names.read(scope);
      ({ name, elsewhere } = names.describe(scope));
    }
    const path = this.#names.text(name);
    if (names.hasLinkage || !this.#names.isIncomplete(name)) return path;
    // Of a lambda only its symbol says where it is.
    const symbol = this.#symbolTable().nameFrom(address);
    return symbol === null ? path : readableFromLinkage(path, symbol, this.#demangler);
  }

  #scan(info: DebugInfo, unit: Unit): ScannedUnit {
    const known = this.#scanned.get(unit.index);
    if (known !== undefined) return known;
    const scan = new UnitScan();
    try {
      scan.scan(info.cursor(unit), unit.header, unit.table);
    } catch {
      // What was read before the damage is still true.
    }
    const ranges = Array.from({ length: scan.functionCount }, (_unused, fn) =>
      rangesOf(info, unit, scan, fn).map((range) => ({ range, fn })),
    ).flat();
    const into = { names: this.#names, files: this.#files, demangler: this.#demangler };
    const names = new ScopeNames(info, scan, into);
    names.begin(unit);
    const scanned = { unit, scan, names, ranges };
    if (this.#scanned.size >= maxScanned) this.#scanned.clear();
    this.#scanned.set(unit.index, scanned);
    return scanned;
  }

  #symbolTable(): FunctionSymbols {
    this.#symbols ??= new FunctionSymbols(
      ...(this.#separate === null ? [this.#elf] : [this.#elf, this.#separate]),
    );
    return this.#symbols;
  }

  #symbolAt(address: number): HoldingFunction | null {
    const found = this.#symbolTable().holding(address);
    if (found === null) return null;
    return { name: this.readable(found.name), entry: -1, offset: address - found.address };
  }

  #goAt(address: number): ReturnType<GoTable['at']> {
    if (this.#elf.section('.symtab') !== null) return null;
    if (this.#goTable === undefined) this.#goTable = goTableOf(this.#elf);
    return this.#goTable?.at(address) ?? null;
  }

  #goFunctionAt(address: number): HoldingFunction | null {
    const found = this.#goAt(address);
    return found && { name: found.name, entry: -1, offset: found.offset };
  }

  /** A stub through which the file calls a function of another one. */
  #stubAt(address: number): HoldingFunction | null {
    const wordOf = rulesOfMachine(this.#elf.machine)?.instructions.wordOfStub;
    const stub = wordOf ? stubAt(this.#elf, address, wordOf) : null;
    if (stub === null) return null;
    return { name: `${this.readable(stub.name)}@plt`, entry: -1, offset: address - stub.start };
  }

  /** Code that nothing names but that has a frame. */
  #frameAt(address: number): HoldingFunction | null {
    if (this.#elf.section('.symtab') !== null || this.#separate !== null) return null;
    const frame = this.frameAt(address);
    if (frame === null || !isNameable(this.#elf, frame)) return null;
    const name = `sub_${frame.start.toString(16)}`;
    return { name, entry: -1, offset: address - frame.start };
  }
}

function openInfo(elf: ElfFile, programPath: string, debugFolder: string): DebugInfo | null {
  try {
    return new DebugInfo(elf, { programPath, debugFolder });
  } catch {
    return null;
  }
}

/** All ranges of a function's code; none when they are damaged or the linker dropped it. */
function rangesOf(info: DebugInfo, unit: Unit, scan: UnitScan, fn: number): AddressRange[] {
  const [lowForm, highForm] = [scan.lowForms[fn] ?? 0, scan.highForms[fn] ?? 0];
  const rangeForm = scan.rangeForms[fn] ?? 0;
  try {
    if (lowForm !== 0 && highForm !== 0) {
      const start = info.address(unit, lowForm, scan.lowPcs[fn] ?? 0);
      const high = info.address(unit, highForm, scan.highPcs[fn] ?? 0);
      // Since DWARF 4 a constant is a length (§2.17.2).
      return [{ start, end: isAddressForm(highForm) ? high : start + high }];
    }
    return rangeForm === 0 ? [] : info.ranges(unit, rangeForm, scan.ranges[fn] ?? 0);
  } catch {
    return [];
  }
}

/** Whether code of a stripped file is a function of the program's: see `IndexBuilder.addFrames`. */
function isNameable(elf: ElfFile, frame: FrameEntry): boolean {
  const isStub = elf.sections.some(
    ({ name, address, size }) =>
      /^\.(?:plt|init|fini)/.test(name) && frame.start >= address && frame.start < address + size,
  );
  try {
    const rules = rulesOfMachine(elf.machine);
    return !isStub && !isSystemLibrary(elf.path) && isEntered(frame, frame.start, rules);
  } catch {
    return false;
  }
}
