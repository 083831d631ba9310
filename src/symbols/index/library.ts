import { statSync } from 'node:fs';
import { monotonicMs } from '../../base/clock.ts';
import type { FoundFunction, ModuleSummary, SourcePlace } from '../../model/foundFunction.ts';
import { StrobeError } from '../../model/errors.ts';
import { DebugInfo, reason } from '../dwarf/debugInfo.ts';
import { readFunctionDetails, unknownDetails } from '../dwarf/functionDetails.ts';
import type { FunctionDetails } from '../dwarf/functionDetails.ts';
import { TypeReader } from '../dwarf/types.ts';
import { ElfFile } from '../elf/elfFile.ts';
import type { Demangler } from '../names/demangler.ts';
import { readableSymbol } from '../names/readableName.ts';
import { buildIndex } from './buildIndex.ts';
import type { Progress } from './buildIndex.ts';
import { indexKey, loadIndex, saveIndex } from './indexFile.ts';
import { functionFlag, textAt } from './moduleIndex.ts';
import type { ModuleIndex } from './moduleIndex.ts';

const maxModules = 48;
const machineX64 = 62;

/** An indexed file; its debug information is opened when a function's parameters are first asked for. */
export class IndexedModule implements Disposable {
  readonly path: string;
  readonly index: ModuleIndex;
  readonly size: number;
  readonly modifiedMs: number;
  readonly #demangler: Demangler;
  #elf: ElfFile | null = null;
  #types: TypeReader | null = null;

  constructor(elf: ElfFile, index: ModuleIndex, demangler: Demangler) {
    this.path = elf.path;
    this.size = elf.size;
    this.modifiedMs = elf.modifiedMs;
    this.index = index;
    this.#demangler = demangler;
  }

  [Symbol.dispose](): void {
    this.#elf?.[Symbol.dispose]();
    this.#elf = null;
    this.#types = null;
  }

  #typeReader(): TypeReader {
    if (this.#types !== null) return this.#types;
    const elf = ElfFile.open(this.path);
    this.#elf = elf;
    if (elf.size !== this.size || elf.modifiedMs !== this.modifiedMs)
      throw new RangeError('the file was changed meanwhile');
    this.#types = new TypeReader(new DebugInfo(elf));
    return this.#types;
  }

  nameOf(row: number): string {
    return textAt(this.index.nameTexts, this.index.names[row] ?? 0);
  }

  /** Damage or a changed file leaves the parameters unknown; `tell` gets the reason. */
  describe(row: number, depth: number, tell: (reason: string) => void): FoundFunction {
    const { index } = this;
    const name = this.nameOf(row);
    const file = index.fileNumbers[row] ?? 0;
    return {
      module: this.path,
      name,
      address: index.addresses[row] ?? 0,
      size: index.sizes[row] ?? 0,
      file: file === 0 ? null : textAt(index.files, file - 1),
      line: index.lines[row] || null,
      ...this.#details(row, depth, tell),
    };
  }

  /** The function whose code holds a link-time address; `entry` is its offset in .debug_info, or -1. */
  functionAt(
    address: number,
  ): { readonly name: string; readonly entry: number; readonly offset: number } | null {
    const row = this.#rowAt(address);
    if (row < 0) return null;
    const { entries, addresses } = this.index;
    return {
      name: this.nameOf(row),
      entry: entries[row] ?? -1,
      offset: address - (addresses[row] ?? 0),
    };
  }

  /** The file's debug information; null when it cannot be read. */
  types(): TypeReader | null {
    try {
      return this.#typeReader();
    } catch {
      return null;
    }
  }

  /** The readable name of a linkage name; as it is when it is none. */
  readable(linkage: string): string {
    return readableSymbol(linkage, this.#demangler).name;
  }

  #rowAt(address: number): number {
    const { addresses, sizes, entries } = this.index;
    let row = lastAtOrBefore(addresses, address);
    // Several functions may begin at one address; the one with debug information says more.
    while (row > 0 && addresses[row - 1] === addresses[row] && (entries[row] ?? -1) < 0) row--;
    return row >= 0 && address - (addresses[row] ?? 0) < (sizes[row] ?? 0) ? row : -1;
  }

  /** Damage leaves the line unknown. */
  placeOf(address: number): SourcePlace {
    const { addresses, entries } = this.index;
    const row = this.#rowAt(address);
    if (row < 0) return { name: null, offset: 0, file: null, line: null };
    const offset = address - (addresses[row] ?? 0);
    const line = this.#lineOf(entries[row] ?? -1, address);
    return { name: this.nameOf(row), offset, file: line?.file || null, line: line?.line || null };
  }

