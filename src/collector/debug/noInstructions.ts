import { StrobeError } from '../../model/errors.ts';

/** A step by an instruction where there are none. `who`: the language, or the debugger that cannot. */
export function noInstructionSteps(who: string): StrobeError {
  return new StrobeError(
    'BAD_PARAMETER',
    `${who} does not step by machine instructions. In machine code Strobe's own stopper, gdb, lldb and Delve do.`,
    'Step a line: debug_continue {"action":"over"}.',
  );
}

/** Instructions that are to be shown where there are none. */
export function noInstructions(who: string): StrobeError {
  return new StrobeError(
    'BAD_PARAMETER',
    `${who} has no machine instructions.`,
    'Its source and stack: debug_inspect {"view":"stack"}.',
  );
}
