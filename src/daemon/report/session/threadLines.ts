import type { StackFrame } from '../../../model/endings/crashReport.ts';
import type { TaskLook } from '../../../model/endings/runtimeStacks.ts';
import type { ProcessLook, ThreadLook } from '../../../model/endings/threadLook.ts';
import { escaped } from '../../../base/visible.ts';
import { shortened } from '../answers/clip.ts';
import { counted } from '../text/groupedNumber.ts';
import { place } from '../text/placeText.ts';
import { duration } from '../text/timeText.ts';

const waitShown = 160;
const functionsShown = 3;

/** What the threads do, those that run first; a deadlock before all. */
export function lookLines(look: ProcessLook | null, projectRoot: string, most: number): string[] {
  if (look === null || look.threads.length + look.tasks.length === 0) return [];
  const threads = ordered(look);
  const lines = threads.slice(0, most).map((thread) => `  ${threadText(thread, projectRoot)}`);
  const rest = threads.length - lines.length;
  const tasks = taskLines(look, projectRoot, most);
  // Threads of Go's runtime stand for none of the program's work.
  const isOfGo = look.tasks[0]?.kind === 'goroutine';
  return [
    ...deadlockLines(look),
    ...(isOfGo ? tasks : []),
    ...(lines.length > 0 ? ['threads now, newest call first:', ...lines] : []),
    ...(rest > 0 ? [`  … ${counted(rest, 'more thread')}`] : []),
    ...(isOfGo ? [] : tasks),
    ...look.problems.map((problem) => `! ${problem}`),
  ];
}

function taskLines(look: ProcessLook, projectRoot: string, most: number): string[] {
  const { tasks, moreTasks, endedTasks } = look;
  const isOfGo = tasks[0]?.kind === 'goroutine';
  const word = isOfGo ? 'goroutine' : 'task';
  const shown = tasks.slice(0, most).map((task) => `  ${taskText(task, word, projectRoot)}`);
  const rest = tasks.length - shown.length + moreTasks;
  return [
    ...(shown.length > 0 ? [`${word}s now, newest call first:`, ...shown] : []),
    ...(rest > 0
      ? [
          `  … ${counted(rest, isOfGo ? 'more place of goroutines' : 'more task', isOfGo ? 'more places of goroutines' : undefined)}`,
        ]
      : []),
    ...(endedTasks > 0 ? [`  ${counted(endedTasks, 'task')} done, not collected`] : []),
  ];
}

function taskText(
  { id, name, runs, waitsFor, tid, frames }: TaskLook,
  word: string,
  projectRoot: string,
): string {
  const on = tid === undefined ? '' : ` on thread ${tid}`;
  const state = waitsFor === null ? `runs${on}` : `waits for ${shortened(waitsFor, waitShown)}`;
  const isSeen = runs === undefined || frames.at(-1)?.function === runs;
  const stack = stackText(frames, projectRoot);
  return [
    `${id ?? word} ${escaped(name)}`,
    ...(isSeen ? [] : [`(${escaped(runs)})`]),
    `${escaped(state)}${stack === '' ? '' : `: ${stack}`}`,
  ].join(' ');
}

/** The same for the structured form; empty where there are none. */
export function taskTwins(look: ProcessLook | null, most: number): object {
  if (look === null || look.tasks.length === 0) return {};
  const tasks = look.tasks.slice(0, most);
  return {
    tasks: tasks.map(({ id, name, runs, waitsFor, tid, frames: [frame] }) => ({
      ...(id === undefined ? {} : { task: id }),
      name,
      ...(runs === undefined ? {} : { runs }),
      ...(tid === undefined ? {} : { thread: tid }),
      state: waitsFor === null ? 'runs' : 'waits',
      ...(waitsFor === null ? {} : { waitsFor: shortened(waitsFor, waitShown) }),
      place: frame?.file == null ? '' : `${frame.file}:${frame.line ?? '?'}`,
    })),
    tasksLeftOut: look.tasks.length - tasks.length + look.moreTasks,
  };
}

