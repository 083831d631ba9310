import type { ElfFile } from '../elf/elfFile.ts';
import { cString } from '../elf/elfFile.ts';
import type { SectionBytes } from '../elf/sectionBytes.ts';
import { LongTexts, SectionTexts, usualText } from '../elf/sectionTexts.ts';

const maxShared = 100_000;
const none = new Uint8Array(0);
/** Bytes in which nearly all names end. */
const usualName = 256;

/**
 * A section of units of one file. The sections of a program's debug information (its own, its type units,
 * its split and supplementary files) lie one after another in one space of offsets, each from its `base`.
 */
export class DebugSource {
  readonly base: number;
  readonly size: number;
  /** Of a .dwo file or a package of them, whose sections are called so. */
  readonly isSplit: boolean;
  /** .debug_types of DWARF 4. */
  readonly isTypes: boolean;
  readonly #open: () => ElfFile;
  readonly #section: number;
  readonly #texts = new Map<number, string>();
  readonly #sections = new Map<string, SectionTexts>();
  #long: LongTexts | null = null;

  /** `open` gives the file, which may have been closed meanwhile, or throws; `section` is the number of the one with units. */
  constructor(
    open: () => ElfFile,
    kind: {
      readonly base: number;
      readonly section: number;
      readonly isTypes: boolean;
      readonly isSplit: boolean;
    },
  ) {
    this.#open = open;
    this.base = kind.base;
    this.isSplit = kind.isSplit;
    this.isTypes = kind.isTypes;
    this.#section = kind.section;
    this.size = this.#units?.size ?? 0;
  }

  get #units(): SectionBytes | null {
    return this.#open().contentAt(this.#section);
  }

  /** Bytes of its units, at most `length`, fewer at the end; in `space` where they have to be read. Throws outside. */
  units(offset: number, length: number, space?: Uint8Array): Uint8Array {
    return this.#units?.upTo(offset - this.base, length, space) ?? none;
  }

  /** Another section of the file, in memory; null when absent. */
  bytes(name: string): Uint8Array | null {
    return (
      this.#open()
        .content(this.isSplit ? `${name}.dwo` : name)
        ?.all() ?? null
    );
  }

  /** The texts of another section, which is in memory from then on. */
  texts(name: '.debug_str' | '.debug_line_str'): SectionTexts {
    let texts = this.#sections.get(name);
    if (texts === undefined) {
      texts = new SectionTexts(this.bytes(name) ?? none);
      this.#sections.set(name, texts);
    }
    return texts;
  }

  /** Only its bytes are read where the section is large. */
  #textAt(offset: number): string {
    const section = this.#open().content(this.isSplit ? '.debug_str.dwo' : '.debug_str');
    if (section === null || offset < 0 || offset >= section.size) return '';
    this.#long ??= new LongTexts(section.size);
    for (let length = usualName; ; length *= 8) {
      const bytes = section.upTo(offset, length);
      const end = bytes.indexOf(0);
      if (end < 0 && bytes.length === length) {
        if (length > usualText && !this.#long.mayBegin(offset)) return '';
        continue;
      }
      return this.#long.admits(offset, end < 0 ? bytes.length : end) ? cString(bytes, 0) : '';
    }
  }

  /** A text of .debug_str; the same names are asked for in every unit. */
  text(offset: number): string {
    let text = this.#texts.get(offset);
    if (text === undefined) {
      text = this.#textAt(offset);
      if (this.#texts.size >= maxShared) this.#texts.clear();
      this.#texts.set(offset, text);
    }
    return text;
  }
}
