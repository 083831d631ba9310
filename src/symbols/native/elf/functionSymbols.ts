import { firstAtOrAfter, keepRows, lastAtOrBefore, orderOf } from '../../../base/sorted.ts';
import type { ElfFile } from './elfFile.ts';
import { SectionTexts, usualText } from './sectionTexts.ts';
import {
  addressAt,
  entrySize,
  isVisibleAt,
  nameAt,
  sectionAt,
  sizeAt,
  symbolTable,
  symbolType,
  typeAt,
} from './symbolTable.ts';
import type { SymbolTable } from './symbolTable.ts';

/**
 * The defined, sized function symbols of .symtab and .dynsym of a file and of its separate one, sorted by address and
 * name; doubles removed. Indirect functions (IFUNC) are left out: see `readIndirectSymbols`. Names stay bytes until
 * they are asked for.
 */
export class FunctionSymbols {
  readonly addresses: Float64Array;
  readonly #tables: readonly SymbolTable[];
  /** Of each row: which table it is of, and where its entry lies there. */
  readonly #holders: Uint8Array;
  readonly #entries: Uint32Array;
  /** Found last. */
  #last = 0;

  constructor(...files: readonly ElfFile[]) {
    const addresses: number[] = [];
    const holders: number[] = [];
    const entries: number[] = [];
    this.#tables = files
      .flatMap((elf) => ['.symtab', '.dynsym'].map((name) => symbolTable(elf, name)))
      .map((table) => table ?? { view: new DataView(none.buffer), names: new SectionTexts(none) });
    this.#tables.forEach(({ view }, holder) => {
      const elf = files[holder >> 1];
      for (let at = 0; at + entrySize <= view.byteLength; at += entrySize) {
        if (typeAt(view, at) !== symbolType.function || sectionAt(view, at) === 0) continue;
        const address = addressAt(view, at);
        if (sizeAt(view, at) === 0 || elf?.isCode(address) !== true) continue;
        addresses.push(address);
        holders.push(holder);
        entries.push(at);
      }
    });
    this.addresses = Float64Array.from(addresses);
    this.#holders = Uint8Array.from(holders);
    this.#entries = Uint32Array.from(entries);
    const rows = orderOf(this.addresses, (a, b) => this.#compareNames(a, b));
    const order = keepRows(
      rows,
      (row, before) =>
        before === undefined ||
        addresses[before] !== addresses[row] ||
        this.#compareNames(before, row) !== 0,
    );
    this.addresses = new Float64Array(order.length);
    this.#holders = new Uint8Array(order.length);
    this.#entries = new Uint32Array(order.length);
    order.forEach((row, place) => {
      this.addresses[place] = addresses[row] ?? 0;
      this.#holders[place] = holders[row] ?? 0;
      this.#entries[place] = entries[row] ?? 0;
    });
  }

  /** Whether names of theirs are lost. */
  get isDamaged(): boolean {
    return this.#tables.some(({ names }) => names.isDamaged);
  }

  get count(): number {
    return this.addresses.length;
  }

  /** The first row at an address; -1 when none begins there. */
  firstAt(address: number): number {
    const { addresses } = this;
    // Functions are mostly asked for one after the other.
    let row = this.#last;
    for (let next = 0; next < 4 && (addresses[row] ?? Infinity) < address; next++) row++;
    if (addresses[row] !== address || addresses[row - 1] === address)
      row = firstAtOrAfter(addresses, address, 0, this.count);
    if (addresses[row] !== address) return -1;
    this.#last = row;
    return row;
  }

  /** The symbol that begins last before an address and covers it; of several the first by name. */
  holding(address: number): { readonly name: string; readonly address: number } | null {
    const last = lastAtOrBefore(this.addresses, address);
    for (let row = last; row >= Math.max(0, last - mostAround); row--) {
      const start = this.addresses[row] ?? 0;
      const name = address < start + this.size(row) ? this.nameFrom(start, address) : null;
      if (name !== null) return { name, address: start };
    }
    return null;
  }

  /** The first name of a symbol that begins there and reaches beyond `inside`. */
  nameFrom(address: number, inside = address): string | null {
    for (let row = this.firstAt(address); this.addresses[row] === address; row++)
      if (inside < address + this.size(row)) return this.name(row);
    return null;
  }

  size(row: number): number {
    const view = this.#tables[this.#holders[row] ?? 0]?.view;
    return view === undefined ? 0 : sizeAt(view, this.#entries[row] ?? 0);
  }

  /** Code that the linker did not see may call it. */
  isVisible(row: number): boolean {
    const view = this.#tables[this.#holders[row] ?? 0]?.view;
    return view !== undefined && isVisibleAt(view, this.#entries[row] ?? 0);
  }

  name(row: number): string {
    return this.#tables[this.#holders[row] ?? 0]?.names.at(this.nameStart(row)) ?? '';
  }

  /** The texts among which the name of a row is the NUL-terminated one at `nameStart`. */
  names(row: number): Uint8Array {
    return this.#tables[this.#holders[row] ?? 0]?.names.bytes ?? none;
  }

  nameStart(row: number): number {
    const view = this.#tables[this.#holders[row] ?? 0]?.view;
    return view === undefined ? 0 : nameAt(view, this.#entries[row] ?? 0);
  }

  /** Whether its name holds a dot, as all do that a compiler made by splitting or copying. */
  isDotted(row: number): boolean {
    const bytes = this.names(row);
    const start = this.nameStart(row);
    for (let at = start; at < start + usualText; at++) {
      const byte = bytes[at];
      if (byte === dot) return true;
      if (byte === undefined || byte === 0) return false;
    }
    return this.name(row).includes('.');
  }

  /** By their bytes. */
  #compareNames(a: number, b: number): number {
    const [one, other] = [this.names(a), this.names(b)];
    const [startOne, startOther] = [this.nameStart(a), this.nameStart(b)];
    for (let i = 0; i < usualText; i++) {
      const byte = one[startOne + i] ?? 0;
      const difference = byte - (other[startOther + i] ?? 0);
      if (difference !== 0 || byte === 0) return difference;
    }
    return Buffer.compare(Buffer.from(this.name(a)), Buffer.from(this.name(b)));
  }
}

/** Small symbols that may begin inside a large one, before an address in its rest. */
const mostAround = 64;
const none = new Uint8Array(0);
const dot = 0x2e;
