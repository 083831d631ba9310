import { NumberMap } from '../../../base/numberMap.ts';
import { keepRows, orderOf } from '../../../base/sorted.ts';
import type { FunctionFacts } from '../dwarf/functions/scopeNames.ts';
import type { Demangler } from '../names/demangler.ts';
import { NameNumbers } from '../names/nameTree.ts';
import { readableSymbol } from '../names/readableName.ts';
import { TextNumbers, widened } from '../names/textTable.ts';
import type { AddressNumbers } from './addressNumbers.ts';
import { functionFlag } from './moduleIndex.ts';
import type { IndexFacts, ModuleIndex } from './moduleIndex.ts';

export interface NewFunction {
  readonly address: number;
  readonly size: number;
  /** Number of its name; 0 = not known yet. */
  readonly name: number;
  /** 1 + number of its file; 0 = unknown. */
  readonly file: number;
  readonly line: number;
  /** Offset in .debug_info, or -1. */
  readonly entry: number;
  /** The linkage name where the entry does not give it; else empty. */
  readonly symbol: string;
  /** Bits of `functionFlag`. */
  readonly flags: number;
}

/** Caller row and name share one number, so that the pairs sort natively. */
const callerRange = 2 ** 24;

/** Collects rows in the order they are found and sorts them at the end. */
export class IndexRows {
  readonly names = new NameNumbers();
  readonly files = new TextNumbers();
  readonly #linkage = new TextNumbers();
  #count = 0;
  #addresses = new Float64Array(1 << 10);
  #sizes = new Uint32Array(1 << 10);
  #nameNumbers = new Uint32Array(1 << 10);
  #entries = new Float64Array(1 << 10);
  #symbols = new Uint32Array(1 << 10);
  #fileNumbers = new Uint32Array(1 << 10);
  #lines = new Uint32Array(1 << 10);
  #flags = new Uint8Array(1 << 10);
  #inlined = new Float64Array(1 << 12);
  #inlinedCount = 0;
  readonly #nameFiles = new NumberMap();
  readonly #firstRows: AddressNumbers;

  /** `firstRows` is empty. */
  constructor(firstRows: AddressNumbers) {
    this.#firstRows = firstRows;
  }

  get count(): number {
    return this.#count;
  }

