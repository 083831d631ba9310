import { StrobeError } from '../../../model/errors.ts';
import type { Channel } from '../channel.ts';
import { messagesIn } from './midiWords.ts';
import { jackNext, MidiServers } from './midiServers.ts';

/** What programs of JACK play and are played: notes, controllers, system messages. */
export function midi(paths: {
  readonly path: string;
  readonly run: string;
  readonly midi: string;
}): Channel {
  const servers = new MidiServers(paths);
  return {
    name: 'midi',
    devices: servers,
    state() {
      if (servers.all.length > 0)
        return { kind: 'open', text: servers.all.map(({ text }) => text).join('; ') };
      return servers.program === null
        ? { kind: 'unavailable', text: 'jackd is not installed', next: jackNext }
        : {
            kind: 'available',
            text: 'open starts a JACK server without sound hardware for programs of JACK; not for ALSA’s sequencer',
          };
    },
    input: {
      takesAddress: true,
      async send({ bytes, to }) {
        const messages = messagesIn(Buffer.from(bytes));
        const server = servers.at(to);
        if (server.connected.length === 0)
          throw new StrobeError(
            'CHANNEL_UNAVAILABLE',
            `No program has a MIDI port on ${server.address} yet.`,
            `debug_launch {"command":"PROGRAM","env":${JSON.stringify(server.environment)}} starts one that finds it; it has to use JACK for MIDI.`,
          );
        await server.send(messages);
        return { text: `sent to ${server.connected.join(', ')}`, reply: null };
      },
    },
    output: servers.output,
  };
}
