import type { ElfFile } from '../elf/elfFile.ts';
import { rulesOfMachine } from '../machineRules.ts';
import type { ProcessorRules } from '../processorRules.ts';
import { CallFrames, type FrameEntry } from '../unwind/callFrames.ts';
import { rowAt } from '../unwind/frameRow.ts';

/** How the functions of a unit are called, by its language: as C's, otherwise, or as only their call frames say. */
export type UnitCalls = 'as C' | 'otherwise' | 'unknown';

/** Their compilers pass arguments in registers of their own, and find what a stack holds by return addresses. */
const ownConventions: ReadonlySet<string> = new Set(['Haskell', 'OCaml']);

export function callsOf(language: string): UnitCalls {
  if (ownConventions.has(language)) return 'otherwise';
  return language === 'Assembler' ? 'unknown' : 'as C';
}

/** Symbols of such compilers, whose call frames look like C's: OCaml's, and what it adds when it links. */
export function hasOwnConvention(symbol: string): boolean {
  return /^caml(?:[A-Z]|_(?:program$|(?:apply|curry|send|tuplify)\d))/.test(symbol);
}

/** What call frame information says of how the functions of a file are called. */
export class Conventions {
  readonly #elf: ElfFile;
  #frames: CallFrames | null = null;
  readonly #rules: ProcessorRules | null;

  constructor(elf: ElfFile) {
    this.#elf = elf;
    this.#rules = rulesOfMachine(elf.machine);
  }

  get frames(): CallFrames {
    return (this.#frames ??= new CallFrames(this.#elf));
  }

  /**
   * Whether a call enters the code at an address. Compilers say so of each of their functions; not of code that is
   * jumped to with a stack of its own making, as of interpreters and of what others generated.
   */
  isCalled(address: number): boolean {
    const frame = this.frames.find(address);
    try {
      return frame !== null && isEntered(frame, address, this.#rules);
    } catch {
      return false; // It is damaged.
    }
  }
}

/** Whether code begins like a called function: nothing of its caller's is saved yet but the return address. */
export function isEntered(frame: FrameEntry, address: number, by: ProcessorRules | null): boolean {
  const { cfa, rules } = rowAt(frame, address);
  return (
    cfa?.kind === 'register' &&
    cfa.number === by?.processor.stack &&
    cfa.offset === by.entryBytes &&
    rules.get(frame.shared.returnColumn)?.kind === 'offset' &&
    rules.size === 1
  );
}
