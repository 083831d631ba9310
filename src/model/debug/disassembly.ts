/** An instruction of the program, as it is without breakpoints and hooks. */
export interface Instruction {
  /** Hexadecimal. */
  readonly address: string;
  /** As assemblers write it, with what it calls by name. */
  readonly text: string;
  /** 1-based, of the file below; null: as before. */
  readonly line: number | null;
  /** The thread is there. */
  readonly isNext: boolean;
}

export interface Disassembly {
  readonly function: string | null;
  readonly file: string | null;
  readonly instructions: readonly Instruction[];
}
