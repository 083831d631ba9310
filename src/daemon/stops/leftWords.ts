import type { LeftWhy } from '../../collector/debug/debugger.ts';

/** How stops were left that no client let go, as a clause. */
export const leftHow = {
  killed: 'the process that held it was killed',
  abandoned: 'the debugger that held it was killed',
  freed: 'the debugger that held it was killed',
  executed: 'another program runs',
  ended: 'the program has ended',
} as const satisfies Record<LeftWhy, string>;

/** The same as a note of the session; null: none is needed. */
export const leftNotes = {
  abandoned:
    'The debugger that held the program was killed. Its breakpoints are left in the code: the program ends, or will at its next hit. Launch it again.',
  freed:
    'The debugger that held the program was killed: the program ran on, and its breakpoints are set again. Hits in between are missed.',
  killed:
    'The process that stops threads was killed: all ran on, and breakpoints are set again. Hits of stops and traps in between are missed; children that were forked before have none any more.',
  executed: 'The process runs another program: set breakpoints that stop again.',
  ended: null,
} as const satisfies Record<LeftWhy, string | null>;
