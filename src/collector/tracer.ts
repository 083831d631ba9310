import type { RaisedException } from '../model/endings/exception.ts';
import type { ErrorCode } from '../model/errors.ts';
import type { TracedFunction } from '../model/eventColumns.ts';
import type {
  CallPolicy,
  NameRule,
  RuntimeName,
  Traceable,
  Verdict,
} from '../model/functions/traceable.ts';
import type { Pattern } from '../model/names/pattern.ts';
import type { ProbeReport, ProbeRequest } from '../model/probes/probe.ts';
import type { Expression } from '../model/watches/expression.ts';
import type { WatchDefinition, WatchReport, WatchRequest } from '../model/watches/watch.ts';
import type { WrittenBatch } from '../model/watches/watchWrite.ts';
import type { DebugBackend, DebugSink } from './debug/debugger.ts';
import type { NumberedFunction } from './rings/numberedFunction.ts';
import type { EnteredProcess } from './program/entryFacts.ts';
import type { WantedProbe } from './wantedProbe.ts';
import type { LaunchSpec } from './supervisor/launchSpec.ts';

/** What a program is, as far as its files tell. */
export interface ProgramFacts {
  /** The ELF file that runs; of a script, that of its interpreter. */
  readonly image: string;
  /** The dynamic loader of that file; null: it has none. */
  readonly loader: string | null;
  /** The process that runs it, or is about to; null before its start. */
  readonly process: EnteredProcess | null;
}

/** Whether a tracer can enter a program of its runtime, or why not and what to do instead. */
export type Claim =
  /** `engine`: what runs it, where its runtime has several: `Deno`. */
  | { readonly able: true; readonly engine?: string }
  | {
      readonly able: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string;
      /** The same as a clause: `it is statically linked`. */
      readonly reason: string;
      /** Of a program that runs another language than its machine code: `Bun`. */
      readonly engine?: string;
    };

/** What a tracer can tell of its programs. */
export interface TracerCapabilities {
  /** Values that calls return. */
  readonly returns: boolean;
  /** `full`: where they are raised, passed and caught; `unwound`: calls that end by one. */
  readonly exceptions: 'full' | 'unwound' | 'none';
  /** Calls that suspend and go on. */
  readonly suspensions: boolean;
  /** What it traces of a process that it enters while it runs; `entries`: calls without all that a launch shows. */
  readonly late: 'all' | 'entries' | 'none';
  /** It writes down how a process dies by a signal, also where nothing is traced. */
  readonly crashes: boolean;
}

