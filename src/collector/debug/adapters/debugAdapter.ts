import type { Readable, Writable } from 'node:stream';

/** An adapter that runs. */
export interface StartedAdapter extends AsyncDisposable {
  readonly input: Readable;
  readonly output: Writable;
  readonly ended: Promise<unknown>;
}

/** A debugger of others that speaks the Debug Adapter Protocol. */
export interface DebugAdapter {
  /** As people call it. */
  readonly name: string;
  /** What its threads are: `goroutine`. */
  readonly strand: string;
  /** Starts it. Throws CANNOT_DEBUG. */
  start(): Promise<StartedAdapter>;
  /** Arguments of `attach`. */
  attachTo(pid: number): Readonly<Record<string, unknown>>;
  /** Whether what it said as it could not attach passes by itself. */
  isPassing(why: string): boolean;
  /** An expression that says of a frame which it is, as a number that stays as long as its call lasts. */
  readonly frameNumber: string;
  /** Whether a file of source is none of the program's own. */
  isLibrary(file: string): boolean;
  /** What the program is exposed to while it is attached; whole sentences. */
  readonly notes: readonly string[];
}
