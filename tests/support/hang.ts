import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { buildTarget } from './targets.ts';

/** Threads of a process with this name. */
export function threadsOf(pid: number, name: string): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .map(Number)
    .filter((tid) => readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trim() === name);
}

/** Holds threads still, as if they hung, until `release`. */
export async function holdThreads(tids: readonly number[]): Promise<{ release(): Promise<void> }> {
  const program = buildTarget('e2e/holdThread.c');
  const holders = await Promise.all(
    tids.map(async (tid) => {
      const holder = spawn(program, [String(tid)], { stdio: ['pipe', 'pipe', 'inherit'] });
      await once(holder.stdout, 'data');
      return holder;
    }),
  );
  return {
    async release() {
      await Promise.all(
        holders.map(async (holder) => {
          const ended = once(holder, 'exit');
          holder.stdin.end();
          if (holder.exitCode === null) await ended;
        }),
      );
    },
  };
}
