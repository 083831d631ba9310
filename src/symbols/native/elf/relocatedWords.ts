import type { ElfFile } from './elfFile.ts';

/** Bytes of an Elf64_Rela. */
const relocationBytes = 24;
/** R_X86_64_RELATIVE. */
const relative = 8;

const known = new WeakMap<ElfFile, ReadonlyMap<number, number>>();

/** By the link-time addresses of words into which the loader writes addresses of the file itself, those (gABI, relocation). */
export function relocatedWords(elf: ElfFile): ReadonlyMap<number, number> {
  let found = known.get(elf);
  if (found === undefined) {
    found = readWords(elf);
    known.set(elf, found);
  }
  return found;
}

function readWords(elf: ElfFile): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const bytes = elf.content('.rela.dyn')?.all() ?? new Uint8Array(0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const word = (at: number): number =>
    view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;
  for (let at = 0; at + relocationBytes <= bytes.length; at += relocationBytes)
    if (view.getUint32(at + 8, true) === relative) found.set(word(at), word(at + 16));
  return found;
}
