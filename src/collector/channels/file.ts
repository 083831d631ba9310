import { hookState } from './hookState.ts';
import type { Channel } from './channel.ts';

const pattern = '@file';

/** Files that the program opens, reads, writes, renames and removes. */
export const file: Channel = {
  name: 'file',
  state(view) {
    if (view.hooks.patterns.includes(pattern))
      return { kind: 'open', text: `${pattern} is hooked` };
    return hookState(
      view,
      'files the program opens, reads, writes, renames and removes; not seen: mmap, io_uring, changes by other programs, also by those of the system that a script starts (sed, cp)',
    );
  },
  output: { kind: 'calls', channel: 'file', pattern },
};
