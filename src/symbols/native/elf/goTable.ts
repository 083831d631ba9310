import type { ElfFile } from './elfFile.ts';
import { cString } from './elfFile.ts';
import { goTextStart } from './goTextStart.ts';

/** A function of a program of Go that its runtime knows: also a stripped program names them. */
export interface GoTableFunction {
  readonly address: number;
  readonly size: number;
  readonly name: string;
  /** Empty: unknown. */
  readonly file: string;
  /** Where it is declared, from 1 on; 0: unknown. */
  readonly line: number;
}

/** Of Go 1.20 and newer; fields of runtime.pcHeader, runtime.functab and runtime._func (runtime/symtab.go). */
const magic = 0xffff_fff1;
const header = { count: 8, names: 32, units: 40, files: 48, values: 56, functions: 64, bytes: 72 };
const row = { bytes: 8, entry: 0, at: 4 };
const func = { name: 4, pcFile: 20, pcLine: 24, unit: 32, line: 36, bytes: 44 };
const mostFunctions = 2 ** 22;
const noFile = 0xffff_ffff;

/** The functions that runtime.pclntab lists, in the order of their addresses; none where it is not certain what they count from. */
export function goTable(elf: ElfFile): GoTableFunction[] {
  return goTableOf(elf)?.functions() ?? [];
}

/** Null: it is no program of Go, or one whose table cannot be read. */
export function goTableOf(elf: ElfFile): GoTable | null {
  const section = elf.sections.find(({ name }) => name.endsWith('.gopclntab'));
  const bytes = section ? elf.content(section.name)?.all() : undefined;
  if (!section || !bytes || bytes.length < header.bytes) return null;
  const start = goTextStart(elf, section.address);
  if (start === null) return null;
  const table = new GoTable(bytes, start);
  return table.isKnown ? table : null;
}

/** What the table says of code. */
export class GoTable {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #textStart: number;
  readonly #names = new Map<number, string>();

  constructor(bytes: Uint8Array, textStart: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#textStart = textStart;
  }

  get isKnown(): boolean {
    return this.#word(0) === magic;
  }

  /** The function that holds an instruction, with where it begins and the instruction's line; null: none does. */
  at(address: number): (GoTableFunction & { readonly offset: number }) | null {
    const { count, rows } = this.#rows();
    const wanted = address - this.#textStart;
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#word(rows + middle * row.bytes) <= wanted) low = middle + 1;
      else high = middle;
    }
    if (low === 0 || wanted < 0) return null;
    const place = rows + (low - 1) * row.bytes;
    const start = this.#word(place);
    const size = this.#word(place + row.bytes) - start;
    const described = rows + this.#word(place + row.at);
    const { name, file } = this.#described(described);
    if (name === '' || wanted >= start + size) return null;
    const lines = this.#word(header.values) + this.#word(described + func.pcLine);
    const line = Math.max(0, this.#valueAt(lines, wanted - start));
    return { address: this.#textStart + start, size, name, file, line, offset: wanted - start };
  }

  #rows(): { readonly count: number; readonly rows: number } {
    const count = this.#word(header.count);
    const rows = this.#word(header.functions);
    const isWhole = count <= mostFunctions && rows + (count + 1) * row.bytes <= this.#bytes.length;
    return { count: isWhole ? count : 0, rows };
  }

  functions(): GoTableFunction[] {
    const { count, rows } = this.#rows();
    return Array.from({ length: count }, (_none, i) => {
      const at = rows + i * row.bytes;
      const start = this.#word(at + row.entry);
      return {
        address: this.#textStart + start,
        size: this.#word(at + row.bytes + row.entry) - start,
        ...this.#described(rows + this.#word(at + row.at)),
      };
    }).filter(({ name, size }) => name !== '' && size > 0);
  }

  #described(at: number): Pick<GoTableFunction, 'name' | 'file' | 'line'> {
    if (at + func.bytes > this.#bytes.length) return { name: '', file: '', line: 0 };
    const name = cString(this.#bytes, this.#word(header.names) + this.#word(at + func.name));
    return { name, file: this.#fileOf(at), line: this.#word(at + func.line) };
  }

  /** That of its first instruction. */
  #fileOf(at: number): string {
    const number = this.#firstValue(this.#word(header.values) + this.#word(at + func.pcFile));
    const place = this.#word(header.units) + 4 * (this.#word(at + func.unit) + number);
    const file = number < 0 ? noFile : this.#word(place);
    if (file === noFile) return '';
    const known = this.#names.get(file);
    if (known !== undefined) return known;
    const name = cString(this.#bytes, this.#word(header.files) + file);
    this.#names.set(file, name);
    return name;
  }

  #firstValue(at: number): number {
    return this.#valueAt(at, 0);
  }

  /**
   * Of a table of values by code address, which begins at `from`: each is written as its distance from the last, the
   * first from -1, and behind it for how many bytes of code it holds.
   */
  #valueAt(from: number, offset: number): number {
    let [at, value, end] = [from, -1, 0];
    while (at < this.#bytes.length) {
      const step = this.#number(at);
      const length = this.#number(step.next);
      value += (step.word >>> 1) ^ -(step.word & 1);
      end += length.word;
      if (offset < end || length.word === 0) return value;
      at = length.next;
    }
    return -1;
  }

  /** Seven bits a byte, the lowest first. */
  #number(at: number): { readonly word: number; readonly next: number } {
    let word = 0;
    for (let i = 0; i < 5; i++) {
      const byte = this.#bytes[at + i] ?? 0;
      word |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return { word, next: at + i + 1 };
    }
    return { word, next: at + 5 };
  }

  /** Four bytes; offsets, which are eight, are less. Beyond the table: one that leads nowhere. */
  #word(at: number): number {
    return at >= 0 && at + 4 <= this.#bytes.length ? this.#view.getUint32(at, true) : noFile;
  }
}
