import { openSync, readSync, closeSync } from 'node:fs';
import type { Mapping } from '../../../model/endings/snapshot.ts';
import { mappingOf } from '../../../model/endings/snapshot.ts';
import { ElfFile } from '../elf/elfFile.ts';
import type { FrameEntry } from './callFrames.ts';
import { CallFrames } from './callFrames.ts';

/** A file of code that is mapped into a process. */
export interface MappedModule {
  readonly path: string;
  readonly elf: ElfFile;
  /** Run-time address minus link-time address. */
  readonly bias: bigint;
  readonly frames: CallFrames;
}

const pageMask = ~0xfffn;
const fixedType = 2;

/** The files mapped into one process, opened when code of theirs is met. */
export class CodeMap implements Disposable {
  readonly problems = new Set<string>();
  readonly #mappings: readonly Mapping[];
  readonly #modules = new Map<string, MappedModule | null>();
  readonly #entries = new Map<bigint, { entry: FrameEntry; bias: bigint } | null>();

  constructor(mappings: readonly Mapping[]) {
    this.#mappings = mappings;
  }

  [Symbol.dispose](): void {
    for (const module of this.#modules.values()) module?.elf[Symbol.dispose]();
    this.#modules.clear();
  }

  /** The module whose mapping holds a run-time address; null for other memory. */
  moduleAt(address: bigint): MappedModule | null {
    const mapping = mappingOf(this.#mappings, address);
    if (mapping === null || !mapping.path.startsWith('/')) return null;
    let module = this.#modules.get(mapping.path);
    if (module === undefined) {
      module = this.#open(mapping.path);
      this.#modules.set(mapping.path, module);
    }
    return module;
  }

  /** Unwind information for a run-time address. */
  entryOf(address: bigint): { readonly entry: FrameEntry; readonly bias: bigint } | null {
    let known = this.#entries.get(address);
    if (known === undefined) {
      const module = this.moduleAt(address);
      const entry = module?.frames.find(Number(address - module.bias)) ?? null;
      known = entry === null || module === null ? null : { entry, bias: module.bias };
      this.#entries.set(address, known);
    }
    return known;
  }

  #open(path: string): MappedModule | null {
    const own = this.#mappings.filter((mapping) => mapping.path === path);
    if (own.some((mapping) => mapping.isDeleted)) {
      // Memory without a file was never on a disk.
      if (!path.startsWith('/memfd:'))
        this.problems.add(`${path} was replaced while it ran: its code is not described.`);
      return null;
    }
    let elf: ElfFile;
    try {
      elf = ElfFile.open(path);
    } catch {
      this.problems.add(`${path} cannot be read: its code is not described.`);
      return null;
    }
    const bias = biasOf(elf, own);
    return { path, elf, bias, frames: new CallFrames(elf) };
  }
}

/** PF_X of elf(5). */
const executable = 1;

/** From a mapping that runs; a file may be mapped once more, to be read. */
function biasOf(elf: ElfFile, mappings: readonly Mapping[]): bigint {
  if (elf.type === fixedType) return 0n;
  for (const { start, offset, protection } of mappings) {
    const segment = elf.segments.find(
      (one) =>
        one.type === 1 &&
        (one.flags & executable) !== 0 &&
        (BigInt(one.offset) & pageMask) <= offset &&
        offset < BigInt(one.offset + one.fileSize),
    );
    if (protection.includes('x') && segment !== undefined)
      return start - offset + BigInt(segment.offset) - BigInt(segment.address);
  }
  return mappings[0]?.start ?? 0n;
}

/** A piece of a file; null when it cannot be read. */
export function readPiece(path: string, offset: number, length: number): Uint8Array | null {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
