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
const func = { name: 4, pcFile: 20, unit: 32, line: 36, bytes: 44 };
const mostFunctions = 2 ** 22;
const noFile = 0xffff_ffff;

/** The functions that runtime.pclntab lists, in the order of their addresses; none where it is not certain what they count from. */
export function goTable(elf: ElfFile): GoTableFunction[] {
  const section = elf.sections.find(({ name }) => name.endsWith('.gopclntab'));
  const bytes = section ? elf.content(section.name)?.all() : undefined;
  if (!section || !bytes || bytes.length < header.bytes) return [];
  const start = goTextStart(elf, section.address);
  if (start === null) return [];
  const table = new GoTable(bytes, start);
  return table.isKnown ? table.functions() : [];
}

class GoTable {
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

  functions(): GoTableFunction[] {
    const count = this.#word(header.count);
    const rows = this.#word(header.functions);
    if (count > mostFunctions || rows + (count + 1) * row.bytes > this.#bytes.length) return [];
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

  /** Of a table of values by code address: each is written as its distance from the last, the first from -1. */
  #firstValue(at: number): number {
    let word = 0;
    for (let i = 0; i < 5; i++) {
      const byte = this.#bytes[at + i] ?? 0;
      word |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) break;
    }
    return -1 + ((word >>> 1) ^ -(word & 1));
  }

  /** Four bytes; offsets, which are eight, are less. Beyond the table: one that leads nowhere. */
  #word(at: number): number {
    return at >= 0 && at + 4 <= this.#bytes.length ? this.#view.getUint32(at, true) : noFile;
  }
}
