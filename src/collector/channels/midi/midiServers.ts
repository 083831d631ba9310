import { mkdir } from 'node:fs/promises';
import { programOn } from '../../../base/paths.ts';
import { StrobeError } from '../../../model/errors.ts';
import { DeviceList } from '../deviceList.ts';
import { MidiServer } from './midiServer.ts';

export const jackNext = 'Debian and Ubuntu: apt-get install jackd2.';

/** JACK servers that programs find by their environment. */
export class MidiServers extends DeviceList<MidiServer> {
  readonly what = 'MIDI server';
  protected readonly channel = 'midi';
  protected readonly most = 4;
  readonly #paths: { readonly path: string; readonly run: string; readonly midi: string };

  /** `path`: as PATH, `run`: where their files are made, `midi`: of native/midi. */
  constructor(paths: { readonly path: string; readonly run: string; readonly midi: string }) {
    super();
    this.#paths = paths;
  }

  /** Null: it is not installed. */
  get program(): string | null {
    return programOn(this.#paths.path, 'jackd');
  }

  protected async start(): Promise<MidiServer> {
    const { program } = this;
    if (program === null)
      throw new StrobeError(
        'CHANNEL_UNAVAILABLE',
        'Channel midi needs jackd, which is not installed.',
        jackNext,
      );
    await mkdir(this.#paths.run, { recursive: true, mode: 0o700 });
    return await MidiServer.start({ jackd: program, client: this.#paths.midi }, this.#paths.run);
  }
}
