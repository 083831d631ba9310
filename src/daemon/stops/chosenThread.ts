import type { StoppedThread } from '../../model/debug/stop.ts';

/** Of the threads that were paused, the one that says most: the main one where it runs the program's own code. */
export function chosenThread(
  threads: readonly StoppedThread[],
  pid: number,
): StoppedThread | undefined {
  const isOwn = ({ frames }: StoppedThread): boolean => frames.some((frame) => frame.isOwn);
  return (
    threads.find((thread) => thread.tid === pid && isOwn(thread)) ??
    threads.find((thread) => thread.frames[0]?.isOwn === true) ??
    threads.find(isOwn) ??
    threads.find((thread) => thread.tid === pid) ??
    threads[0]
  );
}
