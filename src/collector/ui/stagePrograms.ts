/** What a stage is made of. `folders`: besides those of the PATH. The session bus starts the last one itself. */
export const stagePrograms = [
  { name: 'Xvfb', debian: 'xvfb', folders: [], isStarted: true },
  { name: 'dbus-daemon', debian: 'dbus', folders: [], isStarted: true },
  {
    name: 'at-spi-bus-launcher',
    debian: 'at-spi2-core',
    isStarted: false,
    folders: ['/usr/libexec', '/usr/lib/at-spi2-core', '/usr/lib'],
  },
] as const;
