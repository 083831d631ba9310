import type { ElfFile } from './elfFile.ts';

/** A function as the table says that Go's runtime prints stacks by (.gopclntab), which no strip takes away. */
export interface GoFunction {
  readonly address: number;
  readonly size: number;
  readonly name: string;
  /** Empty: unknown. */
  readonly file: string;
  readonly line: number;
}

/** runtime.pcHeader and runtime._func from Go 1.20 on. */
const magic = 0xfffffff1;
const header = { count: 8, names: 32, units: 40, files: 48, values: 56, functions: 64, end: 72 };
const fields = { name: 4, file: 20, unit: 32, line: 36, end: 44 } as const;
const mostFunctions = 2 ** 20;

/** Nothing of a program that is not of Go, or of a version whose table is not known. */
export function goFunctions(elf: ElfFile): GoFunction[] {
  const section = elf.section('.gopclntab') ?? elf.section('.data.rel.ro.gopclntab');
  const text = elf.section('.text');
  const bytes = section && elf.bytesAt(section.address, section.size);
  if (!text || !bytes || bytes.length < header.end) return [];
  const table = new GoTable(bytes);
  return table.isKnown ? table.functions(text.address) : [];
}

/** Offsets that lead outside of it read as zero. */
class GoTable {
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isKnown(): boolean {
    return this.#word(0) === magic && this.#bytes[7] === 8;
  }

  functions(start: number): GoFunction[] {
    const count = Math.min(this.#long(header.count), mostFunctions);
    const base = this.#long(header.functions);
    const found: GoFunction[] = [];
    for (let i = 0; i < count; i++) {
      const row = base + 8 * i;
      const begins = this.#word(row);
      const size = this.#word(row + 8) - begins;
      const at = base + this.#word(row + 4);
      if (size <= 0 || at + fields.end > this.#bytes.length) continue;
      const name = this.#text(this.#long(header.names) + this.#word(at + fields.name));
      if (name === '') continue;
      const file = this.#fileOf(at);
      found.push({ address: start + begins, size, name, file, line: this.#word(at + fields.line) });
    }
    return found;
  }

  /** That of its first instruction. */
  #fileOf(at: number): string {
    const values = this.#word(at + fields.file);
    if (values === 0) return '';
    const delta = this.#number(this.#long(header.values) + values);
    const index = (delta % 2 === 0 ? delta / 2 : -(delta + 1) / 2) - 1;
    const place = this.#long(header.units) + 4 * (this.#word(at + fields.unit) + index);
    const offset = this.#word(place);
    return index < 0 || offset === 0xffffffff ? '' : this.#text(this.#long(header.files) + offset);
  }

  /** Seven bits a byte, the lowest first. */
  #number(at: number): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[at + shift / 7] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    return value;
  }

  #text(at: number): string {
    const end = this.#bytes.indexOf(0, at);
    return end < 0 ? '' : this.#bytes.toString('utf8', at, end);
  }

  #word(at: number): number {
    return at >= 0 && at + 4 <= this.#bytes.length ? this.#bytes.readUInt32LE(at) : 0;
  }

  #long(at: number): number {
    return this.#word(at) + this.#word(at + 4) * 2 ** 32;
  }
}