/** A way into the programs of one runtime, for all sessions. */
export interface TracerFactory<F extends Traceable = Traceable> {
  readonly runtime: RuntimeName;
  readonly capabilities: TracerCapabilities;
  /** The machine code of its programs is an engine's and none of the project: only a pattern that names the file means it. */
  readonly ownsImage?: boolean;
  /** By this time the tracer of a daemon that died has left its processes. */
  readonly leaveMs: number;
  /** From files and /proc only, at launch, attach and each exec, and before a process is entered. Null: no program of this runtime. */
  claim(program: ProgramFacts): Promise<Claim | null>;
  /** Its part of one session: functions have one numbering in all processes of it. */
  begin(session: TracedSession, sink: TracerSink): SessionTracer<F>;
  /** The folder of the sources that a process runs, as far as it is known; absent: that of its program. */
  sourceFolder?(pid: number): string | null;
  /** Makes ready for the next process. */
  warm(): void;
  /** Keeps nothing ready until the next `warm`. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** What a tracer knows of a session. */
export interface TracedSession {
  readonly id: string;
  /** The program of its main process. */
  readonly image: string;
  readonly projectRoot: string;
  readonly storePath: string;
  /** CLOCK_MONOTONIC of session time 0. */
  readonly startNs: bigint;
  readonly limits: {
    readonly ringSlots: number;
    readonly ringBytes: number;
    readonly sampling: { readonly callsPerSecond: number; readonly every: number };
    readonly maxOverflowBytes: number;
    readonly secretNames: readonly string[];
  };
}

/** The program that a process runs after the traced one, within a limit; null: it has ended. */
export type NextProgram = (limitMs: number) => Promise<string | null>;

/** What a tracer tells its session. */
export interface TracerSink {
  readonly debug: DebugSink;
  /** Functions numbered by the tracer; awaited before the first record of one. Those numbered in the target come in a file beside the ring. */
  define(functions: readonly NumberedFunction[]): Promise<void>;
  /** A number that no watch of the session has had. */
  watchNumber(): number;
  /** Watches; awaited before the first sample of one. */
  defineWatches(watches: readonly WatchDefinition[]): Promise<void>;
  /** A file of records; awaited before anything is hooked. */
  ring(path: string): Promise<void>;
  /** A file of output that no supervisor reads. */
  output(path: string): Promise<void>;
  /** An exception, or what became of one that was told before. */
  exception(exception: RaisedException): Promise<void>;
  writes(batch: WrittenBatch): Promise<void>;
  /** What the tracer is doing while the program waits. */
  doing(what: string): void;
  /** A process loaded a unit, this one or any. Ends when what is wanted of it is hooked, and never rejects. */
  unitsChanged(pid?: number): Promise<void>;
  /** The watches must be applied again. */
  watchesChanged(): void;
  /** A process is no longer traced. `next`: its program is over, as it has ended or was replaced. */
  lost(pid: number, why: string, next: NextProgram | null): void;
  /** A process waits for its tracer to leave; `why`: a clause about what it does. */
  leave(pid: number, why: string): void;
  /** A whole sentence that is shown with the session. */
  note(text: string): void;
}

/** A process that is to be entered. */
export interface TraceableProcess {
  readonly pid: number;
  /** The ELF file it runs. */
  readonly image: string;
  /** It has not run yet: its only thread of its own is the main one. */
  readonly atExec: boolean;
  /** Attached to while it runs: no supervisor reads its output. */
  readonly isAttached?: boolean;
  /** Its machine code is an engine's and none of the project. */
  readonly isEngine?: boolean;
  /** A tracer comes in that needs no other. */
  readonly comesAlone?: boolean;
  /** Has it begin with these words (`name=value`) in its environment; absent: it runs already. */
  readonly environ?: (words: readonly string[]) => Promise<void>;
}

/** A tracer's part of one session. */
export interface SessionTracer<F extends Traceable = Traceable> {
  /** The launch with what lets the program be entered. */
  prepare(spec: LaunchSpec): LaunchSpec;
  /** Functions that an earlier daemon numbered keep their numbers. */
  continueFrom(functions: readonly TracedFunction[]): void;
  /** Whether it comes into a process by itself, so that its machine code is entered only where that is wanted. */
  entersAlone?(process: TraceableProcess): Promise<boolean>;
  /** Enters a process that is not entered yet. It continues untraced when this throws. */
  enter(process: TraceableProcess): Promise<Tracer<F>>;
  /** Why a condition cannot be decided in a function, as a clause; null: it can. */
  whyUndecided(when: Expression, fn: F, atReturn: boolean): string | null;
  /** Why a function cannot be hooked, where no process needs to be asked; null: one must be. Absent: always. */
  refusalOf?(fn: F): Verdict | null;
  /** Absent: this runtime has no watches. */
  readonly watches?: WatchTracer<F>;
  /** Absent: this runtime has no breakpoints. */
  readonly probes?: ProbeTracer<F>;
  /** Absent: its threads cannot be stopped. */
  readonly debugger?: DebugBackend;
  /** A breakpoint in source text of its language; `why`: it cannot be there, a whole sentence. Null: it may be another's. */
  ownBreakpoint?(request: ProbeRequest): { readonly why: string | null } | null;
  /** Tells the sink what happened up to now; false: not all of it yet, as that takes long. */
  settle?(): Promise<boolean>;
  /** Tells the last: the processes ended, or were let go. Never rejects. */
  finish?(): Promise<void>;
  /** The processes go on without the session; awaited before they are left. */
  letGo?(): Promise<void>;
  /** Its processes have been left. */
  close(): Promise<void>;
}

/** Expressions sampled at traced calls, and places watched for writes. */
export interface WatchTracer<F extends Traceable = Traceable> {
  /**
   * Finds out what each watch means now, and has these and no others sampled, in one process or in all.
   * Answers one report each, in their order; a refused one is not applied again.
   */
  apply(
    watches: readonly WantedWatch[],
    traced: TracedNow<F>,
    only?: number,
  ): Promise<readonly WatchReport[]>;
}

/** Breakpoints that record and do not stop. */
export interface ProbeTracer<F extends Traceable = Traceable> {
  /** Finds out what each means now, and has these and no others, in all processes or in one. A report each, in their order. */
  apply(
    probes: readonly WantedProbe[],
    traced: TracedNow<F>,
    only?: number,
  ): Promise<readonly ProbeReport[]>;
}

/** A watch that was read, once, where its request entered. */
export interface WantedWatch {
  readonly request: WatchRequest;
  /** Null: an address is watched. */
  readonly expression: Expression | null;
  /** The functions in which it is sampled; null: every traced one. */
  readonly on: Pattern | null;
}

/** A process whose threads a tracer's debugger may stop. */
export interface TracedProcess {
  readonly pid: number;
  /** At its start: none of its threads can stop before it runs. */
  readonly isHeld: boolean;
}

/** What is traced when watches are applied. */
export interface TracedNow<F extends Traceable = Traceable> {
  /** Functions that patterns want. */
  readonly wanted: readonly F[];
  /** Ids of those that are hooked. */
  readonly hooked: ReadonlySet<string>;
  /** Why one of them, by its id, cannot be hooked, as the end of a sentence; null: nothing is known to prevent it. */
  readonly whyRefused: (id: string) => string | null;
  /** The project's own units, loaded or not. */
  readonly own: readonly string[];
  /** The main process; null: it is gone. */
  readonly pid: number | null;
  /** It is held at its start. */
  readonly isHeld: boolean;
  /** Living processes, the main one first. */
  readonly pids: readonly number[];
  /** The wanted functions a pattern means, or all of them, with the number of pointers followed in their values. */
  functions(pattern: Pattern | null, depth: number): Promise<readonly F[]>;
}

/** Our presence inside one process. */
export interface Tracer<F extends Traceable = Traceable> {
  readonly pid: number;
  /** How many functions are hooked now. */
  readonly hooked: number;
  /** What entering it meant for the program, in whole sentences. */
  readonly notes: readonly string[];
  /** Loaded files that can hold functions. */
  units(): readonly string[];
  /**
   * Hooks these functions and no others; a verdict for each, by id. One call at a time. `rules`: for those that the
   * program makes while it runs, where there are such.
   */
  setWanted(
    wanted: readonly F[],
    policies: ReadonlyMap<string, CallPolicy>,
    rules: readonly NameRule[],
  ): Promise<ReadonlyMap<string, Verdict>>;
  /** Libraries of these names that come from now on wait for their hooks, where their loading can be held up. */
  awaitLibraries?(modules: readonly string[]): Promise<void>;
  /** What became of them, also what the process told as it ended, where it tells. */
  readonly lastVerdicts?: ReadonlyMap<string, Verdict>;
  /** Lets a process go that it holds at its exec. */
  resume?(): Promise<void>;
  /** Has the clock of its records and CLOCK_MONOTONIC written down together once more. */
  clock?(): Promise<void>;
  /** `live`: the process runs on, so its code is restored first. */
  close(live: boolean): Promise<void>;
}
