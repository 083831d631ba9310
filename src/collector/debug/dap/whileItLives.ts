import { pause } from '../../../base/deadline.ts';
import { hasEnded } from '../../../base/proc.ts';
import { DapError } from './dapLink.ts';

const lookMs = 50;

/** What an adapter does in a program, which it waits for also where that has ended. Throws DapError when it ends. */
export async function whileItLives<T>(pid: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const untilItEnds = async (): Promise<never> => {
    while (!done.signal.aborted && !hasEnded(pid)) await pause(lookMs, done.signal);
    throw new DapError('the program has ended');
  };
  try {
    return await Promise.race([work, untilItEnds()]);
  } finally {
    done.abort();
  }
}
