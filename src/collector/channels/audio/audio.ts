import type { Channel } from '../channel.ts';
import { SoundServers, soundNext } from './soundServers.ts';

/** What programs play, on sound servers that play into nothing: pitch, level, silence, clipping. */
export function audio(paths: { readonly path: string; readonly run: string }): Channel {
  const servers = new SoundServers(paths);
  return {
    name: 'audio',
    devices: servers,
    state() {
      if (servers.all.length > 0)
        return { kind: 'open', text: servers.all.map(({ text }) => text).join('; ') };
      return servers.program === null
        ? { kind: 'unavailable', text: 'pulseaudio is not installed', next: soundNext }
        : {
            kind: 'available',
            text: 'open starts a sound server without loudspeakers for programs of PulseAudio and ALSA; not for JACK',
          };
    },
    output: servers.output,
  };
}
