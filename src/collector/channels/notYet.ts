import type { ChannelName } from '../../model/channels/channelNames.ts';
import type { Channel } from './channel.ts';

/** A channel that this version lacks, with what serves instead. */
export function notYet(name: ChannelName, next: string | null): Channel {
  return { name, state: () => ({ kind: 'unavailable', text: 'not in this version', next }) };
}
