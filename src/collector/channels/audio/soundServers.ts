import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { programOn } from '../../../base/paths.ts';
import { StrobeError } from '../../../model/errors.ts';
import { DeviceList } from '../deviceList.ts';
import { SoundServer } from './soundServer.ts';

export const soundNext =
  'Debian and Ubuntu: apt-get install pulseaudio; for programs of ALSA libasound2-plugins as well.';

/** Sound servers that programs find by their environment. */
export class SoundServers extends DeviceList<SoundServer> {
  readonly what = 'sound server';
  protected readonly channel = 'audio';
  protected readonly most = 4;
  readonly #path: string;
  readonly #run: string;

  /** `path`: as PATH, `run`: where their files are made. */
  constructor({ path, run }: { readonly path: string; readonly run: string }) {
    super();
    this.#path = path;
    this.#run = run;
  }

  /** Null: it is not installed. */
  get program(): string | null {
    return programOn(this.#path, 'pulseaudio');
  }

  protected async start(): Promise<SoundServer> {
    const { program } = this;
    if (program === null)
      throw new StrobeError(
        'CHANNEL_UNAVAILABLE',
        'Channel audio needs pulseaudio, which is not installed.',
        soundNext,
      );
    await mkdir(this.#run, { recursive: true, mode: 0o700 });
    await this.#removeLeft();
    return await SoundServer.start(program, this.#run);
  }

  /** Folders of servers that an earlier daemon started and that have ended: they take their sockets away. */
  async #removeLeft(): Promise<void> {
    const own = new Set(this.all.map(({ folder }) => folder));
    for (const name of await readdir(this.#run)) {
      const folder = join(this.#run, name);
      const isLeft = name.startsWith('sound-') && !existsSync(join(folder, 'native'));
      if (isLeft && !own.has(folder)) await rm(folder, { recursive: true, force: true });
    }
  }
}
