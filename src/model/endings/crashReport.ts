import type { TaskHead } from './taskHead.ts';
import type { SessionNs } from '../ids.ts';
import type { CrashFault } from './crashEvent.ts';
import type { Value } from '../questions/query.ts';
import type { OpenFiles } from './snapshot.ts';

/** A parameter or local variable of one frame. */
export interface FrameVariable {
  readonly name: string;
  /** As the source spells it; null when unknown. */
  readonly type: string | null;
  readonly isParameter: boolean;
  readonly value: Value;
}

/** One frame of a stack, inlined calls included; the newest comes first. */
export interface StackFrame {
  /** Hexadecimal; of an inlined call the same as of the frame that holds it. */
  readonly pc: string;
  /** Qualified; null without symbols. */
  readonly function: string | null;
  /** Absolute path of the file that holds the code; null for code in no file. */
  readonly module: string | null;
  /** The frame's canonical address, hexadecimal: the same as long as its call lasts; null when unknown. */
  readonly frameAddress: string | null;
  /** Bytes from the function's beginning. */
  readonly offset: number;
  readonly file: string | null;
  readonly line: number | null;
  readonly isInlined: boolean;
  /** Its instruction was interrupted by a signal whose handler runs above it. */
  readonly isInterrupted: boolean;
  /** Found without unwind information: a frame pointer or return address was taken for true. */
  readonly isGuess: boolean;
  /** Of the program or its own libraries, not of the system. */
  readonly isOwn: boolean;
  /** Not on the stack of the thread: it waits for the call before it here, as `async` functions do. */
  readonly isAwaiting?: true;
  /** It is of a task that is suspended, whose frames have numbers of their own. */
  readonly task?: { readonly id: string; readonly head: TaskHead; readonly frame: number };
  /** Of the event loop, or of what waits in it for the program. */
  readonly isOfLoop?: true;
  /** Its variables were not read. */
  readonly isUnread?: true;
  readonly variables: readonly FrameVariable[];
}

/** Frames whose variables are read: the newest own ones, none, or one by its position. */
export type VariablesOf = 'newest' | 'none' | number;

export interface ThreadStack {
  readonly tid: number;
  readonly name: string;
  readonly frames: readonly StackFrame[];
  /** Frames that are not kept. */
  readonly omitted: number;
  /** Why the stack ends early; null when it is whole. */
  readonly problem: string | null;
  /** Name of the system call it waits in; null when it runs or it is not known. */
  readonly systemCall: string | null;
  /** Frames that repeat, newest first, with how often: an endless recursion; null otherwise. */
  readonly cycle: { readonly functions: readonly string[]; readonly times: number } | null;
}

/** What lies at the address a fault was caused by. */
export type FaultPlace =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'null';
      readonly offset: string;
      /** `account->balance`, where a null pointer in the frame explains the address. */
      readonly expression: string | null;
      /** `Account*` */
      readonly type: string | null;
    }
  | { readonly kind: 'stackOverflow'; readonly stackBytes: number }
  /** An address no pointer can have. */
  | {
      readonly kind: 'notCanonical';
      /** Hexadecimal; absent where the instruction does not tell it. */
      readonly address?: string;
      readonly expression?: string | null;
    }
  /** The address is not a multiple of what the instruction asks for. */
  | {
      readonly kind: 'misaligned';
      readonly address: string;
      readonly alignment: number;
      readonly expression: string | null;
    }
  /** A function returned to an address, hexadecimal, that is no code: its place on the stack was overwritten. */
  | { readonly kind: 'badReturn'; readonly address: string }
  | {
      readonly kind: 'unmapped';
      readonly expression: string | null;
      readonly type: string | null;
    }
  | { readonly kind: 'notPermitted'; readonly protection: string; readonly path: string }
  /** The program counter itself: a call of something that is no code. */
  | { readonly kind: 'noCode' };

/** The mapping that holds an address of a crash. */
export interface KeyAddress {
  readonly role: 'fault address' | 'pc' | 'sp';
  /** Hexadecimal. */
  readonly address: string;
  /** What holds it; null when nothing does. */
  readonly mapping: MappedRange | null;
  /** Of an address in no mapping, the nearest below and above it. */
  readonly nearest: readonly {
    readonly range: MappedRange;
    readonly side: 'below' | 'above';
    /** Bytes from the address to the nearer end of the range. */
    readonly distance: number;
  }[];
}

export interface MappedRange {
  /** Hexadecimal. */
  readonly start: string;
  readonly bytes: number;
  /** `r-xp` */
  readonly protection: string;
  /** A file, `[stack]`, `[heap]`, or empty. */
  readonly path: string;
}

/** A debugger's breakpoint in the jump that tracing put at the beginning of a function. */
export interface HookBreakpoint {
  /** Qualified; hexadecimal address without symbols. */
  readonly function: string;
  /** It is where the process died, or led there. */
  readonly isCause: boolean;
}

export interface FatalSignal {
  readonly number: number;
  /** SIGSEGV */
  readonly name: string;
  readonly code: number;
  /** What the code says, in words; null when nothing. */
  readonly meaning: string | null;
  /** Hexadecimal. */
  readonly address: string | null;
}

/** A fault that was handled, and what came of it was the end. */
export interface EarlierFault {
  readonly signal: FatalSignal;
  readonly place: FaultPlace;
  /** Where among the frames of the thread that died it happened. */
  readonly position: number;
}

/** A crash as it is kept with its session: everything is resolved, nothing refers to files. */
export interface CrashReport {
  readonly pid: number;
  readonly signal: FatalSignal;
  readonly place: FaultPlace;
  /** The fault whose handler, the program's own, was running; absent when none was. */
  readonly earlier?: EarlierFault;
  /** That died first. */
  readonly threads: readonly ThreadStack[];
  readonly registers: readonly { readonly name: string; readonly value: string }[];
  /** Source around the newest frames of the program's own. */
  readonly source: readonly SourceExcerpt[];
  readonly addresses: readonly KeyAddress[];
  /** Null when it is not known which were open. */
  readonly openFiles: OpenFiles | null;
  readonly modules: readonly { readonly path: string; readonly buildId: string | null }[];
  /** Absent in what older builds kept. */
  readonly breakpoints?: readonly HookBreakpoint[];
  readonly problems: readonly string[];
}

export interface SourceExcerpt {
  readonly file: string;
  /** The line that runs; 1-based. */
  readonly line: number;
  /** Number of the first of `lines`. */
  readonly first: number;
  readonly lines: readonly string[];
}

export function faultOf({ signal, threads }: CrashReport): CrashFault {
  const { name, code, meaning, address } = signal;
  return {
    signal: name,
    code,
    ...(meaning === null ? {} : { meaning }),
    ...(address === null ? {} : { address }),
    threadId: threads[0]?.tid ?? null,
  };
}

/** A crash as the store keeps it. */
export interface StoredCrash {
  readonly time: SessionNs;
  readonly pid: number;
  readonly report: CrashReport;
}
