import { StrobeError } from '../../model/errors.ts';

/** Why nothing of ours comes into a program that another debugger holds. */
export function heldByAdapter(name: string): StrobeError {
  return new StrobeError(
    'ALREADY_OBSERVED',
    `${name} holds the program: nothing is traced or recorded in it meanwhile.`,
    'Have it leave: debug_breakpoint {"remove":["all"]}, then debug_continue {"action":"continue"} where it is stopped.',
  );
}

/** Why who stops threads cannot change now. */
export function keptByStops(): StrobeError {
  return new StrobeError(
    'BAD_PARAMETER',
    'Who stops threads changes only while all of them run.',
    'debug_continue {"action":"continue"} lets them run; then repeat this.',
  );
}
