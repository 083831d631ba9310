import { NumberMap } from '../../../base/numberMap.ts';
import type { FunctionSymbols } from '../elf/functionSymbols.ts';

/**
 * Numbers by address. Nearly all code has a symbol, and functions are mostly read in the order of their addresses: kept
 * by symbol, what belongs to the next lies beside what was used last, where a hash would touch memory anywhere.
 */
export class AddressNumbers {
  readonly #symbols: FunctionSymbols;
  /** 1 + number. */
  readonly #bySymbol: Uint32Array;
  /** By address from `#origin`. */
  readonly #others = new NumberMap();
  readonly #origin: number;

  /** `origin` is where code begins; see `ElfFile.codeStart`. */
  constructor(symbols: FunctionSymbols, origin: number) {
    this.#symbols = symbols;
    this.#bySymbol = new Uint32Array(symbols.count);
    this.#origin = origin;
  }

  /** -1 when absent. */
  get(address: number): number {
    const symbol = this.#symbols.firstAt(address);
    return symbol < 0
      ? this.#others.get(address - this.#origin)
      : (this.#bySymbol[symbol] ?? 0) - 1;
  }

  /** What is there, or -1 when there was nothing: then it is `value` from now on. */
  getOrSet(address: number, value: number): number {
    const symbol = this.#symbols.firstAt(address);
    if (symbol < 0) return this.#others.getOrSet(address - this.#origin, value);
    const known = (this.#bySymbol[symbol] ?? 0) - 1;
    if (known < 0) this.#bySymbol[symbol] = value + 1;
    return known;
  }
}
