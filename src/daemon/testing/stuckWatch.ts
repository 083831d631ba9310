import { availableParallelism, loadavg } from 'node:os';
import { monotonicMs } from '../../base/clock.ts';
import type { KnownTest, StuckHint } from '../../model/tests/testReport.ts';
import type { Tally } from '../../testing/tally.ts';
import { counted } from '../report/text/groupedNumber.ts';
import { duration } from '../report/text/timeText.ts';
import { processTree, threadWaits, type TreeProcess } from './processTree.ts';

/** Without output and result for this long a run is looked at. */
const QUIET_MS = 8000;
/** A test is slow when it takes this many times its longest passing run, and this much longer. */
const OVER_TIMES = 5;
const OVER_MS = 5000;
/** Share of one processor below which nothing goes on, and above which something spins. */
const IDLE = 0.03;
const BUSY = 0.8;

/** What is watched. */
export interface WatchedRun {
  readonly pid: number;
  readonly tally: Tally;
  /** When it wrote or told something last. */
  readonly lastSignMs: number;
  readonly known: (test: string) => KnownTest | null;
  /** All threads' stacks, by the language's own means. */
  readonly stacks: () => Promise<string | null>;
}

/** Notices runs that do not get on. Only a silent run costs more than a comparison. */
export class StuckWatch {
  readonly #run: WatchedRun;
  #before: { readonly ticks: number; readonly atMs: number } | null = null;
  #stacks: Promise<string | null> | null = null;

  constructor(run: WatchedRun) {
    this.#run = run;
  }

  /** Hints as of now; empty while all goes well. */
  async look(): Promise<StuckHint[]> {
    const slow = this.#slowTests();
    const quietMs = monotonicMs() - this.#run.lastSignMs;
    if (quietMs < QUIET_MS) {
      this.#before = null;
      this.#stacks = null;
      return slow;
    }
    const tree = processTree(this.#run.pid);
    const share = this.#processorShare(tree);
    if (share === null) return slow;
    const silent = await this.#silent(tree, { quietMs, share });
    return silent ? [silent, ...slow.filter((hint) => hint.test !== silent.test)] : slow;
  }

  /** Tests much longer at it than they ever took. */
  #slowTests(): StuckHint[] {
    const nowMs = monotonicMs();
    return [...this.#run.tally.running].flatMap(([test, { sinceMs }]) => {
      const longest = this.#run.known(test)?.maxMs ?? null;
      const forMs = nowMs - sinceMs;
      if (longest === null || forMs < longest * OVER_TIMES || forMs < longest + OVER_MS) return [];
      const usual = `it never took more than ${duration(longest * 1e6)} before`;
      return [
        {
          test,
          observed: `runs for ${duration(forMs * 1e6)}; ${usual}`,
          stacks: null,
          advice: 'Wait on, or cancel and run it alone.',
        },
      ];
    });
  }

  /** Processors used since the look before; null at the first one. */
  #processorShare(tree: readonly TreeProcess[]): number | null {
    const ticks = tree.reduce((sum, one) => sum + one.ticks, 0);
    const before = this.#before;
    const atMs = monotonicMs();
    this.#before = { ticks, atMs };
    return before ? ((ticks - before.ticks) * 10) / (atMs - before.atMs) : null;
  }

  async #silent(
    tree: readonly TreeProcess[],
    { quietMs, share }: { readonly quietMs: number; readonly share: number },
  ): Promise<StuckHint | null> {
    const isBusy = share >= BUSY * fairShare();
    if (share > IDLE && !isBusy) return null;
    const [test = null] = this.#run.tally.running.keys();
    const since = `no output and no result for ${duration(quietMs * 1e6)}`;
    const stacks = await this.#toldStacks();
    if (isBusy) {
      return {
        test,
        observed: `${since} while using ${Math.round(share * 100)} % of a processor: it computes or spins`,
        stacks,
        advice: 'Cancel it, or run the test alone with patterns to see which calls repeat.',
      };
    }
    const { text, isDeadlock } = waitsOf(tree);
    return {
      test,
      observed: `${since} and no processor time: ${isDeadlock ? 'every thread waits for a lock (a deadlock?)' : 'it waits'}${text === '' ? '' : `; ${text}`}`,
      stacks,
      advice:
        'What it waits for will not come by itself if it is a lock, its input (always empty here) or the network: cancel, or give timeoutMs.',
    };
  }

  /** Asked once in a silence, however long the answer takes: asking may disturb. */
  async #toldStacks(): Promise<string | null> {
    this.#stacks ??= this.#run.stacks().catch(() => null);
    return await this.#stacks;
  }
}

/** What a process that computes gets of one processor while the machine does other things, too. */
function fairShare(): number {
  const [load = 0] = loadavg();
  return Math.min(1, availableParallelism() / Math.max(1, load));
}

/** What the threads of the busiest processes wait for. */
function waitsOf(tree: readonly TreeProcess[]): {
  readonly text: string;
  readonly isDeadlock: boolean;
} {
  const parts: string[] = [];
  let isDeadlock = false;
  for (const { pid, name } of tree.slice(0, 8)) {
    const waits = threadWaits(pid);
    if (waits.length === 0) continue;
    const counts = new Map<string, number>();
    for (const wait of waits) counts.set(wait, (counts.get(wait) ?? 0) + 1);
    isDeadlock ||= waits.length > 1 && waits.every((wait) => wait === 'a lock or condition');
    const said = [...counts].map(([wait, count]) => `${counted(count, 'thread')}: ${wait}`);
    parts.push(`${name} (${pid}) ${said.slice(0, 4).join(', ')}`);
  }
  return { text: parts.slice(0, 4).join('; '), isDeadlock };
}
