/** Of a 64-bit ELF file. Source: elf(5). */
const at = {
  programs: 0x20,
  sections: 0x28,
  programBytes: 0x36,
  programCount: 0x38,
  sectionBytes: 0x3a,
  sectionCount: 0x3c,
} as const;
const headerBytes = 64;
const symbolBytes = 24;
const relocationBytes = 24;
const load = 1;
const relocations = 4;
/** Section flag of what concerns another section: of relocations, those of calls (SHF_INFO_LINK). */
const concernsOther = 0x40;
const jumpSlot = 7;

interface Section {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

/** Distances from the beginning of a module to the words through which it calls functions of these names. */
export type ImportWords = readonly { readonly name: string; readonly distance: number }[];

/**
 * From the file, not from memory: its library may be unloaded at any time. None where the file cannot be
 * read.
 */
export function importWords(path: string, names: readonly string[]): ImportWords {
  let file: File;
  try {
    file = new File(path, 'rb');
  } catch {
    return [];
  }
  try {
    return wordsIn(file, names);
  } catch {
    return []; // It is damaged.
  } finally {
    file.close();
  }
}

function wordsIn(file: File, names: readonly string[]): ImportWords {
  const read = (offset: number, bytes: number): DataView => {
    file.seek(offset);
    return new DataView(file.readBytes(bytes));
  };
  const head = read(0, headerBytes);
  const sections = sectionsOf(head, read);
  const first = firstAddress(head, read);
  return sections.flatMap(({ type, flags, offset, size, link }) => {
    const symbols = sections[link];
    const texts = symbols && sections[symbols.link];
    if (type !== relocations || (flags & concernsOther) === 0 || !symbols || !texts) return [];
    const [rows, table] = [read(offset, size), read(symbols.offset, symbols.size)];
    const text = new Uint8Array(read(texts.offset, texts.size).buffer);
    const found: { name: string; distance: number }[] = [];
    for (let row = 0; row + relocationBytes <= size; row += relocationBytes) {
      if (rows.getUint32(row + 8, true) !== jumpSlot) continue;
      const symbol = rows.getUint32(row + 12, true) * symbolBytes;
      const name = textAt(text, table.getUint32(symbol, true));
      if (names.includes(name)) found.push({ name, distance: wordAt(rows, row) - first });
    }
    return found;
  });
}

type Read = (offset: number, bytes: number) => DataView;

function sectionsOf(head: DataView, read: Read): Section[] {
  const bytes = head.getUint16(at.sectionBytes, true);
  const count = head.getUint16(at.sectionCount, true);
  const table = read(wordAt(head, at.sections), bytes * count);
  return Array.from({ length: count }, (_unused, index) => {
    const row = index * bytes;
    return {
      type: table.getUint32(row + 4, true),
      flags: wordAt(table, row + 8),
      offset: wordAt(table, row + 24),
      size: wordAt(table, row + 32),
      link: table.getUint32(row + 40, true),
    };
  });
}

/** The link-time address of what the loader puts at the beginning of the module. */
function firstAddress(head: DataView, read: Read): number {
  const bytes = head.getUint16(at.programBytes, true);
  const count = head.getUint16(at.programCount, true);
  const table = read(wordAt(head, at.programs), bytes * count);
  for (let row = 0; row < bytes * count; row += bytes)
    if (table.getUint32(row, true) === load) return wordAt(table, row + 16);
  return 0;
}

function wordAt(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 0x1_0000_0000;
}

function textAt(bytes: Uint8Array, from: number): string {
  let end = from;
  while (end < bytes.length && bytes[end] !== 0) end++;
  return String.fromCharCode(...bytes.subarray(from, end));
}
