/**
 * What a stage is made of. `folders`: besides those of the PATH. `isNeeded`: there is no stage without it. The session
 * bus starts the accessibility bus itself.
 */
export const stagePrograms = [
  { name: 'Xvfb', debian: 'xvfb', folders: [], isNeeded: true },
  { name: 'dbus-daemon', debian: 'dbus', folders: [], isNeeded: true },
  {
    name: 'at-spi-bus-launcher',
    debian: 'at-spi2-core',
    folders: ['/usr/libexec', '/usr/lib/at-spi2-core', '/usr/lib'],
    isNeeded: true,
  },
  { name: 'openbox', debian: 'openbox', folders: [], isNeeded: false },
] as const;
