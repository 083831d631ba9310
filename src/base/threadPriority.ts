import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Sets the niceness of the thread that calls, and of no other: on Linux it belongs to a thread. What may
 * not be done (becoming less nice takes a privilege) and what is not Linux is left as it is; returns
 * whether it was done.
 */
export function setThreadNiceness(nice: number): boolean {
  try {
    const [, tid] = /task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (tid === undefined) return false;
    setPriority(Number(tid), nice);
    return true;
  } catch {
    return false;
  }
}
