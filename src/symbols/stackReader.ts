import type { RuntimeStacks } from '../model/endings/runtimeStacks.ts';
import type { Mapping } from '../model/endings/snapshot.ts';

/** Memory of another process, which may run on while it is read. */
export interface ForeignMemory {
  /** As many bytes as can be read from there on. */
  read(address: number, length: number): Buffer;
}

/** A process whose stacks are read. */
export interface ReadProcess {
  /** The ELF file it runs. */
  readonly image: string;
  readonly projectRoot: string;
  readonly mappings: readonly Mapping[];
  readonly memory: ForeignMemory;
  /** Its threads, with the address of the futex that each waits for; null: it waits for none. */
  readonly threads: readonly { readonly tid: number; readonly futex: number | null }[];
  readonly tasks: TasksAsked;
}

/** Which tasks are described, in the order of all. `awaited`: whose waiters are sought, by its address or the thread it runs on. */
export interface TasksAsked {
  readonly from: number;
  readonly most: number;
  readonly awaited: { readonly address: number } | { readonly tid: number } | null;
}

/** Reads the stacks of one runtime from memory; runs nothing in the process. Null: it is no process of this runtime. Never throws. */
export type StackReader = (process: ReadProcess) => RuntimeStacks | null;
