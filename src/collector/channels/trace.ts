import { hookState } from './hookState.ts';
import type { Channel } from './channel.ts';

/** The calls that patterns of debug_trace record. */
export const trace: Channel = {
  name: 'trace',
  state(view) {
    const { patterns, hooked } = view.hooks;
    if (patterns.length > 0)
      return { kind: 'open', text: `${hooked} functions hooked by ${patterns.join(', ')}` };
    return hookState(view, 'debug_trace {"add":["Class::*"]} records calls');
  },
  output: { kind: 'recorded', view: 'events' },
};
