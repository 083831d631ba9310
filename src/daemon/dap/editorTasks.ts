import type { DebugProtocol } from '@vscode/debugprotocol';
import type { StopView } from '../../model/debug/stop.ts';
import { StrobeError } from '../../model/errors.ts';
import type { TaskLook } from '../../model/endings/runtimeStacks.ts';
import { counted } from '../report/text/groupedNumber.ts';
import type { SessionStops } from '../stops/sessionStops.ts';
import type { WholeStack } from '../stops/stoppedTasks.ts';

/** Numbers from here on are no thread's (the kernel's end at 2 ** 22). */
const firstNumber = 1_000_000_000;
const mostListed = 100;
/** An editor asks again for each that it learns stands still. */
const mostTold = 16;
const nameShown = 120;

/** Tasks of event loops, which an editor shows among the threads of a program that stands. */
export class EditorTasks {
  readonly #stops: () => SessionStops;

  /** `stops` throws NO_SESSION. */
  constructor(stops: () => SessionStops) {
    this.#stops = stops;
  }

  /** The task of this number; null: it is a thread's. Throws NOT_STOPPED for the row that stands for those left out. */
  idOf(number: number): string | null {
    if (number < firstNumber) return null;
    if (number > firstNumber) return `task${number - firstNumber}`;
    throw new StrobeError(
      'NOT_STOPPED',
      'These are the tasks that are not listed.',
      'strobe threads lists more of them; strobe bt --thread task3 shows the stack of any.',
    );
  }

  /** Those that are suspended, with a row for all that are left out. */
  rows(): DebugProtocol.Thread[] {
    return [...this.#processes().keys()].flatMap((pid) => {
      const { looks, more } = this.#stops().tasks.page(pid, 0, mostListed);
      const rows = looks.flatMap((look) => rowOf(look) ?? []);
      return more === 0
        ? rows
        : [...rows, { id: firstNumber, name: `… ${counted(more, 'more task')}` }];
    });
  }

  /** Numbers of those that stand still with a stop, as their loop's thread does: the first ones. */
  told(stop: StopView): readonly number[] {
    const { looks } = this.#stops().tasks.page(stop.thread.pid, 0, mostTold);
    return looks.flatMap((look) => rowOf(look)?.id ?? []);
  }

  /** Throws NOT_STOPPED. */
  async stack(id: string): Promise<{ readonly stop: StopView; readonly stack: WholeStack }> {
    const stop = this.#stopOf(id);
    return { stop, stack: await this.#stops().tasks.stack(stop, id) };
  }

  /** The stop of the thread on which a task has its turn. Throws NOT_STOPPED: it is suspended. */
  moved(id: string): StopView {
    const stop = this.#stopOf(id);
    this.#stops().tasks.threadOf(stop, id);
    return stop;
  }

  /** A stop of its process: of the thread that runs it, if one of them is. */
  #stopOf(id: string): StopView {
    const { tasks } = this.#stops();
    const found = [...this.#processes()].find(([pid]) => tasks.has(pid, id));
    if (!found)
      throw new StrobeError(
        'NOT_STOPPED',
        `${id} has ended, or no thread of its process stands.`,
        'Ask for the threads again.',
      );
    const [, stops] = found;
    const [first] = stops;
    if (!first) throw new StrobeError('NOT_STOPPED', 'No thread is stopped.');
    return stops.find((stop) => tasks.runsOn(stop, id)) ?? first;
  }

  #processes(): ReadonlyMap<number, readonly StopView[]> {
    const byPid = new Map<number, StopView[]>();
    for (const stop of this.#stops().held) {
      const { pid } = stop.thread;
      byPid.set(pid, [...(byPid.get(pid) ?? []), stop]);
    }
    return byPid;
  }
}

/** Null: it has its turn on a thread, whose row shows it. */
function rowOf({ id, name, runs, waitsFor, tid }: TaskLook): DebugProtocol.Thread | null {
  if (id === undefined || tid !== undefined) return null;
  const what = runs === undefined ? '' : `: ${runs}`;
  const text = `${id} ${name}${what} waits for ${waitsFor ?? 'its turn'}`;
  return {
    id: firstNumber + Number(id.slice('task'.length)),
    name: text.length > nameShown ? `${text.slice(0, nameShown)}…` : text,
  };
}
