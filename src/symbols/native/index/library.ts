import { statSync } from 'node:fs';
import { monotonicMs } from '../../../base/clock.ts';
import { StrobeError } from '../../../model/errors.ts';
import { codeId, type FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { UnitSummary } from '../../../model/functions/traceable.ts';
import type { Depth } from '../../../model/values/shape.ts';
import { DebugInfo } from '../dwarf/debugInfo.ts';
import { reason } from '../dwarf/unitTable.ts';
import { readFunctionDetails, unknownDetails } from '../dwarf/functions/functionDetails.ts';
import type { FunctionDetails } from '../dwarf/functions/functionInterface.ts';
import { TypeReader } from '../dwarf/types/types.ts';
import { ElfFile } from '../elf/elfFile.ts';
import { openSeparate, systemDebugFolder } from '../elf/separateFile.ts';
import { readVariableNames } from '../elf/symbolTable.ts';
import type { Demangler } from '../names/demangler.ts';
import { carriedByGo, mayCarryInGo } from '../known/goFunctions.ts';
import { knownFunction } from '../known/knownFunction.ts';
import { rustlsFunction } from '../known/rustlsFunctions.ts';
import { nameAt } from '../names/nameTree.ts';
import { namedParameters, readableSymbol } from '../names/readableName.ts';
import { textAt } from '../names/textTable.ts';
import { rulesOfMachine } from '../machineRules.ts';
import { CallFrames } from '../unwind/callFrames.ts';
import { codeOnStack, type CodeOnStack } from '../x64/stackArguments.ts';
import { buildIndex } from './buildIndex.ts';
import type { IndexOptions, Progress } from './buildIndex.ts';
import { CodeReader } from './codeReader.ts';
import { indexKey, loadIndex, saveIndex } from './indexFile.ts';
import { functionFlag } from './moduleIndex.ts';
import type { ModuleIndex } from './moduleIndex.ts';

const maxModules = 48;
const maxVariables = 20_000;
/** Of stack arguments, with a frame of ours between (native/engine/plan.h). */
const mostCopied = 256;
/** In one file, for functions without debug information. */
const mostSearchedMs = 3000;

/** From the beginning of the function of a row to that of the next one. */
function roomOf(addresses: ModuleIndex['addresses'], row: number): number | null {
  const address = addresses[row] ?? 0;
  for (let next = row + 1; next < addresses.length; next++) {
    const room = (addresses[next] ?? 0) - address;
    if (room > 0) return room;
  }
  return null;
}

/** An indexed file; its debug information is opened when a function's parameters are first asked for. */
export class IndexedModule implements Disposable {
  readonly path: string;
  readonly index: ModuleIndex;
  readonly size: number;
  readonly modifiedMs: number;
  readonly #demangler: Demangler;
  readonly #debugFolder: string;
  #elf: ElfFile | null = null;
  #separate: ElfFile | null = null;
  #types: TypeReader | null = null;
  #frames: CallFrames | null = null;
  /** How long code was looked at. */
  #searchedMs = 0;

  constructor(elf: ElfFile, index: ModuleIndex, demangler: Demangler, debugFolder: string) {
    this.path = elf.path;
    this.size = elf.size;
    this.modifiedMs = elf.modifiedMs;
    this.index = index;
    this.#debugFolder = debugFolder;
    this.#demangler = demangler;
  }

  [Symbol.dispose](): void {
    this.#types?.info[Symbol.dispose]();
    this.#elf?.[Symbol.dispose]();
    this.#separate?.[Symbol.dispose]();
    this.#elf = null;
    this.#separate = null;
    this.#types = null;
    this.#frames = null;
  }

  #typeReader(): TypeReader {
    if (this.#types !== null) return this.#types;
    const elf = ElfFile.open(this.path);
    this.#elf = elf;
    if (elf.size !== this.size || elf.modifiedMs !== this.modifiedMs)
      throw new RangeError('the file was changed meanwhile');
    this.#separate = openSeparate(elf, this.#debugFolder);
    const places = { programPath: this.path, debugFolder: this.#debugFolder };
    this.#types = new TypeReader(new DebugInfo(this.#separate ?? elf, places));
    return this.#types;
  }

  nameOf(row: number): string {
    return nameAt(this.index.nameTree, this.index.names[row] ?? 0);
  }

  /** Whether the catalogue of library functions has it. */
  isKnown(row: number): boolean {
    return this.#known(row) !== null || mayCarryInGo(this.nameOf(row));
  }

  /** Debug information of C has no linkage names. */
  #known(row: number): FunctionDetails | null {
    const [linkageName, name] = [this.#linkageName(row), this.nameOf(row)];
    return knownFunction(this.path, linkageName || name) ?? rustlsFunction(name, linkageName);
  }

  #linkageName(row: number): string {
    return textAt(this.index.linkage, (this.index.symbols[row] ?? 0) - 1);
  }

  /**
   * Damage or a changed file leaves the parameters unknown; `tell` gets the reason. `carries`: what is asked for is what
   * goes in and out of the program.
   */
  describe(
    row: number,
    depth: Depth,
    tell: (reason: string) => void,
    carries = false,
  ): FoundFunction {
    const { index } = this;
    const details = this.#details(row, depth, tell);
    const name = this.nameOf(row);
    const file = index.fileNumbers[row] ?? 0;
    const flags = index.flags[row] ?? 0;
    const address = index.addresses[row] ?? 0;
    return {
      runtime: 'native',
      id: codeId(this.path, address),
      unit: this.path,
      name,
      address,
      offset: address - index.facts.loadAddress,
      size: index.sizes[row] ?? 0,
      room: roomOf(index.addresses, row),
      file: file === 0 ? null : textAt(index.files, file - 1),
      line: index.lines[row] || null,
      depth,
      isForeign: (flags & functionFlag.foreign) !== 0,
      isOfGo: (flags & functionFlag.go) !== 0,
      ...(carries && mayCarryInGo(name) ? carriedByGo(name, details) : details),
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

  /** What the values of the functions that were described last are without. */
  takeLeftOut(): string[] {
    return this.#types?.info.takeLeftOut() ?? [];
  }

  /** Readable names of its variables, to suggest one for a misspelt name. */
  variableNames(): string[] {
    if (!this.types() || !this.#elf) return [];
    return readVariableNames(this.#elf, maxVariables).map((name) => this.readable(name));
  }

  /** From the thread pointer to its thread-local storage; null of a library, whose place only the loader knows. */
  threadBlock(): number | null {
    if (!this.types() || !this.#elf?.isProgram) return null;
    const { threadSegment, machine } = this.#elf;
    return threadSegment && (rulesOfMachine(machine)?.threadBlock(threadSegment) ?? null);
  }

  /** The readable name of a linkage name; as it is when it is none. */
  readable(linkage: string): string {
    return readableSymbol(linkage, this.#demangler).name;
  }

  /** Null where it is not known, or where it took too long for others already. */
  #codeOnStack(address: number): CodeOnStack | null {
    const began = monotonicMs();
    if (this.#searchedMs > mostSearchedMs || !this.types() || !this.#elf) return null;
    this.#frames ??= new CallFrames(this.#elf);
    const entry = this.#frames.find(address);
    const code = entry?.start === address && this.#elf.bytesAt(address, entry.end - address);
    const found = code ? codeOnStack(code, entry) : null;
    this.#searchedMs += monotonicMs() - began;
    return found;
  }

  #details(row: number, depth: Depth, tell: (reason: string) => void): FunctionDetails {
    const { index } = this;
    const name = this.nameOf(row);
    const entry = index.entries[row] ?? -1;
    const linkageName = this.#linkageName(row);
    const known = this.#known(row);
    if (known !== null) return known;
    if (entry < 0) {
      const { signature } = readableSymbol(linkageName, this.#demangler);
      const stack = this.#codeOnStack(index.addresses[row] ?? 0);
      return {
        ...unknownDetails(signature, linkageName),
        opensStack: stack?.isOpen === true,
        stackBytes: stack && !stack.isOpen && stack.bytes > mostCopied ? stack.bytes : null,
      };
    }
    try {
      const flags = index.flags[row] ?? 0;
      const changedSignature = (flags & functionFlag.changedSignature) !== 0;
      const isVisible = (flags & functionFlag.visible) !== 0;
      const address = index.addresses[row] ?? 0;
      const named = (linkage: string): number | null => namedParameters(linkage, this.#demangler);
      const options = { changedSignature, isVisible, depth, address, namedParameters: named };
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
  readonly #debugFolder: string;
  readonly #demangler: Demangler;
  readonly #modules = new Map<string, IndexedModule>();
  readonly #code = new Map<string, CodeReader>();

  /** `folder` keeps the indexes; `debugFolder` is where distributions install debug information. */
  constructor(folder: string, demangler: Demangler, debugFolder = systemDebugFolder) {
    this.#folder = folder;
    this.#debugFolder = debugFolder;
    this.#demangler = demangler;
  }

  [Symbol.dispose](): void {
    for (const kept of [this.#modules, this.#code]) {
      for (const file of kept.values()) file[Symbol.dispose]();
      kept.clear();
    }
  }

  /** Throws `StrobeError` when the file cannot be opened or is not ELF for a processor that is known. */
  open(path: string, progress: Progress, beforeLong?: IndexOptions['beforeLong']): UnitSummary {
    const start = monotonicMs();
    const known = current(this.#modules, path);
    const { module, fromCache } =
      known === null ? this.#load(path, progress, beforeLong) : { module: known, fromCache: true };
    const { facts } = module.index;
    return {
      runtime: 'native',
      path,
      buildId: facts.buildId,
      functions: module.index.addresses.length,
      debugInfo: facts.debugInfo,
      dwarfVersion: facts.dwarfVersion,
      languages: facts.languages,
      indexMs: monotonicMs() - start,
      fromCache,
      problems: facts.problems.map((detail) => ({ code: 'BAD_BINARY', subject: path, detail })),
    };
  }

  get(path: string): IndexedModule {
    return current(this.#modules, path) ?? this.#load(path, () => {}).module;
  }

  /** What code a file has at single addresses, without its index. Throws `StrobeError` as `open`. */
  code(path: string): CodeReader {
    const known = current(this.#code, path);
    if (known !== null) return known;
    const reader = new CodeReader(openElf(path), this.#demangler, this.#debugFolder);
    keep(this.#code, path, reader);
    return reader;
  }

  #load(
    path: string,
    progress: Progress,
    beforeLong?: IndexOptions['beforeLong'],
  ): { module: IndexedModule; fromCache: boolean } {
    using elf = openElf(path);
    const { buildId } = elf;
    const debugFolder = this.#debugFolder;
    using separate = openSeparate(elf, debugFolder);
    const { size, modifiedMs } = elf;
    const key = indexKey({ path, buildId, size, modifiedMs, separate });
    const cached = loadIndex(this.#folder, key);
    const options = { separate, debugFolder, beforeLong };
    const index = cached ?? buildIndex(elf, this.#demangler, progress, options);
    const module = new IndexedModule(
      elf,
      cached ?? this.#save(key, index),
      this.#demangler,
      debugFolder,
    );
    keep(this.#modules, path, module);
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

/** What was read of a file, unless that was replaced since. */
function current<File extends KeptFile>(kept: Map<string, File>, path: string): File | null {
  const file = kept.get(path);
  if (file === undefined) return null;
  kept.delete(path);
  const stat = statSync(path, { throwIfNoEntry: false });
  // A running program outlives its file; what was read of it stays true.
  if (stat !== undefined && (stat.size !== file.size || stat.mtimeMs !== file.modifiedMs)) {
    file[Symbol.dispose]();
    return null;
  }
  kept.set(path, file);
  return file;
}

function keep<File extends KeptFile>(kept: Map<string, File>, path: string, file: File): void {
  kept.set(path, file);
  for (const [oldest, old] of kept) {
    if (kept.size <= maxModules) break;
    kept.delete(oldest);
    old[Symbol.dispose]();
  }
}

interface KeptFile extends Disposable {
  readonly size: number;
  readonly modifiedMs: number;
}

function openElf(path: string): ElfFile {
  let elf: ElfFile;
  try {
    elf = ElfFile.open(path);
  } catch (error) {
    throw new StrobeError('BAD_BINARY', `${path} cannot be read: ${reason(error)}.`);
  }
  if (rulesOfMachine(elf.machine)) return elf;
  elf[Symbol.dispose]();
  throw new StrobeError('WRONG_ARCHITECTURE', `${path} is not built for x86-64.`);
}
