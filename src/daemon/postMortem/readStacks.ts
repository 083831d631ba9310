import { ProcessMemory } from '../../collector/look/processMemory.ts';
import type { RuntimeStacks } from '../../model/endings/runtimeStacks.ts';
import type { Mapping } from '../../model/endings/snapshot.ts';
import type { StackReader, TasksAsked } from '../../symbols/stackReader.ts';
import type { StackFacts } from './explainSnapshot.ts';

/** A process as its runtimes are looked for. */
interface LookedAt {
  readonly pid: number;
  readonly mappings: readonly Mapping[];
  /** With the futex that each waits for. */
  readonly threads: readonly { readonly tid: number; readonly futex: number | null }[];
}

/** What runtimes know of their threads and tasks at one moment. */
export function runtimeStacks(
  { pid, mappings, threads }: LookedAt,
  { image, projectRoot }: Pick<StackFacts, 'image' | 'projectRoot'>,
  readers: readonly StackReader[],
  tasks: TasksAsked,
): readonly RuntimeStacks[] {
  using memory = new ProcessMemory(pid);
  return readers.flatMap(
    (read) => read({ image, projectRoot, mappings, memory, threads, tasks }) ?? [],
  );
}
