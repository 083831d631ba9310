import { existsSync } from 'node:fs';
import type { Channel } from './channel.ts';

/** The sequencer of ALSA, by which programs find each other's MIDI ports. */
const sequencer = '/dev/snd/seq';

/** This version lacks it: says what the machine has, and what serves instead. */
export function midi(): Channel {
  return {
    name: 'midi',
    state: () => ({
      kind: 'unavailable',
      text: `not in this version; this machine has ${existsSync(sequencer) ? 'a' : 'no'} sequencer of ALSA (${sequencer})`,
      next: 'What a synthesizer plays is heard, with its notes, by channel audio: debug_channel {"action":"open","channel":"audio"}.',
    }),
  };
}
