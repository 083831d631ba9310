import { constants } from 'node:os';

/** Of two names of one number the first is the usual one: EAGAIN, not EWOULDBLOCK. */
const names = new Map(
  Object.entries(constants.errno)
    .toReversed()
    .map(([name, number]) => [number, name]),
);

/** `ECONNREFUSED`; a number that this system has no name for as it is. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? `errno ${errno}`;
}