  add({ address, size, name, file, line, entry, symbol, flags }: NewFunction): number {
    const row = this.#count++;
    if (row === this.#addresses.length) this.#widen(row * 2);
    this.#addresses[row] = address;
    this.#sizes[row] = size;
    this.#entries[row] = entry;
    this.#symbols[row] = symbol === '' ? 0 : this.#linkage.numberOf(symbol) + 1;
    this.#flags[row] = flags;
    this.#nameNumbers[row] = name;
    this.#fileNumbers[row] = file;
    this.#lines[row] = line;
    this.#firstRows.getOrSet(address, row);
    return row;
  }

  /** Says of a function that is declared in another unit what is said there; what its own entry says stays. */
  describe(row: number, { name, file, line }: FunctionFacts): void {
    this.#nameNumbers[row] = name;
    if (this.#fileNumbers[row] === 0) this.#fileNumbers[row] = file;
    if (this.#lines[row] === 0) this.#lines[row] = line;
  }

  /** The file (1 + its number; 0 = unknown) that declares an inlined function of this name. */
  declare(name: number, file: number): void {
    if (file !== 0) this.#nameFiles.getOrSet(name, file);
  }

  addInlined(name: number, caller: number): void {
    if (caller >= callerRange) return;
    if (this.#inlinedCount === this.#inlined.length)
      this.#inlined = widened(this.#inlined, new Float64Array(this.#inlined.length * 2));
    this.#inlined[this.#inlinedCount++] = name * callerRange + caller;
  }

  /** The row that was added first of an address; -1 when none was. */
  firstAt(address: number): number {
    return this.#firstRows.get(address);
  }

  /** Whether a function of this name was added first at the address. */
  has(address: number, name: number): boolean {
    const row = this.firstAt(address);
    return row >= 0 && this.#nameNumbers[row] === name;
  }

  addSymbol(
    { address, size, symbol, flags }: Omit<NewFunction, 'name' | 'file' | 'line' | 'entry'>,
    demangler: Demangler,
  ): void {
    const name = this.names.path(readableSymbol(symbol, demangler).name);
    this.add({ address, size, name, file: 0, line: 0, entry: -1, symbol, flags });
  }

  /** A function that no table names. */
  addNameless(address: number, size: number, flags: number): void {
    const symbol = `sub_${address.toString(16)}`;
    const name = this.names.path(symbol);
    const all = flags | functionFlag.nameless;
    this.add({ address, size, name, file: 0, line: 0, entry: -1, symbol, flags: all });
  }

  #widen(size: number): void {
    this.#addresses = widened(this.#addresses, new Float64Array(size));
    this.#sizes = widened(this.#sizes, new Uint32Array(size));
    this.#nameNumbers = widened(this.#nameNumbers, new Uint32Array(size));
    this.#entries = widened(this.#entries, new Float64Array(size));
    this.#symbols = widened(this.#symbols, new Uint32Array(size));
    this.#fileNumbers = widened(this.#fileNumbers, new Uint32Array(size));
    this.#lines = widened(this.#lines, new Uint32Array(size));
    this.#flags = widened(this.#flags, new Uint8Array(size));
  }

  /** Sorts by address and drops the copies of one function that the linker folded into one. */
  finish(facts: IndexFacts): ModuleIndex {
    const order = this.#order();
    const newRow = new Int32Array(this.#count).fill(-1);
    order.forEach((row, position) => {
      newRow[row] = position;
    });
    const pick = <T extends Uint32Array | Float64Array | Uint8Array>(into: T, from: T): T => {
      for (let i = 0; i < order.length; i++) into[i] = from[order[i] ?? 0] ?? 0;
      return into;
    };
    const count = order.length;
    return {
      facts,
      addresses: pick(new Float64Array(count), this.#addresses),
      sizes: pick(new Uint32Array(count), this.#sizes),
      names: pick(new Uint32Array(count), this.#nameNumbers),
      entries: pick(new Float64Array(count), this.#entries),
      symbols: pick(new Uint32Array(count), this.#symbols),
      fileNumbers: pick(new Uint32Array(count), this.#fileNumbers),
      lines: pick(new Uint32Array(count), this.#lines),
      flags: pick(new Uint8Array(count), this.#flags),
      nameFiles: this.#filesOfNames(),
      nameTree: this.names.tree(),
      files: this.files.table(),
      linkage: this.#linkage.table(),
      ...this.#inlinedColumns(newRow),
    };
  }

  #filesOfNames(): Uint32Array {
    const files = new Uint32Array(this.names.size);
    for (let number = 0; number < files.length; number++)
      files[number] = Math.max(0, this.#nameFiles.get(number));
    return files;
  }

  #order(): Uint32Array {
    const names = this.#nameNumbers;
    const addresses = this.#addresses.subarray(0, this.#count);
    const rows = orderOf(addresses, (a, b) => (names[a] ?? 0) - (names[b] ?? 0));
    return keepRows(
      rows,
      (row, before) =>
        names[row] !== 0 &&
        (before === undefined ||
          addresses[before] !== addresses[row] ||
          names[before] !== names[row]),
    );
  }

  #inlinedColumns(
    newRow: Int32Array,
  ): Pick<ModuleIndex, 'inlinedNames' | 'inlinedCallers' | 'inlinedSites'> {
    const pairs = this.#inlined.subarray(0, this.#inlinedCount).toSorted();
    const names = new Uint32Array(pairs.length);
    const callers = new Uint32Array(pairs.length);
    const sites = new Uint32Array(pairs.length);
    let count = 0;
    let before = -1;
    for (const pair of pairs) {
      const caller = newRow[pair % callerRange] ?? -1;
      if (caller < 0) continue;
      if (pair === before) {
        sites[count - 1] = (sites[count - 1] ?? 0) + 1;
        continue;
      }
      before = pair;
      names[count] = Math.floor(pair / callerRange);
      callers[count] = caller;
      sites[count++] = 1;
    }
    return {
      inlinedNames: names.slice(0, count),
      inlinedCallers: callers.slice(0, count),
      inlinedSites: sites.slice(0, count),
    };
  }
}
