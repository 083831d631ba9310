import type { ErrorKind } from '../model/errors.ts';

/** Exit status of a command that was refused, by who has to act. 1: the command line itself failed. */
export const exitStatus = {
  caller: 2,
  state: 3,
  target: 4,
  environment: 5,
  bug: 70,
} as const satisfies Record<ErrorKind, number>;
