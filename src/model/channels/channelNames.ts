/** Ways in and out of a program, in the order in which they are listed. */
export const channelNames = [
  'stdio',
  'trace',
  'net',
  'file',
  'ui',
  'page',
  'serial',
  'audio',
  'midi',
  'clipboard',
  'dbus',
] as const;

export type ChannelName = (typeof channelNames)[number];
