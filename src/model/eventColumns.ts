import type { ValueType } from './values/valueType.ts';

/** Calls of one function that left no records, as it was sampled. */
export interface CountedCalls {
  readonly fn: number;
  readonly calls: number;
  /** Of them: those that ended. */
  readonly timed: number;
  readonly totalNs: number;
  /** Over all that were ever counted in the same place; of none, `minNs` is above `maxNs`. */
  readonly minNs: number;
  readonly maxNs: number;
}

/**
 * A batch of decoded ring records of ONE thread in program order, as columns (no object per
 * event). Made by collector/rings, consumed by db/blocks.
 *
 *   row i:  kind[i]  fn[i]  time[i]  sp[i]  payload[payloadStart[i] .. payloadStart[i+1])
 *
 * Payload of an enter: the captured words in the order of the function's plan, each 8 bytes
 * little-endian, or for text and lists: u32 bytes captured, u32 flags (stringFlags) with the
 * bytes there were << stringFlags.lengthShift, the bytes (of text that is unreadable its address), zero padding to 8. Payload of a return: one such value, or empty when nothing is returned. Payload of a jump: the stack
 * pointer before it, and of one that leaves a signal stack where this begins and ends.
 *
 * Of a function that appeared at run time (number 65536 or higher) all values describe themselves (values/dynamicValue).
 * So do those of its unwound, suspend, resume, throwIn, handled and raise, one of each; of handled and raise a
 * word with the line (0: unknown) follows. Payload of a context: a word with the kind of the strand.
 *
 * Of another function, suspend and resume say that its thread (a goroutine) waits, with all its calls; payload of the
 * suspend: a word with the code of the reason (functions/parkReasons) in its upper half. A resume whose word is not 0
 * is the sum of waits, in nanoseconds, that left no records since the one before it.
 */
export interface EventColumns {
  readonly count: number;
  /** Values of `eventKind`. */
  readonly kind: Uint8Array;
  /** Session-wide function number. */
  readonly fn: Uint32Array;
  /** SessionNs. */
  readonly time: Float64Array;
  /** The same as the cycle counter had it, where it was read from a ring. */
  readonly ticks?: Float64Array;
  /**
   * Stack pointer at the call (address of the return address); pairs enters with their ends. Of a jump what it
   * becomes. Of a function that appeared at run time the activation, of a context the strand (0: none).
   */
  readonly sp: Float64Array;
  /** count + 1 entries. */
  readonly payloadStart: Uint32Array;
  readonly payload: Uint8Array;
  /**
   * At most this many events of the thread are missing directly before the first row (ring
   * overwritten). A bound for pairing; exact counts of losses are told apart from events.
   */
  readonly lostBefore: number;
}

/** Order is the wire code in the ring. */
export const eventKind = {
  enter: 1,
  return: 2,
  /** An exception left the frame. */
  unwound: 3,
  /** longjmp: the thread continues at `sp`, and what lay deeper on that stack has ended. */
  jumped: 4,
  /** The frame was reused by a tail call: it ended, its caller's call continues in the next enter. */
  tail: 5,
  /** Continuation of the record before it; never seen outside collector/rings. */
  more: 6,
  /** What a watch saw at the entry before it or the return behind it (protocol/record `watchEntry`). */
  watch: 7,
  /** An activation leaves its thread for now: it yields, awaits, or has returned a promise, whose settlement is its end. */
  suspend: 8,
  resume: 9,
  /** It resumes with an exception. */
  throwIn: 10,
  /** An exception is caught in it. */
  handled: 11,
  /** A statement of a goroutine: an enter without an end; never seen outside collector/rings. */
  hit: 12,
  /** An exception is raised in it. */
  raise: 13,
  /** Another strand runs on this thread from now on. */
  context: 14,
  /** The goroutine calls a function of C (runtime.cgocall); never seen outside collector/rings. */
  callsC: 15,
  /** That has returned. */
  leavesC: 16,
} as const;

/** From this function number on `sp` is the id of an activation. */
export const firstActivation = 65_536;

/** What a strand is. Goroutines and greenlets have stacks of their own. */
export const strandKind = { task: 1, goroutine: 2, test: 3, greenlet: 4 } as const;

/**
 * Flags of captured text or a list; above them the whole length where it is known, else 0. Of a tree also `deeperCut`:
 * not all had room that lies deeper than what is captured whole.
 */
export const stringFlags = {
  truncated: 1,
  unreadable: 2,
  isNull: 4,
  lengthShift: 3,
  deeperCut: 8,
} as const;

/** Behind the values of a hit whose condition could not be worked out. Other words there are 0. */
export const undecidedHit = 0x3f3f3f3f3f3f3f3fn;

/** Of a watch's form and of a sample's flags (protocol/record `watchEntry`). `tree`: besides `text`, a value of any other type; alone, one that describes itself. */
export const watchFlags = { atReturn: 1, unreadable: 2, address: 4, text: 8, tree: 16 } as const;

/** Low bits of a sample's tag: the watch; its flags are above them. */
export const watchNumberBits = 15;

/** Who wrote a batch. `key` is the session-wide thread number (1, 2, …) in order of first event. */
export interface TracedThread {
  readonly key: number;
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
}

/** A function as the store knows it: number = index used in rings and blocks. */
export interface TracedFunction {
  readonly number: number;
  readonly name: string;
  readonly signature: string;
  readonly linkageName: string;
  readonly module: string;
  /** Link-time address in its module: with that its identity. Null in stores of older versions. */
  readonly address: number | null;
  readonly file: string | null;
  readonly line: number | null;
  /** The captured parameters, in payload order. */
  readonly captured: readonly { readonly name: string; readonly type: ValueType }[];
  /** Parameters that are not captured, with the reason. */
  readonly uncaptured: readonly {
    readonly name: string;
    readonly typeName: string;
    readonly reason: string;
    /** The word that makes its name look like a secret (model/redaction). */
    readonly secret?: string;
  }[];
  readonly returns: ValueType;
  /** The same for what it returns, which is then not captured. */
  readonly secretReturn?: string | undefined;
  /** Its calls have no frame of the engine's: only their entries are recorded. */
  readonly endsUnseen?: boolean | undefined;
  /** It is a statement with a breakpoint: its calls are hits. */
  readonly probe?: TracedProbe | undefined;
}

/** A breakpoint at one statement, as the store knows it. */
export interface TracedProbe {
  readonly id: string;
  /** What to say of a hit: texts, and between them the names of what is captured. */
  readonly log: string | null;
  /** Its hits have a condition, or an invariant. */
  readonly isConditional?: true;
  /** What does not hold at a hit, as it was asked. */
  readonly invariant?: string;
  /** It is asked where calls of this function return. */
  readonly returnOf?: string;
  /** It is one of the recorded lines of this function; `text`: as the source had it. */
  readonly line?: {
    readonly of: string;
    readonly text: string | null;
    /** It cannot be recorded: whether it ran is not known. */
    readonly isUnseen?: true;
  };
}
