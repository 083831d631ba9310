import type { Readable, Writable } from 'node:stream';
import type { Value } from '../../../model/questions/query.ts';

/** An adapter that runs. */
export interface StartedAdapter extends AsyncDisposable {
  readonly input: Readable;
  readonly output: Writable;
  readonly ended: Promise<unknown>;
  /** What it wrote beside the protocol, as much of its end as says why it does not work. */
  readonly said: () => string;
}

/** What an adapter understands beside the protocol. */
export interface AdapterConsole {
  /** A line of its console, as `evaluate` takes it. */
  line(text: string): string;
  /** Whether a line lets the program run, or lets go of it. */
  moves(text: string): boolean;
}

/** A debugger of others that speaks the Debug Adapter Protocol. */
export interface DebugAdapter {
  /** As people call it. */
  readonly name: string;
  /** What to do where it does not work, a whole sentence. */
  readonly cure: string;
  /** What its threads are: `goroutine`; null: threads of the kernel. */
  readonly strand: string | null;
  /** Starts it. Throws CANNOT_DEBUG. */
  start(): Promise<StartedAdapter>;
  /** Arguments of `attach`. */
  attachTo(pid: number): Readonly<Record<string, unknown>>;
  /** Whether what it said as it could not attach passes by itself. */
  isPassing(why: string): boolean;
  /** Its breakpoints are at lines of source text, and code of its own in the program stops threads; else at addresses, and the kernel does. */
  readonly inSource: boolean;
  /** A step that a hit of another strand interrupts continues as the program does; else it ends there. */
  readonly keepsSteps: boolean;
  /** Requests before the program may run on. */
  readonly configuration: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
  /** An event by which it says that a program is to connect to it; `come` has the program do that. Null: it comes by itself. */
  readonly awaits: {
    readonly event: string;
    come(pid: number, told: unknown): Promise<void>;
  } | null;
  /** Of one with breakpoints in source text: an expression whose text has the types of what is raised, parted by blanks. */
  readonly typesRaised: string;
  /** Reads a text of its language that is a value; null: as C writes it. */
  plain?(told: { readonly value: string; readonly type?: string | undefined }): Value | null;
  /** An expression that says of a frame which it is, as a number that stays as long as its call lasts; null: the adapter's number does. */
  readonly frameNumber: string | null;
  /** Whether a file of source is none of the program's own. */
  isLibrary(file: string): boolean;
  /** Null: it has none. */
  readonly console: AdapterConsole | null;
  /**
   * A line of its console that tells the kernel's number (`LWP 4711`) of each of its threads, and of one that came to a line of source
   * since this was asked last, that it `came`; null: its own are the kernel's.
   */
  readonly threadsBy: string | null;
  /**
   * Of strands that come to breakpoints at one moment it reports one, and has the others step over theirs: this is how the name of a
   * strand tells the kernel's number of its thread. Null: it reports all, or tells which came.
   */
  readonly threadInName: RegExp | null;
  /** What the program is exposed to while it is attached; whole sentences. */
  readonly notes: readonly string[];
}
