import type { ElfFile } from './elfFile.ts';
import { cString } from './elfFile.ts';

/** A function symbol with a body in this file (gABI chapter 4, "Symbol Table"). */
export interface FunctionSymbol {
  readonly name: string;
  readonly address: number;
  readonly size: number;
}

const entrySize = 24;
const symbolType = { function: 2 } as const;

/**
 * The defined, sized function symbols of .symtab and .dynsym, sorted by address; doubles removed.
 * Indirect functions (IFUNC) are left out: their symbol is a resolver that runs before relocation ends.
 */
export function readFunctionSymbols(elf: ElfFile): FunctionSymbol[] {
  const symbols: FunctionSymbol[] = [];
  for (const table of ['.symtab', '.dynsym']) readTable(elf, table, symbols);
  symbols.sort((a, b) => a.address - b.address || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return symbols.filter((symbol, i) => {
    const before = symbols[i - 1];
    return before === undefined || before.address !== symbol.address || before.name !== symbol.name;
  });
}

function readTable(elf: ElfFile, name: string, into: FunctionSymbol[]): void {
  const section = elf.section(name);
  const strings = section === null ? undefined : elf.sections[section.link];
  if (section === null || strings === undefined) return;
  const entries = elf.content(name)?.all();
  const names = elf.contentOf(strings)?.all();
  if (entries === undefined || names === undefined) return;
  const view = new DataView(entries.buffer, entries.byteOffset, entries.length);
  for (let at = 0; at + entrySize <= entries.length; at += entrySize) {
    if ((view.getUint8(at + 4) & 15) !== symbolType.function || view.getUint16(at + 6, true) === 0)
      continue;
    const address = view.getUint32(at + 8, true) + view.getUint32(at + 12, true) * 0x1_0000_0000;
    const size = view.getUint32(at + 16, true);
    if (size === 0 || !elf.isCode(address)) continue;
    into.push({ name: cString(names, view.getUint32(at, true)), address, size });
  }
}
