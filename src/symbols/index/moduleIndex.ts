/**
 * The functions of one ELF file, in parallel typed arrays sorted by address; small enough to be read
 * from disk at once.
 *
 *     row      0        1        2            texts     "main\nbank::Account::deposit\n…"
 *     address  0x1139   0x1150   0x11a0       starts     0     5
 *     name     0        1        1       ───▶ (number of a text)
 *     file     1        1        0 = none
 *
 * Two rows may share an address (aliases, folded code) or a name (overloads). Parameters and types are
 * not here: they are read from the debug information of the few functions that are asked for.
 */
export interface ModuleIndex {
  readonly facts: IndexFacts;
  readonly addresses: Float64Array;
  readonly sizes: Uint32Array;
  readonly names: Uint32Array;
  /** Offset of the function's entry in .debug_info; -1 for one known by its symbol only. */
  readonly entries: Float64Array;
  /** 1 + number of the linkage name among `linkage`, where the entry does not give it; else 0. */
  readonly symbols: Uint32Array;
  /** 1 + number of the path among `files`; 0 = unknown. */
  readonly fileNumbers: Uint32Array;
  readonly lines: Uint32Array;
  readonly flags: Uint8Array;
  readonly nameTexts: TextTable;
  readonly files: TextTable;
  readonly linkage: TextTable;
  /** By number of a name: 1 + number of the file that declares the inlined function; 0 = unknown. */
  readonly nameFiles: Uint32Array;
  /** Inlined calls, grouped by name: number of the name, row of the caller, how often. */
  readonly inlinedNames: Uint32Array;
  readonly inlinedCallers: Uint32Array;
  readonly inlinedSites: Uint32Array;
}

/** What is known of the whole file. */
export interface IndexFacts {
  readonly buildId: string | null;
  readonly debugInfo: 'dwarf' | 'symtab' | 'none';
  readonly dwarfVersion: number | null;
  readonly languages: readonly string[];
  readonly loadAddress: number;
  /** Whole sentences about what could not be read. */
  readonly problems: readonly string[];
}

/** Bits of `flags`. */
export const functionFlag = {
  /** The compiler made a copy with other parameters (`.isra`, `.constprop`). */
  changedSignature: 1,
} as const;

/** Texts one after another, each ended by a line feed. */
export interface TextTable {
  readonly bytes: Uint8Array;
  /** One more than texts. */
  readonly starts: Uint32Array;
}

export function textAt(table: TextTable, number: number): string {
  const start = table.starts[number];
  const end = table.starts[number + 1];
  if (start === undefined || end === undefined || end <= start) return '';
  return Buffer.from(table.bytes.buffer, table.bytes.byteOffset + start, end - start - 1).toString(
    'utf8',
  );
}

export function textCount(table: TextTable): number {
  return Math.max(0, table.starts.length - 1);
}

/** The number of the text that holds the byte at `offset`. */
export function textHolding(table: TextTable, offset: number): number {
  const { starts } = table;
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Numbers texts in the order of their first use. */
export class TextNumbers {
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
    }
    return number;
  }

  get size(): number {
    return this.#numbers.size;
  }

  table(): TextTable {
    const starts = new Uint32Array(this.#numbers.size + 1);
    let bytes = Buffer.alloc(1 << 16);
    let at = 0;
    let number = 0;
    for (const raw of this.#numbers.keys()) {
      const text = raw.includes('\n') ? raw.replaceAll('\n', ' ') : raw;
      const room = text.length * 3 + 1;
      if (at + room > bytes.length) {
        const grown = Buffer.alloc(Math.max(bytes.length * 2, at + room));
        bytes.copy(grown, 0, 0, at);
        bytes = grown;
      }
      starts[number++] = at;
      at += bytes.write(text, at, 'utf8');
      bytes[at++] = 10;
    }
    starts[number] = at;
    return { bytes: new Uint8Array(bytes.subarray(0, at)), starts };
  }
}
