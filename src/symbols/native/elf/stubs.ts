import type { ElfFile } from './elfFile.ts';
import { entrySize, nameAt, symbolTable } from './symbolTable.ts';

/** A stub of the linker's (`.plt`) that jumps to a function of another file. */
export interface Stub {
  /** The linkage name of the function. */
  readonly name: string;
  /** Where the stub begins. */
  readonly start: number;
}

/** The address of the word that a stub's code jumps by; null for code of another kind. */
export type WordOfStub = (code: Uint8Array, address: number) => number | null;

/** Bytes of an Elf64_Rela. */
const relocationBytes = 24;
/** Sizes of stubs, of which the right one is where the code is a stub. */
const stubSizes = [16, 8] as const;

/** The stub that holds a link-time address; null where there is none, or nothing tells what it is for. */
export function stubAt(elf: ElfFile, address: number, wordOf: WordOfStub): Stub | null {
  const holder = elf.sections.find(
    ({ name, address: start, size }) =>
      name.startsWith('.plt') && address >= start && address < start + size,
  );
  if (holder === undefined) return null;
  for (const size of stubSizes) {
    const start = address - ((address - holder.address) % size);
    const code = elf.bytesAt(start, size);
    const word = code === null ? null : wordOf(code, start);
    const name = word === null ? null : importAt(elf, word);
    if (name !== null) return { name, start };
  }
  return null;
}

/** The symbol whose address the loader writes into a word. */
function importAt(elf: ElfFile, word: number): string | null {
  const symbols = symbolTable(elf, '.dynsym');
  if (symbols === null) return null;
  for (const section of ['.rela.plt', '.rela.dyn']) {
    const bytes = elf.content(section)?.all() ?? new Uint8Array(0);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + relocationBytes <= bytes.length; at += relocationBytes) {
      if (view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000 !== word)
        continue;
      const entry = view.getUint32(at + 12, true) * entrySize;
      if (entry === 0 || entry + entrySize > symbols.view.byteLength) return null;
      return symbols.names.at(nameAt(symbols.view, entry)) || null;
    }
  }
  return null;
}
