import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all garbage of this thread now, and gives back what is free: left alone, it is kept until there is need. */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
}
