import type { Channel } from './channel.ts';

/** What the program shows: scenarios look at it and act on it, as debug_ui does. */
export const ui: Channel = {
  name: 'ui',
  state: ({ shows, state }) => {
    const isShown = shows !== undefined && (state.kind === 'running' || state.kind === 'starting');
    return isShown
      ? { kind: 'open', text: `debug_ui and scenarios read and use its ${shows}` }
      : {
          kind: 'unavailable',
          text:
            shows === undefined
              ? 'the program has no display of its own'
              : 'the program does not run',
          next: 'Launch it with debug_launch and "ui": true.',
        };
  },
};
