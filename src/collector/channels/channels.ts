import { channelNames, type ChannelName } from '../../model/channels/channelNames.ts';
import type { Channel } from './channel.ts';
import { file } from './file.ts';
import { net } from './net.ts';
import { notYet } from './notYet.ts';
import { stdio } from './stdio.ts';
import { trace } from './trace.ts';

/** Every channel. */
const rows: { readonly [Name in ChannelName]: Channel } = {
  stdio: stdio,
  trace: trace,
  net: net,
  file: file,
  ui: notYet(
    'ui',
    'debug_ui shows and uses the windows of a program that was launched with "ui": true.',
  ),
  page: notYet('page', 'Trace the server instead: channel net.'),
  serial: notYet('serial', 'A pty pair made by socat serves: pass its path to the program.'),
  audio: notYet('audio', null),
  midi: notYet('midi', null),
  clipboard: notYet('clipboard', null),
  dbus: notYet('dbus', 'Its messages are binary data on a unix: connection of channel net.'),
};

export const channels: readonly Channel[] = channelNames.map((name) => rows[name]);

export function channelOf(name: ChannelName): Channel {
  return rows[name];
}
