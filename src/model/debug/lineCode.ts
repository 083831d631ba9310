/** Code from an offset up to another, counted from where its file begins in memory. */
export interface CodeRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The line that an instruction belongs to, as a debugger steps by it. */
export interface LineRanges {
  readonly file: string;
  /** 0: code of a function that belongs to none of its lines. */
  readonly line: number;
  /** A statement of the line begins at this very instruction. */
  readonly begins: boolean;
  /** All code of the line in its function. */
  readonly ranges: readonly CodeRange[];
  /** Calls that were inlined into the function that runs there, which stand for calls. */
  readonly inlined: readonly CodeRange[];
  /** The code of the function that runs there, when that was inlined itself; else none. */
  readonly inside: readonly CodeRange[];
}
