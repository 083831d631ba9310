import type { ElfFile, Section } from './elfFile.ts';

/** runtime.moduledata (runtime/symtab.go), the same from Go 1.18 on: its first word is the address of runtime.pclntab. */
const moduleData = { text: 176, bytes: 184 } as const;
/** Where linkers put it. */
const holders = ['.go.module', '.noptrdata', '.data', '.data.rel.ro'];
/** Elf64_Rela, and R_X86_64_RELATIVE. */
const relocation = { bytes: 24, type: 8, addend: 16, relative: 8 } as const;

/** Where the code of Go begins that the table at an address counts from, as its runtime knows it; null: not found. */
export function goTextStart(elf: ElfFile, table: number): number | null {
  return holders.reduce<number | null>(
    (known, name) => known ?? textInSection(elf, elf.section(name), table),
    textInRelocations(elf, table),
  );
}

function textInSection(elf: ElfFile, section: Section | null, table: number): number | null {
  const bytes = section === null ? undefined : elf.content(section.name)?.all();
  if (!bytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + moduleData.bytes <= bytes.length; at += 8) {
    if (wordOf(view, at) !== table) continue;
    const text = wordOf(view, at + moduleData.text);
    if (elf.isCode(text)) return text;
  }
  return null;
}

/** In a position-independent file what will be an address stands beside it. */
function textInRelocations(elf: ElfFile, table: number): number | null {
  const bytes = (elf.content('.rela.dyn') ?? elf.content('.rela'))?.all();
  if (!bytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const starts = new Set<number>();
  const texts = new Map<number, number>();
  for (let at = 0; at + relocation.bytes <= bytes.length; at += relocation.bytes) {
    if (view.getUint32(at + relocation.type, true) !== relocation.relative) continue;
    const place = wordOf(view, at);
    const addend = wordOf(view, at + relocation.addend);
    if (addend === table) starts.add(place);
    else if (elf.isCode(addend)) texts.set(place - moduleData.text, addend);
  }
  return [...starts].map((start) => texts.get(start)).find((text) => text !== undefined) ?? null;
}

function wordOf(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}
