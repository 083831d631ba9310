import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ElfFile } from '../elf/elfFile.ts';
import { joinPath } from './lines/lineHeader.ts';

/** A file beside the program's own that an index was made from; `size` -1: it was not there. */
export interface IndexedPart {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/** A program may be split into thousands of files. */
const maxOpen = 16;

/** The .dwo files of a program, or the package (.dwp) that holds them; few are open at a time. */
export class SplitFiles implements Disposable {
  /** All that were looked for. */
  readonly parts = new Map<string, IndexedPart>();
  readonly #open = new Map<string, ElfFile>();
  readonly #folder: string;

  constructor(programPath: string) {
    this.#folder = dirname(programPath);
  }

  [Symbol.dispose](): void {
    for (const elf of this.#open.values()) elf[Symbol.dispose]();
    this.#open.clear();
  }

  /** Throws when it is not there any more. */
  open(path: string): ElfFile {
    const known = this.#open.get(path);
    this.#open.delete(path);
    const elf = known ?? ElfFile.open(path);
    this.#open.set(path, elf);
    for (const [oldest, old] of this.#open) {
      if (this.#open.size <= maxOpen) break;
      old[Symbol.dispose]();
      this.#open.delete(oldest);
    }
    return elf;
  }

  /** The first of these files that is there and has split units; null when none has. */
  find(paths: readonly string[]): string | null {
    for (const path of paths) {
      this.parts.set(path, partAt(path));
      if (this.#isSplit(path)) return path;
    }
    return null;
  }

  #isSplit(path: string): boolean {
    try {
      return this.open(path).section('.debug_info.dwo') !== null;
    } catch {
      return false; // Not there, or no ELF file: the next place is looked at.
    }
  }

  /** Where the compiler wrote it, and beside the program. */
  placesOf(name: string, folder: string): string[] {
    return [...new Set([joinPath(folder, name), join(this.#folder, basename(name))])];
  }
}

export function partAt(path: string): IndexedPart {
  const stat = statSync(path, { throwIfNoEntry: false });
  return { path, size: stat?.size ?? -1, modifiedMs: stat?.mtimeMs ?? 0 };
}
