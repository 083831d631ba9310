import type { SessionView } from '../../model/session.ts';
import type { ChannelState } from './channel.ts';

/** The state of a channel that needs hooks in the program. */
export function hookState({ tracing, state }: SessionView, text: string): ChannelState {
  if (tracing.kind === 'unavailable')
    return { kind: 'unavailable', text: tracing.message, next: tracing.hint };
  if (state.kind === 'running' || state.kind === 'starting') return { kind: 'available', text };
  return {
    kind: 'unavailable',
    text: 'the program does not run, and its calls were not recorded',
    next: 'Launch it again with "patterns": ["@net", "@file"].',
  };
}
