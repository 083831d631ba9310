import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { stage } from '../../../src/client/doctor/surroundings.ts';
import { testFolder } from '../../support/folder.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('[cli.doctor] what programs with windows need is named, with the package of what is missing', () => {
  const folder = testFolder();
  vi.stubEnv('PATH', folder);
  const none = stage();
  expect(none.state).toBe('warning');
  expect(none.detail).toMatch(/no Xvfb, dbus-daemon.*apt-get install xvfb dbus/);
  for (const name of ['Xvfb', 'dbus-daemon', 'at-spi-bus-launcher']) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), 0o755);
  }
  const unmanaged = stage();
  expect(unmanaged.state).toBe('warning');
  expect(unmanaged.detail).toMatch(/not managed: .*: no openbox .*apt-get install openbox/);
  writeFileSync(join(folder, 'openbox'), '');
  chmodSync(join(folder, 'openbox'), 0o755);
  const all = stage();
  expect(all.state).toBe('ok');
  expect(all.detail).toContain('Xvfb');
});
