import type { FunctionDescription } from '../dwarf/scopeNames.ts';
import type { FunctionSymbol } from '../elf/symbolTable.ts';
import type { Demangler } from '../names/demangler.ts';
import { readableSymbol } from '../names/readableName.ts';
import { TextNumbers, functionFlag } from './moduleIndex.ts';
import type { IndexFacts, ModuleIndex } from './moduleIndex.ts';

export interface NewFunction {
  readonly address: number;
  readonly size: number;
  readonly description: FunctionDescription;
  /** Offset in .debug_info, or -1. */
  readonly entry: number;
  /** The linkage name where the entry does not give it; else empty. */
  readonly symbol: string;
  readonly changedSignature: boolean;
}

/** Caller row and name share one number, so that the pairs sort natively. */
const callerRange = 2 ** 24;

/** Collects rows in the order they are found and sorts them at the end. */
export class IndexRows {
  readonly #names = new TextNumbers();
  readonly #files = new TextNumbers();
  readonly #linkage = new TextNumbers();
  readonly #addresses: number[] = [];
  readonly #sizes: number[] = [];
  readonly #nameNumbers: number[] = [];
  readonly #entries: number[] = [];
  readonly #symbols: number[] = [];
  readonly #fileNumbers: number[] = [];
  readonly #lines: number[] = [];
  readonly #flags: number[] = [];
  readonly #inlined: number[] = [];
  readonly #nameFiles = new Map<number, number>();
  readonly #firstNames = new Map<number, number>();

  get count(): number {
    return this.#addresses.length;
  }

  add(fn: NewFunction): number {
    const row = this.#addresses.length;
    this.#addresses.push(fn.address);
    this.#sizes.push(fn.size);
    this.#nameNumbers.push(0);
    this.#entries.push(fn.entry);
    this.#symbols.push(fn.symbol === '' ? 0 : this.#linkage.numberOf(fn.symbol) + 1);
    this.#fileNumbers.push(0);
    this.#lines.push(0);
    this.#flags.push(fn.changedSignature ? functionFlag.changedSignature : 0);
    this.describe(row, fn.description);
    return row;
  }

  describe(row: number, description: FunctionDescription): void {
    const number = this.#names.numberOf(description.name);
    const address = this.#addresses[row] ?? 0;
    this.#nameNumbers[row] = number;
    if (!this.#firstNames.has(address)) this.#firstNames.set(address, number);
    if (description.file !== '')
      this.#fileNumbers[row] = this.#files.numberOf(description.file) + 1;
    if (description.line > 0) this.#lines[row] = description.line;
  }

  addInlined(name: number, caller: number): void {
    if (caller < callerRange) this.#inlined.push(name * callerRange + caller);
  }

  /** The number of the name of an inlined function, declared in `file` (empty when unknown). */
  declare(name: string, file: string): number {
    const number = this.#names.numberOf(name);
    if (file !== '' && !this.#nameFiles.has(number)) {
      this.#nameFiles.set(number, this.#files.numberOf(file) + 1);
    }
    return number;
  }

  /** Whether a function of this name was added first at the address. */
  has(address: number, name: string): boolean {
    const number = this.#firstNames.get(address);
    return number !== undefined && number === this.#names.numberOf(name);
  }

  addSymbol(symbol: FunctionSymbol, demangler: Demangler): void {
    const { name } = readableSymbol(symbol.name, demangler);
    const description = { name, linkage: '', file: '', line: 0, elsewhere: -1 };
    this.add({ ...symbol, description, entry: -1, symbol: symbol.name, changedSignature: false });
  }

  addressSet(): Set<number> {
    return new Set(this.#addresses);
  }

  /** Sorts by address and drops the copies of one function that the linker folded into one. */
  finish(facts: IndexFacts): ModuleIndex {
    const order = this.#order();
    const newRow = new Int32Array(this.count).fill(-1);
    order.forEach((row, position) => {
      newRow[row] = position;
    });
    const pick = <T extends Uint32Array | Float64Array | Uint8Array>(
      into: T,
      from: readonly number[],
    ): T => {
      order.forEach((row, position) => {
        into[position] = from[row] ?? 0;
      });
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
      nameFiles: Uint32Array.from(
        { length: this.#names.size },
        (_unused, number) => this.#nameFiles.get(number) ?? 0,
      ),
      nameTexts: this.#names.table(),
      files: this.#files.table(),
      linkage: this.#linkage.table(),
      ...this.#inlinedColumns(newRow),
    };
  }

  #order(): Uint32Array {
    const rows = new Uint32Array(this.count);
    for (let i = 0; i < rows.length; i++) rows[i] = i;
    const addresses = Float64Array.from(this.#addresses);
    const names = Uint32Array.from(this.#nameNumbers);
    rows.sort(
      (a, b) =>
        (addresses[a] ?? 0) - (addresses[b] ?? 0) || (names[a] ?? 0) - (names[b] ?? 0) || a - b,
    );
    const unnamed = this.#names.numberOf('');
    return rows.filter((row, i) => {
      if (names[row] === unnamed) return false;
      const before = rows[i - 1];
      return (
        before === undefined || addresses[before] !== addresses[row] || names[before] !== names[row]
      );
    });
  }

  #inlinedColumns(
    newRow: Int32Array,
  ): Pick<ModuleIndex, 'inlinedNames' | 'inlinedCallers' | 'inlinedSites'> {
    const pairs = Float64Array.from(this.#inlined).toSorted();
    const names: number[] = [];
    const callers: number[] = [];
    const sites: number[] = [];
    let before = -1;
    for (const pair of pairs) {
      const caller = newRow[pair % callerRange] ?? -1;
      if (caller < 0) continue;
      if (pair === before) {
        sites.push((sites.pop() ?? 0) + 1);
        continue;
      }
      before = pair;
      names.push(Math.floor(pair / callerRange));
      callers.push(caller);
      sites.push(1);
    }
    return {
      inlinedNames: Uint32Array.from(names),
      inlinedCallers: Uint32Array.from(callers),
      inlinedSites: Uint32Array.from(sites),
    };
  }
}