  #lineOf(entry: number, address: number): { file: string; line: number } | null {
    if (entry < 0) return null;
    try {
      const { info } = this.#typeReader();
      const unit = info.unitAt(entry);
      return unit === null ? null : info.lineOf(unit, address);
    } catch {
      // The name is still true; a damaged line table has no line to give.
      return null;
    }
  }

  #details(row: number, depth: number, tell: (reason: string) => void): FunctionDetails {
    const { index } = this;
    const name = this.nameOf(row);
    const entry = index.entries[row] ?? -1;
    const linkageName = textAt(index.linkage, (index.symbols[row] ?? 0) - 1);
    if (entry < 0) {
      return unknownDetails(readableSymbol(linkageName, this.#demangler).signature, linkageName);
    }
    try {
      const changedSignature = ((index.flags[row] ?? 0) & functionFlag.changedSignature) !== 0;
      const address = index.addresses[row] ?? 0;
      const options = { changedSignature, depth, address };
      const details = readFunctionDetails(this.#typeReader(), entry, name, options);
      return linkageName === '' ? details : { ...details, linkageName };
    } catch (error) {
      tell(reason(error));
      return unknownDetails(name, name);
    }
  }
}

/** The indexes in memory, those used last; the rest is on disk. */
export class Library implements Disposable {
  readonly #folder: string;
  readonly #demangler: Demangler;
  readonly #modules = new Map<string, IndexedModule>();

  constructor(folder: string, demangler: Demangler) {
    this.#folder = folder;
    this.#demangler = demangler;
  }

  [Symbol.dispose](): void {
    for (const module of this.#modules.values()) module[Symbol.dispose]();
    this.#modules.clear();
  }

  /** Throws `StrobeError` when the file cannot be opened or is not ELF for x86-64. */
  open(path: string, progress: Progress): ModuleSummary {
    const start = monotonicMs();
    const known = this.#known(path);
    const { module, fromCache } =
      known === null ? this.#load(path, progress) : { module: known, fromCache: true };
    const { facts } = module.index;
    return {
      path,
      buildId: facts.buildId,
      functions: module.index.addresses.length,
      debugInfo: facts.debugInfo,
      dwarfVersion: facts.dwarfVersion,
      languages: facts.languages,
      loadAddress: facts.loadAddress,
      indexMs: monotonicMs() - start,
      fromCache,
      problems: facts.problems.map((detail) => ({ code: 'BAD_BINARY', subject: path, detail })),
    };
  }

  get(path: string): IndexedModule {
    return this.#known(path) ?? this.#load(path, () => {}).module;
  }

  /** The module in memory, unless the file was replaced since. */
  #known(path: string): IndexedModule | null {
    const module = this.#modules.get(path);
    if (module === undefined) return null;
    this.#modules.delete(path);
    const stat = statSync(path, { throwIfNoEntry: false });
    // A running program outlives its file; what was read of it stays true.
    if (stat !== undefined && (stat.size !== module.size || stat.mtimeMs !== module.modifiedMs)) {
      module[Symbol.dispose]();
      return null;
    }
    this.#modules.set(path, module);
    return module;
  }

  #load(path: string, progress: Progress): { module: IndexedModule; fromCache: boolean } {
    using elf = openElf(path);
    const { buildId } = elf;
    const key = indexKey({ path, buildId, size: elf.size, modifiedMs: elf.modifiedMs });
    const cached = loadIndex(this.#folder, key);
    const index = cached ?? buildIndex(elf, this.#demangler, progress);
    const module = new IndexedModule(elf, cached ?? this.#save(key, index), this.#demangler);
    this.#modules.set(path, module);
    for (const [oldest, old] of this.#modules) {
      if (this.#modules.size <= maxModules) break;
      this.#modules.delete(oldest);
      old[Symbol.dispose]();
    }
    return { module, fromCache: cached !== null };
  }

  #save(key: string, index: ModuleIndex): ModuleIndex {
    try {
      saveIndex(this.#folder, key, index);
      return index;
    } catch (error) {
      const problem = `Its index cannot be kept on disk: ${reason(error)}.`;
      return { ...index, facts: { ...index.facts, problems: [...index.facts.problems, problem] } };
    }
  }
}

function openElf(path: string): ElfFile {
  let elf: ElfFile;
  try {
    elf = ElfFile.open(path);
  } catch (error) {
    throw new StrobeError('BAD_BINARY', `${path} cannot be read: ${reason(error)}.`);
  }
  if (elf.machine === machineX64) return elf;
  elf[Symbol.dispose]();
  throw new StrobeError('WRONG_ARCHITECTURE', `${path} is not built for x86-64.`);
}

/** The last position of a sorted list that is not above `value`; -1 when all are. */
function lastAtOrBefore(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
