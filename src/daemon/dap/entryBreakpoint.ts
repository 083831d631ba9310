import type { AskedObject } from '../tools/askedBreakpoint.ts';

export const entryLabel = 'entry';

/** Where a program stops whose editor wants it to stop on entry. */
export const entryBreakpoint: AskedObject = {
  function: 'main',
  label: entryLabel,
  once: true,
  stop: 'thread',
};