function deadlockLines({ deadlock, threads, circle }: ProcessLook): string[] {
  if (circle !== null) {
    const way = [...circle, circle[0]].map((number) => `goroutine ${number ?? '?'}`);
    return [
      `! DEADLOCK, likely: ${way.join(' waits for ')} (each for a lock or channel to which the stack of the next refers)`,
    ];
  }
  if (deadlock === null) return [];
  const nameOf = (tid: number | undefined): string =>
    `${escaped(threads.find((thread) => thread.tid === tid)?.name ?? '')} (${tid ?? '?'})`;
  const way = [...deadlock, deadlock[0]].map(nameOf).join(' waits for ');
  return [`! DEADLOCK: ${way}`];
}

function ordered({ threads, deadlock }: ProcessLook): ThreadLook[] {
  const rank = (thread: ThreadLook): number =>
    deadlock?.includes(thread.tid) === true ? 0 : thread.isRunning ? 1 : 2;
  return threads.toSorted((a, b) => rank(a) - rank(b) || b.cpuMs - a.cpuMs);
}

function threadText(thread: ThreadLook, projectRoot: string): string {
  const what = doing(thread);
  const cpu =
    (thread.cpuMs > 0 ? `, ${duration(thread.cpuMs * 1e6)} of CPU` : '') + samplesText(thread);
  const stack = stackText(thread.frames, projectRoot);
  return `thread ${escaped(thread.name)} (${thread.tid}) ${escaped(what)}${cpu}${stack === '' ? '' : `: ${stack}`}`;
}

function stackText(frames: readonly StackFrame[], projectRoot: string): string {
  return frames
    .map((frame) => {
      const where = place(frame.file, frame.line, projectRoot);
      return `${escaped(frame.function ?? '')}${where === '' ? '' : ` ${where}`}`;
    })
    .join(' ← ');
}

function doing({ heldBy, isRunning, waitsFor }: ThreadLook): string {
  if (heldBy !== null) return `is held by ${heldBy}`;
  if (isRunning) return 'runs';
  return `waits for ${shortened(waitsFor ?? 'something unknown', waitShown)}`;
}

/** `, 18 of 20 samples in spin`. */
function samplesText({ samples }: ThreadLook): string {
  const all = samples.reduce((sum, { times }) => sum + times, 0);
  const parts = samples
    .slice(0, functionsShown)
    .map(
      ({ function: name, times }) => `${times} of ${counted(all, 'sample')} in ${escaped(name)}`,
    );
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

/** The same for the structured form; empty when the process does not run. */
export function lookTwin(
  look: ProcessLook | null,
  projectRoot: string,
  most: number,
): { readonly now?: object } {
  if (look === null || look.threads.length === 0) return {};
  return {
    now: {
      deadlock: look.deadlock,
      ...(look.circle === null ? {} : { goroutineCircle: look.circle }),
      threads: ordered(look)
        .slice(0, most)
        .map((thread) => ({
          tid: thread.tid,
          name: thread.name,
          state: stateOf(thread),
          ...(thread.heldBy === null ? {} : { heldBy: thread.heldBy }),
          ...(thread.waitsFor === null ? {} : { waitsFor: shortened(thread.waitsFor, waitShown) }),
          cpuMs: thread.cpuMs,
          ...(thread.samples.length === 0 ? {} : { samples: thread.samples }),
          stack: stackTwin(thread.frames, projectRoot),
        })),
      ...(look.tasks.length === 0
        ? {}
        : {
            tasks: look.tasks.slice(0, most).map(({ name, waitsFor, frames }) => ({
              name,
              ...(waitsFor === null ? {} : { waitsFor: shortened(waitsFor, waitShown) }),
              stack: stackTwin(frames, projectRoot),
            })),
          }),
    },
  };
}

function stackTwin(frames: readonly StackFrame[], projectRoot: string): string[] {
  return frames.map(
    (frame) => `${frame.function ?? ''} ${place(frame.file, frame.line, projectRoot)}`,
  );
}

function stateOf({ heldBy, isRunning }: ThreadLook): string {
  if (heldBy !== null) return 'held';
  return isRunning ? 'running' : 'waiting';
}
