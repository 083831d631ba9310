import type { ElfFile } from './elfFile.ts';
import { SectionTexts } from './sectionTexts.ts';

/** An indirect function (IFUNC); address and size are those of its resolver. */
export interface IndirectSymbol {
  readonly name: string;
  readonly address: number;
  readonly size: number;
}

/** Bytes of an Elf64_Sym. */
export const entrySize = 24;
export const symbolType = { object: 1, function: 2, threadLocal: 6, indirect: 10 } as const;
const localBinding = 0;

export function readIndirectSymbols(...files: readonly ElfFile[]): IndirectSymbol[] {
  const found = new Map<string, IndirectSymbol>();
  for (const elf of files) {
    for (const table of ['.symtab', '.dynsym']) {
      eachSymbol(elf, table, (symbol) => {
        const { type, section, address, size } = symbol;
        if (type !== symbolType.indirect || section === 0 || !elf.isCode(address)) return;
        const name = symbol.name();
        found.set(name, { name, address, size });
      });
    }
  }
  return [...found.values()];
}

/** Linkage names of the variables that are defined in this file, at most `limit`. */
export function readVariableNames(elf: ElfFile, limit: number): string[] {
  const found = new Set<string>();
  for (const table of ['.symtab', '.dynsym']) {
    eachSymbol(elf, table, (symbol) => {
      const { type, section } = symbol;
      const isVariable = type === symbolType.object || type === symbolType.threadLocal;
      if (isVariable && section !== 0 && found.size < limit) found.add(symbol.name());
    });
  }
  return [...found];
}

/** By name the addresses of the symbols a file defines whose names match; -1 where there are several. */
export function readAddressesOf(elf: ElfFile, names: RegExp): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const table of ['.symtab', '.dynsym']) {
    eachSymbol(elf, table, (symbol) => {
      const { type, section, address } = symbol;
      if (type !== symbolType.object || section === 0) return;
      const text = symbol.name();
      if (!names.test(text)) return;
      const earlier = found.get(text) ?? address;
      found.set(text, earlier === address ? address : -1);
    });
  }
  return found;
}

/** By address the name of the function there, of those that match; null where there are several. */
export function readFunctionsAt(elf: ElfFile, names: RegExp): ReadonlyMap<number, string | null> {
  const found = new Map<number, string | null>();
  for (const table of ['.symtab', '.dynsym']) {
    eachSymbol(elf, table, (symbol) => {
      const { type, section, address } = symbol;
      if (type !== symbolType.function || section === 0) return;
      const text = symbol.name();
      if (!names.test(text)) return;
      const isOne = !found.has(address) || found.get(address) === text;
      found.set(address, isOne ? text : null);
    });
  }
  return found;
}

interface LazySymbol {
  readonly type: number;
  /** Its section's number; 0: it is defined elsewhere. */
  readonly section: number;
  readonly address: number;
  readonly size: number;
  name(): string;
}

function eachSymbol(elf: ElfFile, name: string, visit: (symbol: LazySymbol) => void): void {
  const table = symbolTable(elf, name);
  if (table === null) return;
  const { view, names } = table;
  for (let at = 0; at + entrySize <= view.byteLength; at += entrySize) {
    visit({
      type: typeAt(view, at),
      section: sectionAt(view, at),
      address: addressAt(view, at),
      size: sizeAt(view, at),
      name: () => names.at(nameAt(view, at)),
    });
  }
}

export interface SymbolTable {
  /** `entrySize` bytes each. */
  readonly view: DataView;
  readonly names: SectionTexts;
}

/** The entries of a symbol table and their names; null when it is absent or damaged. */
export function symbolTable(elf: ElfFile, name: string): SymbolTable | null {
  const section = elf.section(name);
  const entries = elf.content(name)?.all();
  const names = section === null ? undefined : elf.contentAt(section.link)?.all();
  if (entries === undefined || names === undefined) return null;
  const view = new DataView(entries.buffer, entries.byteOffset, entries.length);
  return { view, names: new SectionTexts(names) };
}

export function nameAt(view: DataView, at: number): number {
  return view.getUint32(at, true);
}

export function typeAt(view: DataView, at: number): number {
  return view.getUint8(at + 4) & 15;
}

export function isVisibleAt(view: DataView, at: number): boolean {
  return view.getUint8(at + 4) >> 4 !== localBinding;
}

export function sectionAt(view: DataView, at: number): number {
  return view.getUint16(at + 6, true);
}

export function addressAt(view: DataView, at: number): number {
  return view.getUint32(at + 8, true) + view.getUint32(at + 12, true) * 0x1_0000_0000;
}

export function sizeAt(view: DataView, at: number): number {
  return view.getUint32(at + 16, true);
}
