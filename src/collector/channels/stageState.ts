import type { SessionView } from '../../model/session.ts';
import type { ChannelState } from './channel.ts';

/** The state of a channel that needs the display of the program; `text`: what it does once it is open. */
export function stageState({ shows, state }: SessionView, text: string): ChannelState {
  if (shows === undefined)
    return {
      kind: 'unavailable',
      text: 'the program has no display of its own',
      next: 'Launch it with debug_launch and "ui": true (Debian and Ubuntu: apt-get install xvfb dbus at-spi2-core).',
    };
  if (state.kind === 'running' || state.kind === 'starting') return { kind: 'available', text };
  return {
    kind: 'unavailable',
    text: 'the program does not run, and its display has ended',
    next: 'Launch it again with debug_launch and "ui": true, and open the channel while it runs.',
  };
}
