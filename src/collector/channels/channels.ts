import type { InstallPaths } from '../../base/installPaths.ts';
import { nearest } from '../../base/nearest.ts';
import { channelNames, type ChannelName } from '../../model/channels/channelNames.ts';
import { StrobeError } from '../../model/errors.ts';
import { audio } from './audio/audio.ts';
import type { Channel } from './channel.ts';
import { clipboard } from './clipboard.ts';
import { dbus } from './dbus/dbus.ts';
import { file } from './file.ts';
import { midi } from './midi/midi.ts';
import { net } from './net.ts';
import { page } from './page.ts';
import { serial } from './serial/serial.ts';
import { stdio } from './stdio.ts';
import { trace } from './trace.ts';
import { ui } from './ui.ts';

/** `path`: where programs are looked for, `run`: for the files of what we start. */
type Paths = Pick<InstallPaths, 'serial' | 'midi'> & {
  readonly path: string;
  readonly run: string;
};

const rowsOf = (paths: Paths): { readonly [Name in ChannelName]: Channel } => ({
  stdio: stdio,
  trace: trace,
  net: net,
  file: file,
  ui: ui,
  page: page,
  serial: serial(paths.serial),
  audio: audio(paths),
  midi: midi(paths),
  clipboard: clipboard(),
  dbus: dbus(),
});

/** Every channel. */
export class ChannelList {
  readonly all: readonly Channel[];

  /** `more`: those of a test. */
  constructor(paths: Paths, more: readonly Channel[] = []) {
    const rows = rowsOf(paths);
    this.all = [...channelNames.map((name) => rows[name]), ...more];
  }

  /** Throws BAD_PARAMETER with the nearest name. */
  called(name: string): Channel {
    const channel = this.all.find((one) => one.name === name);
    if (channel !== undefined) return channel;
    const names = this.all.map((one) => one.name);
    const [close] = nearest(name, names);
    const question = close === undefined ? '' : ` Did you mean "${close}"?`;
    throw new StrobeError(
      'BAD_PARAMETER',
      `There is no channel "${name}".${question}`,
      `Use one of: ${names.join(', ')}.`,
    );
  }
}
